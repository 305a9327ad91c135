"""Rewriting of LibreOffice documents, slides and sheets as text documents that pandoc can read in full."""

import posixpath
import re
from collections.abc import Iterable, Iterator
from xml.etree.ElementTree import Element, SubElement

from core.base.frozen import TextValues
from core.base.text import collapse_spaces
from core.documents.kinds import damaged
from core.documents.office import blocks
from core.documents.office.blocks import Insertions, Levels, ListLevel, Readings, label
from core.documents.office.drawings import Chart
from core.documents.office.package import (
    Edits,
    Package,
    elements_named,
    first,
    local,
    number_of,
    qualified_name,
    value,
)
from core.documents.workbook import MOST_CELLS, MOST_COLUMNS, link, titled_table

# Labels for lists and headings that Markdown or pandoc would otherwise show differently from LibreOffice.

_OUTLINE = "outline-style"


def _levels(style: Element) -> Levels:
    found = {
        number_of(value(child, "level"), 1): child
        for child in style
        if local(child) in ("list-level-style-number", "outline-level-style")
    }
    formats = {at: value(child, "num-format") for at, child in found.items()}
    levels = {}
    for depth, child in found.items():
        shown = range(max(1, depth - number_of(value(child, "display-levels"), 1) + 1), depth + 1)
        numbers = ".".join(f"\0{at}\0" for at in shown if formats.get(at))
        parts = f"{value(child, 'num-prefix')}{numbers}{value(child, 'num-suffix')}".split("\0")
        level = levels[depth] = ListLevel(formats[depth], parts, number_of(value(child, "start-value"), 1))
        if local(child) == "list-level-style-number" and not level.is_plain and level.format:
            child.tag = TEXT + "list-level-style-bullet"
            child.set(TEXT + "bullet-char", "•")
    return levels


class _ListWriter:
    """Counts list items and headings, and writes their labels. `roots` are the root elements of parts with styles."""

    def __init__(self, roots: Iterable[Element]) -> None:
        self._styles: dict[str, Levels] = {}
        self._list_styles: TextValues = {}
        for root in roots:
            for style in elements_named(root, "list-style", _OUTLINE):
                self._styles[_OUTLINE if local(style) == _OUTLINE else value(style, "name")] = _levels(style)
            for style in elements_named(root, "style"):
                self._list_styles[value(style, "name")] = value(style, "list-style-name")
        self._headings: dict[int, int] = {}
        self._last: dict[str, dict[int, int]] = {}

    def write(self, element: Element, style: str, depth: int, counts: dict[int, int]) -> None:
        """Write the labels of the lists and headings in an element that is nested in `depth` lists."""
        for child in element:
            match local(child):
                case "list":
                    self._list(child, style, depth + 1, counts)
                case "h":
                    self._heading(child)
                case _:
                    self.write(child, style, depth, counts)

    def _list(self, element: Element, style: str, depth: int, counts: dict[int, int]) -> None:
        inside = next(elements_named(element, "p", "h"), None)
        style = value(element, "style-name") or style or self._list_styles.get(value(inside, "style-name"), "")
        levels = self._styles.get(style, {})
        level = levels.get(depth)
        goes_on = value(element, "continue-numbering") == "true"
        if depth == 1:
            goes_on = goes_on or bool(value(element, "continue-list"))
            counts = self._last[style] = self._last.get(style, {}) if goes_on else {}
        elif not goes_on:
            counts.pop(depth, None)
        for item in element:
            if local(item) == "list-item" and level:
                start = value(item, "start-value")
                counts[depth] = number_of(start, 1) if start else counts.get(depth, level.start - 1) + 1
                paragraph = next((child for child in item if local(child) in ("p", "h")), None)
                if paragraph is not None and level.format and not level.is_plain:
                    paragraph.text = f"{label(levels, counts, depth)} {paragraph.text or ''}"
            self.write(item, style, depth, counts)

    def _heading(self, heading: Element) -> None:
        depth = number_of(value(heading, "outline-level"), 1)
        outline = self._styles.get(_OUTLINE, {})
        level = outline.get(depth)
        if not level or not level.format or value(heading, "is-list-header") == "true":
            return
        self._headings = {at: count for at, count in self._headings.items() if at <= depth}
        self._headings[depth] = self._headings.get(depth, level.start - 1) + 1
        heading.text = f"{label(outline, self._headings, depth)} {heading.text or ''}"


