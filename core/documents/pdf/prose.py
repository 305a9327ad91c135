"""Whether lines below each other are one running text, or separate statements."""

import re
from collections.abc import Sequence
from itertools import pairwise

from core.documents.pdf.letters import WIDE
from core.documents.pdf.lines import GlyphRun

_ENDS = tuple(".!?。！？:：;；")
_GOES_ON = re.compile(r"[^\W\dA-Z_]")
_SHARE = 0.4
"""Share of the lines of a running text that go on in the next one, at least."""
_PITCH = 1.8
"""How many times the size of the letters its lines are apart, at most."""
_HALF, _FULL = 0.5, 0.9
"""Share of the width that a line fills which goes on with a small letter, or with any."""
_WORDS = 5
"""Words of a line that goes on with any letter."""


def is_prose(lines: Sequence[GlyphRun], width: float = 0.0) -> bool:
    """Return whether lines go on in each other; `width` is that of their column, by default that of the widest line."""
    if len(lines) < 2:
        return False
    return go_on(list(pairwise(lines)), width or max(line.x1 for line in lines) - min(line.x0 for line in lines))


def go_on(pairs: Sequence[tuple[GlyphRun, GlyphRun]], width: float) -> bool:
    """Return whether in most of the pairs the first line goes on in the second, in a column of a width."""
    return bool(pairs) and sum(_goes_on(first, second, width) for first, second in pairs) >= _SHARE * len(pairs)


def _goes_on(first: GlyphRun, second: GlyphRun, width: float) -> bool:
    if second.y - first.y > _PITCH * max(first.size, second.size) or first.text.endswith(_ENDS):
        return False
    filled = (first.x1 - first.x0) / max(width, 1.0)
    if first.text.endswith("-") or _GOES_ON.match(second.text):
        return filled >= _HALF and (len(first.text.split()) > 1 or bool(WIDE.search(first.text)) or "-" in first.text)
    return filled >= _FULL and (first.text.count(" ") >= _WORDS - 1 or len(WIDE.findall(first.text)) >= 2 * _WORDS)
