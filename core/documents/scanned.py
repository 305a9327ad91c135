"""The lines that OCR reads of a picture -> their text, by the same rules as that of a PDF."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from core.documents.pdf.lines import GlyphRun
from core.documents.pdf.order import arranged
from core.documents.pdf.tables import PageTable
from core.markdown.writing import table

_SIZE = 12.0
"""Points to which the height of most lines is scaled."""
_ALIKE = (0.6, 1.5)
"""Between which shares of that height lines are of one size."""
_TALL = 1.5
"""How many times as high as it is wide a line is that runs down."""
_ASKED = 5
"""Lines, the longest, of which it is looked at how their letters stand."""


@dataclass(frozen=True, slots=True)
class ScannedLine:
    """A line of text and the corners of its box in pixels, of shape (4, 2)."""

    corners: Any
    text: str

    @property
    def is_tall(self) -> bool:
        """Whether the line runs down or up."""
        width, height = self.corners.max(axis=0) - self.corners.min(axis=0)
        return bool(height >= _TALL * width)

    @property
    def tilt(self) -> float:
        """The angle of its longer edges to the horizontal, in radians."""
        edges = self.corners - self.corners[[1, 2, 3, 0]]
        x, y = max(edges.tolist(), key=lambda edge: math.hypot(*edge))
        return math.atan(y / x) if x else 0.0


def turned(
    lines: Sequence[ScannedLine], width: int, height: int, is_upside_down: Callable[[ScannedLine], bool]
) -> list[ScannedLine]:
    """Return the lines of a picture as they stand once it is turned so that most letters are upright, and level."""
    import numpy as np

    longest = sorted(lines, key=lambda line: -len(line.text))[:_ASKED]
    down = sum(len(line.text) for line in lines if line.is_tall) > 0.5 * sum(len(line.text) for line in lines)
    votes = [is_upside_down(line) for line in longest if line.is_tall == down]
    corners = [line.corners for line in lines]
    if down:  # to the left
        corners = [np.stack([corner[:, 1], width - corner[:, 0]], axis=1) for corner in corners]
        width, height = height, width
    if 2 * sum(votes) > len(votes):
        corners = [np.array([width, height]) - corner for corner in corners]
    placed = [ScannedLine(corner, line.text) for corner, line in zip(corners, lines, strict=True)]
    tilt = (
        median(line.tilt for line in placed if not line.is_tall)
        if any(not scanned_line.is_tall for scanned_line in placed)
        else 0.0
    )
    level = np.array([[math.cos(tilt), -math.sin(tilt)], [math.sin(tilt), math.cos(tilt)]])
    return [ScannedLine(line.corners @ level, line.text) for line in placed]


def in_order(lines: Sequence[ScannedLine]) -> str:
    """Return the text of lines in reading order: columns one after the other, tables as such, a gap as a blank line."""
    if not lines:
        return ""
    frames = [(*line.corners.min(axis=0).tolist(), *line.corners.max(axis=0).tolist()) for line in lines]
    scale = _SIZE / max(1.0, median(bottom - top for _, top, _, bottom in frames))
    runs = []
    for (x0, top, x1, bottom), line in zip(frames, lines, strict=True):
        own = (bottom - top) * scale
        size = _SIZE if _ALIKE[0] * _SIZE < own < _ALIKE[1] * _SIZE else own
        baseline = (top + bottom) / 2 * scale + size / 2
        runs.append(GlyphRun(line.text, x0 * scale, x1 * scale, baseline, size, bold=False, fixed=False))
    paragraphs: list[str] = []
    for column in arranged(runs, []):
        last: GlyphRun | None = None
        for part in column:
            if isinstance(part, PageTable):
                paragraphs.append(table(part.rows))
                last = None
            elif last and part.top - last.y <= part.size:
                paragraphs[-1] += "\n" + part.text
                last = part
            else:
                paragraphs.append(part.text)
                last = part
    return "\n\n".join(paragraphs)
