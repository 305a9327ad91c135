"""Each write and each search of a person on the pages leaves its line in the log, and no text of a note."""

from collections.abc import Callable
from pathlib import Path

import pytest

from core.base import call_log, log
from core.workspace import Workspace
from tests.doors.test_log_lines import ASKED, BASE, LEARNT, OPERATIONS, SEARCHES, SECRET
from tests.pages.conftest import Screen
from tests.pages.test_learning import dropped
from tests.pages.test_writing import saved, typed

LINES = {
    **dict.fromkeys(SEARCHES, "search"),
    "related": "note.related",
    "concepts": "concept.list",
    "concept notes": "concept.notes",
    "way": "concept.way",
    "add": "note.add",
    "update": "note.change",
    "use": "use.judge",
    "take back": "use.judge",
    "learn": "learn",
}
"""What each operation is called in the log. A person reads a context and an answer of the search on the same page, and
retrieves by narrowing it."""


@pytest.fixture
def screen(place: Path, monkeypatch: pytest.MonkeyPatch) -> Screen:
    monkeypatch.setenv("TESSERA_INDEX__KIND", "none")
    with Workspace(place) as workspace:
        workspace.bases.add(BASE)
        for title in ("pond", "roof", "lake"):
            fields = {"title": title, "path": f"{title}.md", "type": "guide", "scope": SECRET}
            text = f"The {SECRET} heron, a {SECRET} heron, stands at the {title}."
            workspace.notes.add(BASE, text, author="person", **fields)
        workspace.pending.embed(BASE)
        workspace.learning.enable(True)
    return Screen().finish("warm")


def opened(screen: Screen, page: str, panel: str = "", **address: str) -> Screen:
    if panel:
        screen.app.session_state[panel] = True
    return screen.open(page, **address)


def searched(screen: Screen, mode: str) -> None:
    screen.press("options").app.segmented_control("mode").set_value(mode).run()


def chosen(screen: Screen) -> None:
    names = [one.name for one in screen.workspace.related.concepts.all(BASE)]
    screen.app.session_state["concept_names"] = names[:1]
    screen.app.run()


def led(screen: Screen) -> None:
    screen.app.text_input("way_from").input("pond")
    screen.app.text_input("way_to").input("roof").run()


def judged(screen: Screen, verdict: str | None) -> None:
    next(one for one in screen.app.pills if (one.key or "").startswith("verdict_")).set_value(verdict).run()


def on_pages(screen: Screen) -> dict[str, Callable[[], object]]:
    pond, without_note = screen.workspace.notes.find("pond").id, Screen()
    return {
        "search": lambda: screen.open("search", q=f"{SECRET} heron"),
        "semantic": lambda: searched(screen, "semantic"),
        "context": lambda: screen.press("context_open"),
        "retrieve": lambda: screen.open("search", q=f"type:guide scope:{SECRET} heron"),
        "ask": lambda: screen.open("search", q=f"{ASKED}?"),
        "related": lambda: opened(screen, "notes", "related", note=pond),
        "concepts": lambda: opened(without_note, "notes", "concepts"),
        "concept notes": lambda: chosen(without_note),
        "way": lambda: led(without_note),
        "add": lambda: saved(typed(Screen().open("notes").press("new_note"), f"One more {SECRET}.\n")),
        "update": lambda: screen.open("notes", note=pond).app.menu_button(f"note_menu_{pond}").click("archive").run(),
        "use": lambda: judged(screen.open("search", q="heron").explain(), "harmful"),
        "take back": lambda: judged(screen, None),
        "learn": lambda: dropped(opened(screen, "review", "learning"), ("app.log", LEARNT)),
    }


def test_each_write_and_search_on_the_pages_leaves_its_line(screen: Screen, place: Path) -> None:
    calls = on_pages(screen)
    assert [*calls] == [*LINES] == [*OPERATIONS]
    for name, act in calls.items():
        before = len((place / log.FILE).read_text().splitlines())
        act()
        assert not screen.app.exception, (name, screen.app.exception)
        said = (place / log.FILE).read_text().splitlines()[before:]
        own = [line for line in said if f" {call_log.__name__}:" in line and f" {LINES[name]}: base={BASE} " in line]
        assert own, (name, said)
        assert all(" model=words " in line and " ms=" in line for line in own), (name, own)
        assert name not in SEARCHES or all(" mode=" in line for line in own), (name, own)
    assert SECRET not in (place / log.FILE).read_text()
