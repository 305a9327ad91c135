"""Boxes to tick, buttons and lists of a form in a PDF -> letters that say what is chosen."""

import ctypes
from bisect import bisect
from collections.abc import Iterable, Iterator
from operator import attrgetter
from typing import Any, NamedTuple

from core.documents.pdf.glyphs import Letter

MOST_CHOICES = 1_000
"""Fields of a page that are read; others are as they are drawn."""
_CHECK_BOX, _RADIO_BUTTON, _LIST = 2, 3, 5
_FEW, _MOST_OPTIONS = 20, 1_000
"""Options of a list that are all shown; of more of them only those that are chosen."""
_BELOW = 2.0
"""Points from the bottom of a field to the foot of the letters next to it."""
_SIZE = 11.0


class Choice(NamedTuple):
    """What a field says, its name, and its place: left, bottom, right and top of the page as it is turned."""

    text: str
    name: str
    place: tuple[float, float, float, float]


def choice_of(form: Any, annotation: Any) -> Choice | None:
    """Return what is chosen in a field, None for one of another kind."""
    import pypdfium2.raw as pdfium

    kind = pdfium.FPDFAnnot_GetFormFieldType(form, annotation)
    if kind in (_CHECK_BOX, _RADIO_BUTTON):
        text = _mark(pdfium.FPDFAnnot_IsChecked(form, annotation))
    elif kind == _LIST:
        count = pdfium.FPDFAnnot_GetOptionCount(form, annotation)
        text = "  ".join(
            f"{_mark(chosen)} {_text(pdfium.FPDFAnnot_GetOptionLabel, form, annotation, at)}"
            for at in range(min(count, _MOST_OPTIONS))
            if (chosen := pdfium.FPDFAnnot_IsOptionSelected(form, annotation, at)) or count <= _FEW
        )
    else:
        return None
    box = pdfium.FS_RECTF()
    pdfium.FPDFAnnot_GetRect(annotation, box)
    name = _text(pdfium.FPDFAnnot_GetFormFieldAlternateName, form, annotation)
    name = name or _text(pdfium.FPDFAnnot_GetFormFieldName, form, annotation)
    return Choice(text, name, (box.left, box.bottom, box.right, box.top))


def _mark(chosen: bool) -> str:
    return "☑" if chosen else "☐"


def _text(read: Any, *of: Any) -> str:
    """Return a text of pdfium, which is asked for its length first."""
    held = (ctypes.c_ushort * (read(*of, None, 0) // 2))()
    read(*of, held, ctypes.sizeof(held))
    return " ".join(bytes(held).decode("utf-16-le", "replace").rstrip("\0").split())


def letters_of(choices: Iterable[Choice], letters: list[Letter], left: float, top: float) -> Iterator[Letter]:
    """Yield the letters of fields in the line of the letters next to them; without any, with the field's name."""
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
