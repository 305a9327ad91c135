"""A page of a PDF that is turned, tilted or mirrored -> the same page with its letters upright."""

import math
from typing import Any

from core.documents.pdf.glyphs import UPRIGHT, Direction

Frame = tuple[float, float, float, float]
"""How places are turned: x' = a x + c y, y' = b x + d y."""
_STILL: Frame = (1.0, 0.0, 0.0, 1.0)


class TurningPage:
    """A page of a document that is read in several directions, one after the other."""

    def __init__(self, document: Any, number: int) -> None:
        self._document, self._number = document, number
        self._frame = _STILL
        self.loaded = document[number - 1]

    @property
    def is_turned(self) -> bool:
        """Whether the page isn't as the document has it."""
        return self._frame != _STILL

    def reload(self) -> None:
        """Load the page again, as its objects are now."""
        self.loaded.close()
        self.loaded = self._document[self._number - 1]

    def turn(self, direction: Direction) -> None:
        """Turn the page so that letters which had a direction at first are upright, with a corner at (0, 0)."""
        import pypdfium2.raw as pdfium

        wanted = _frame(direction)
        if direction == UPRIGHT and self._frame == _STILL:
            return
        a, b, c, d = _after(wanted, self._frame)
        left, bottom, right, top = self.loaded.get_bbox()
        corners = [(a * x + c * y, b * x + d * y) for x in (left, right) for y in (bottom, top)]
        x0, y0 = min(x for x, _ in corners), min(y for _, y in corners)
        x1, y1 = max(x for x, _ in corners), max(y for _, y in corners)
        pdfium.FPDFPage_TransFormWithClip(self.loaded.raw, pdfium.FS_MATRIX(a, b, c, d, -x0, -y0), None)
        self.loaded.set_mediabox(0, 0, x1 - x0, y1 - y0)
        self.loaded.set_cropbox(0, 0, x1 - x0, y1 - y0)
        self.loaded.set_rotation(0)
        self._frame = wanted
        self.reload()


def _frame(direction: Direction) -> Frame:
    turned = math.radians(-direction.degrees)
    a, b = math.cos(turned), math.sin(turned)
    return (a, -b, -b, -a) if direction.mirrored else (a, b, -b, a)


def _after(wanted: Frame, now: Frame) -> Frame:
    """Return what turns places from one frame to another; frames are orthogonal."""
    a, b, c, d = wanted
    e, f, g, h = now
    return a * e + c * g, b * e + d * g, a * f + c * h, b * f + d * h