TEXT = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
_TABLE = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}"
DRAW = "{urn:oasis:names:tc:opendocument:xmlns:drawing:1.0}"
HREF = "{http://www.w3.org/1999/xlink}href"
CONTENT = "content.xml"
STYLES = "styles.xml"
# Elements that pandoc drops along with the paragraphs in them. They are turned into sections, which pandoc reads.
_SECTIONS = frozenset(
    "table-of-content illustration-index table-index object-index user-index alphabetical-index bibliography"
    " index-body index-title numbered-paragraph".split()
)
# Elements in a paragraph that pandoc reads or this module handles. Pandoc drops the text of any other element.
_READ = frozenset(
    "span a s tab line-break note note-citation note-body bookmark bookmark-start bookmark-end bookmark-ref"
    " reference-mark reference-mark-start reference-mark-end reference-ref soft-page-break ruby ruby-text change"
    " change-start change-end p h list list-item".split()
)


def prepare(data: bytes, added: Insertions) -> bytes:
    """Rewrite a text document so that pandoc reads all of it. `added` gets the blocks that will replace its markers."""
    package = Package(data)
    root = package.xml(CONTENT)
    styles = package.optional(STYLES)
    body = first(root, "body", "text")
    if body is None:
        return data
    _ListWriter([root] if styles is None else [styles, root]).write(body, "", 0, {})
    _OdtBody(package, body, added).complete()
    for kind, names in {
        "header": ("header", "header-left", "header-first"),
        "footer": ("footer", "footer-left", "footer-first"),
    }.items():
        body.extend(callout(added, kind, visible_texts(elements_named(styles, *names))))
    return package.to_bytes({CONTENT: root} | ({} if styles is None else {STYLES: styles}))


class _OdtBody(Edits):
    """Rewrites a LibreOffice text document so that content that pandoc would drop is moved to where pandoc reads it."""

    def __init__(self, package: Package, body: Element, added: Insertions) -> None:
        super().__init__(body)
        self._package = package
        self._added = added
        self._lifted = list[tuple[Element, list[Element]]]()
        self._notes = list[tuple[Element, Element]]()

    def complete(self) -> None:
        for entry in self.root:  # text outside paragraphs
            if text := collapse_spaces(entry.tail or ""):
                self.following[entry].append(paragraph(text))
        for entry in list(self.root.iter()):
            name = local(entry)
            if name == "deletion" and "".join(entry.itertext()).strip():
                self._added.omit("deletion")
            elif entry.tag == TEXT + name:
                self._complete_text(entry, name)
            elif entry.tag == _TABLE + "table" and self.above(entry, "table-cell") is not None:
                self.instead[entry] = [
                    part for part in elements_named(entry, "p", "h") if local(self.parents[part]) != "note-body"
                ]
            elif name == "annotation":
                self._comment(entry)
            elif entry.tag in (DRAW + "object", DRAW + "object-ole"):
                self._draw(entry)
            elif entry.tag.startswith(DRAW) and (
                inner := [part for part in entry if local(part) in ("p", "h", "list") or part.tag == _TABLE + "table"]
            ):
                self._lifted.append((entry, inner))
        self.substitute()
        for shape, inner in self._lifted:  # move the contents after the paragraph with the box or shape
            shape[:] = [element for element in shape if element not in inner]
            self._insert_after(shape, inner)
        for block, note in self._notes:
            self.following[block].append(note)
        self.insert()

    def _complete_text(self, entry: Element, name: str) -> None:
        match name:
            case "list-header":
                entry.tag = TEXT + "list-item"
            case "list" if local(self.parents[entry]) == "note-body":
                self.instead[entry] = items = list(elements_named(entry, "p", "h"))
                for item in items:
                    item.text = f"• {item.text or ''}"
            case "list" if self.parents[entry].tag == TEXT + "list":
                self.instead[entry] = [item := Element(TEXT + "list-item")]
                item.append(entry)
            case "p" | "h":
                if self.above(entry, "table-cell") is not None:
                    entry.tag = TEXT + "p"
                self._spell(entry)
            case _ if name in _SECTIONS:
                entry.tag = TEXT + "section"
            case _ if name not in _READ and (entry.text or "").strip() and self.above(entry, "p", "h") is not None:
                entry.tag = TEXT + "span"  # a field, whose text is its value

    def _spell(self, paragraph: Element) -> None:
        """Keep ruby base text in place, and put the readings at the end of the paragraph."""
        readings = Readings()
        joined = False
        for entry in list(elements_named(paragraph, "ruby")):
            base = first(entry, "ruby-base")
            reading = first(entry, "ruby-text")
            readings.add("".join(() if reading is None else reading.itertext()), joined=joined)
            joined = not entry.tail
            self.instead[entry] = () if base is None else [base]
            if base is not None:
                base.tag = TEXT + "span"
        if readings.text:
            SubElement(paragraph, TEXT + "span").text = readings.text

    def _comment(self, annotation: Element) -> None:
        name = "".join(
            part.text or "" for part in annotation if part.tag == "{http://purl.org/dc/elements/1.1/}creator"
        )
        comment = self._added.comment(name, blocks.paras(texts(annotation)))
        block = annotation
        above = annotation
        while (parent := self.parents.get(above)) is not None and parent is not self.root:
            above = parent
            if above.tag in (TEXT + "p", TEXT + "h", TEXT + "list", _TABLE + "table", DRAW + "page"):
                block = above
        self.instead[annotation] = ()
        if comment and block is not annotation:
            self._notes.append((block, paragraph(self._added.marker(comment))))

    def _draw(self, element: Element) -> None:
        """Put a chart after its paragraph, turn a formula into text, or record any other object as left out."""
        if element.find("*") is not None:  # a formula, or an embedded document
            return
        name = posixpath.normpath(element.get(HREF, ""))
        root = self._package.optional(f"{name}/content.xml")
        chart = first(root, "body", "chart", "chart")
        if chart is not None:
            titles = [text for title in elements_named(chart, "title", "subtitle") for text in texts(title)]
            rows = [[" ".join(texts(cell)) for cell in row] for row in elements_named(chart, "table-row")]
            read = Chart("".join(titles[:1]), rows if any(map(any, rows)) else [], titles[1:]).blocks
            if read:
                self._lifted.append((element, [paragraph(self._added.marker(read))]))
            self._added.omit("chart", posixpath.basename(name), not read)
        elif root is None or local(root) != "math":
            self._added.omit("attachment", posixpath.basename(name))
        else:
            formula_text = collapse_spaces("".join(next(elements_named(root, "annotation"), root).itertext()))
            if self.above(element, "p", "h") is None:
                self._lifted.append((element, [paragraph(formula_text)]))
            else:
                self.instead[self.parents[element]] = [formula := Element(TEXT + "span")]
                formula.text = formula_text

    def _insert_after(self, element: Element, made: list[Element]) -> None:
        paragraph = self.above(element, "p", "h")
        while paragraph is None and local(above := self.parents[element]) in ("frame", "g", "a", "page"):
            element = above
        anchor = element if paragraph is None else paragraph
        self.following[anchor] += made
        self.parents |= dict.fromkeys(made, self.parents.get(anchor, self.root))


