"""What was asked in vain waits on the page Review, where its answer is written."""

import pytest

from tests.pages.conftest import Screen
from tests.pages.test_writing import typed, writing

ASKED = "who has won the chess championship?"


def asked(screen: Screen) -> list[str]:
    return [one.title for one in screen.workspace.review.all(kinds=["question"])]


def test_a_question_without_an_answer_waits_and_one_with_doesnt(filled: Screen) -> None:
    for question in ("what are backups worth?", "pg_restore", ASKED):
        filled.open("search", q=question)
    assert asked(filled) == [ASKED]
    assert "Review · 1" in [link.proto.label for link in filled.app.get("page_link")], "the number follows at once"
    filled.open("search", q=f"{ASKED} path:nowhere/")
    assert asked(filled) == [ASKED], "a narrowed search says little about the notes"


@pytest.mark.parametrize("title", [ASKED, "Chess"])
def test_its_answer_is_written_from_review_and_ends_it(filled: Screen, title: str) -> None:
    filled.open("search", q=ASKED)
    read = next(card.id for card in filled.workspace.notes.all() if "/" in str(card.path))
    filled.open("notes", note=read)
    filled.open("review").press("open_question").press("decide_write").open("notes")
    now = writing(filled.app)
    assert (now.value("title"), now.body, now.caret, now.base, now.folder) == (ASKED, "", 0, "vault", "")
    now.set("title", title)
    typed(filled, "")
    assert asked(filled) == [ASKED]
    typed(filled, "Ding has won it.\n").press("writing_leave")
    assert "There is nothing to review." in filled.open("review").text
    assert filled.workspace.notes.find(title)
    filled.press("notes_undo")
    assert filled.workspace.notes.find(title) is None
    assert asked(filled) == [ASKED]


def test_a_question_can_be_settled_without_a_note(filled: Screen) -> None:
    filled.open("search", q=ASKED)
    filled.open("review").press("decide_unneeded")
    assert "There is nothing to review." in filled.text
    filled.press("notes_undo")
    assert asked(filled) == [ASKED]


def test_the_note_that_may_answer_a_part_is_shown_and_the_question_stays(filled: Screen) -> None:
    question = "are restores of backups tested?"
    filled.workspace.searches.add(question)
    filled.workspace.searches.mark([question], unanswered=True)
    shown = filled.open("review").text.replace("\\", "")
    assert "Your notes may answer a part of this:" in shown
    assert "Backups" in str([link.proto.label for link in filled.app.get("page_link")])
    assert asked(filled) == [question]
