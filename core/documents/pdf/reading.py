"""Reading a PDF page into positioned letters and drawings. Positions are points from the top left."""

import ctypes
import io
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from core.base.errors import SourceError
from core.documents.kinds import damaged
from core.documents.pdf.asides import Asides, descriptions
from core.documents.pdf.forms import MOST_CHOICES, Choice, choice_of, drawn_texts, letters_of
from core.documents.pdf.glyphs import UPRIGHT, Direction, Letter, clean_text, glyphs
from core.model import Omission

if TYPE_CHECKING:
    from pypdfium2 import PdfDocument, PdfMatrix, PdfPage

# The drawings of a page of a PDF -> its ruled lines, its pictures, and dots that may be bullets.

_PATH, _IMAGE, _FORM = 2, 3, 5
_MOST_OBJECTS = 50_000
_MOST_EDGES = 1_500
_MOST_DEPTH = 8
_THIN = 2.0
_DOT = 9.0

Edge = dict[str, Any]
"""A ruled line in pdfplumber's format."""


@dataclass(slots=True)
class Drawings:
    """The drawings on a page: ruled lines, dots, and the numbers of pictures and shapes."""

    edges: list[Edge] = field(default_factory=list)
    dots: list[tuple[float, float, float]] = field(default_factory=list)
    """Small shapes that may be list bullets: left, right, and vertical centre from the top."""
    pictures: int = 0
    shapes: int = 0


def drawings(loaded: "PdfPage", left: float, top: float) -> Drawings:
    """Return the drawings of a page whose top left corner is at (left, top)."""
    import pypdfium2.raw as pdfium
    from pypdfium2 import PdfMatrix

    made = Drawings()
    on_page = PdfMatrix(1, 0, 0, -1, -left, top)
    budget = [_MOST_OBJECTS]
    for at in range(pdfium.FPDFPage_CountObjects(loaded.raw)):
        item = pdfium.FPDFPage_GetObject(loaded.raw, at)
        _add_object(item, made, on_page, budget, 0)
    if len(made.edges) > _MOST_EDGES:
        made.edges = []
    return made


def _add_object(item: object, made: Drawings, outer: "PdfMatrix", budget: list[int], depth: int) -> None:
    """Add the ruled lines and dots in an object, and count it; `outer` is its container's matrix."""
    import pypdfium2.raw as pdfium
    from pypdfium2 import PdfMatrix

    budget[0] -= 1
    if budget[0] < 0:
        return
    kind = pdfium.FPDFPageObj_GetType(item)
    made.pictures += kind == _IMAGE
    made.shapes += kind == _PATH
    if kind not in (_PATH, _FORM):
        return
    own = pdfium.FS_MATRIX()
    pdfium.FPDFPageObj_GetMatrix(item, own)
    matrix = PdfMatrix.from_raw(own).multiply(outer)
    if kind == _PATH:
        made.edges += _edges(item, matrix)
        made.dots += _dots(item, outer)
    elif depth < _MOST_DEPTH:
        for at in range(pdfium.FPDFFormObj_CountObjects(item)):
            _add_object(pdfium.FPDFFormObj_GetObject(item, at), made, matrix, budget, depth + 1)


def _edges(path: object, matrix: "PdfMatrix") -> Iterator[Edge]:
    """Yield the horizontal and vertical lines of a path; a thin rectangle counts as one line."""
    import pypdfium2.raw as pdfium

    points: list[tuple[float, float, bool]] = []
    x, y = ctypes.c_float(), ctypes.c_float()
    for at in range(min(pdfium.FPDFPath_CountSegments(path), _MOST_EDGES)):
        segment = pdfium.FPDFPath_GetPathSegment(path, at)
        kind = pdfium.FPDFPathSegment_GetType(segment)
        if kind == pdfium.FPDF_SEGMENT_BEZIERTO:
            return
        pdfium.FPDFPathSegment_GetPoint(segment, x, y)
        points.append((*matrix.on_point(x.value, y.value), kind == pdfium.FPDF_SEGMENT_MOVETO))
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


