"""The drawings of a page of a PDF -> its ruled lines, its pictures, and dots that may be bullets."""

import ctypes
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

_PATH, _IMAGE, _FORM = 2, 3, 5
_MOST_OBJECTS = 50_000
_MOST_EDGES = 1_500
_MOST_DEPTH = 8
_THIN = 2.0
_DOT = 9.0

Matrix = tuple[float, float, float, float, float, float]


@dataclass(slots=True)
class Drawings:
    """What is drawn on a page. An edge is one as pdfplumber's functions take it."""

    edges: list[dict[str, Any]] = field(default_factory=list)
    dots: list[tuple[float, float, float]] = field(default_factory=list)
    """Small filled shapes, as the bullets of lists may be drawn: left, right, and middle from the top."""
    pictures: int = 0
    shapes: int = 0


def drawings(loaded: Any, left: float, top: float) -> Drawings:
    """Return the drawings of a page whose corner at the left top is at (left, top)."""
    import pypdfium2.raw as pdfium

    made = Drawings()
    budget = [_MOST_OBJECTS]
    for at in range(pdfium.FPDFPage_CountObjects(loaded.raw)):
        item = pdfium.FPDFPage_GetObject(loaded.raw, at)
        _look_at(item, made, (left, top), (1.0, 0.0, 0.0, 1.0, 0.0, 0.0), budget, 0)
    if len(made.edges) > _MOST_EDGES:
        made.edges = []
    return made


def _look_at(
    item: Any, made: Drawings, corner: tuple[float, float], outer: Matrix, budget: list[int], depth: int
) -> None:
    """Add the ruled lines of an object to the drawings, and count it."""
    import pypdfium2.raw as pdfium

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
    matrix = _product((own.a, own.b, own.c, own.d, own.e, own.f), outer)
    if kind == _PATH:
        made.edges += _edges(item, matrix, corner)
        made.dots += _dots(item, outer, corner)
    elif depth < _MOST_DEPTH:
        for at in range(pdfium.FPDFFormObj_CountObjects(item)):
            _look_at(pdfium.FPDFFormObj_GetObject(item, at), made, corner, matrix, budget, depth + 1)


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
