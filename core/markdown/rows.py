"""The tables of a Markdown text: each row as a sentence with the words of the header, and its place."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from markdown_it.rules_block.table import escapedSplit

from core.markdown import parser
from core.markdown.titles import visible

_RULE = " \t>|:-"
"""All signs of the line below a table's header."""
_AROUND = " \t>\r\n"
"""What may stand around the row of a table in a quote or a list."""


@dataclass(frozen=True, slots=True)
class TableRow:
    """A row of a table, as characters of the text; `sentence` says it with the words of the header."""

    start: int
    end: int
    sentence: str


@dataclass(frozen=True, slots=True)
class MarkdownTable:
    """A table as characters of a text, its header included, with the rows that contain words."""

    start: int
    end: int
    rows: tuple[TableRow, ...]


def tables(text: str, lead: str = "") -> list[MarkdownTable]:
    """Return the tables of a text; `lead` is text to prepend where it is cut out of a block, such as a header."""
    above = f"{lead.rstrip()}\n" if lead.strip() else ""
    if "|" not in text or not any(map(_is_rule, f"{above}{text}".splitlines())):
        return []
    parsed = parser.parse(above + text)
    return [
        MarkdownTable(max(0, start - len(above)), end - len(above), tuple(_rows(parsed, token.map, len(above))))
        for token in parsed.tokens
        if token.type == "table_open" and token.map
        for start, end in [parsed.span(token)]
        if end > len(above)
    ]


def _is_rule(line: str) -> bool:
    return "|" in line and "-" in line and not line.strip(_RULE)


def _rows(parsed: parser.Parsed, between: Sequence[int], above: int) -> Iterator[TableRow]:
    """Yield the rows of the table between two lines of a text whose first `above` characters aren't its own."""
    body, lines = parsed.body, parsed.lines
    first, last = between
    header, _, *rows = ((lines[number], lines[number + 1]) for number in range(first, last))
    names = _cells(body[slice(*header)], parsed)
    for begin, behind in rows:
        line = body[begin:behind]
        start, end = behind - len(line.lstrip(_AROUND)), begin + len(line.rstrip(_AROUND))
        sentence = _sentence(names, _cells(line, parsed))
        if begin >= above and any(map(str.isalpha, sentence)):
            yield TableRow(start - above, end - above, sentence)


def _cells(line: str, parsed: parser.Parsed) -> list[str]:
    cells = escapedSplit(line.strip(_AROUND))
    inner = cells[not cells[0] : len(cells) - (not cells[-1])]
    return [visible(cell, parsed.references) for cell in inner]


def _sentence(names: Sequence[str], cells: Sequence[str]) -> str:
    """Return `first cell: second cell` of a row with two columns; of more columns each cell after its column's name."""
    first, *others = cells or [""]
    named = len(names) > 2
    pairs = zip(names[1:], others, strict=False)
    said = [f"{name if named else ''} {cell}".strip() for name, cell in pairs if cell]
    return ": ".join(filter(None, (first, "; ".join(said))))