def _dots(path: object, outer: "PdfMatrix") -> Iterator[tuple[float, float, float]]:
    import pypdfium2.raw as pdfium

    sides = [ctypes.c_float() for _ in range(4)]
    if pdfium.FPDFPageObj_GetBounds(path, *sides):
        x0, y0, x1, y1 = outer.on_rect(*(side.value for side in sides))
        if 1 < x1 - x0 < _DOT and 1 < y1 - y0 < _DOT and abs((x1 - x0) - (y1 - y0)) < 1:
            yield x0, x1, (y0 + y1) / 2


def _edge(x0: float, y0: float, x1: float, y1: float) -> Iterator[Edge]:
    """Yield a line in pdfplumber's format; nothing for an oblique line or a dot."""
    wide, high = abs(x1 - x0), abs(y1 - y0)
    if max(wide, high) < 3:
        return
    if high <= _THIN:
        at = (y0 + y1) / 2
        yield _line(min(x0, x1), at, max(x0, x1), at, "h")
    elif wide <= _THIN:
        at = (x0 + x1) / 2
        yield _line(at, min(y0, y1), at, max(y0, y1), "v")


def _line(x0: float, top: float, x1: float, bottom: float, orientation: str) -> Edge:
    size = {"width": x1 - x0, "height": bottom - top}
    return {"x0": x0, "x1": x1, "top": top, "bottom": bottom, "orientation": orientation} | size


# A page of a PDF that is turned, tilted or mirrored -> the same page with its letters upright.


class TurningPage:
    """A page that is turned to read its text in several directions, one after the other."""

    def __init__(self, document: "PdfDocument", number: int) -> None:
        self._document, self._number = document, number
        self._direction = UPRIGHT
        self.form, self.choices = document.formenv, list[Choice]()
        self.loaded = document[number - 1]

    @property
    def is_turned(self) -> bool:
        """Whether the page is turned from its original direction."""
        return self._direction != UPRIGHT

    def reload(self) -> None:
        """Load the page again, after its objects have changed."""
        self.loaded.close()
        self.loaded = self._document[self._number - 1]

    def turn(self, direction: Direction) -> None:
        """Turn the page so that letters with the given original direction are upright, with a corner at (0, 0)."""
        import pypdfium2.raw as pdfium
        from pypdfium2 import PdfMatrix

        if direction == self._direction:
            return
        now = _frame(self._direction)
        back = PdfMatrix(now.a, now.c, now.b, now.d)  # the matrix of a turn is orthogonal
        turn = back.multiply(_frame(direction))
        x0, y0, x1, y1 = turn.on_rect(*self.loaded.get_bbox())
        matrix = turn.translate(-x0, -y0)
        pdfium.FPDFPage_TransFormWithClip(self.loaded.raw, matrix, None)
        self.choices = [choice._replace(place=matrix.on_rect(*choice.place)) for choice in self.choices]
        self.loaded.set_mediabox(0, 0, x1 - x0, y1 - y0)
        self.loaded.set_cropbox(0, 0, x1 - x0, y1 - y0)
        self.loaded.set_rotation(0)
        self._direction = direction
        self.reload()


def _frame(direction: Direction) -> "PdfMatrix":
    """Return the matrix that makes letters with the given direction upright."""
    from pypdfium2 import PdfMatrix

    return PdfMatrix().rotate(direction.degrees).mirror(False, direction.mirrored)


_MOST_MARKS = 50_000
_MOST_DOTS = 200
_MOST_DIRECTIONS = 4
"""Maximum number of directions in which a page is read, most letters first; others are read in file order."""
_SCAN = 20
"""Number of letters below which a page that has a picture is a scan."""
_MOST_ANNOTATIONS = 5_000


