"""Reading of a PDF page's letters, drawings and annotations. Positions are in points from the top left."""

import ctypes
import io
from bisect import bisect
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import islice, pairwise
from operator import attrgetter
from typing import NamedTuple

import pypdfium2.raw as pdfium
from pypdfium2 import PdfDocument, PdfiumError, PdfMatrix, PdfPage

from core.base.errors import SourceError
from core.base.frozen import AnyValues
from core.base.text import collapse_spaces, shorten
from core.documents import Converted
from core.documents.kinds import MAX_PAGES, damaged, encrypted
from core.documents.pdf.glyphs import UPRIGHT, Direction, glyphs
from core.documents.pdf.lines import Letter, clean_text, normalize_title
from core.markdown.writing import callout
from core.model import Omission, Omissions, summed

# The drawings on a page: ruled lines, pictures, and dots that may be bullets.


_MOST_EDGES = 1_500

_THIN = 2.0
_DOT = 9.0

# A ruled line in pdfplumber's format.
Edge = AnyValues


def _read_drawings(page: "Page", loaded: PdfPage, left: float, top: float) -> None:
    """Add the drawings on a loaded page, whose top left corner is at (left, top), to `page`."""
    on_page = {None: PdfMatrix(1, 0, 0, -1, -left, top)}  # the transformation from each form to the page
    for item in islice(loaded.get_objects(max_depth=10), 50_000):
        outer = on_page[item.container]
        page.pictures += item.type == pdfium.FPDF_PAGEOBJ_IMAGE
        if item.type == pdfium.FPDF_PAGEOBJ_FORM:
            on_page[item] = item.get_matrix().multiply(outer)
        elif item.type == pdfium.FPDF_PAGEOBJ_PATH:
            page.shapes += 1
            page.edges += _edges(item.raw, item.get_matrix().multiply(outer))
            if bounds := _bounds(item.raw):
                x0, y0, x1, y1 = outer.on_rect(*bounds)
                if 1 < x1 - x0 < _DOT and 1 < y1 - y0 < _DOT and abs((x1 - x0) - (y1 - y0)) < 1:
                    page.dots.append((x0, x1, (y0 + y1) / 2))
    if len(page.edges) > _MOST_EDGES:
        page.edges = []


def _bounds(item: object) -> list[float] | None:
    """Return the left, bottom, right and top of an object, or None if unknown."""
    sides = [ctypes.c_float() for _ in range(4)]
    return [side.value for side in sides] if pdfium.FPDFPageObj_GetBounds(item, *sides) else None


def _edges(path: object, matrix: PdfMatrix) -> Iterator[Edge]:
    """Yield the horizontal and vertical lines in a path. A thin rectangle counts as one line."""
    points = []
    x = ctypes.c_float()
    y = ctypes.c_float()
    for at in range(min(pdfium.FPDFPath_CountSegments(path), _MOST_EDGES)):
        segment = pdfium.FPDFPath_GetPathSegment(path, at)
        kind = pdfium.FPDFPathSegment_GetType(segment)
        if kind == pdfium.FPDF_SEGMENT_BEZIERTO:
            return
        pdfium.FPDFPathSegment_GetPoint(segment, x, y)
        points.append((*matrix.on_point(x.value, y.value), kind == pdfium.FPDF_SEGMENT_MOVETO))
    if not points:
        return
    xs, ys, _ = zip(*points, strict=True)
    if max(ys) - min(ys) <= _THIN or max(xs) - min(xs) <= _THIN:
        points = [(min(xs), min(ys), False), (max(xs), max(ys), False)]
    else:
        points.append((xs[0], ys[0], False))
    for (x0, y0, _), (x1, y1, begins) in pairwise(points):
        width = abs(x1 - x0)
        height = abs(y1 - y0)
        if begins or max(width, height) < 3 or min(width, height) > _THIN:
            continue
        x0, x1 = sorted((x0, x1))
        y0, y1 = sorted((y0, y1))
        if height <= _THIN:
            y0 = y1 = (y0 + y1) / 2
        else:
            x0 = x1 = (x0 + x1) / 2
        yield {
            "x0": x0, "x1": x1, "top": y0, "bottom": y1,
            "width": x1 - x0, "height": y1 - y0, "orientation": "h" if height <= _THIN else "v",
        }  # fmt: skip


# The annotations on a page: comments, files, and form fields, such as checkboxes, whose values aren't drawn as text.

