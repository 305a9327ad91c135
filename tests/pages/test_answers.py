"""The box above the hits: the sentences that answer a question, each a link to its place in the note."""

import re
from pathlib import Path
from urllib.parse import parse_qs

import pytest

from core.features.answers.operations import AnswerView, format_answer
from core.model import Filters
from core.model.answers import _HEADER_ABOVE
from pages.ui.search import quotes
from tests.pages.conftest import Screen


def box(screen: Screen) -> list[str]:
    """The quotes of the box, as HTML."""
    return [html.proto.body for html in screen.app.get("html") if 'class="t-answer"' in html.proto.body]


def places(screen: Screen) -> list[dict[str, list[str]]]:
    """The addresses to which the numbers of the quotes lead."""
    links = [link.proto for link in screen.app.get("page_link") if link.proto.label.startswith(r"\[")]
    return [parse_qs(link.query_string) for link in links]


def test_the_sentence_that_answers_stands_above_the_hits(filled: Screen) -> None:
    filled.open("search", q="what are backups worth?")
    (quote, *_) = box(filled)
    assert "Backups are only worth what their last restore proved." in quote
    assert "From your notes" in filled.text
    assert filled.text.count('class="t-hit"') == 3  # never in place of the hits
    assert filled.text.count("Quoted above") == 1


def test_its_number_opens_the_note_at_the_marked_place(filled: Screen) -> None:
    filled.open("search", q="what are backups worth?")
    address = {name: values[0] for name, values in places(filled)[0].items()}
    (note,) = (card for card in filled.workspace.notes.all(Filters()) if card.title == "Backups")
    start, end = map(int, address["at"].split("-"))
    assert address["note"] == note.id
    assert filled.workspace.notes.get(note.id).body[start:end].startswith("Backups are only worth")
    filled.open("notes", **address)
    assert "Back to the hits" in str([link.proto.label for link in filled.app.get("page_link")])


def test_a_place_that_is_none_opens_the_chunk(filled: Screen) -> None:
    (note,) = (card for card in filled.workspace.notes.all(Filters()) if card.title == "Backups")
    for at in ("5-2", "0-99999999", "x-y", "-", "٣-٤"):
        filled.open("notes", note=note.id, chunk="0", at=at, q="worth")


def test_a_word_has_no_box(filled: Screen) -> None:
    assert not box(filled.open("search", q="pg_restore"))


def test_what_the_notes_do_not_say_is_told(filled: Screen) -> None:
    filled.open("search", q="who has won the chess championship?")
    assert not box(filled)
    assert "I found nothing in your notes that answers this." in filled.text.replace("\\", "")


def test_expired_notes_that_would_answer_are_named_and_included_by_a_press(filled: Screen) -> None:
    question = "where is the cabin key hidden?"
    body = "The cabin key is hidden below the blue flower pot."
    filled.workspace.notes.add("vault", body, title="Cabin key", author="person", expires_at="2020-01-01")
    filled.open("search", q="what are backups worth?")
    assert "expired note" not in filled.text
    filled.open("search", q=question)
    assert not box(filled)
    assert "1 expired note contains these words and was left out." in filled.text.replace("\\", "")
    printed = format_answer(AnswerView.from_answer(filled.workspace.answers.ask(question)))
    assert "status:active,expired" in printed[0]
    filled.press("include_expired")
    assert filled.app.text_input(key="q").value == f"{question} status:active,expired"
    assert "below the blue flower pot" in box(filled)[0]
    assert "expired note" not in filled.text


def test_a_question_is_judged_by_its_answer_alone(filled: Screen) -> None:
    filled.open("search", q="who has won the chess championship?")
    assert "I found nothing in your notes that answers this." in filled.text.replace("\\", "")
    filled.press("context_open")
    assert "Nothing similar" not in filled.text


def test_code_stands_apart_from_the_sentence_before_it(filled: Screen) -> None:
    body = "Restore the dump of the museum like this:\n\n```sh\npg_restore -d museum <dump>\n```\n"
    filled.workspace.notes.add("vault", body, title="Museum", author="person")
    quotes = box(filled.open("search", q="how do I restore the dump of the museum?"))
    code = next(quote for quote in quotes if "<pre" in quote)
    assert "Restore the dump of the museum like this:" in code.partition("<pre")[0]
    assert code.partition("<pre")[2].startswith(
        ' class="t-code"><span class="t-near">pg_restore -d museum &lt;dump&gt;</span></pre>'
    )


