"""Conversion of Excel workbooks and CSV files to tables. A formula becomes its last calculated value."""

import csv
import io
import posixpath
import re
import zipfile
from bisect import bisect
from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import islice
from urllib.parse import quote
from xml.etree.ElementTree import Element, ParseError

from core.base.frozen import AnyValues
from core.base.messages import plural
from core.base.text import collapse_spaces
from core.documents import Converted
from core.documents.kinds import damaged
from core.documents.office.drawings import Chart, read_chart, shapes
from core.documents.office.number_formats import BUILT_IN, show, show_text
from core.documents.office.package import (
    Package,
    elements_named,
    first,
    local,
    number_of,
    read_metadata,
    relation_id,
    resolve_alternatives,
    text_of,
    value,
)
from core.markdown.writing import callout, table
from core.model import Omission

MOST_COLUMNS = 500
MOST_CELLS = 2_000_000
_MARGINS = {f"{which}{kind}": kind.lower() for which in ("odd", "even", "first") for kind in ("Header", "Footer")}
_SIGNS = {"&&": "&", **dict.fromkeys(("&L", "&C", "&R"), "\0")}
# Characters in a URL that aren't percent-encoded.
_IN_ADDRESSES = "%/:=&?~#+!$,;'@*[]"
_RANGE = re.compile(r"([A-Z]{1,4})(\d{1,7})(?::[A-Z]{1,4}(\d{1,7}))?")
# Number of characters used to guess the separator.
_SAMPLE = 100_000


class Workbook:
    """Reads workbooks, and CSV files with commas, semicolons, tabs or vertical bars. Empty rows are left out."""

    kinds = "xlsx csv tsv"
    version = "Tessera 2"

    def convert(self, data: bytes, kind: str) -> Converted:
        """Return each sheet of a workbook as a section, or a CSV file as one table."""
        if kind != "xlsx":
            rows, wider = _values(data.decode("utf-8", "replace"))
            return Converted(_table(rows), left_out=(Omission("column", wider),) if wider else ())
        try:
            book = _Sheets(data)
            text = "\n".join(book.read())
        except (ParseError, KeyError, zipfile.BadZipFile, IndexError, ValueError) as error:
            raise damaged() from error
        metadata = read_metadata(data, kind)
        about: AnyValues = {name: metadata.get(name, "") for name in ("title", "author", "created", "updated", "tags")}
        warning = plural(
            "{n} hidden sheet was read too: {sheets}",
            "{n} hidden sheets were read too: {sheets}",
            n=len(book.hidden),
            sheets=", ".join(book.hidden),
        )
        return Converted(text, warnings=(warning,) if book.hidden else (), left_out=tuple(book.left_out), **about)


def _values(text: str) -> tuple[list[list[str]], int]:
    """Return the rows of a CSV file, and the number of columns beyond the limit."""
    # Excel reads the separator from an optional first line.
    declared = re.match(r"(?i)\ufeff?\"?sep=([^\r\n\"])\"?(?:\r\n?|\n)", text)
    text = text[declared.end() :] if declared else text
    csv.field_size_limit(max(csv.field_size_limit(), len(text) + 1))
    rows = []
    left = MOST_CELLS
    widest = 0
    for row in _records(text, declared[1] if declared else _delimiter(text)):
        rows.append(row[:MOST_COLUMNS])
        left -= len(rows[-1])
        widest = max(widest, len(row))
        if left < 0:
            raise MemoryError
    return rows, max(0, widest - MOST_COLUMNS)


def _records(text: str, delimiter: str) -> Iterator[list[str]]:
    return csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)


def _delimiter(text: str) -> str:
    """Guess the separator that splits the first rows most evenly or, if several do so, into the most values.

    Commas between digits don't count, since they may be decimal commas. The default is a comma.
    """
    fits = {}
    for sign in "\t;|,":
        sample = re.sub(r"(?<=\d),(?=\d)", ".", text[:_SAMPLE]) if sign == "," else text[:_SAMPLE]
        widths = Counter(map(len, islice(filter(any, _records(sample, sign)), 20)))
        width, rows = max(widths.items(), key=lambda item: (item[0] > 1 and item[1], item[0]), default=(1, 1))
        if width > 1:
            fits[sign] = rows / widths.total(), width
    return max(fits, key=fits.__getitem__, default=",")


def _fill_down(rows: dict[int, list[str]], numbers: list[int], reference: str) -> int:
    """Copy the value of merged cells into each row they span, and return the number of rows filled."""
    merged = _RANGE.match(reference)
    if merged is None or merged[3] is None:
        return 0
    column = _column(merged[1])
    top = int(merged[2])
    text = next(iter(rows.get(top, [])[column : column + 1]), "")
    below = numbers[bisect(numbers, top) : bisect(numbers, int(merged[3]))] if text else []
    for cells in map(rows.__getitem__, below):
        cells += [""] * (column + 1 - len(cells))
        cells[column] = cells[column] or text
    return len(below)