# Maximum number of fields per page whose values are read. Any others contribute only the text drawn on the
# page.
MOST_CHOICES = 1_000
# Flags for password fields, and for fields with one box per letter.
_PASSWORD = 1 << 13
_COMB = 1 << 24
# Maximum number of annotations on a page, and of parts of an object, to examine.
_MOST_ITEMS = 5_000
# Number of points by which a field's text may exceed its box.
_BEYOND = 2.0


class _Choice(NamedTuple):
    """A field's value, its name, and its box on the turned page (left, bottom, right, top)."""

    text: str
    name: str
    place: tuple[float, float, float, float]


@dataclass(slots=True)
class Asides:
    """Text that isn't drawn on a page, such as picture descriptions, comments, and the names of attached files."""

    descriptions: list[str] = field(default_factory=list)
    comments: list[str] = field(default_factory=list)
    files: list[str] = field(default_factory=list)

    def add(self, annotation: object, *, is_drawn: bool) -> None:
        """Add an annotation's comment, and the name of its attached file."""
        kind = pdfium.FPDFAnnot_GetSubtype(annotation)
        if kind == pdfium.FPDF_ANNOT_FILEATTACHMENT:
            file = pdfium.FPDFAnnot_GetFileAttachment(annotation)
            self.files.append(_read_text(pdfium.FPDFAttachment_GetName, file) if file else "")
        if kind in (pdfium.FPDF_ANNOT_LINK, pdfium.FPDF_ANNOT_POPUP, pdfium.FPDF_ANNOT_WIDGET) or (
            kind == pdfium.FPDF_ANNOT_FREETEXT and is_drawn
        ):
            return
        author, text = (_read_text(pdfium.FPDFAnnot_GetStringValue, annotation, key) for key in (b"T", b"Contents"))
        if text and text not in self.files:
            self.comments.append(callout("comment", collapse_spaces(author), text.splitlines()))


def attached_files(document: PdfDocument) -> list[str]:
    return [
        _read_text(pdfium.FPDFAttachment_GetName, file)
        for file in _items(pdfium.FPDFDoc_GetAttachmentCount, pdfium.FPDFDoc_GetAttachment, document.raw)
    ]


def _descriptions(loaded: PdfPage) -> list[str]:
    """Return the distinct descriptions of pictures and formulas on a tagged page."""
    tree = pdfium.FPDF_StructTree_GetForPage(loaded.raw)
    elements = (
        _items(pdfium.FPDF_StructTree_CountChildren, pdfium.FPDF_StructTree_GetChildAtIndex, tree) if tree else []
    )
    found: dict[str, None] = {}
    for element in elements:
        found |= {collapse_spaces(_read_text(pdfium.FPDF_StructElement_GetAltText, element)): None}
        if len(elements) < _MOST_ITEMS:
            elements += _items(
                pdfium.FPDF_StructElement_CountChildren, pdfium.FPDF_StructElement_GetChildAtIndex, element
            )
    pdfium.FPDF_StructTree_Close(tree)
    return list(filter(None, found))


def _choice_of(form: object, annotation: object, drawn: list[list[float]]) -> _Choice | None:
    """Return a field's chosen or entered value, or None if the field is empty or its value is already drawn."""
    box = pdfium.FS_RECTF()
    pdfium.FPDFAnnot_GetRect(annotation, box)
    kind = pdfium.FPDFAnnot_GetFormFieldType(form, annotation)
    is_typed = kind in (pdfium.FPDF_FORMFIELD_COMBOBOX, pdfium.FPDF_FORMFIELD_TEXTFIELD)
    name = ""
    if kind in (pdfium.FPDF_FORMFIELD_CHECKBOX, pdfium.FPDF_FORMFIELD_RADIOBUTTON):
        text = _MARKS[bool(pdfium.FPDFAnnot_IsChecked(form, annotation))]
    elif kind == pdfium.FPDF_FORMFIELD_LISTBOX:
        count = pdfium.FPDFAnnot_GetOptionCount(form, annotation)
        # In lists with more options, only the chosen ones are shown.
        text = "  ".join(
            f"{_MARKS[bool(chosen)]} {_read_text(pdfium.FPDFAnnot_GetOptionLabel, form, annotation, at)}"
            for at in range(count)
            if (chosen := pdfium.FPDFAnnot_IsOptionSelected(form, annotation, at)) or count <= 20
        )
    elif is_typed and not _is_legible(form, annotation, box, drawn):
        text = _read_text(pdfium.FPDFAnnot_GetFormFieldValue, form, annotation)
    else:
        return None
    if not is_typed:
        name = _read_text(pdfium.FPDFAnnot_GetFormFieldAlternateName, form, annotation) or _read_text(
            pdfium.FPDFAnnot_GetFormFieldName, form, annotation
        )
    if not text:
        return None
    return _Choice(collapse_spaces(text), collapse_spaces(name), (box.left, box.bottom, box.right, box.top))


