"""Letters -> runs of one baseline, and these -> lines."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from operator import attrgetter

from core.documents.pdf.blanks import words
from core.documents.pdf.glyphs import Letter, PlacedText, gap
from core.documents.pdf.letters import is_right_to_left

_X0, _X1, _SIZE, _BOLD, _FIXED = map(attrgetter, ("x0", "x1", "size", "bold", "fixed"))
_NEAR = 40
"""Groups among which the left neighbour of one is looked for."""
_APART = 1.2
"""Share of a letter's size from which a gap divides runs: columns are apart by more."""


@dataclass(slots=True)
class GlyphRun(PlacedText):
    """Letters on one baseline without a wide gap."""

    page: int = 0

    @property
    def top(self) -> float:
        return self.y - self.size


@dataclass(slots=True)
class _Group:
    """Letters side by side; `y` and `size` are those of the largest."""

    letters: list[Letter]
    y: float
    size: float
    x0: float = 0.0
    x1: float = 0.0


def runs_of(letters: Sequence[Letter], page: int) -> list[GlyphRun]:
    """Return the runs of letters: those that follow each other in the file, then those on one baseline side by side."""
    groups: list[_Group] = []
    for letter in letters:
        if groups and _continues(groups[-1].letters[-1], letter):
            groups[-1].letters.append(letter)
            if letter.size > groups[-1].size:
                groups[-1].y, groups[-1].size = letter.y, letter.size
        elif not letter.text.isspace():
            groups.append(_Group([letter], letter.y, letter.size))
    for group in groups:
        while group.letters[-1].text.isspace():
            group.letters.pop()
        group.x0, group.x1 = min(map(_X0, group.letters)), max(map(_X1, group.letters))
    groups.sort(key=lambda group: (round(group.y), group.x0))
    return [_run(group, page) for group in _merged(groups)]


def _continues(last: Letter, letter: Letter) -> bool:
    """Return whether a letter stands right behind another, at its height or, smaller, a little above or below."""
    size = last.size if last.size > letter.size else letter.size
    if not -0.6 * size < letter.x0 - last.x1 < _APART * size and not -0.6 * size < gap(last, letter) < _APART * size:
        return False
    if letter.y == last.y:
        return True
    return abs(letter.y - last.y) <= (0.15 if abs(letter.size - last.size) < 0.1 * size else 0.5) * size


def _merged(groups: Sequence[_Group]) -> list[_Group]:
    """Join groups on one baseline, which the file holds apart, such as words that it places one by one."""
    merged: list[_Group] = []
    for group in groups:
        for other in reversed(merged[-_NEAR:]):
            size = max(group.size, other.size)
            if group.y - other.y > size:
                continue
            close = abs(group.y - other.y) <= (0.15 if abs(group.size - other.size) < 0.1 * size else 0.45) * size
            if close and -0.6 * size < group.x0 - other.x1 < _APART * size:
                other.letters = _side_by_side(other.letters, group.letters)
                other.x1 = max(other.x1, group.x1)
                if group.size > other.size:
                    other.y, other.size = group.y, group.size
                break
        else:
            merged.append(group)
    return merged


def _side_by_side(left: list[Letter], right: list[Letter]) -> list[Letter]:
    """Return the letters of two groups in the order in which they are read."""
    if is_right_to_left(left[0].text) and is_right_to_left(right[0].text):
        return right + left
    left += right
    return left


def _run(group: _Group, page: int) -> GlyphRun:
    letters = group.letters
    sizes = Counter(map(_SIZE, letters))
    size = round(max(sizes, key=lambda item: sizes[item]) * 4) / 4
    bold, fixed = sum(map(_BOLD, letters)) > 0.6 * len(letters), sum(map(_FIXED, letters)) > 0.8 * len(letters)
    return GlyphRun(words(letters), group.x0, group.x1, group.y, size, bold, fixed, page)


def lines_of(runs: Iterable[GlyphRun]) -> list[GlyphRun]:
    """Return the lines of one column: runs on one baseline are joined, from left to right, from top to bottom."""
    lines: list[GlyphRun] = []
    for run in sorted(runs, key=lambda run: (run.y, run.x0)):
        last = lines[-1] if lines else None
        if last and abs(run.y - last.y) <= 0.35 * max(run.size, last.size) and run.page == last.page:
            left, right = (last, run) if last.x0 <= run.x0 else (run, last)
            bold, fixed = left.bold and right.bold, left.fixed and right.fixed
            size = left.size if len(left.text) >= len(right.text) else right.size
            first, second = (
                (right, left) if is_right_to_left(left.text) and is_right_to_left(right.text) else (left, right)
            )
            text = f"{first.text} {second.text}".strip()
            lines[-1] = GlyphRun(text, left.x0, max(left.x1, right.x1), last.y, size, bold, fixed, last.page)
        else:
            lines.append(run)
    return lines
