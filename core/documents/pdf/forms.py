"""Conversion of PDF form fields whose values aren't text, such as checkboxes, to letters that show the values."""

import ctypes
from bisect import bisect
from collections.abc import Callable, Iterable, Iterator
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple

from core.documents.pdf.glyphs import Letter

if TYPE_CHECKING:
    from pypdfium2.raw import FS_RECTF

MOST_CHOICES = 1_000
"""Maximum number of fields per page that are read; further fields stay as they are drawn."""
_CHECK_BOX, _RADIO_BUTTON, _COMBO, _LIST, _TEXT = 2, 3, 4, 5, 6
_PASSWORD, _COMB = 1 << 13, 1 << 24
"""Flags of password fields, and of fields with a box for each letter."""
MOST_ITEMS = 5_000
"""Maximum number of parts of an object that are examined."""
_BEYOND = 2.0
"""Points by which the text of a field may exceed its box."""
_FEW, _MOST_OPTIONS = 20, 1_000
"""Maximum number of options that are all shown, and maximum that are examined; longer lists show only chosen ones."""
_BELOW = 2.0
"""Points from the bottom of a field to the baseline of the letters next to it."""
_SIZE = 11.0


class Choice(NamedTuple):
    """The value of a field, its name, and its box on the rotated page: left, bottom, right, top."""

    text: str
    name: str
    place: tuple[float, float, float, float]


def choice_of(form: object, annotation: object) -> Choice | None:
    """Return the chosen or entered value of a field; None if the page shows it already, or there is none."""
    import pypdfium2.raw as pdfium

    box, name = pdfium.FS_RECTF(), ""
    pdfium.FPDFAnnot_GetRect(annotation, box)
    kind = pdfium.FPDFAnnot_GetFormFieldType(form, annotation)
    if kind in (_CHECK_BOX, _RADIO_BUTTON):
        text = _mark(pdfium.FPDFAnnot_IsChecked(form, annotation))
    elif kind == _LIST:
        count = pdfium.FPDFAnnot_GetOptionCount(form, annotation)
        text = "  ".join(
            f"{_mark(chosen)} {read_text(pdfium.FPDFAnnot_GetOptionLabel, form, annotation, at)}"
            for at in range(min(count, _MOST_OPTIONS))
            if (chosen := pdfium.FPDFAnnot_IsOptionSelected(form, annotation, at)) or count <= _FEW
        )
    elif kind in (_COMBO, _TEXT) and not _is_legible(form, annotation, box):
        text = read_text(pdfium.FPDFAnnot_GetFormFieldValue, form, annotation)
    else:
        return None
    if kind in (_CHECK_BOX, _RADIO_BUTTON, _LIST):
        name = read_text(pdfium.FPDFAnnot_GetFormFieldAlternateName, form, annotation)
        name = name or read_text(pdfium.FPDFAnnot_GetFormFieldName, form, annotation)
    if not text:
        return None
    return Choice(" ".join(text.split()), " ".join(name.split()), (box.left, box.bottom, box.right, box.top))


def _mark(chosen: bool) -> str:
    return "☑" if chosen else "☐"


def _is_legible(form: object, annotation: object, box: "FS_RECTF") -> bool:
    """Return whether the drawn text shows the whole entered value, with no part outside the box."""
    import pypdfium2.raw as pdfium

    flags = pdfium.FPDFAnnot_GetFormFieldFlags(form, annotation)
    drawn = drawn_texts(annotation)
    if not drawn or flags & (_PASSWORD | _COMB):
        return bool(flags & _PASSWORD)
    left, bottom, right, top = zip(*drawn, strict=True)
    wide, high = max(right) - min(left), max(top) - min(bottom)
    return bool(wide <= box.right - box.left + _BEYOND and high <= box.top - box.bottom + _BEYOND)


def drawn_texts(annotation: object) -> list[list[float]]:
    """Return left, bottom, right and top of each text that an annotation shows on its page."""
    import pypdfium2.raw as pdfium

    found = []
    drawn = items(pdfium.FPDFAnnot_GetObjectCount, pdfium.FPDFAnnot_GetObject, annotation)
    for item in drawn:
        kind = pdfium.FPDFPageObj_GetType(item)
        if kind == pdfium.FPDF_PAGEOBJ_TEXT:
            sides = [ctypes.c_float() for _ in range(4)]
            pdfium.FPDFPageObj_GetBounds(item, *sides)
            found.append([side.value for side in sides])
        elif kind == pdfium.FPDF_PAGEOBJ_FORM and len(drawn) < MOST_ITEMS:
            drawn += items(pdfium.FPDFFormObj_CountObjects, pdfium.FPDFFormObj_GetObject, item)
    return found


def items(count: Callable[[object], int], item: Callable[[object, int], object], of: object) -> list[object]:
    """Return the items of a pdfium object, by its functions for their count and for one item."""
    return [item(of, at) for at in range(min(count(of), MOST_ITEMS))]


def read_text(read: Callable[..., int], *of: object) -> str:
    """Return a text from a pdfium function that first returns the length; `of` are the other arguments."""
    held = (ctypes.c_ushort * (read(*of, None, 0) // 2))()
    read(*of, held, ctypes.sizeof(held))
    return bytes(held).decode("utf-16-le", "replace").strip("\0 \r\n\t")


def letters_of(choices: Iterable[Choice], letters: list[Letter], left: float, top: float) -> Iterator[Letter]:
    """Yield the values of fields as letters on the line next to each; without such a line, add the field's name."""
    by_foot = attrgetter("y")
    ordered = sorted((letter for letter in letters if not letter.text.isspace()), key=by_foot)
    for text, name, (x0, bottom, x1, upper) in choices:
        start, end, foot = x0 - left, x1 - left, top - bottom
        row = ordered[bisect(ordered, top - upper, key=by_foot) : bisect(ordered, foot + _BELOW, key=by_foot)]
        near = min(row, key=lambda letter: abs(letter.x0 - end), default=Letter("", 0, 0, foot, _SIZE, False, False))
        shown = text if row else f"{text} {name}"
        width = (end - start) / max(1, len(shown))
        for at, sign in enumerate([*shown, " "]):
            yield Letter(sign, start + at * width, min(end, start + (at + 1) * width), near.y, near.size, False, False)