_MARKS = ("☐", "☑")


def _is_legible(form: object, annotation: object, box: pdfium.FS_RECTF, drawn: list[list[float]]) -> bool:
    """Return whether the drawn text shows the whole value, with nothing outside the box.

    A password counts as legible, so that it isn't read.
    """
    flags = pdfium.FPDFAnnot_GetFormFieldFlags(form, annotation)
    if not drawn or flags & (_PASSWORD | _COMB):
        return bool(flags & _PASSWORD)
    left, bottom, right, top = zip(*drawn, strict=True)
    return bool(
        max(right) - min(left) <= box.right - box.left + _BEYOND
        and max(top) - min(bottom) <= box.top - box.bottom + _BEYOND
    )


def _drawn_texts(annotation: object) -> list[list[float]]:
    """Return the left, bottom, right and top of each text object drawn by an annotation."""
    found = []
    drawn = _items(pdfium.FPDFAnnot_GetObjectCount, pdfium.FPDFAnnot_GetObject, annotation)
    for item in drawn:
        kind = pdfium.FPDFPageObj_GetType(item)
        if kind == pdfium.FPDF_PAGEOBJ_TEXT:
            found.append(_bounds(item) or [0.0] * 4)
        elif kind == pdfium.FPDF_PAGEOBJ_FORM and len(drawn) < _MOST_ITEMS:
            drawn += _items(pdfium.FPDFFormObj_CountObjects, pdfium.FPDFFormObj_GetObject, item)
    return found


def _items(count: Callable[[object], int], item: Callable[[object, int], object], of: object) -> list[object]:
    """Return the items of a pdfium object, given the functions for their count and for one item."""
    return [item(of, at) for at in range(min(count(of), _MOST_ITEMS))]


