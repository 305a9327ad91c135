"""What answers are made of is whole: an item has its lead-in, a row its header, code the sentence before it."""

import pytest

from core.features.answers.units import LONGEST, units_of
from tests.growth import assert_linear


def shown(text: str) -> list[tuple[str, str, str]]:
    """The kind, the lead and the text of each unit."""
    return [
        (unit.kind, text[slice(*unit.lead)] if unit.lead else "", text[unit.start : unit.end])
        for unit in units_of(text)
    ]


def test_an_item_has_the_lead_in_of_its_list() -> None:
    text = "Salt slows it. To clean the stone:\n\n- Scrape it cold.\n- Never use soap,\n  nor water.\n"
    assert shown(text) == [
        ("sentence", "", "Salt slows it."),
        ("item", "To clean the stone:", "- Scrape it cold."),
        ("item", "To clean the stone:", "- Never use soap,\n  nor water."),
    ]


def test_an_item_below_another_has_that_one_before_it() -> None:
    text = "清洗方法：\n\n1. 石板：\n   - 先放凉\n   - 再刮净\n2. 烤箱用湿布擦\n"
    assert shown(text) == [
        ("item", "1. 石板：", "- 先放凉"),
        ("item", "1. 石板：", "- 再刮净"),
        ("item", "清洗方法：", "2. 烤箱用湿布擦"),
    ]


@pytest.mark.parametrize("gap", ["\t\t\t", "\t\t", " \t  \t", " " * 12])
def test_an_admonition_may_mix_tabs_and_blanks(gap: str) -> None:
    text = f"- Restart the server\n\n    - Check the logs\n\n        !!! tip\n{gap}Yes."
    assert units_of(text)[-1].end == len(text)
    assert text[units_of(text)[-1].start :].endswith("Yes.")


def test_the_body_of_an_admonition_or_a_tab_is_no_code() -> None:
    text = '!!! tip "Dough"\n    Rest it long.\n    Cool\n    it then.\n\n'
    text += '=== "Bread"\n\n    Run:\n\n    ```sh\n    ls\n    ```\n'
    assert shown(text) == [
        ("sentence", "", "Rest it long."),
        ("sentence", "", "Cool\n    it then."),
        ("code", "Run:", "ls"),
    ]


def test_a_row_has_the_header_of_its_table() -> None:
    text = "| what | how much |\n|---|---:|\n| flour | 500 g |\n| water | 350 ml |\n"
    assert shown(text) == [
        ("row", "| what | how much |", "| flour | 500 g |"),
        ("row", "| what | how much |", "| water | 350 ml |"),
    ]


def test_a_bar_above_a_blank_line_is_no_header() -> None:
    assert shown("Pipe it with a | b.\n\n| one | two |\n\nDone it is.\n") == [
        ("sentence", "", "Pipe it with a | b."),
        ("row", "", "| one | two |"),
        ("sentence", "", "Done it is."),
    ]


def test_code_has_the_sentence_before_it() -> None:
    text = "There are copies. Make one with this command:\n\n```sh\npg_dump shop\ngzip shop\n```\n\nDone at last.\n"
    assert shown(text) == [
        ("sentence", "", "There are copies."),
        ("code", "Make one with this command:", "pg_dump shop\ngzip shop"),
        ("sentence", "", "Done at last."),
    ]


def test_code_in_an_item_has_the_item_before_it() -> None:
    text = "To restart:\n\n1. Run this:\n\n   ```sh\n   stop\n\n   start\n   ```\n"
    text += "2. Look. At the log.\n   ```\n   tail\n   ```\n3. Wait.\n\n```\nend\n```\n"
    assert shown(text) == [
        ("code", "1. Run this:", "   stop\n\n   start"),
        ("item", "To restart:", "2. Look. At the log."),
        ("code", "2. Look. At the log.", "   tail"),
        ("item", "To restart:", "3. Wait."),
        ("code", "3. Wait.", "end"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "![How long bread bakes](oven.png)\n",
        "- [How bread is baked](bread.md)\n- [Baking](b.md)\n",
        "# How long does bread bake\n",
        "<p align=center>How long</p>\n",
        '<img alt="How long bread bakes\nin three ways." src="oven.png" />\n',
        "<span class=caption>How long\nbread bakes</span>\n",
        "[oven]: https://example.org/how-long-bread-bakes\n",
        "It bakes in three ways:\n",
        "<!-- How long\nbread bakes. -->\n",
        "```\n{{#include how/long.rs}}\n```\n",
        f"- {'=' * 500}\n",
    ],
)
def test_pictures_links_headings_and_lead_ins_are_no_answers(text: str) -> None:
    assert shown(text) == []


def test_text_below_a_line_of_html_is_an_answer() -> None:
    assert shown("<br>\nIt bakes for an hour.\n") == [("sentence", "", "It bakes for an hour.")]
    assert shown("<p>\nIt bakes for an hour.\n\nOr two.</p>\n")[0][2] == "It bakes for an hour."


def test_an_element_ends_at_its_own_closing_tag() -> None:
    text = "<article>\nIt bakes for an hour.\nSee <a href='x'>the list</a>.\nIt cools for two.\n"
    assert ("sentence", "", "It bakes for an hour.") in shown(text)


def test_sentences_end_where_people_end_them() -> None:
    text = "Use e.g. Rye flour, i.e. `rye`, v1.2 or so. Does it rise? 会的。先等两小时，再烤；不要开门。\n"
    assert [one for _, _, one in shown(text)] == [
        "Use e.g. Rye flour, i.e. `rye`, v1.2 or so.",
        "Does it rise?",
        "会的。",
        "先等两小时，再烤；",
        "不要开门。",
    ]


def test_every_unit_is_short_enough_to_be_shown() -> None:
    long = "word, " * 500 + "\n\n- " + "item " * 300 + "\n\n```\n" + "line of code here\n" * 200 + "```\n"
    units = units_of(long)
    assert {unit.kind for unit in units} == {"sentence", "item", "code"}
    assert max(unit.end - unit.start for unit in units) <= LONGEST


def test_lines_that_end_in_carriage_returns_are_read_as_others() -> None:
    text = "To clean:\r\n\r\n- Scrape it.\r\n- Dry it.\r\n"
    assert shown(text) == [("item", "To clean:", "- Scrape it."), ("item", "To clean:", "- Dry it.")]


@pytest.mark.parametrize(
    "text",
    [" " * 60_000 + "x", "> " * 30_000 + "x", "|" * 60_000, "- " * 30_000 + "x", "`" * 60_000, "<" + "n" * 60_000],
)
def test_a_hostile_line_is_read_in_time(text: str) -> None:
    assert_linear(units_of, text)
