"""The places of pinned regions in a body that may have changed since the user pinned them."""

import re
from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from core.base.text import LINE_END, line_starts
from core.model import Edit

Span = tuple[int, int]


def places(body: str, edits: Sequence[Edit]) -> dict[str, Span]:
    """Return the present span of each edit's region, by the edit's id; an edit without a place is left out.

    If the anchor's text occurs several times, the edit gets the nearest free place. Edits at their old
    place choose first, then newer edits before older ones. Its lines may end
    otherwise than they did. An addition has no width and takes no place from others.
    """
    text = _AnchorText(body)
    order = sorted(range(len(edits)), key=lambda n: (edits[n].created_at, n), reverse=True)
    order.sort(key=lambda n: not body.startswith(edits[n].anchor, edits[n].anchor_start))
    taken: list[Span] = []
    spans: dict[str, Span] = {}
    for edit in (edits[n] for n in order):
        if edit.kind == "add":
            span = text.nearest(edit, ()) if edit.anchor else (len(body), len(body))
            if span is not None:
                spans[edit.id] = (span[1], span[1])
        else:
            span = text.nearest(edit, taken) if edit.anchor else None
            if span is not None:
                spans[edit.id] = span
                insort(taken, span)
    return spans


def shift_edits(edits: Sequence[Edit], before: str, after: str) -> list[Edit]:
    """Return the edits with the offsets that they probably have in the changed body.

    An edit moves as far as the nearest line before it that occurs exactly once in both bodies. This
    holds for any number of changes to the body.
    """
    was, now = _single_lines(before), _single_lines(after)
    starts = sorted(start for line, start in was.items() if line in now)
    moved = {start: now[line] - start for line, start in was.items() if line in now}
    if not starts:
        return list(edits)
    return [
        replace(
            edit, anchor_start=edit.anchor_start + moved[starts[max(0, bisect_right(starts, edit.anchor_start) - 1)]]
        )
        for edit in edits
    ]


class _AnchorText:
    """A body and the spans of the anchors in it; each anchor is searched once."""

    def __init__(self, body: str) -> None:
        self._body = body
        self._spans: dict[str, list[Span]] = {}

    def nearest(self, edit: Edit, taken: Sequence[Span]) -> Span | None:
        """Return the span of the anchor that is nearest to its old place and overlaps none of `taken`."""
        old = (edit.anchor_start, edit.anchor_start + len(edit.anchor))
        if self._body.startswith(edit.anchor, old[0]) and _is_free(old, taken):
            return old
        if edit.anchor not in self._spans:
            exact = list(_occurrences(self._body, edit.anchor))
            self._spans[edit.anchor] = exact or self._with_other_line_ends(edit.anchor)
        free = (span for span in self._spans[edit.anchor] if _is_free(span, taken))
        return min(free, key=lambda span: abs(span[0] - old[0]), default=None)

    def _with_other_line_ends(self, anchor: str) -> list[Span]:
        """Search the anchor with every end of a line as \\n in both texts, and return spans of the original body."""
        if not re.search(LINE_END, anchor):
            return []
        dropped = [start - number for number, (start, _) in enumerate(_occurrences(self._body, "\r\n"))]
        return [
            (start + bisect_left(dropped, start), end + bisect_left(dropped, end))
            for start, end in _occurrences(re.sub(LINE_END, "\n", self._body), re.sub(LINE_END, "\n", anchor))
        ]


def _occurrences(body: str, anchor: str) -> Iterator[Span]:
    """Yield occurrences that don't overlap; overlapping ones would take quadratic time in a run of one letter."""
    at = body.find(anchor)
    while at >= 0:
        yield at, at + len(anchor)
        at = body.find(anchor, at + len(anchor))


def _is_free(span: Span, taken: Sequence[Span]) -> bool:
    index = bisect_left(taken, span)
    before = taken[index - 1][1] if index else 0
    after = taken[index][0] if index < len(taken) else span[1]
    return before <= span[0] and span[1] <= after


def _single_lines(body: str) -> dict[str, int]:
    """Return the lines, stripped, that occur exactly once in the body, with their starts."""
    starts: dict[str, int] = {}
    repeated = {""}
    for start, end in pairwise([*line_starts(body), len(body)]):
        text = body[start:end].strip()
        if text in starts:
            repeated.add(text)
        starts[text] = start
    return {text: start for text, start in starts.items() if text not in repeated}