def texts(element: Element) -> list[str]:
    """Return the text of each paragraph in an element, except for blank ones."""
    return list(filter(None, (collapse_spaces("".join(signs(entry))) for entry in elements_named(element, "p", "h"))))


def signs(element: Element) -> list[str]:
    parts = [element.text or ""]
    for child in element:
        parts += [" "] if local(child) in ("s", "tab", "line-break") else signs(child)
        parts.append(child.tail or "")
    return parts


def visible_texts(margins: Iterable[Element]) -> dict[str, None]:
    """Return the distinct lines of text in headers or footers, except for page numbers."""
    # LibreOffice may put a word such as "Page" before a page number. Longer text isn't just a page number.
    return dict.fromkeys(
        text
        for margin in margins
        for entry in elements_named(margin, "p", "h", "header-decl", "footer-decl", "date-time-decl")
        for text in [collapse_spaces("".join(signs(entry)))]
        if len(text) > 40
        or not re.fullmatch(r"(?i)[\W\d_]*(?:page|seite|página|pagina|ページ|页面|頁|第)?[\W\d_]*[页頁]?", text)
    )


def callout(added: Insertions, kind: str, lines: Iterable[str]) -> list[Element]:
    """Return a paragraph with the marker for a callout of the given kind, or [] if all lines are blank."""
    made = blocks.paras(lines)
    return [paragraph(added.marker([blocks.callout(kind, "", made)]))] if made else []


def paragraph(text: str) -> Element:
    made = Element(TEXT + "p")
    made.text = text
    return made


# Slides and sheets become a text document with a heading for each slide or sheet.

# Presentation classes of shapes shared by many slides.
_SHARED = ("header", "footer", "date-time", "page-number")


