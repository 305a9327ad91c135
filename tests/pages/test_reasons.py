"""Grey buttons: each says why, in its tooltip or in a line of the page."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tests.pages.conftest import Screen

PAGES = (
    ("bases", {}, ""),
    *(("bases", {"base": "vault"}, tab) for tab in ("General", "Model", "Splitting")),
    ("bases", {"new": "yes"}, ""),
    ("chunks", {"note": "backups.md"}, ""),
    ("evaluation", {"view": "questions"}, ""),
    ("evaluation", {"view": "compare"}, ""),
    ("evaluation", {"view": "history"}, ""),
    ("help", {}, ""),
    *(("settings", {}, tab) for tab in ("General", "Search", "Models", "Packs", "Backups and health")),
)
FOLDED = ("note_types", "search_index", "another_model", "model_servers", "space")
STATES = {
    "idle": (),
    "importing": ("import", "edits"),
    "at work": ("embed", "cost", "test", "suggest", "evaluate", "backup", "verify", "doctor", "compact"),
}
LINES = {
    "run": "This question set has no accepted questions yet",
    "history_": "Select one test run to look at it",
    "questions_": "Tick the box on the left of a row",
}
"""What a line next to buttons says, by how their keys begin."""


@contextmanager
def running(screen: Screen, *names: str) -> Iterator[None]:
    """Run jobs of these names, which end only afterwards."""
    jobs, go = screen.workspace.jobs, threading.Event()
    try:
        for name in names:
            assert jobs.start(name, lambda progress: go.wait(60))
        yield
    finally:
        go.set()
        for name in names:
            jobs.wait(name)


@pytest.fixture
def screen(filled: Screen) -> Screen:
    """The app with a question, a backup and a deleted base."""
    workspace = filled.workspace
    workspace.backups.make()
    workspace.bases.add("second")
    workspace.bases.delete("second")
    workspace.question_sets.add_file("vault", "Mine", b'{"id": "1", "question": "How?", "gold": []}', "mine.jsonl")
    return filled


@pytest.mark.parametrize("state", STATES)
def test_a_gray_button_says_why(screen: Screen, state: str) -> None:
    notes = {note.path: note.id for note in screen.workspace.notes.all()}
    dumb = set()
    with running(screen, *STATES[state]):
        for page, address, tab in PAGES:
            screen.open(page, **{name: notes.get(value, value) for name, value in address.items()})
            if tab:
                screen.tab(tab, *FOLDED)
            lines = tuple(key for key, line in LINES.items() if line in screen.text)
            dumb |= {
                f"{page} {tab}: {one.label} ({one.key})"
                for one in screen.app.button
                if one.disabled and not one.help and not (lines and str(one.key).startswith(lines))
            }
    assert not dumb
