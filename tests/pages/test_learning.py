"""Logs that are dropped on the page Review become notes that wait there; accepted, they are found."""

from pathlib import Path

from tests.pages.conftest import Screen

LOG = """2026-01-02 10:00:00 ERROR db: connection refused: pool exhausted, token=sk-1234567890abcdef1234567890abcdef
2026-01-02 10:00:05 ERROR db: connection refused: pool exhausted, token=sk-1234567890abcdef1234567890abcdef
2026-01-02 10:00:09 INFO config - setting pool.most = 20
2026-01-02 10:00:10 INFO db: connected
"""


def dropped(screen: Screen, *files: tuple[str, str]) -> Screen:
    screen.app.file_uploader("learning_files").set_value([(name, text.encode(), "") for name, text in files]).run()
    return screen.press("learning_go")


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
    screen.app.session_state["learning"] = True
    screen.app.run()
    dropped(screen, ("app.log", LOG))
    assert "suggested before" in "\n".join(info.value for info in screen.app.info)
    assert screen.workspace.proposals.all() == []


def test_learning_is_off_until_the_person_turns_it_on(place: Path) -> None:
    screen = Screen().open("review")
    screen.app.session_state["learning"] = True
    screen.app.run()
    assert not screen.app.file_uploader
    screen.press("learning_on")
    assert screen.workspace.learning.enabled