def as_text(data: bytes, added: Insertions) -> bytes:
    """Convert slides or sheets to a text document, with a heading for each slide or sheet."""
    package = Package(data)
    root = package.xml(CONTENT)
    styles = package.optional(STYLES)
    body = next(elements_named(root, "presentation", "spreadsheet"), None)
    if body is None:
        raise damaged()
    for entry in elements_named(body, "title", "desc"):  # titles and descriptions of pictures
        entry.tag = TEXT + "p"
    body[:] = list(_sheets(body, added) if local(body) == "spreadsheet" else _slides(body, styles, added))
    body.tag = qualified_name(body, "text")
    return package.to_bytes({CONTENT: root})


def _heading(text: str) -> Element:
    made = Element(TEXT + "h", {TEXT + "outline-level": "2"})
    made.text = text
    return made


def _slides(body: Element, styles: Element | None, added: Insertions) -> Iterator[Element]:
    """Yield each slide's title, then the slide, then its notes. Text shared by several slides comes at the end."""
    slides = [part for part in body if part.tag == DRAW + "page"]
    drawn = [shape for master in elements_named(styles, "master-page") for shape in master if not value(shape, "class")]
    shared = visible_texts([*(part for part in body if part.tag != DRAW + "page"), *drawn])
    for number, slide in enumerate(slides, 1):
        parts: dict[str, list[str]] = {"title": [], "notes": []}
        for shape in list(slide.iter()):
            kind = value(shape, "class")
            if kind in _SHARED:
                shared |= visible_texts([shape])
            elif kind in parts:
                parts[kind] += texts(shape)
            if kind in _SHARED or kind in parts:
                shape.clear()
        yield _heading(" ".join(parts["title"]) or f"Slide {number}")
        yield slide
        yield from callout(added, "notes", parts["notes"])
    yield from callout(added, "footer", shared)


def _sheets(body: Element, added: Insertions) -> Iterator[Element]:
    """Yield, for each sheet, a heading, the cells, and a drawing page with the sheet's drawings and notes."""
    left = MOST_CELLS
    for sheet in [part for part in body if local(part) == "table"]:
        title = collapse_spaces(value(sheet, "name"))
        drawn = Element(DRAW + "page")
        rows, width = _rows(sheet, drawn, left)
        drawn.extend(shape for part in sheet if local(part) == "shapes" for shape in part)
        left -= sum(map(len, rows))
        added.omit("column", title, max(0, width - MOST_COLUMNS))
        yield _heading(title)
        yield paragraph(added.marker([blocks.para([blocks.raw(titled_table(rows))])]))
        yield drawn


def _rows(sheet: Element, drawn: Element, most: int) -> tuple[list[list[str]], int]:
    """Return a sheet's rows and its number of columns. Drawings and notes on cells are moved to `drawn`.

    Raises MemoryError if there are more than `most` cells.
    """
    rows = []
    merged = {}
    width = 0
    for number, row in enumerate(elements_named(sheet, "table-row")):
        cells: dict[int, str] = {}
        column = 0
        for cell in row:
            text = _shown(cell, drawn)
            after = column + number_of(value(cell, "number-columns-repeated"), 1)
            if text:
                width = max(width, after)
                cells |= dict.fromkeys(range(column, min(after, MOST_COLUMNS)), text)
                if (spanned := number_of(value(cell, "number-rows-spanned"))) > 1 and column < MOST_COLUMNS:
                    merged[column] = (number + spanned, text)
            column = after
        cells |= {at: text for at, (end, text) in merged.items() if end > number and at not in cells}
        made = [cells.get(at, "") for at in range(max(cells, default=-1) + 1)]
        times = min(number_of(value(row, "number-rows-repeated"), 1), 1_000) if made else 0  # limit repeated rows
        most -= len(made) * times
        if most < 0:
            raise MemoryError
        rows += [made] * times
    return rows, width


def _shown(cell: Element, drawn: Element) -> str:
    """Return a cell's visible text. Drawings and notes on the cell are moved to `drawn`."""
    written = [child for child in cell if local(child) == "p"]
    for anchor in [anchor for child in written for anchor in elements_named(child, "a")]:
        anchor.text = link("".join(signs(anchor)), anchor.get(HREF, ""))
        anchor[:] = []
    shown = "\n".join("".join(signs(child)) for child in written)
    if not written:  # some programs write only the value, not the text
        shown = "".join(text for name, text in cell.items() if name.endswith("value"))
    for child in [child for child in cell if child not in written]:
        noted = first(child, "p")
        if local(child) == "annotation" and noted is not None and shown:
            noted.text = f"{shown}: {noted.text or ''}"
        drawn.append(child)
    return shown
