"""Clicks on the pages: the switch, what is recorded where, what a hit tells of them, and what forgets them."""

from unittest.mock import patch

from pages.ui.search import answer, hits
from tests.pages.conftest import Screen

QUESTION = "restore"


def switch(screen: Screen, on: bool) -> None:
    screen.open("settings").tab("Search").app.toggle("use_clicks").set_value(on).run()
    assert not screen.app.exception, screen.app.exception


def arrive(screen: Screen, question: str = QUESTION) -> str:
    """Open the last hit of a question as its link does, and return the id of its note."""
    note = screen.workspace.search(question).hits[-1].note.id
    screen.open("notes", note=note, chunk="0", q=question)
    screen.app.run()
    return note


def test_nothing_is_recorded_until_it_is_wanted(filled: Screen) -> None:
    assert not filled.open("settings").tab("Search").app.toggle("use_clicks").value
    assert "clicks recorded" not in filled.text
    arrive(filled)
    assert filled.workspace.clicks.all() == []


def test_an_opened_hit_ranks_higher_says_why_and_is_forgotten(filled: Screen) -> None:
    switch(filled, True)
    note = arrive(filled)
    assert [(one.note_id, one.kind, one.question) for one in filled.workspace.clicks.all()] == [
        (note, "open", QUESTION)
    ]
    reasons = filled.open("search", q=QUESTION).explain().text
    assert "you used this note for similar questions" in reasons
    assert f"· opened · “{QUESTION}”" in reasons
    filled.press("forget_clicks_")
    assert filled.workspace.clicks.all() == []
    assert "you used this note" not in filled.text


def test_a_copied_hit_and_a_cited_context_are_recorded(filled: Screen) -> None:
    switch(filled, True)
    with patch.object(hits, "copy_button") as of_hit, patch.object(answer, "copy_button") as of_context:
        filled.open("search", q=QUESTION).press("unfold_1").press("context_open")
    copied = {call.args[2]: call.args[3] for call in (*of_hit.call_args_list, *of_context.call_args_list)}
    copied["copy_1"]()
    assert [one.kind for one in filled.workspace.clicks.all()] == ["copy"]
    copied["context_copy"]()
    cited = {one.note_id for one in filled.workspace.clicks.all() if one.kind == "cite"}
    assert cited == {hit.note.id for hit in filled.workspace.search(QUESTION).hits}
    assert "clicks recorded" in filled.open("settings").tab("Search").text
    filled.press("forget_clicks")
    assert filled.workspace.clicks.all() == []
    assert "clicks recorded" not in filled.text


def test_a_copy_is_told_to_nobody_while_clicks_are_off(filled: Screen) -> None:
    with patch.object(hits, "copy_button") as button:
        filled.open("search", q=QUESTION).press("unfold_1")
    assert [call.args[3] for call in button.call_args_list if call.args[2] == "copy_1"] == [None]
