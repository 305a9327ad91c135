"""The sheets of a spreadsheet of LibreOffice -> the rows that their cells show, and what is drawn and noted on them."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from xml.etree.ElementTree import Element

from core.documents.kinds import MOST_CELLS, MOST_COLUMNS
from core.documents.office.drawings import Chart
from core.documents.office.odt import HREF, author_of, embedded, margins, signs, texts
from core.documents.office.package import Package, elements_named, first, local, number_of, value
from core.markdown.writing import link
from core.model import Omission

_MOST_REPEATED = 1_000
"""Equal rows, one below the other, that are read."""
_VALUES = ("string-value", "value", "date-value", "time-value", "boolean-value")
"""Attributes with the value of a cell, of which a program wrote no text."""
_SHOWN = ("p", "h", "title", "desc")
"""Elements of something drawn with its texts, and with what is said of a picture."""


@dataclass(slots=True)
class Sheet:
    """A sheet of any program; of its columns, `width` in all, some aren't read. `unknown` formulas have no value.

    Comments are author, cell, paragraphs; `margins` are texts at the head and at the foot of its printed pages.
    """

    title: str = ""
    is_hidden: bool = False
    width: int = 0
    unknown: int = 0
    rows: list[list[str]] = field(default_factory=list)
    charts: list[Chart] = field(default_factory=list)
    boxes: list[str] = field(default_factory=list)
    comments: list[tuple[str, str, list[str]]] = field(default_factory=list)
    margins: dict[str, dict[str, None]] = field(default_factory=dict)


def open_sheets(package: Package, left_out: list[Omission]) -> Iterator[Sheet]:
    """Yield the sheets of a spreadsheet of LibreOffice, the first with what all have at their margins."""
    hidden: set[str] = set()
    left = MOST_CELLS
    reader = _SheetReader(package, left_out, Sheet(margins=margins(package.optional("styles.xml"))))
    for element in package.stream("content.xml", "style", "table-row", "shapes", "table"):
        kind, sheet = local(element), reader.sheet
        if kind == "table-row":
            left -= reader.read_row(element)
        elif kind == "shapes":
            reader.read_drawn(element)
        elif kind == "style" and value(first(element, "table-properties"), "display") == "false":
            hidden.add(value(element, "name"))
        elif kind == "table" and (name := value(element, "name")):
            sheet.title, sheet.is_hidden = " ".join(name.split()), value(element, "style-name") in hidden
            yield sheet
            reader = _SheetReader(package, left_out, Sheet())
        if left < 0:
            raise MemoryError


class _SheetReader:
    """Fills a sheet with its rows, one after the other."""

    def __init__(self, package: Package, left_out: list[Omission], sheet: Sheet) -> None:
        self.sheet = sheet
        self._package, self._left_out = package, left_out
        self._number = 1
        self._merged: dict[int, tuple[int, str]] = {}

    def read_row(self, row: Element) -> int:
        """Read a row, which may be repeated; return how many cells there are."""
        cells: dict[int, str] = {}
        column = 0
        for cell in row:
            text, after = self._text(cell, column), column + number_of(value(cell, "number-columns-repeated"), 1)
            if text:
                self.sheet.width = max(self.sheet.width, after)
                cells |= dict.fromkeys(range(column, min(after, MOST_COLUMNS)), text)
            if text and column < MOST_COLUMNS:
                self._merged[column] = (self._number + number_of(value(cell, "number-rows-spanned")), text)
            column = after
        for at, (end, text) in self._merged.items():
            if end > self._number:
                cells.setdefault(at, text)
        repeated = number_of(value(row, "number-rows-repeated"), 1)
        self._number += repeated
        made = [cells.get(at, "") for at in range(max(cells, default=-1) + 1)]
        rows = [made] * min(repeated, _MOST_REPEATED) if made else []
        self.sheet.rows += rows
        return len(made) * len(rows)

    def _text(self, cell: Element, column: int) -> str:
        """Return what a cell shows, and keep what is drawn and noted on it."""
        written = [child for child in cell if local(child) == "p"]
        for child in [child for child in cell if child not in written]:
            if local(child) == "annotation":
                self.sheet.comments.append((author_of(child), f"{_letters(column)}{self._number}", texts(child)))
            else:
                self.read_drawn(child)
            cell.remove(child)
        for anchor in [*elements_named(cell, "a")]:
            said, after = link("".join(signs(anchor)), anchor.get(HREF, "")), anchor.tail
            anchor.clear()
            anchor.text, anchor.tail = said, after
        return "\n".join(texts(cell)) if written else "".join(value(cell, name) for name in _VALUES)

    def read_drawn(self, drawn: Element) -> None:
        """Keep the texts in something drawn, what is said of a picture, and a chart."""
        self.sheet.boxes += texts(drawn, _SHOWN)
        for element in elements_named(drawn, "object", "object-ole"):
            read = embedded(self._package, element)
            if isinstance(read, Omission):
                self._left_out.append(read)
            else:
                self.sheet.charts.append(Chart(texts=[read]) if isinstance(read, str) else read)


def _letters(column: int) -> str:
    """Return the name of a column, such as A, Z, AA."""
    more, at = divmod(column, 26)
    return (_letters(more - 1) if more else "") + chr(65 + at)