@dataclass(slots=True)
class Page:
    """The content of a page, turned so that most of its letters are upright; `number` counts from 1.

    `aside` has a page for each other direction. `count`: letters and digits in pdfium's text. `unknown`: glyphs without
    a character.
    """

    number: int
    height: float
    letters: list[Letter] = field(default_factory=list)
    drawn: Drawings = field(default_factory=Drawings)
    aside: list["Page"] = field(default_factory=list)
    count: int = 0
    unknown: int = 0
    asides: Asides = field(default_factory=Asides)

    @property
    def visible_count(self) -> int:
        """Number of non-blank letters from the file."""
        return sum(letter.at >= 0 and not letter.text.isspace() for letter in self.letters) + sum(
            page.visible_count for page in self.aside
        )

    @property
    def is_scan(self) -> bool:
        """Whether the page is a picture with almost no text."""
        return self.drawn.pictures > 0 and self.visible_count < _SCAN


@contextmanager
def open_document(data: bytes, most: int) -> Iterator["PdfDocument"]:
    """Open a PDF; raises SourceError if it is encrypted, damaged or has more than `most` pages."""
    import pypdfium2

    try:
        document = pypdfium2.PdfDocument(io.BytesIO(data))
    except pypdfium2.PdfiumError as error:
        if "password" in str(error).lower():
            raise SourceError("", "is encrypted. Save a copy without a password and import that copy.") from error
        raise damaged("") from error
    try:
        document.init_forms()
        if len(document) > most:
            raise SourceError("", "has {n} pages; the limit is {most}. Split it.", n=len(document), most=most)
        yield document
    finally:
        document.close()


Titles = dict[tuple[int, str], int]
"""Levels of bookmarks, from 1, by page number and normalized title."""


def outline(document: "PdfDocument") -> Titles:
    """Return the levels, from 1, of a PDF's bookmarks by page number and normalized title."""
    levels = {}
    for count, mark in enumerate(document.get_toc(max_depth=6)):
        place = mark.get_dest()
        if count > _MOST_MARKS:
            break
        if place is not None and (index := place.get_index()) is not None:
            levels[index + 1, normalize_title(clean_text(mark.get_title()))] = mark.level + 1
    return levels


def normalize_title(text: str) -> str:
    """Return a text without blanks and in lower case, for comparing titles."""
    return "".join(text.split()).casefold()


def page(document: "PdfDocument", number: int) -> Page:
    """Read a page; `number` counts from 1. The document's page stays turned."""
    turning = TurningPage(document, number)
    try:
        asides = _prepare(turning)
        first = glyphs(turning.loaded)
        views: list[Page] = []
        directions = first.directions() or [UPRIGHT]
        for at, direction in enumerate(directions[:_MOST_DIRECTIONS]):
            turning.turn(direction)
            now = glyphs(turning.loaded) if turning.is_turned else first
            views.append(
                _view(
                    turning,
                    number,
                    now.alike(UPRIGHT, [item.seen_from(direction) for item in directions[:at]]),
                    with_drawings=not views,
                )
            )
    finally:
        turning.loaded.close()
    main, *main.aside = views
    if others := range(_MOST_DIRECTIONS, len(directions)):
        letters = [letter for at in others for letter in first.alike(directions[at], directions[:at])]
        main.aside.append(_in_file_order(number, letters))
    main.count, main.unknown, main.asides = first.count, first.unknown, asides
    return main


def _view(turning: TurningPage, number: int, letters: list[Letter], *, with_drawings: bool) -> Page:
    """Return the content of a page with only its upright letters."""
    made = Page(number, turning.loaded.get_size()[1], letters)
    if with_drawings:
        left, _, _, top = turning.loaded.get_bbox()
        made.drawn = drawings(turning.loaded, left, top)
        made.letters += list(letters_of(turning.choices, letters, left, top))
        made.letters += list(_bullets(made))
    return made


def _in_file_order(number: int, letters: list[Letter]) -> Page:
    """Return letters in many directions as upright lines, one per stretch of consecutive letters."""
    made = Page(number, 0.0)
    x, at = 0.0, -1
    for letter in sorted(letters, key=lambda letter: letter.at):
        if letter.at != at + 1:
            x, made.height = 0.0, made.height + 3 * letter.size
        width = letter.size / 2
        made.letters.append(replace(letter, x0=x, x1=x + width, y=made.height))
        x, at = x + width, letter.at
    return made


