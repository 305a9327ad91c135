"""The rows of tables as sentences, each with its place in the text."""

import pytest

from core.markdown.parts import tables

KEYS = "| Action | Keys |\n|---|---|\n| **Delete** the [line](a.md) | `Ctrl` |\n|  | 7 |\n| 12 | 30 |\n"


def rows(text: str, lead: str = "") -> list[tuple[str, str]]:
    """The sentence of every row, and what stands at its place."""
    return [(row.sentence, text[row.start : row.end]) for table in tables(text, lead) for row in table.rows]


def test_a_row_of_two_columns_is_a_sentence_and_one_without_words_is_none() -> None:
    assert rows(f"# Keys\n\n{KEYS}\nMore.\n") == [("Delete the line: Ctrl", "| **Delete** the [line](a.md) | `Ctrl` |")]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_a_row_of_more_columns_names_them_and_leaves_empty_cells_out(end: str) -> None:
    text = end.join(["药名 | 用量 | 注意", ":-- | --: | ---", "布洛芬 | | 隔六小时", "碘伏 | 涂抹", "| | 两片 |"])
    assert [sentence for sentence, _ in rows(text)] == ["布洛芬: 注意 隔六小时", "碘伏: 用量 涂抹", "用量 两片"]
    assert [place for _, place in rows(text)] == ["布洛芬 | | 隔六小时", "碘伏 | 涂抹", "| | 两片 |"]


def test_a_pipe_that_is_escaped_divides_no_cell() -> None:
    assert rows("|a|b|\n|-|-|\n| [[note\\|shown]] | x \\| y |\n")[0][0] == "shown: x | y"


def test_a_text_that_is_cut_out_of_a_table_has_its_header_from_the_lead() -> None:
    assert rows("| kiln | 6 | hot |\n| oven | 4 | mild |", "| what | cone | heat |\n|---|---|---|") == [
        ("kiln: cone 6; heat hot", "| kiln | 6 | hot |"),
        ("oven: cone 4; heat mild", "| oven | 4 | mild |"),
    ]


def test_tables_in_quotes_and_lists_are_read_and_those_in_code_are_not() -> None:
    assert rows("> | a | b |\n> |---|---|\n> | c | d |\n") == [("c: d", "| c | d |")]
    assert rows("- item\n\n  | a | b |\n  |---|---|\n  | c | d |\n") == [("c: d", "| c | d |")]
    assert rows(f"```\n{KEYS}```\n") == []
    assert rows(f"{KEYS}```\n", "```text") == []
    assert rows("a | b\n\nno table -|-\n") == []


def test_a_table_reaches_from_its_header_to_its_last_row() -> None:
    text = f"Before.\n\n{KEYS}\nBehind.\n"
    ((table),) = tables(text)
    assert text[table.start : table.end] == KEYS.rstrip()
