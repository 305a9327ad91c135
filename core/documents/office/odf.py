"""Conversion of LibreOffice slides and sheets to a LibreOffice text with a heading for each slide or sheet."""

from collections.abc import Iterator
from xml.etree.ElementTree import Element

from core.documents.kinds import damaged
from core.documents.office import blocks
from core.documents.office.blocks import Insertions
from core.documents.office.odt import (
    CONTENT,
    DRAW,
    HREF,
    STYLES,
    TEXT,
    callout,
    paragraph,
    signs,
    texts,
    visible_texts,
)
from core.documents.office.package import Package, elements_named, first, local, number_of, qualified_name, value
from core.documents.workbook import MOST_CELLS, MOST_COLUMNS, link, titled_table

_MOST_REPEATED = 1_000
"""Maximum number of consecutive equal rows that are read."""
_MARGINS = ("header", "footer", "date-time", "page-number")
"""Presentation classes of shapes that many slides share."""


def as_text(data: bytes, added: Insertions) -> bytes:
    """Return slides or sheets as a text document; the drawings of each follow it, as a drawing page."""
    package = Package(data)
    root, styles = package.xml(CONTENT), package.optional(STYLES)
    body = next(elements_named(root, "presentation", "spreadsheet"), None)
    if body is None:
        raise damaged("")
    for entry in elements_named(body, "title", "desc"):  # titles and descriptions of pictures
        entry.tag = TEXT + "p"
    body[:] = [*(_sheets(body, added) if local(body) == "spreadsheet" else _slides(body, styles, added))]
    body.tag = qualified_name(body, "text")
    return package.to_bytes({CONTENT: root})


def _heading(text: str) -> Element:
    made = Element(TEXT + "h", {TEXT + "outline-level": "2"})
    made.text = text
    return made


def _slides(body: Element, styles: Element | None, added: Insertions) -> Iterator[Element]:
    """Yield each slide with its title and notes; texts shared by many slides come at the end."""
    slides = [part for part in body if part.tag == DRAW + "page"]
    masters = () if styles is None else elements_named(styles, "master-page")
    drawn = [shape for master in masters for shape in master if not value(shape, "class")]
    shared = visible_texts([*(part for part in body if part.tag != DRAW + "page"), *drawn])
    for number, slide in enumerate(slides, 1):
        said: dict[str, list[str]] = {"title": [], "notes": []}
        for shape in [*slide.iter()]:
            kind = value(shape, "class")
            if kind in _MARGINS:
                shared |= visible_texts([shape])
            elif kind in said:
                said[kind] += texts(shape)
            if kind in _MARGINS or kind in said:
                shape.clear()
        yield _heading(" ".join(said["title"]) or f"Slide {number}")
        yield slide
        yield from callout(added, "notes", said["notes"])
    yield from callout(added, "footer", shared)


def _sheets(body: Element, added: Insertions) -> Iterator[Element]:
    """Yield each sheet: its name, its cells, and a page with its drawings and notes."""
    left = MOST_CELLS
    for sheet in [part for part in body if local(part) == "table"]:
        title, drawn = " ".join(value(sheet, "name").split()), Element(DRAW + "page")
        rows, width = _rows(sheet, drawn, left)
        drawn.extend(shape for part in sheet if local(part) == "shapes" for shape in part)
        left -= sum(map(len, rows))
        if width > MOST_COLUMNS:
            added.omit("column", title, width - MOST_COLUMNS)
        yield _heading(title)
        yield paragraph(added.marker([blocks.para([blocks.raw(titled_table(rows))])]))
        yield drawn


def _rows(sheet: Element, drawn: Element, most: int) -> tuple[list[list[str]], int]:
    """Return the rows of a sheet and its number of columns; drawings and notes on cells move to `drawn`.

    Raises MemoryError if there are more than `most` cells.
    """
    rows: list[list[str]] = []
    merged: dict[int, tuple[int, str]] = {}
    width = 0
    for number, row in enumerate(elements_named(sheet, "table-row")):
        cells: dict[int, str] = {}
        column = 0
        for cell in row:
            text, after = _shown(cell, drawn), column + number_of(value(cell, "number-columns-repeated"), 1)
            if text:
                width = max(width, after)
                cells |= dict.fromkeys(range(column, min(after, MOST_COLUMNS)), text)
                if (spanned := number_of(value(cell, "number-rows-spanned"))) > 1 and column < MOST_COLUMNS:
                    merged[column] = (number + spanned, text)
            column = after
        cells |= {at: text for at, (end, text) in merged.items() if end > number and at not in cells}
        made = [cells.get(at, "") for at in range(max(cells, default=-1) + 1)]
        times = min(number_of(value(row, "number-rows-repeated"), 1), _MOST_REPEATED) if made else 0
        most -= len(made) * times
        if most < 0:
            raise MemoryError
        rows += [made] * times
    return rows, width


def _shown(cell: Element, drawn: Element) -> str:
    """Return the visible text of a cell; drawings and notes on it move to `drawn`."""
    written = [child for child in cell if local(child) == "p"]
    for anchor in [anchor for child in written for anchor in elements_named(child, "a")]:
        said, after = link("".join(signs(anchor)), anchor.get(HREF, "")), anchor.tail
        anchor.clear()
        anchor.text, anchor.tail = said, after
    shown = "\n".join("".join(signs(child)) for child in written)
    if not written:  # some programs write only the value
        shown = "".join(said for name, said in cell.items() if name.endswith("value"))
    for child in [child for child in cell if child not in written]:
        noted = first(child, "p")
        if local(child) == "annotation" and noted is not None and shown:
            noted.text = f"{shown}: {noted.text or ''}"
        drawn.append(child)
    return shown
