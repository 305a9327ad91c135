"""An Excel workbook, or a file of values between commas -> tables. Formulas have the values they had last."""

import csv
import io
import posixpath
import re
import zipfile
from collections import Counter
from collections.abc import Iterator
from datetime import datetime, timedelta
from itertools import islice
from xml.etree.ElementTree import Element, ParseError, iterparse

from core.base.messages import Message, plural
from core.documents import Converted
from core.documents.kinds import damaged
from core.documents.metadata import read_metadata
from core.documents.office import drawings
from core.documents.office.drawings import shapes, text_of
from core.documents.office.package import (
    Package,
    elements_named,
    local,
    number_of,
    relation_id,
    resolve_alternatives,
    value,
)
from core.markdown.writing import table
from core.model import Omission

_NOTICE = "[Threaded comment]"
"""How Excel begins a comment of the older kind next to one of the newer kind with the same text."""
_MARGINS = {f"{which}{kind}": kind.lower() for which in ("odd", "even", "first") for kind in ("Header", "Footer")}
_CODE = re.compile(r'&(?:&|"[^"]*"|\d+|K(?:[0-9A-Fa-f]{6}|\d\d[+-]\d{3})|.)')
"""Codes for fonts, pages and dates in the texts of margins (ECMA-376, 18.3.1.46); && is the sign itself."""
_SIGNS = {"&&": "&", **dict.fromkeys(("&L", "&C", "&R"), "\0")}
_FILES = ("oleObject", "package")


class SheetExtras:
    """Content of a workbook's sheets other than cells, and what was left out."""

    def __init__(self, data: bytes) -> None:
        self._package = Package(data)
        self._people = {
            value(element, "id"): value(element, "displayName")
            for part in self._package.related(self._package.main(), "person")
            if (root := self._package.optional(part)) is not None
            for element in elements_named(root, "person")
        }
        self.left_out: list[Omission] = []

    def tables(self, sheet: str) -> Iterator[tuple[str, list[list[str]]]]:
        """Yield the charts on a sheet, whose part has a name, with their titles."""
        for chart in self._charts(sheet):
            if chart.rows or chart.title:
                yield chart.title, chart.rows

    def texts(self, sheet: str) -> Iterator[str]:
        """Yield the texts in boxes on a sheet."""
        for root in self._roots(sheet, "drawing"):
            resolve_alternatives(root)
            for shape in shapes(root):
                if local(shape.element) == "sp":
                    yield from text_of(shape.element)
        for chart in self._charts(sheet):
            yield from chart.texts

    def margins(self, sheet: str) -> dict[str, dict[str, None]]:
        """Return the texts at the head and at the foot of the printed pages of a sheet, each once."""
        margins: dict[str, dict[str, None]] = {}
        root = self._package.optional(sheet)
        for margin in () if root is None else elements_named(root, *_MARGINS):
            text = _CODE.sub(lambda code: _SIGNS.get(code[0], ""), margin.text or "")
            texts = (" ".join(part.split()) for part in text.split("\0"))
            margins.setdefault(_MARGINS[local(margin)], {}).update(
                (text, None) for text in texts if any(map(str.isalpha, text))
            )
        return {kind: texts for kind, texts in margins.items() if texts}

    def comments(self, sheet: str) -> Iterator[tuple[str, str, list[str]]]:
        """Yield the author, the cell and the paragraphs of each comment on a sheet."""
        for root in self._roots(sheet, "comments"):
            authors = ["".join(element.itertext()) for element in elements_named(root, "author")]
            for element in elements_named(root, "comment"):
                text = "".join(part.text or "" for part in elements_named(element, "t"))
                number = number_of(value(element, "authorId"), len(authors))
                author = authors[number] if number < len(authors) else ""
                if not text.startswith(_NOTICE):
                    yield author, value(element, "ref"), text.splitlines()
        for root in self._roots(sheet, "threadedComment"):
            for element in elements_named(root, "threadedComment"):
                text = "".join(part.text or "" for part in elements_named(element, "text"))
                yield self._people.get(value(element, "personId"), ""), value(element, "ref"), text.splitlines()

    def name_files(self, sheet: str, title: str) -> None:
        """Name the files within a sheet."""
        for kind in _FILES:
            for part in self._package.related(sheet, kind):
                self.left_out.append(Omission("attachment", 1, f"{title}: {posixpath.basename(part)}"))

    def _charts(self, sheet: str) -> Iterator[drawings.Chart]:
        for drawing in self._package.related(sheet, "drawing"):
            root, relations = self._package.optional(drawing), self._package.relations(drawing)
            for element in () if root is None else elements_named(root, "chart", "relIds"):
                relation = relations.get(relation_id(element))
                if relation is not None:
                    yield drawings.read_chart(self._package, relation.target)

    def _roots(self, sheet: str, kind: str) -> Iterator[Element]:
        read = (self._package.optional(part) for part in self._package.related(sheet, kind))
        return (root for root in read if root is not None)