def test_admonitions_and_tabs_are_drawn_in_hits_and_answers(filled: Screen) -> None:
    body = """The boiler of the cabin.

!!! tip "Descaling"
    Descale the boiler with vinegar each May.

    Rinse it twice.

=== "Winter"

    Drain the **boiler** in November.
"""
    note = filled.workspace.notes.add("vault", body, title="Boiler", author="person")
    filled.open("search", q="when do I descale the boiler of the cabin with vinegar?")
    assert "Descale the boiler with vinegar each May." in re.sub("<[^<>]*>", "", box(filled)[0])
    assert not any("t-code" in quote for quote in box(filled))
    assert not {"!!!", "==="} & {*filled.text.split()}
    assert filled.workspace.notes.get(note.id).body == body


@pytest.mark.parametrize(
    "table", ["| tool | worth |\n|---|---|\n| rake | 12 EUR |", "tool | worth\n---|---\nrake | 12 EUR"]
)
def test_a_row_is_drawn_with_its_column_names(filled: Screen, table: str) -> None:
    filled.workspace.notes.add("vault", f"# Shed\n\n{table}\n", title="Shed", author="person")
    drawn = box(filled.open("search", q="what is the worth of the rake tool in the shed?"))
    assert any("tool: rake · worth: 12 EUR" in quote for quote in drawn), drawn


@pytest.mark.parametrize(
    "line", ["-" * 200 + "x", ":-" * 150 + "x", "- " * 150 + "x", "|" * 300, "|" + "-:|" * 150 + "x"]
)
def test_what_looks_like_a_table_takes_no_time(line: str) -> None:
    """A pattern that tries each way to divide the dashes would not end."""
    assert not _HEADER_ABOVE.search(f"a | b\n{line}")
    assert not _HEADER_ABOVE.search("a | b\n--|--\n" + "| a | b |\n" * 1000 + "|" * 300)


@pytest.mark.parametrize(
    ("question", "table", "row", "other"),
    [
        (
            "who pays the budget of 450 EUR?",
            "| Who | What |\n|---|---|\n| Tom | router |\n| Anna | budget 450 EUR |",
            "Who: Anna · What: budget 450 EUR",
            "Tom",
        ),
        (
            "who pays the budget of 450 EUR?",
            "Who | What\n---|---\nTom | router\nAnna | budget 450 EUR",
            "Who: Anna · What: budget 450 EUR",
            "Tom",
        ),
        (
            "谁联系保险公司？",
            "| 事项 | 负责人 |\n|---|---|\n| 上线日期定在周五 | 王芳 |\n| 联系保险公司 | 李刚 |",
            "事项：联系保险公司 · 负责人：李刚",
            "王芳",
        ),
    ],
)
def test_rows_between_sentences_are_quoted_alone_and_without_bars(
    filled: Screen, question: str, table: str, row: str, other: str
) -> None:
    body = f"# 搬家 Move\n\nWe met on Monday.\n\n{table}\n\nWe meet again on Friday.\n"
    note = filled.workspace.notes.add("vault", body, title="搬家 Move", author="person")
    (quote, *_) = box(filled.open("search", q=question))
    shown = re.sub("<[^>]*>", "", quote)
    assert not any(part in shown for part in ("|", other, "Friday")), shown
    assert all(cell in shown for cell in row.split(" · "))
    answer = filled.workspace.answers.ask(question)
    assert answer.text == f"{row} [1]"
    first = answer.quotes[0]
    assert filled.workspace.notes.get(note.id).body[first.start : first.end] == first.text
    assert f"> {row}\n" in quotes.as_markdown(first)
    if answer.has_more:
        filled.press("more_of_answer")
        (whole, *_) = box(filled)
        assert not any(part in whole for part in ("|", "---"))
        assert all(part in whole for part in (other, "Friday"))