def link(text: str, address: str) -> str:
    """Return a Markdown link."""
    label = re.sub(r"[\[\]]", r"\\\g<0>", text)
    return f"[{label}]({quote(address, safe=_IN_ADDRESSES)})"


def _text(element: Element) -> str:
    """Return an element's text without its East Asian phonetic guides."""
    return "".join(
        child.text or "" if local(child) == "t" else _text(child) for child in element if local(child) != "rPh"
    )


class _Sheets:
    """Reads a workbook's sheets, collecting the names of hidden sheets and anything that is left out."""

    def __init__(self, data: bytes) -> None:
        self._package = package = Package(data)
        self._main = main = package.main() or "xl/workbook.xml"
        texts, styles = (
            package.related(main, kind) or package.names & {f"xl/{kind}.xml"} for kind in ("sharedStrings", "styles")
        )
        self._texts = [_text(text) for part in texts for text in package.stream(part, "si")]
        self._formats = [code for part in styles for code in _formats(package, part)]
        self._since_1904 = any(
            element.get("date1904") in ("1", "true") for element in package.stream(main, "workbookPr")
        )
        self._people = {
            value(element, "id"): value(element, "displayName")
            for root in self._roots(main, "person")
            for element in elements_named(root, "person")
        }
        self._without_value = 0
        self.hidden = list[str]()
        self.left_out = list[Omission]()

    def read(self) -> Iterator[str]:
        """Yield each sheet's name and cells, followed by its other contents."""
        relations = self._package.relations(self._main)
        left = MOST_CELLS
        for sheet in self._package.stream(self._main, "sheet"):
            place = relations.get(value(sheet, "id"))
            if not place or place.target not in self._package.names or place.kind not in ("worksheet", "chartsheet"):
                continue
            title = collapse_spaces(str(sheet.get("name")))
            if sheet.get("state", "visible") != "visible":
                self.hidden.append(title)
            links = self._package.relations(place.target)
            rows = {}
            numbers = list[int]()
            widest = 0
            for element in self._package.stream(place.target, "row", "mergeCell", "hyperlink"):
                kind = local(element)
                reference = element.get("ref", "")
                if kind == "row":
                    number = max(numbers[-1] + 1 if numbers else 1, number_of(element.get("r", "")))
                    rows[number], width = self._row(element)
                    numbers.append(number)
                    widest = max(widest, width)
                    left -= len(rows[number])
                elif kind == "mergeCell":
                    left -= _fill_down(rows, numbers, reference)
                elif (linked := links.get(value(element, "id"))) is not None and linked.is_outside:
                    at = _RANGE.match(reference)
                    cells = rows.get(int(at[2]), []) if at else []
                    if at and (column := _column(at[1])) < len(cells) and "](" not in cells[column]:
                        cells[column] = link(cells[column] or linked.target, linked.target)
                if left < 0:
                    raise MemoryError
            for missing, count in (("column", widest - MOST_COLUMNS), ("formula", self._without_value)):
                if count > 0:
                    self.left_out.append(Omission(missing, count, title))
            self._without_value = 0
            yield f"## {title}\n\n{titled_table(list(rows.values()))}"
            yield from self._other_content(place.target, title)

    def _row(self, row: Element) -> tuple[list[str], int]:
        """Return a row's values, up to the maximum number of columns, and the row's actual number of columns."""
        cells = list[str]()
        width = 0
        for cell in row:
            letters = re.match(r"[A-Z]+", cell.get("r", ""))
            column = _column(letters[0]) if letters else max(len(cells), width)
            text = self._value(cell)
            width = max(width, column + 1) if text else width
            if column < MOST_COLUMNS:
                cells += [""] * (column + 1 - len(cells))
                cells[column] = text
        return cells, width

    def _value(self, cell: Element) -> str:
        """Return a cell's visible text, or its formula if the formula was never computed."""
        kind = cell.get("t", "n")
        style = int(cell.get("s", 0))
        code = self._formats[style] if style < len(self._formats) else "General"
        formula = first(cell, "f")
        stored = getattr(first(cell, "v"), "text", "") or ""
        match kind:
            case "s" if stored:
                stored = self._texts[int(stored)]
            case "inlineStr":
                stored = "".join(_text(child) for child in cell if local(child) == "is")
            case "b":
                stored = {"1": "TRUE", "0": "FALSE"}.get(stored, stored)
            case "d":
                stored = stored.removesuffix("T00:00:00").replace("T", " ")
            case "n" if stored:
                stored = show(stored, code, since_1904=self._since_1904)
        shown = show_text(stored, code) if "@" in code and kind != "n" else stored
        expression = "" if formula is None else formula.text or ""
        if linked := re.fullmatch(r'(?i)\s*HYPERLINK\(\s*"([^"]*)"\s*(?:,\s*"([^"]*)"\s*)?\)', expression):
            return link(shown or linked[2] or linked[1], linked[1])
        if formula is None or shown or kind == "str":
            return shown
        self._without_value += 1
        return f"={expression}"

    def _other_content(self, sheet: str, title: str) -> Iterator[str]:
        """Yield everything on a sheet except its cells. `sheet` is the name of the part that contains the sheet."""
        for drawing in self._package.related(sheet, "drawing"):
            if (root := self._package.optional(drawing)) is None:
                continue
            in_charts = []
            relations = self._package.relations(drawing)
            for element in elements_named(root, "chart", "relIds"):
                if (relation := relations.get(relation_id(element))) is None:
                    continue
                chart = read_chart(self._package, relation.target)
                if chart == Chart():
                    self.left_out.append(Omission("chart", 1, title))
                if chart.rows or chart.title:
                    yield f"{f'**{chart.title}**' if chart.title else ''}\n\n{_table(chart.rows)}".lstrip()
                in_charts += chart.texts
            resolve_alternatives(root)
            drawn = [text for shape in shapes(root) if local(shape) == "sp" for text in text_of(shape)]
            yield from (f"{text}\n" for text in drawn + in_charts)
        margins = defaultdict[str, dict[str, None]](dict)
        for margin in elements_named(self._package.optional(sheet), *_MARGINS):
            # Remove codes for fonts, page numbers and dates (ECMA-376, 18.3.1.46). && means an ampersand.
            text = re.sub(
                r'&(?:&|"[^"]*"|\d+|K(?:[0-9A-Fa-f]{6}|\d\d[+-]\d{3})|.)',
                lambda code: _SIGNS.get(code[0], ""),
                margin.text or "",
            )
            texts = map(collapse_spaces, text.split("\0"))
            margins[_MARGINS[local(margin)]] |= dict.fromkeys(text for text in texts if any(map(str.isalpha, text)))
        for kind, shown in margins.items():
            if shown:
                yield callout(kind, "", [line for text in shown for line in ("", text)]) + "\n"
        yield from self._comments(sheet)
        for part in self._package.related(sheet, "oleObject", "package"):
            self.left_out.append(Omission("attachment", 1, f"{title}: {posixpath.basename(part)}"))

    def _comments(self, sheet: str) -> Iterator[str]:
        # Each kind of part that contains comments has its own element names for a comment and its text.
        for kind, tag, part in (("comments", "comment", "t"), ("threadedComment", "threadedComment", "text")):
            for root in self._roots(sheet, kind):
                authors = {
                    str(at): "".join(author.itertext()) for at, author in enumerate(elements_named(root, "author"))
                } | self._people
                for element in elements_named(root, tag):
                    text = "".join(run.text or "" for run in elements_named(element, part))
                    author = authors.get(value(element, "authorId") or value(element, "personId"), "")
                    # This old-style comment repeats a threaded comment.
                    if not text.startswith("[Threaded comment]"):
                        lines = f"{value(element, 'ref')}: {text}".splitlines()
                        yield callout("comment", collapse_spaces(author), lines) + "\n"

    def _roots(self, sheet: str, kind: str) -> Iterator[Element]:
        return (root for root in map(self._package.optional, self._package.related(sheet, kind)) if root is not None)