def _prepare(turning: TurningPage) -> Asides:
    """Draw fields, stamps and text boxes into the page; return the other annotations."""
    import pypdfium2.raw as pdfium

    raw, asides, is_drawn_on = turning.loaded.raw, Asides(descriptions(turning.loaded)), False
    for at in range(min(pdfium.FPDFPage_GetAnnotCount(raw), _MOST_ANNOTATIONS)):
        annotation = pdfium.FPDFPage_GetAnnot(raw, at)
        if not pdfium.FPDFAnnot_GetFlags(annotation) & pdfium.FPDF_ANNOT_FLAG_HIDDEN:
            asides.add(annotation)
            is_drawn_on = is_drawn_on or bool(drawn_texts(annotation))
            if turning.form and len(turning.choices) < MOST_CHOICES and (choice := choice_of(turning.form, annotation)):
                turning.choices.append(choice)
                pdfium.FPDFAnnot_SetFlags(annotation, pdfium.FPDF_ANNOT_FLAG_HIDDEN)
        pdfium.FPDFPage_CloseAnnot(annotation)
    if is_drawn_on and pdfium.FPDFPage_Flatten(raw, pdfium.FLAT_NORMALDISPLAY) == pdfium.FLATTEN_SUCCESS:
        turning.reload()
    return asides


def _bullets(page: Page) -> Iterator[Letter]:
    """Yield a bullet for each dot in front of a letter."""
    for x0, x1, middle in page.drawn.dots[:_MOST_DOTS]:
        overlapping = [
            letter
            for letter in page.letters
            if x1 < letter.x0 < x1 + 2 * letter.size and 0.1 * letter.size < letter.y - middle < 0.6 * letter.size
        ]
        if overlapping:
            first = min(overlapping, key=lambda letter: letter.x0)
            yield Letter("•", x0, x1, first.y, first.size, False, False)


_SHOWN, _HEADS = 60, 12
"""Maximum number of characters to show per running head, and maximum number of heads."""


@dataclass(slots=True)
class LeftOut:
    """What was left out of a PDF: scanned, empty and partial pages by number, unknown characters by page, and files."""

    scans: list[int] = field(default_factory=list)
    empty: list[int] = field(default_factory=list)
    partial: list[int] = field(default_factory=list)
    unknown: dict[int, int] = field(default_factory=dict)
    files: list[str] = field(default_factory=list)

    def check(self, page: Page, kept: int) -> None:
        """Record what the text lacks of a page; `kept` is the number of its letters and digits in the text."""
        if page.is_scan:
            self.scans.append(page.number)
        elif not kept and (page.drawn.pictures or page.drawn.shapes):
            self.empty.append(page.number)
        elif kept < page.count:
            self.partial.append(page.number)
        if page.unknown:
            self.unknown[page.number] = page.unknown
        self.files += page.asides.files

    def omissions(self, scans: Mapping[int, str], running: Iterable[str]) -> Iterator[Omission]:
        """Yield the omissions; `scans` has the texts that OCR read by page, `running` has the running heads."""
        empty = sorted([*self.empty, *(number for number in self.scans if not scans.get(number))])
        if empty:
            yield Omission("page", len(empty), ranges(empty))
        if self.partial:
            yield Omission("page_part", len(self.partial), ranges(self.partial))
        if unknown := {number: count for number, count in self.unknown.items() if not scans.get(number)}:
            yield Omission("character", sum(unknown.values()), ranges(list(unknown)))
        yield from (Omission("attachment", 1, name) for name in self.files)
        if heads := list(running):
            shown = [head if len(head) <= _SHOWN else head[: _SHOWN - 1] + "…" for head in heads[:_HEADS]]
            yield Omission("header", len(heads), "; ".join(shown) + ("; …" if len(heads) > _HEADS else ""))


def ranges(numbers: list[int]) -> str:
    """Return ascending numbers as text with ranges, such as 2, 5, 9–12."""
    groups: list[list[int]] = []
    for number in numbers:
        if groups and number == groups[-1][-1] + 1:
            groups[-1].append(number)
        else:
            groups.append([number])
    parts = [f"{group[0]}–{group[-1]}" if len(group) > 2 else ", ".join(map(str, group)) for group in groups]
    return ", ".join(parts)