_RELATION = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
_DATES = {*range(14, 23), *range(27, 37), 45, 46, 47, *range(50, 59)}
"""Numbers of the built-in formats of dates and times (ECMA-376, 18.8.30)."""
_FIRST_DAY = {False: datetime(1899, 12, 30), True: datetime(1904, 1, 1)}  # noqa: DTZ001 a workbook has no time zone
_MOST_COLUMNS = 500
_MOST_CELLS = 2_000_000
_SEPARATOR = re.compile(r"(?i)\ufeff?\"?sep=([^\r\n\"])\"?(?:\r\n?|\n)")
"""The first line that tells Excel the sign between values."""
_SAMPLE, _SAMPLE_ROWS = 100_000, 20
"""Characters and rows by which the sign is chosen."""


class Workbook:
    """Reads the sheets of a workbook, and values between commas, semicolons, tabs or bars; empty rows are left out."""

    kinds = "xlsx csv tsv"
    version = "Tessera 1"

    def convert(self, data: bytes, kind: str) -> Converted:
        """Return each sheet under its name; a file of values is one table."""
        if kind != "xlsx":
            rows, wider = _values(data.decode("utf-8", "replace"))
            return Converted(_table(rows), left_out=(Omission("column", wider),) if wider else ())
        try:
            with zipfile.ZipFile(io.BytesIO(data)) as archive:
                extras = SheetExtras(data)
                hidden: list[str] = []
                text = "\n".join(_sheets(archive, extras, hidden))
        except (ParseError, KeyError, zipfile.BadZipFile, IndexError, ValueError) as error:
            raise damaged("") from error
        said = read_metadata(data, kind)
        title, author = said.get("title", ""), said.get("author", "")
        return Converted(
            text,
            title,
            author,
            said.get("created", ""),
            said.get("updated", ""),
            warnings=_warnings(hidden),
            left_out=tuple(extras.left_out),
        )


def _warnings(hidden: list[str]) -> tuple[Message, ...]:
    message = plural(
        "{n} hidden sheet was read too: {sheets}",
        "{n} hidden sheets were read too: {sheets}",
        n=len(hidden),
        sheets=", ".join(hidden),
    )
    return (message,) if hidden else ()


def _values(text: str) -> tuple[list[list[str]], int]:
    """Return the rows of a file of values, and how many columns are left out of the widest."""
    declared = _SEPARATOR.match(text)
    text = text[declared.end() :] if declared else text
    csv.field_size_limit(max(csv.field_size_limit(), len(text) + 1))
    rows: list[list[str]] = []
    left, widest = _MOST_CELLS, 0
    for row in _records(text, declared[1] if declared else _delimiter(text)):
        rows.append(row[:_MOST_COLUMNS])
        left -= len(rows[-1])
        widest = max(widest, len(row))
        if left < 0:
            raise MemoryError
    return rows, max(0, widest - _MOST_COLUMNS)


def _records(text: str, delimiter: str) -> Iterator[list[str]]:
    return csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)


def _delimiter(text: str) -> str:
    """Return the sign that parts the first rows best: into as many values each, and into most.

    A comma between digits counts only where no other sign is there: elsewhere it may be that of a fraction.
    """
    best, chosen = (0.0, 0), ","
    for sign in "\t;|,":
        sample = re.sub(r"(?<=\d),(?=\d)", ".", text[:_SAMPLE]) if sign == "," else text[:_SAMPLE]
        widths = Counter(len(row) for row in islice(filter(any, _records(sample, sign)), _SAMPLE_ROWS))
        width, rows = max(widths.items(), key=lambda item: (item[0] > 1 and item[1], item[0]), default=(1, 1))
        if width > 1 and (fit := (rows / widths.total(), width)) > best:
            best, chosen = fit, sign
    return chosen


def _sheets(archive: zipfile.ZipFile, extras: SheetExtras, hidden: list[str]) -> Iterator[str]:
    names = set(archive.namelist())
    shared = _shared_strings(archive) if "xl/sharedStrings.xml" in names else []
    dates = _date_styles(archive) if "xl/styles.xml" in names else set()
    targets = {
        element.get("Id"): str(element.get("Target"))
        for element in _elements(archive, "xl/_rels/workbook.xml.rels", "Relationship")
    }
    since_1904 = any(
        element.get("date1904") in ("1", "true") for element in _elements(archive, "xl/workbook.xml", "workbookPr")
    )
    left = _MOST_CELLS
    for sheet in _elements(archive, "xl/workbook.xml", "sheet"):
        target = targets.get(sheet.get(_RELATION), "")
        place = target.lstrip("/") if target.startswith("/") else posixpath.normpath(f"xl/{target}")
        if place not in names or not any(kind in place for kind in ("worksheet", "chartsheet")):
            continue
        rows, widest = [], 0
        title = " ".join(str(sheet.get("name")).split())
        hidden += [title] if sheet.get("state", "visible") != "visible" else []
        for row in _elements(archive, place, "row"):
            cells, width = _row(row, shared, dates, _FIRST_DAY[since_1904])
            rows.append(cells)
            widest = max(widest, width)
            left -= len(cells)
            if left < 0:
                raise MemoryError
        if widest > _MOST_COLUMNS:
            extras.left_out.append(Omission("column", widest - _MOST_COLUMNS, title))
        yield f"## {title}\n\n{_table(rows)}"
        yield from _extra_content(extras, place, title)


