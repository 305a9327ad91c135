"""A page of a PDF -> its letters with their places, and its ruled lines. Places are points from the top left."""

import ctypes
import io
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from core.documents.kinds import damaged
from core.documents.pdf.letters import sound
from core.errors import SourceError

_TEXT, _PATH, _IMAGE, _FORM = 1, 2, 3, 5
_FIXED, _FORCED_BOLD = 1, 1 << 18
_MOST_LETTERS = 200_000
_MOST_OBJECTS = 50_000
_MOST_EDGES = 1_500
_MOST_DEPTH = 8
_BETWEEN = {0, 10, 13, 32, 45, 0xFFFE, 0xFFFF}
"""Characters that pdfium adds between those of the file, and those that are none."""
_THIN = 2.0
_DOT = 9.0
_MOST_DOTS = 200
_SCAN = 20
"""Letters of a page with a picture, below which it is a scan."""


@dataclass(slots=True)
class Letter:
    """A character: `y` is its baseline, from the top; `size` the height of its font in points."""

    text: str
    x0: float
    x1: float
    y: float
    size: float
    bold: bool
    fixed: bool


@dataclass(slots=True)
class Page:
    """What stands on a page; `number` counts from 1, an edge is one as pdfplumber's functions take it."""

    number: int
    width: float
    height: float
    letters: list[Letter] = field(default_factory=list)
    edges: list[dict[str, Any]] = field(default_factory=list)
    pictures: int = 0
    dots: list[tuple[float, float, float]] = field(default_factory=list)
    """Small filled shapes, as the bullets of lists may be drawn: left, right, and middle from the top."""

    @property
    def is_scan(self) -> bool:
        """Whether the page is a picture with no or hardly any text."""
        return self.pictures > 0 and sum(not letter.text.isspace() for letter in self.letters) < _SCAN


@contextmanager
def opened(data: bytes, most: int) -> Iterator[Any]:
    """Open a PDF; raises SourceError for one that is encrypted, damaged or of more than `most` pages."""
    import pypdfium2

    try:
        document = pypdfium2.PdfDocument(io.BytesIO(data))
    except pypdfium2.PdfiumError as error:
        if "password" in str(error).lower():
            raise SourceError("", "is encrypted. Save a copy without a password and import that.") from error
        raise damaged("") from error
    try:
        if len(document) > most:
            raise SourceError("", "has {n} pages; at most {most} are read. Divide it.", n=len(document), most=most)
        yield document
    finally:
        document.close()


def outline(document: Any) -> dict[tuple[int, str], int]:
    """Return the levels, from 1, of the bookmarks of a PDF by page number and title without blanks."""
    levels = {}
    for count, mark in enumerate(document.get_toc(max_depth=6)):
        place = mark.get_dest()
        if count > _MOST_OBJECTS:
            break
        if place is not None and (index := place.get_index()) is not None:
            levels[index + 1, squeezed(sound(mark.get_title()))] = mark.level + 1
    return levels


def squeezed(text: str) -> str:
    """Return a text without blanks and case, as titles are compared."""
    return "".join(text.split()).casefold()


def page(document: Any, number: int) -> Page:
    """Read the page with a number, which counts from 1."""
    import pypdfium2.raw as pdfium

    loaded = document[number - 1]
    try:
        width, height = loaded.get_size()
        left, _, _, top = loaded.get_bbox()
        made = Page(number, width, height)
        budget = [_MOST_OBJECTS]
        objects = (pdfium.FPDFPage_GetObject(loaded.raw, at) for at in range(pdfium.FPDFPage_CountObjects(loaded.raw)))
        for one in objects:
            _look_at(one, made, (left, top), (1.0, 0.0, 0.0, 1.0, 0.0, 0.0), budget, 0)
        if len(made.edges) > _MOST_EDGES:
            made.edges = []
        text = loaded.get_textpage()
        made.letters = list(_letters(text, left, top))
        made.letters += list(_bullets(made))
        text.close()
        return made
    finally:
        loaded.close()


