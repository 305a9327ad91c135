"""A new note goes to a base that can be written to, or the editor says why it isn't a file."""

from collections.abc import Callable
from pathlib import Path
from unittest.mock import patch

import pytest

from core.workspace import Workspace
from pages.ui.notes import reader
from pages.ui.shared.document import Clicked
from tests.features.packs.test_packs import write
from tests.pages.conftest import Screen
from tests.pages.test_writing import typed, writing

READ_ONLY = "The files of this base are read-only"


def reading(screen: Screen, base: str) -> None:
    """Read a note of a base."""
    note = next(card for card in screen.workspace.notes.all() if card.base == base)
    screen.open("notes", note=note.id)


def by_button(screen: Screen) -> None:
    screen.press("new_note")


def by_switcher(screen: Screen) -> None:
    screen.app.session_state["switching"] = True
    screen.app.run()
    screen.press("switch_to_new")


def by_answer(screen: Screen) -> None:
    screen.open("search", q="who has won the chess championship?")
    screen.open("review").press("open_question").press("decide_write").open("notes")


def by_link(screen: Screen) -> None:
    def click(*_: object, on_click: Callable[[Clicked], None], **__: object) -> None:
        on_click(Clicked(make="Chess.md"))

    with patch.object(reader, "show_document", click):  # a component, which doesn't run here
        screen.app.run()
    screen.app.run()
    screen.press("linked_yes")


@pytest.fixture
def several(filled: Screen, tmp_path: Path) -> Screen:
    """The app with notes of the user's own, notes of a folder that is only read, and a pack."""
    filled.workspace.packs.install(write(tmp_path / "pack"))
    filled.workspace.bases.add("own")
    filled.workspace.notes.add("own", "Water the basil.\n", title="Garden", embed=False)
    return filled


@pytest.mark.parametrize("begin", [by_button, by_switcher, by_answer, by_link])
@pytest.mark.parametrize("base", ["vault", "shelf"])
def test_a_new_note_goes_where_one_can_write(several: Screen, base: str, begin: Callable[[Screen], None]) -> None:
    reading(several, base)
    begin(several)
    assert writing(several.app).base == "own"
    assert READ_ONLY not in several.text


@pytest.mark.parametrize("base", ["vault", "shelf"])
def test_todays_note_is_offered_where_one_can_write(several: Screen, base: str) -> None:
    reading(several, base)
    several.open("home").app.text_input("jot").input("Call the plumber")
    several.press("jot_go")
    assert several.app.selectbox("today_base").value == "own"


def test_a_folder_that_may_be_written_to_is_a_place_for_new_notes(several: Screen) -> None:
    several.workspace.bases.update("vault", write_files=True)
    reading(several, "vault")
    by_button(several)
    assert writing(several.app).base == "vault"
    assert READ_ONLY not in several.text


def test_a_new_note_of_the_only_base_says_why_it_is_no_file(filled: Screen) -> None:
    reading(filled, "vault")
    by_button(filled)
    assert writing(filled.app).base == "vault"
    assert READ_ONLY in filled.text


def test_beside_a_pack_alone_a_new_note_makes_a_base(place: Path, tmp_path: Path) -> None:
    with Workspace(place) as workspace:
        workspace.packs.install(write(tmp_path / "pack"))
    screen = Screen()
    reading(screen, "shelf")
    by_button(screen)
    assert writing(screen.app).base == "My notes"
    typed(screen, "Feed the hens.\n").press("writing_leave")
    assert [card.base for card in screen.workspace.notes.all() if card.title == "Feed the hens."] == ["My notes"]
