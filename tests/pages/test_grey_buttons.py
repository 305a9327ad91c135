"""A button that can't be pressed says why, on the pages of every day."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import streamlit as st

from core.workspace import Workspace
from tests.pages.conftest import Screen
from tests.pages.test_writing import writing


def grey(screen: Screen) -> dict[str, str]:
    """The buttons of the page that can't be pressed, with what they say about it."""
    return {str(button.key or button.label): button.help for button in screen.app.button if button.disabled}


def note_of(screen: Screen) -> str:
    return next(card.id for card in screen.workspace.notes.all() if card.path == "backups.md")


def home(screen: Screen) -> None:
    screen.open("home")


def an_open_note(screen: Screen) -> None:
    screen.open("notes", note=note_of(screen))


def marked_notes(screen: Screen) -> None:
    screen.app.session_state["notes_view"] = "list"
    screen.app.session_state["chosen"] = [note_of(screen)]
    screen.open("notes")


@contextmanager
def importing(screen: Screen) -> Iterator[None]:
    ended = threading.Event()
    screen.workspace.jobs.start("import", lambda progress: ended.wait(60))
    try:
        yield
    finally:
        ended.set()
        screen.workspace.jobs.wait("import", 30)


@pytest.mark.parametrize("page", [home, an_open_note, marked_notes])
def test_while_notes_are_imported(filled: Screen, page: Callable[[Screen], None]) -> None:
    with importing(filled):
        page(filled)
        said = grey(filled)
    assert set(said.values()) <= {"An import is running. Wait for it to finish, or cancel it first."}
    assert said or page is not marked_notes


@pytest.mark.parametrize("page", [home, an_open_note, marked_notes])
def test_where_the_workspace_is_only_read(place: Path, filled: Screen, page: Callable[[Screen], None]) -> None:
    st.cache_resource.clear()  # closes it
    with Workspace(place):
        screen = Screen().finish("warm")
        page(screen)
        said = grey(screen)
    assert said
    assert all(text.startswith("Tessera is open in read-only mode") for text in said.values()), said


def test_actions_on_notes_wait_for_a_mark(filled: Screen) -> None:
    filled.app.session_state["notes_view"] = "list"
    filled.open("notes")
    assert set(grey(filled).values()) == {"First tick the boxes to the left of the notes."}
    marked_notes(filled)
    assert grey(filled) == {}
    filled.press("set_fields")
    assert grey(filled) == {"several_set": "First choose a value or tag above."}


def test_a_plan_is_applied_once_it_is_confirmed(filled: Screen, vault: Path) -> None:
    screen = filled.open("notes")
    screen.press("again_0")
    assert grey(screen) == {"plan_apply": "Everything is up to date, so there is nothing to do."}
    screen.press("plan_discard")
    for name in "abc":
        (vault / f"{name}.md").write_text(f"A note called {name}.\n")
    screen.press("again_0").press("plan_apply").finish()
    for name in "abc":
        (vault / f"{name}.md").unlink()
    screen.press("again_0")
    why = "Tick the box above first."
    assert grey(screen) == {"plan_apply": why}
    assert why in [caption.value for caption in screen.app.caption], "fingers see no tooltip"
    screen.app.checkbox("plan_confirmed").check().run()
    assert grey(screen) == {}
    assert why not in screen.text


def test_a_proposed_change_is_saved_once_it_is_one(filled: Screen) -> None:
    note = filled.workspace.notes.add("vault", "A keel\n", status="pending", author="program", embed=False)
    filled.open("notes", note=note.id).press("edit_note")
    assert writing(filled.app).decides
    assert grey(filled) == {"writing_save": "There are no changes to save."}
