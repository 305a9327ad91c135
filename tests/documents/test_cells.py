"""What a cell of a table holds is on its line: pandoc writes *[TABLE]* alone for a table with a line end in it."""

from typing import Any

import pytest

from core.documents import pandoc
from core.documents.office import blocks

ATTRIBUTES = blocks.ATTRIBUTES
LINES = [*blocks.inlines("above"), {"t": "LineBreak"}, *blocks.inlines("below")]
CODE = {"t": "CodeBlock", "c": [ATTRIBUTES, "above\nbelow"]}
INLINES: dict[str, Any] = {
    **dict.fromkeys("Emph Underline Strong Strikeout Superscript Subscript SmallCaps".split(), LINES),
    "Quoted": [{"t": "DoubleQuote"}, LINES],
    "Link": [ATTRIBUTES, LINES, ["https://example.org", "its\nname"]],
    "Image": [ATTRIBUTES, LINES, ["a.png", ""]],
    "Span": [ATTRIBUTES, LINES],
    "Code": [ATTRIBUTES, "above\n|below"],
    "Math": [{"t": "DisplayMath"}, "above\nbelow"],
    "RawInline": [blocks.OURS, "above\nbelow"],
    "Str": "above\nbelow",
    "Note": [blocks.para(LINES), blocks.para(LINES), CODE],
}


@pytest.mark.parametrize("kind", INLINES)
def test_each_kind_of_content_is_in_its_cell(kind: str) -> None:
    node = {"t": kind, "c": INLINES[kind]}
    nested = {"t": "Strong", "c": [{"t": "Emph", "c": [node]}]}
    rows = [[blocks.inlines("first"), blocks.inlines("second")], [[node], [nested]], [[nested], [node]]]
    written = pandoc._markdown([blocks.table(rows)], pictures=True)
    table, _, notes = written.partition("\n\n")
    assert len(table.splitlines()) == 4
    assert {line.replace("\\|", "").count("|") for line in table.splitlines()} == {3}
    found = (notes if kind == "Note" else table).lower()
    assert min(found.count("above"), found.count("below")) >= 4