def _formats(package: Package, part: str) -> list[str]:
    own: dict[int, str] = {}
    styles = []
    for element in package.stream(part, "numFmt", "cellXfs"):
        if local(element) == "numFmt":
            own.setdefault(int(element.get("numFmtId", 0)), element.get("formatCode", ""))
        else:
            styles += [int(style.get("numFmtId", 0)) for style in element]
    return [own.get(number) or BUILT_IN.get(number, "General") for number in styles]


def _column(letters: str) -> int:
    number = 0
    for letter in letters[:4]:
        number = number * 26 + ord(letter) - 64
    return number - 1


def titled_table(rows: list[list[str]]) -> str:
    """Return a sheet's rows as a table. Up to five leading rows with only one value become titles above the table."""
    rows = [row for row in rows if any(row)]
    start = next((at for at, row in enumerate(rows) if sum(map(bool, row)) > 1), 0)
    # More than five single-value rows are values rather than titles.
    start = start if start <= 5 else 0
    return "".join(dict.fromkeys(f"{collapse_spaces(''.join(row))}\n\n" for row in rows[:start])) + _table(rows[start:])


def _table(rows: list[list[str]]) -> str:
    rows = [row for row in rows if any(row)]
    columns = max((at + 1 for row in rows for at, cell in enumerate(row) if cell), default=0)
    padded = ([*row, *[""] * columns][:columns] for row in rows)
    return f"{table([[collapse_spaces(cell) for cell in row] for row in padded])}\n" if rows else ""