def _letters(text: Any, left: float, top: float) -> Iterator[Letter]:
    import pypdfium2.raw as pdfium

    raw, box = text.raw, pdfium.FS_RECTF()
    # The address of what holds a letter, as a number: an object of ctypes for each would take a third of the time.
    held_at = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int)(
        ctypes.cast(pdfium.FPDFText_GetTextObject, ctypes.c_void_p).value or 0
    )
    address = ctypes.cast(raw, ctypes.c_void_p)
    code_of, box_of, is_generated = (
        pdfium.FPDFText_GetUnicode,
        pdfium.FPDFText_GetLooseCharBox,
        pdfium.FPDFText_IsGenerated,
    )
    styles: dict[int | None, tuple[float, bool, bool, bool, float]] = {}
    for at in range(min(pdfium.FPDFText_CountChars(raw), _MOST_LETTERS)):
        code = code_of(raw, at)
        if (code in _BETWEEN and (code < 32 or is_generated(raw, at) == 1)) or 0xD800 <= code < 0xE000:
            continue
        held = held_at(address, at)
        style = styles.get(held)
        if style is None:
            style = styles[held] = _style(raw, at)
        size, bold, fixed, upright, y = style
        if not upright or size <= 0.5:
            continue
        box_of(raw, at, box)
        letter = chr(code) if code < 0x2E80 else sound(chr(code))
        yield Letter("-" if code == 2 else letter, box.left - left, box.right - left, top - y, size, bold, fixed)


def _style(raw: Any, at: int) -> tuple[float, bool, bool, bool, float]:
    """Return size, whether the font is bold and of fixed width, whether the letter stands upright, and its baseline."""
    import pypdfium2.raw as pdfium

    matrix, x, y = pdfium.FS_MATRIX(), ctypes.c_double(), ctypes.c_double()
    pdfium.FPDFText_GetMatrix(raw, at, matrix)
    pdfium.FPDFText_GetCharOrigin(raw, at, x, y)
    upright = matrix.a > 0 and abs(matrix.b) < 0.05 * abs(matrix.a)
    size = pdfium.FPDFText_GetFontSize(raw, at) * (matrix.c**2 + matrix.d**2) ** 0.5
    held = pdfium.FPDFText_GetTextObject(raw, at)
    font = pdfium.FPDFTextObj_GetFont(held) if held else None
    if not font:
        return size, False, False, upright, y.value
    name = ctypes.create_string_buffer(200)
    pdfium.FPDFFont_GetBaseFontName(font, name, 200)
    called = name.value.decode("utf-8", "replace").lower()
    flags, weight = pdfium.FPDFFont_GetFlags(font), pdfium.FPDFFont_GetWeight(font)
    bold = weight >= 600 or bool(flags & _FORCED_BOLD) or any(word in called for word in ("bold", "heavy", "black"))
    fixed = bool(flags & _FIXED) or any(word in called for word in ("mono", "courier", "consol", "menlo"))
    return size, bold, fixed and "cjk" not in called, upright, y.value


Matrix = tuple[float, float, float, float, float, float]


def _look_at(one: Any, made: Page, corner: tuple[float, float], outer: Matrix, budget: list[int], depth: int) -> None:
    """Add the ruled lines of an object to a page, and count it if it is a picture."""
    import pypdfium2.raw as pdfium

    budget[0] -= 1
    if budget[0] < 0:
        return
    kind = pdfium.FPDFPageObj_GetType(one)
    if kind == _IMAGE:
        made.pictures += 1
    if kind not in (_PATH, _FORM):
        return
    own = pdfium.FS_MATRIX()
    pdfium.FPDFPageObj_GetMatrix(one, own)
    matrix = _product((own.a, own.b, own.c, own.d, own.e, own.f), outer)
    if kind == _PATH:
        made.edges += _edges(one, matrix, corner)
        made.dots += _dots(one, outer, corner)
    elif depth < _MOST_DEPTH:
        for at in range(pdfium.FPDFFormObj_CountObjects(one)):
            _look_at(pdfium.FPDFFormObj_GetObject(one, at), made, corner, matrix, budget, depth + 1)