def _read_text(read: Callable[..., int], *of: object) -> str:
    """Return a string from a pdfium function that must first be called for the length.

    `of` are the function's other arguments.
    """
    held = (ctypes.c_ushort * (read(*of, None, 0) // 2))()
    read(*of, held, ctypes.sizeof(held))
    return bytes(held).decode("utf-16-le", "replace").strip("\0 \r\n\t")


def _letters_of(choices: Iterable[_Choice], letters: list[Letter], left: float, top: float) -> Iterator[Letter]:
    """Yield field values as letters on the line next to each field.

    If there is no such line, the field's name follows the value.
    """
    by_foot = attrgetter("y")
    ordered = sorted((letter for letter in letters if not letter.text.isspace()), key=by_foot)
    for text, name, (x0, bottom, x1, upper) in choices:
        start = x0 - left
        end = x1 - left
        foot = top - bottom
        # A label next to a field may have its baseline slightly below the field.
        row = ordered[bisect(ordered, top - upper, key=by_foot) : bisect(ordered, foot + 2.0, key=by_foot)]
        near = min(row, key=lambda letter: abs(letter.x0 - end), default=Letter("", 0, 0, foot, 11.0))
        shown = text if row else f"{text} {name}"
        width = (end - start) / max(1, len(shown))
        for at, sign in enumerate([*shown, " "]):
            yield Letter(sign, start + at * width, min(end, start + (at + 1) * width), near.y, near.size)


# Turning a page so that its rotated, tilted or mirrored letters become upright.


class _TurningPage:
    """A page that is turned to read its text one direction at a time."""

    def __init__(self, document: PdfDocument, number: int) -> None:
        self._document = document
        self._number = number
        self.direction = UPRIGHT
        self.form = document.formenv
        self.choices = list[_Choice]()
        self.loaded = document[number - 1]

    def reload(self) -> None:
        """Reload the page after its objects have changed."""
        self.loaded.close()
        self.loaded = self._document[self._number - 1]

    def turn(self, direction: Direction) -> None:
        """Turn the page so that letters originally in this direction are upright and a page corner is at (0, 0)."""
        if direction == self.direction:
            return
        now, then = (PdfMatrix().rotate(way.degrees).mirror(False, way.mirrored) for way in (self.direction, direction))
        turn = PdfMatrix(now.a, now.c, now.b, now.d).multiply(then)  # the inverse of a turn is its transpose
        x0, y0, x1, y1 = turn.on_rect(*self.loaded.get_bbox())
        matrix = turn.translate(-x0, -y0)
        pdfium.FPDFPage_TransFormWithClip(self.loaded.raw, matrix, None)
        self.choices = [choice._replace(place=matrix.on_rect(*choice.place)) for choice in self.choices]
        self.loaded.set_mediabox(0, 0, x1 - x0, y1 - y0)
        self.loaded.set_cropbox(0, 0, x1 - x0, y1 - y0)
        self.loaded.set_rotation(0)
        self.direction = direction
        self.reload()


# Maximum number of directions to read separately. Directions with fewer letters are read together, in file order.
_MOST_DIRECTIONS = 4


@dataclass(slots=True)
class Page:
    """The contents of a page, turned so that most of its letters are upright. `number` counts from 1.

    `aside` contains a page for each other direction. `count` is the number of letters and digits in pdfium's text, and
    `unknown` is the number of glyphs without a character.
    """

    number: int
    height: float
    letters: list[Letter] = field(default_factory=list)
    edges: list[Edge] = field(default_factory=list)
    dots: list[tuple[float, float, float]] = field(default_factory=list)
    """The left, right, and vertical centre (from the top) of small shapes that may be list bullets."""
    pictures: int = 0
    shapes: int = 0
    aside: list["Page"] = field(default_factory=list)
    count: int = 0
    unknown: int = 0
    asides: Asides = field(default_factory=Asides)

    @property
    def is_scan(self) -> bool:
        """True if the page is a picture with almost no text."""
        letters = [letter for page in (self, *self.aside) for letter in page.letters]
        return self.pictures > 0 and sum(letter.at >= 0 and not letter.text.isspace() for letter in letters) < 20


@contextmanager
def open_document(data: bytes) -> Iterator[PdfDocument]:
    """Open a PDF. Raises SourceError if it is encrypted, damaged or has more than MAX_PAGES."""
    try:
        document = PdfDocument(io.BytesIO(data))
    except PdfiumError as error:
        raise (encrypted() if "password" in str(error).lower() else damaged()) from error
    try:
        document.init_forms()
        if len(document) > MAX_PAGES:
            raise SourceError(
                "", "This file has {n} pages; the limit is {most}. Split it.", n=len(document), most=MAX_PAGES
            )
        yield document
    finally:
        document.close()


# Bookmark levels, starting at 1, by page number and normalized title.
Titles = dict[tuple[int, str], int]


def outline(document: PdfDocument) -> Titles:
    levels = {}
    for mark in document.get_toc(max_depth=6):
        place = mark.get_dest()
        if place is not None and (index := place.get_index()) is not None:
            levels[index + 1, normalize_title(clean_text(mark.get_title()))] = mark.level + 1
    return levels


def page(document: PdfDocument, number: int) -> Page:
    """Read a page. `number` counts from 1. The page stays turned in the document."""
    turning = _TurningPage(document, number)
    try:
        asides = _prepare(turning)
        first = glyphs(turning.loaded)
        views = list[Page]()
        directions = first.directions() or [UPRIGHT]
        for at, direction in enumerate(directions[:_MOST_DIRECTIONS]):
            turning.turn(direction)
            now = first if turning.direction == UPRIGHT else glyphs(turning.loaded)
            letters = now.alike(UPRIGHT, [item.seen_from(direction) for item in directions[:at]])
            view = Page(number, turning.loaded.get_size()[1], letters)
            if not views:
                left, _, _, top = turning.loaded.get_bbox()
                _read_drawings(view, turning.loaded, left, top)
                view.letters += list(_letters_of(turning.choices, letters, left, top))
                view.letters += list(_bullets(view))
            views.append(view)
    finally:
        turning.loaded.close()
    main, *main.aside = views
    if others := range(_MOST_DIRECTIONS, len(directions)):
        letters = [letter for at in others for letter in first.alike(directions[at], directions[:at])]
        main.aside.append(_in_file_order(number, letters))
    main.count = first.count
    main.unknown = first.unknown
    main.asides = asides
    return main


def _in_file_order(number: int, letters: list[Letter]) -> Page:
    """Return letters in many directions as upright lines. Each run of consecutive letters becomes a line."""
    made = Page(number, 0.0)
    x = 0.0
    at = -1
    for letter in sorted(letters, key=attrgetter("at")):
        if letter.at != at + 1:
            x = 0.0
            made.height += 3 * letter.size
        made.letters.append(replace(letter, x0=x, x1=x + letter.size / 2, y=made.height))
        x += letter.size / 2
        at = letter.at
    return made


def _prepare(turning: _TurningPage) -> Asides:
    """Draw stamps and text boxes onto the page, collect field values, and return the remaining annotations."""
    raw = turning.loaded.raw
    asides = Asides(_descriptions(turning.loaded))
    is_drawn_on = False
    for annotation in _items(pdfium.FPDFPage_GetAnnotCount, pdfium.FPDFPage_GetAnnot, raw):
        if not pdfium.FPDFAnnot_GetFlags(annotation) & pdfium.FPDF_ANNOT_FLAG_HIDDEN:
            drawn = _drawn_texts(annotation)
            asides.add(annotation, is_drawn=bool(drawn))
            is_drawn_on = is_drawn_on or bool(drawn)
            if (
                turning.form
                and len(turning.choices) < MOST_CHOICES
                and (choice := _choice_of(turning.form, annotation, drawn))
            ):
                turning.choices.append(choice)
                pdfium.FPDFAnnot_SetFlags(annotation, pdfium.FPDF_ANNOT_FLAG_HIDDEN)
        pdfium.FPDFPage_CloseAnnot(annotation)
    if is_drawn_on and pdfium.FPDFPage_Flatten(raw, pdfium.FLAT_NORMALDISPLAY) == pdfium.FLATTEN_SUCCESS:
        turning.reload()
    return asides


def _bullets(page: Page) -> Iterator[Letter]:
    for x0, x1, middle in page.dots[:200]:
        overlapping = [
            letter
            for letter in page.letters
            if x1 < letter.x0 < x1 + 2 * letter.size and 0.1 * letter.size < letter.y - middle < 0.6 * letter.size
        ]
        if overlapping:
            first = min(overlapping, key=attrgetter("x0"))
            yield Letter("•", x0, x1, first.y, first.size)


# Maximum number of running heads to show.
_HEADS = 12


class LeftOut:
    """Collects what is missing from a PDF's text, such as scanned pages, unknown characters and attached files."""

    def __init__(self) -> None:
        self.scans = list[int]()
        self.files = list[str]()
        self._empty = list[int]()
        self._partial = list[int]()
        self._unknown = dict[int, int]()

    def check(self, page: Page, kept: int) -> None:
        """Record what is missing from a page. `kept` is the number of the page's letters and digits in the text."""
        if page.is_scan:
            self.scans.append(page.number)
        elif not kept and (page.pictures or page.shapes):
            self._empty.append(page.number)
        elif kept < page.count:
            self._partial.append(page.number)
        if page.unknown:
            self._unknown[page.number] = page.unknown
        self.files += page.asides.files

    def omissions(self, scans: Mapping[int, str], running: Iterable[str]) -> Omissions:
        """Return the omissions. `scans` maps pages to OCR text. `running` are the removed running heads."""
        empty = sorted([*self._empty, *(number for number in self.scans if not scans.get(number))])
        unknown = {number: count for number, count in self._unknown.items() if not scans.get(number)}
        heads = [shorten(head, 60) for head in running]
        return summed(
            (
                Omission("page", len(empty), ranges(empty)),
                Omission("page_part", len(self._partial), ranges(self._partial)),
                Omission("character", sum(unknown.values()), ranges(list(unknown))),
                *(Omission("attachment", 1, name) for name in self.files),
                Omission("header", len(heads), "; ".join([*heads[:_HEADS], *["…"] * (len(heads) > _HEADS)])),
            )
        )


def ranges(numbers: list[int]) -> str:
    """Return ascending numbers as text with ranges, such as 2, 5, 9–12."""
    groups = list[list[int]]()
    for number in numbers:
        if groups and number == groups[-1][-1] + 1:
            groups[-1].append(number)
        else:
            groups.append([number])
    return ", ".join(f"{group[0]}–{group[-1]}" if len(group) > 2 else ", ".join(map(str, group)) for group in groups)


def join_pages(texts: Iterable[str], blank: SourceError) -> Converted:
    """Join the pages' text and record where each page starts. Raises `blank` if all pages are empty."""
    text = io.StringIO()
    starts = []
    for page in texts:
        starts.append(text.tell())
        text.write(f"{page}\n\n")
    if not text.getvalue().strip():
        raise blank
    return Converted(text.getvalue(), pages=tuple(starts))
