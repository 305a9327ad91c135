"""Results are drawn from their fields: a sentence, or a table whose rows are lines."""

from dataclasses import dataclass
from datetime import UTC, datetime

import pytest

from core.base.messages import plural
from core.model import Author
from core.operations.printing import details, sentence, table


@dataclass(frozen=True, slots=True)
class Row:
    title: str
    notes: int
    author: Author
    at: datetime
    tags: tuple[str, ...] = ()
    pinned: bool = False


@dataclass(frozen=True, slots=True)
class Rows:
    rows: tuple[Row, ...]


AT = datetime(2026, 1, 31, 9, 5, tzinfo=UTC)
LINES = table("title", "notes", "author", "at", "tags", "pinned", empty="There are no notes.")


def test_columns_are_aligned_and_those_without_values_are_left_out() -> None:
    drawn = LINES(Rows((Row("缓存", 12, "person", AT), Row("Bread", 3, "program", AT))))
    assert drawn == [
        "Title  Notes  By            Time",
        "缓存      12  by you        2026-01-31 09:05",
        "Bread      3  by a program  2026-01-31 09:05",
    ]


def test_a_row_is_one_line_whatever_it_holds() -> None:
    (_, line) = LINES(Rows((Row("a\nb\x1b[2J", 1, "sync", AT, ("x\ny", "\r"), pinned=True),)))
    assert line.isprintable()
    assert "x y" in line
    assert line.endswith("yes")


def test_without_rows_it_says_so() -> None:
    assert LINES(Rows(())) == ["There are no notes."]


@pytest.mark.parametrize(("count", "text"), [(1, "1 row of it"), (2, "2 rows of it")])
def test_a_sentence_counts_the_first_field(count: int, text: str) -> None:
    rows = Rows((Row("a", 1, "person", AT),) * count)
    assert sentence(plural("{n} row of it", "{n} rows of it"))(rows) == [text]


def test_other_results_are_names_with_values() -> None:
    assert details({"title": "a", "rows": [{"notes": 1}], "own": {"times": 2}}) == [
        "Title: a",
        "rows:",
        "  - Notes: 1",
        "own:",
        "  Times: 2",
    ]