@pytest.mark.parametrize(
    ("header", "row", "drawn"),
    [
        ("| a | b |", "| 2*3 | 4*5 |", "a: 2*3 · b: 4*5"),
        ("| a | b |", "| src/*.py | lib/*.py |", "a: src/*.py · b: lib/*.py"),
        ("| a | b |", "| 5 %% | 6 %% |", "a: 5 %% · b: 6 %%"),
        ("| | b |", "| - | x |", "- · b: x"),
        ("| | b |", "| 1. | x |", "1. · b: x"),
        ("| | b |", "| # | `x` |", "# · b: x"),
    ],
)
def test_markup_ends_with_its_cell(header: str, row: str, drawn: str) -> None:
    (shown,) = quotes._rows(row, header, (0, 1))
    assert re.sub("<[^>]*>", "", shown) == drawn


def test_a_follow_up_is_asked_below_the_answer_and_the_way_back_is_kept(filled: Screen) -> None:
    first, second = "what are backups worth?", "and for restoring?"

    def address() -> dict[str, str]:
        return {name: "".join(value) for name, value in filled.app.query_params.items()}

    filled.open("search", q=first)
    filled.app.text_input(key="follow_up").set_value(second).run()
    both = f"{first[:-1]}, {second}"
    assert (filled.app.text_input(key="q").value, filled.app.text_input(key="follow_up").value) == (both, "")
    assert address() == {"q": both, "earlier": first}
    alone = "how is the largest table compared with production?"
    filled.app.text_input(key="follow_up").set_value(alone).run()
    assert address() == {"q": alone, "earlier": f"{first}\n{both}"}

    def ways() -> list[tuple[str, dict[str, list[str]]]]:
        found = [link.proto for link in filled.app.get("page_link") if link.proto.icon.endswith("arrow_back:")]
        return [(link.label, parse_qs(link.query_string)) for link in found]

    (_, to_first), (_, to_both) = ways()
    assert (to_first, to_both) == ({"q": [first]}, {"q": [both], "earlier": [first]})
    filled.open("search", q=both, earlier=first)
    assert [way for _, way in ways()] == [{"q": [first]}]
    filled.open("search", q=first, earlier="")
    assert ways() == []
    assert address() == {"q": first}
    assert [search.query for search in filled.workspace.searches.all()] == [first, both, alone]
    filled.open("search", q=both, earlier=first)
    filled.app.text_input(key="q").set_value("bread").run()
    assert (ways(), address()) == ([], {"q": "bread"})
    filled.open("search", q=both, earlier=f"{first}\n" * 1000)
    assert len(ways()) == 8


PAGE = """The museum lends its oldest kettles for a winter experi-
ment only, and each experiment is written into the blue
register at the door.

Kettles sing,
registers wait.
"""
FLOWING = (
    "The museum lends its oldest kettles for a winter experiment only, and each experiment is written into the blue "
    "register at the door."
)


def test_lines_of_a_page_flow_where_they_are_shown_and_copied(filled: Screen, vault: Path) -> None:
    (vault / "kettles.txt").write_text(PAGE, encoding="utf-8")
    filled.workspace.imports.apply(filled.workspace.imports.plan_folder(vault))
    question = "for what does the museum lend its oldest kettles?"
    filled.open("search", q=question)
    (quote, *_) = box(filled)
    assert FLOWING in filled.workspace.answers.ask(question).text
    assert FLOWING in filled.workspace.context(question).text
    assert FLOWING in re.sub("<[^>]*>", "", quote)
    copied = [component.proto for component in filled.app.get("bidi_component")]
    assert any(f"> {FLOWING}" in str(one) for one in copied), copied
    (note,) = (note for note in filled.workspace.notes.all() if note.title == "kettles")
    assert filled.workspace.notes.get(note.id).body == PAGE
    address = {name: values[0] for name, values in places(filled)[0].items()}
    assert PAGE[slice(*map(int, address["at"].split("-")))].startswith("The museum lends")
    filled.open("search", q="museum register")
    shown = [html.proto.body for html in filled.app.get("html") if 'class="t-hit"' in html.proto.body]
    text = re.sub("<(?!br)[^>]*>", "", "".join(shown))
    assert FLOWING in text
    assert "Kettles sing,<br>registers wait." in text