def _extra_content(extras: SheetExtras, sheet: str, title: str) -> Iterator[str]:
    """Yield the content of a sheet other than cells."""
    for name, rows in extras.tables(sheet):
        yield f"{f'**{name}**' if name else ''}\n\n{_table(rows)}".lstrip()
    for text in extras.texts(sheet):
        yield f"{text}\n"
    for kind, texts in extras.margins(sheet).items():
        yield "\n>\n".join([f"> [!{kind}]", *(f"> {text}" for text in texts)]) + "\n"
    for author, cell, paragraphs in extras.comments(sheet):
        lines = [f"[!comment] {' '.join(author.split())}".rstrip(), f"{cell}: {paragraphs[0] if paragraphs else ''}"]
        yield "\n".join(f"> {line}".rstrip() for line in (*lines, *paragraphs[1:])) + "\n"
    extras.name_files(sheet, title)


def _elements(archive: zipfile.ZipFile, name: str, tag: str) -> Iterator[Element]:
    """Yield the elements of a tag in a file, each once it is complete; what was read before is forgotten."""
    with archive.open(name) as file:
        for _, element in iterparse(file):
            if local(element) == tag:
                yield element
                element.clear()


def _shared_strings(archive: zipfile.ZipFile) -> list[str]:
    return [_text(element) for element in _elements(archive, "xl/sharedStrings.xml", "si")]


def _text(element: Element) -> str:
    """Return the text of an element, without what says how East Asian text is pronounced."""
    parts: list[str] = []
    for child in element:
        if local(child) == "t":
            parts.append(child.text or "")
        elif local(child) != "rPh":
            parts.append(_text(child))
    return "".join(parts)


def _date_styles(archive: zipfile.ZipFile) -> set[int]:
    """Return the numbers of the styles that show a number as a date or a time."""
    formats = {
        int(element.get("numFmtId", 0)): element.get("formatCode", "")
        for element in _elements(archive, "xl/styles.xml", "numFmt")
    }
    own = {
        number
        for number, code in formats.items()
        if re.search(r"(?i)[dmyhs]", re.sub(r'"[^"]*"|\\.|\[[^]]*\]', "", code))
    }
    styles = next(_elements(archive, "xl/styles.xml", "cellXfs"), None)
    formats_of_styles = [int(style.get("numFmtId", 0)) for style in (styles if styles is not None else ())]
    return {at for at, number in enumerate(formats_of_styles) if number in _DATES or number in own}


def _row(row: Element, shared: list[str], dates: set[int], first_day: datetime) -> tuple[list[str], int]:
    """Return the values of a row up to the last column that is read, and how many columns have any."""
    cells: list[str] = []
    width = 0
    for cell in row:
        letters = re.match(r"[A-Z]+", cell.get("r", ""))
        column = _column(letters[0]) if letters else max(len(cells), width)
        text = _value(cell, shared, dates, first_day)
        width = max(width, column + 1) if text else width
        if column < _MOST_COLUMNS:
            cells += [""] * (column + 1 - len(cells))
            cells[column] = text
    return cells, width


def _column(letters: str) -> int:
    number = 0
    for letter in letters[:4]:
        number = number * 26 + ord(letter) - 64
    return number - 1


def _value(cell: Element, shared: list[str], dates: set[int], first_day: datetime) -> str:
    kind = cell.get("t", "n")
    stored = next((child.text or "" for child in cell if local(child) == "v"), "")
    if kind == "s":
        return shared[int(stored)] if stored else ""
    if kind == "inlineStr":
        return "".join(_text(child) for child in cell if local(child) == "is")
    if kind == "b":
        return {"1": "TRUE", "0": "FALSE"}.get(stored, stored)
    if kind == "n" and stored and int(cell.get("s", 0)) in dates:
        return _moment(float(stored), first_day)
    return stored


def _moment(days: float, first_day: datetime) -> str:
    try:
        at = first_day + timedelta(seconds=round(days * 86_400))
    except OverflowError:
        return str(days)
    if 0 <= days < 1:
        return f"{at:%H:%M}"
    return f"{at:%Y-%m-%d}" if at.hour == at.minute == 0 else f"{at:%Y-%m-%d %H:%M}"


def _table(rows: list[list[str]]) -> str:
    rows = [row for row in rows if any(row)]
    columns = max((at + 1 for row in rows for at, cell in enumerate(row) if cell), default=0)
    padded = ([*row, *[""] * columns][:columns] for row in rows)
    return f"{table([[' '.join(cell.split()) for cell in row] for row in padded])}\n" if rows else ""
