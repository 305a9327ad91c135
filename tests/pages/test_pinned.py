"""Notes that are pinned or were opened last come first in the switcher, and the pinned ones on Home."""

import pytest

from core.workspace import Workspace
from pages.ui.shared import shell
from tests.pages.conftest import Screen


@pytest.fixture
def several(filled: Screen) -> dict[str, str]:
    """The ids of twelve notes by their titles, of which the last one was changed last."""
    return {
        title: filled.workspace.notes.add("vault", title, title=title).id
        for title in (f"Note {n}" for n in range(1, 13))
    }


def switcher(screen: Screen) -> list[str]:
    screen.app.session_state["switching"] = True
    screen.app.run()
    labels = [button.label for button in screen.app.button if (button.key or "").startswith("switch_to_")]
    return [label.partition(" :gray")[0].rpartition(": ")[2] for label in labels if ":gray" in label]


def test_the_switcher_begins_with_pinned_notes_then_those_opened_last(filled: Screen, several: dict[str, str]) -> None:
    for title in ("Note 3", "Note 1", "Note 2", "Note 1"):
        filled.open("notes", note=several[title])
    filled.app.menu_button(f"note_menu_{several['Note 1']}").click("pin").run()
    filled.open("home")
    assert switcher(filled)[:4] == ["Note 1", "Note 2", "Note 3", "Note 12"]
    assert len(switcher(filled)) == 10


def test_a_pinned_note_is_on_home_until_it_is_unpinned_or_deleted(filled: Screen, several: dict[str, str]) -> None:
    def listed() -> list[str]:
        links = [link.proto for link in filled.open("home").app.get("page_link")]
        return [link.label for link in links if link.query_string.startswith("note=")]

    assert "Note 2" not in listed()
    for title in ("Note 2", "Note 1"):
        filled.open("notes", note=several[title])
        filled.app.menu_button(f"note_menu_{several[title]}").click("pin").run()
    assert listed()[:2] == ["Note 1", "Note 2"]
    filled.workspace.trash.put([several["Note 1"]])
    assert listed()[0] == "Note 2"
    filled.open("notes", note=several["Note 2"])
    filled.app.menu_button(f"note_menu_{several['Note 2']}").click("pin").run()
    assert "Note 2" not in listed()


def test_a_workspace_that_is_read_or_damaged_preferences_pin_nothing(filled: Screen, several: dict[str, str]) -> None:
    workspace: Workspace = filled.workspace
    for note_id in several.values():
        shell.remember_opened(note_id)
    workspace.preferences.set("pinned_notes", "nobody \x00 ../x 12")
    assert [card.title for card in shell.likely_notes(3, opened=True)] == ["Note 12", "Note 11", "Note 10"]
