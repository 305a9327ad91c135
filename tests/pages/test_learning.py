"""Logs that are dropped on the page Review become notes that wait there; accepted, they are found."""

import json
import re
from pathlib import Path

import pytest

from core.model import Note
from core.settings.sections import LlmSettings
from tests.model_server import ModelServer, stream
from tests.pages.conftest import Screen

LOG = """2026-01-02 10:00:00 ERROR db: connection refused: pool exhausted, token=sk-1234567890abcdef1234567890abcdef
2026-01-02 10:00:05 ERROR db: connection refused: pool exhausted, token=sk-1234567890abcdef1234567890abcdef
2026-01-02 10:00:09 INFO config - setting pool.most = 20, pool.least = 2
2026-01-02 10:00:10 INFO db: connected
"""


def bodies(screen: Screen) -> list[str]:
    """Return the texts of the suggested notes that wait."""
    return [screen.workspace.notes.get(one.note.id).body for one in screen.workspace.proposals.all()]


def dropped(screen: Screen, *files: tuple[str, str]) -> Screen:
    screen.app.file_uploader("learning_files").set_value([(name, text.encode(), "") for name, text in files]).run()
    return screen.press("learning_go").finish("learn")


def test_a_dropped_log_waits_is_found_once_accepted_and_suggests_nothing_again(place: Path) -> None:
    screen = Screen().open("review")
    screen.workspace.learning.enable(True)
    screen.app.session_state["learning"] = True
    screen.app.run()
    dropped(screen, ("../../app.log", LOG), ("..", "nothing"))
    waiting = screen.workspace.proposals.all()
    assert waiting
    assert "notes suggested" in "\n".join(info.value for info in screen.app.info)
    assert not any("sk-1234567890abcdef" in screen.workspace.notes.get(one.note.id).body for one in waiting)
    screen.press("all_accept")
    assert screen.workspace.search("pool.most", mode="keyword").hits
    assert "notes suggested" not in "\n".join(info.value for info in screen.app.info)
    screen.app.session_state["learning"] = True
    screen.app.run()
    dropped(screen, ("app.log", LOG))
    assert "suggested before" in "\n".join(info.value for info in screen.app.info)
    assert screen.workspace.proposals.all() == []


def test_pasted_lines_suggest_what_a_file_with_them_does_and_stay_nowhere(place: Path) -> None:
    screen = Screen().open("review")
    screen.workspace.learning.enable(True)
    notes: list[Note] = []
    for way in ("file", "paste"):
        screen.app.session_state["learning"] = True
        screen.app.run()
        if way == "file":
            dropped(screen, ("app.log", LOG))
        else:
            screen.app.text_area("learning_pasted").input(LOG).run()
            screen.press("learning_go").finish("learn")
            assert "pool exhausted" not in str(screen.app.session_state.to_dict())
            assert re.search(r"Suggested from app.log, lines? \d", screen.text.replace("\\", ""))
            assert all(re.search(r"from `app.log`, lines? \d", body) for body in bodies(screen))
        known = [note.id for note in notes]
        waiting = [screen.workspace.notes.get(one.note.id) for one in screen.workspace.proposals.all()]
        notes += sorted((note for note in waiting if note.id not in known), key=lambda note: note.title)
        screen.workspace.store.database.execute("DELETE FROM learnt_facts")  # so that they are suggested again
    suggested = [(note.title, note.body.split("```")[1]) for note in notes]
    half = len(notes) // 2
    assert suggested[:half] == suggested[half:] != []
    assert not any("sk-1234567890abcdef" in note.body for note in notes)


def test_learning_is_off_until_the_person_turns_it_on(place: Path) -> None:
    screen = Screen().open("review")
    screen.app.session_state["learning"] = True
    screen.app.run()
    assert not screen.app.file_uploader
    screen.press("learning_on")
    assert screen.workspace.learning.enabled


def test_a_model_suggests_too_where_one_is_set_up(place: Path) -> None:
    screen = Screen().open("review")
    screen.workspace.learning.enable(True)
    screen.app.session_state["learning"] = True
    screen.app.run()
    assert not [box for box in screen.app.checkbox if box.key == "learning_with_model"]
    suggested = [
        {"title": "The pool is too small", "text": "Raise it.", "lines": [{"line": 1, "quote": "pool exhausted"}]},
        {"title": "Made up", "text": "No.", "lines": [{"line": 1, "quote": "the disk is full"}]},
    ]
    with ModelServer(stream(json.dumps({"notes": suggested}))) as server:
        screen.workspace.settings.llm = LlmSettings(base_url=server.url, model="scripted", retries=0)
        screen.app.run()
        screen.app.checkbox("learning_with_model").check().run()
        dropped(screen, ("app.log", "2026-01-02 10:00:00 WARN db - pool exhausted\n"))
    assert "1 of them by the language model" in screen.text
    assert "Dropped: Made up ('the disk is full' isn't in the log)" in screen.text.replace("\\", "")
    assert [one.note.title for one in screen.workspace.proposals.all()] == ["The pool is too small"]


@pytest.mark.parametrize("decision", ["accepted", "rejected", "merged"])
def test_suggestions_are_announced_until_all_are_decided_on_or_the_page_is_left(place: Path, decision: str) -> None:
    screen = Screen().open("review")
    workspace = screen.workspace
    into = workspace.notes.add("home", "Pool.", title="Pool").id
    workspace.learning.enable(True)
    screen.app.session_state["learning"] = True
    screen.app.run()
    dropped(screen, ("app.log", LOG))
    announced = "notes suggested" if len(workspace.proposals.all()) > 1 else "note suggested"
    first, *others = [matter for matter in workspace.review.all() if matter.kind == "note"]
    match decision:
        case "accepted":
            workspace.proposals.accept([one.submission for one in others])
        case "rejected":
            workspace.proposals.reject([one.submission for one in others])
        case "merged":
            for one in others:
                workspace.review.merge(one, into)
    assert announced not in "\n".join(info.value for info in Screen().open("review").app.info), "another session"
    screen.open("review")
    assert announced in "\n".join(info.value for info in screen.app.info)
    if decision == "merged":
        screen.open("home")
    else:
        workspace.proposals.reject([first.submission])
    screen.open("review")
    assert announced not in "\n".join(info.value for info in screen.app.info)
    assert not [one for one in screen.app.info if "app.log" in one.value]