def _product(first: Matrix, second: Matrix) -> Matrix:
    a, b, c, d, e, f = first
    g, h, i, j, k, m = second
    return (a * g + b * i, a * h + b * j, c * g + d * i, c * h + d * j, e * g + f * i + k, e * h + f * j + m)


def _edges(path: Any, matrix: Matrix, corner: tuple[float, float]) -> Iterator[dict[str, Any]]:
    """Yield the horizontal and vertical lines of a path; a thin rectangle is one line."""
    import pypdfium2.raw as pdfium

    a, b, c, d, e, f = matrix
    points: list[tuple[float, float, bool]] = []
    x, y = ctypes.c_float(), ctypes.c_float()
    for at in range(min(pdfium.FPDFPath_CountSegments(path), _MOST_EDGES)):
        segment = pdfium.FPDFPath_GetPathSegment(path, at)
        kind = pdfium.FPDFPathSegment_GetType(segment)
        if kind == pdfium.FPDF_SEGMENT_BEZIERTO:
            return
        pdfium.FPDFPathSegment_GetPoint(segment, x, y)
        placed = (a * x.value + c * y.value + e - corner[0], corner[1] - (b * x.value + d * y.value + f))
        points.append((*placed, kind == pdfium.FPDF_SEGMENT_MOVETO))
    if not points:
        return
    xs, ys = [point[0] for point in points], [point[1] for point in points]
    if max(ys) - min(ys) <= _THIN or max(xs) - min(xs) <= _THIN:
        yield from _edge(min(xs), min(ys), max(xs), max(ys))
        return
    closed = [*points, (*points[0][:2], False)]
    for (x0, y0, _), (x1, y1, begins) in pairwise(closed):
        if not begins:
            yield from _edge(x0, y0, x1, y1)


def _dots(path: Any, outer: Matrix, corner: tuple[float, float]) -> Iterator[tuple[float, float, float]]:
    import pypdfium2.raw as pdfium

    sides = [ctypes.c_float() for _ in range(4)]
    if pdfium.FPDFPageObj_GetBounds(path, *sides):
        a, b, c, d, e, f = outer
        left, bottom, right, top = (side.value for side in sides)
        x0, x1 = sorted((a * left + c * bottom + e - corner[0], a * right + c * top + e - corner[0]))
        y0, y1 = sorted((corner[1] - (b * left + d * bottom + f), corner[1] - (b * right + d * top + f)))
        if 1 < x1 - x0 < _DOT and 1 < y1 - y0 < _DOT and abs((x1 - x0) - (y1 - y0)) < 1:
            yield x0, x1, (y0 + y1) / 2


def _bullets(page: Page) -> Iterator[Letter]:
    """Yield a bullet for each dot that stands before a letter, at its middle."""
    for x0, x1, middle in page.dots[:_MOST_DOTS]:
        beside = [
            letter
            for letter in page.letters
            if x1 < letter.x0 < x1 + 2 * letter.size and 0.1 * letter.size < letter.y - middle < 0.6 * letter.size
        ]
        if beside:
            first = min(beside, key=lambda letter: letter.x0)
            yield Letter("•", x0, x1, first.y, first.size, False, False)


def _edge(x0: float, y0: float, x1: float, y1: float) -> Iterator[dict[str, Any]]:
    """Yield a line as pdfplumber has it, nothing for one that is askew or a dot."""
    wide, high = abs(x1 - x0), abs(y1 - y0)
    if max(wide, high) < 3:
        return
    if high <= _THIN:
        at = (y0 + y1) / 2
        yield _line(min(x0, x1), at, max(x0, x1), at, "h")
    elif wide <= _THIN:
        at = (x0 + x1) / 2
        yield _line(at, min(y0, y1), at, max(y0, y1), "v")


def _line(x0: float, top: float, x1: float, bottom: float, orientation: str) -> dict[str, Any]:
    size = {"width": x1 - x0, "height": bottom - top}
    return {"x0": x0, "x1": x1, "top": top, "bottom": bottom, "orientation": orientation} | size
