"""A page of a PDF -> its letters with their places, and what is drawn. Places are points from the top left."""

import io
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from core.base.errors import SourceError
from core.documents.kinds import damaged
from core.documents.pdf.directions import TurningPage
from core.documents.pdf.drawings import Drawings, drawings
from core.documents.pdf.glyphs import UPRIGHT, Letter, glyphs
from core.documents.pdf.letters import sound

_MOST_MARKS = 50_000
_MOST_DOTS = 200
_MOST_DIRECTIONS = 4
"""Directions in which a page is read, of the most letters first; the others are read as the file has them."""
_SCAN = 20
"""Letters of a page with a picture, below which it is a scan."""
_FILLED = {3, 13, 20}
"""Annotations that are a part of the page: free text, stamps, fields of forms."""
_COMMENTS = {1, 9, 10, 11, 12, 14}
"""Annotations by which people comment: notes, marked, underlined and crossed text, carets."""
_MOST_ANNOTATIONS = 5_000


@dataclass(slots=True)
class Page:
    """What stands on a page, turned so that most of its letters stand upright; `number` counts from 1.

    `aside` has the letters of other directions, one page for each. `count` is the number of characters that pdfium
    has for the page, `unknown` that of those which stand for no character; `comments` counts comments of people.
    """

    number: int
    width: float
    height: float
    letters: list[Letter] = field(default_factory=list)
    drawn: Drawings = field(default_factory=Drawings)
    aside: list["Page"] = field(default_factory=list)
    count: int = 0
    unknown: int = 0
    comments: int = 0

    @property
    def inked(self) -> int:
        """The number of letters that aren't blanks."""
        return sum(not letter.text.isspace() for letter in self.letters) + sum(page.inked for page in self.aside)

    @property
    def is_scan(self) -> bool:
        """Whether the page is a picture with no or hardly any text."""
        return self.drawn.pictures > 0 and self.inked < _SCAN


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
        if count > _MOST_MARKS:
            break
        if place is not None and (index := place.get_index()) is not None:
            levels[index + 1, squeezed(sound(mark.get_title()))] = mark.level + 1
    return levels


def squeezed(text: str) -> str:
    """Return a text without blanks and case, as titles are compared."""
    return "".join(text.split()).casefold()


def page(document: Any, number: int) -> Page:
    """Read the page with a number, which counts from 1; the document's page stays as it was turned last."""
    turning = TurningPage(document, number)
    try:
        comments = _prepare(turning)
        first = glyphs(turning.loaded)
        views: list[Page] = []
        directions = first.directions() or [UPRIGHT]
        for at, direction in enumerate(directions[:_MOST_DIRECTIONS]):
            turning.turn(direction)
            now = glyphs(turning.loaded) if turning.is_turned else first
            views.append(
                _view(
                    turning.loaded,
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
    main.count, main.unknown, main.comments = first.count, first.unknown, comments
    return main


def _view(loaded: Any, number: int, letters: list[Letter], *, with_drawings: bool) -> Page:
    """Return what stands on a page, of its letters those that are upright."""
    width, height = loaded.get_size()
    made = Page(number, width, height, letters)
    if with_drawings:
        left, _, _, top = loaded.get_bbox()
        made.drawn = drawings(loaded, left, top)
        made.letters += list(_bullets(made))
    return made


def _in_file_order(number: int, letters: list[Letter]) -> Page:
    """Return letters of many directions as upright lines, one for each that follow each other in the file."""
    made = Page(number, 0.0, 0.0)
    x, at = 0.0, -1
    for letter in sorted(letters, key=lambda letter: letter.at):
        if letter.at != at + 1:
            x, made.height = 0.0, made.height + 3 * letter.size
        width = letter.size / 2
        made.letters.append(replace(letter, x0=x, x1=x + width, y=made.height))
        x, at = x + width, letter.at
    return made


def _prepare(turning: TurningPage) -> int:
    """Make the fields and boxes of text that are filled in a part of a page; return how many comments it has."""
    import pypdfium2.raw as pdfium

    raw, comments, filled = turning.loaded.raw, 0, False
    for at in range(min(pdfium.FPDFPage_GetAnnotCount(raw), _MOST_ANNOTATIONS)):
        annotation = pdfium.FPDFPage_GetAnnot(raw, at)
        kind = pdfium.FPDFAnnot_GetSubtype(annotation)
        filled = filled or kind in _FILLED
        # The length of an empty text is that of its end, two bytes.
        comments += kind in _COMMENTS and pdfium.FPDFAnnot_GetStringValue(annotation, b"Contents", None, 0) > 2
        pdfium.FPDFPage_CloseAnnot(annotation)
    if filled and pdfium.FPDFPage_Flatten(raw, pdfium.FLAT_NORMALDISPLAY) == pdfium.FLATTEN_SUCCESS:
        turning.reload()
    return comments


def _bullets(page: Page) -> Iterator[Letter]:
    """Yield a bullet for each dot that stands before a letter, at its middle."""
    for x0, x1, middle in page.drawn.dots[:_MOST_DOTS]:
        beside = [
            letter
            for letter in page.letters
            if x1 < letter.x0 < x1 + 2 * letter.size and 0.1 * letter.size < letter.y - middle < 0.6 * letter.size
        ]
        if beside:
            first = min(beside, key=lambda letter: letter.x0)
            yield Letter("•", x0, x1, first.y, first.size, False, False)
