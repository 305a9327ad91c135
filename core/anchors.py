"""Where the regions that a person pinned are in a body that may have changed since."""

from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterator, Sequence
from dataclasses import replace

from core.model import Edit

Span = tuple[int, int]


def places(body: str, edits: Sequence[Edit]) -> dict[str, Span]:
    """Return where each edit's region is now, by the edit's id; one without a place is left out.

    Of several places with the anchor's text the nearest free one is the edit's. Edits that are where
    they were choose first, then the later ones. Line ends may have become \\n or \\r\\n. An addition
    has no width and takes no place from others.
    """
    text = _Text(body)
    order = sorted(range(len(edits)), key=lambda n: (edits[n].created_at, n), reverse=True)
    order.sort(key=lambda n: not body.startswith(edits[n].anchor, edits[n].anchor_start))
    taken: list[Span] = []
    found: dict[str, Span] = {}
    for edit in (edits[n] for n in order):
        if edit.kind == "add":
            span = text.nearest(edit, ()) if edit.anchor else (len(body), len(body))
            if span is not None:
                found[edit.id] = (span[1], span[1])
        else:
            span = text.nearest(edit, taken) if edit.anchor else None
            if span is not None:
                found[edit.id] = span
                insort(taken, span)
    return found


def follow(edits: Sequence[Edit], before: str, after: str) -> list[Edit]:
    """Return the edits where a changed body would have them.

    Lines that stand once in each body tell how far what follows them has moved, wherever and however
    often the body was changed.
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


class _Text:
    """A body in which anchors are looked for; each is searched once."""

    def __init__(self, body: str) -> None:
        self._body = body
        self._found: dict[str, list[Span]] = {}

    def nearest(self, edit: Edit, taken: Sequence[Span]) -> Span | None:
        """Return the place of the anchor nearest to where it was and overlapping none of those taken."""
        here = (edit.anchor_start, edit.anchor_start + len(edit.anchor))
        if self._body.startswith(edit.anchor, here[0]) and _is_free(here, taken):
            return here
        if edit.anchor not in self._found:
            same = list(_occurrences(self._body, edit.anchor))
            self._found[edit.anchor] = same or self._with_other_line_ends(edit.anchor)
        free = (span for span in self._found[edit.anchor] if _is_free(span, taken))
        return min(free, key=lambda span: abs(span[0] - here[0]), default=None)

    def _with_other_line_ends(self, anchor: str) -> list[Span]:
        """Look for the anchor in the body as it would be without the \\r of its \\r\\n."""
        if "\n" not in anchor:
            return []
        dropped = [start - number for number, (start, _) in enumerate(_occurrences(self._body, "\r\n"))]
        return [
            (start + bisect_left(dropped, start), end + bisect_left(dropped, end))
            for start, end in _occurrences(self._body.replace("\r\n", "\n"), anchor.replace("\r\n", "\n"))
        ]


def _occurrences(body: str, anchor: str) -> Iterator[Span]:
    """Side by side, not overlapping: else a long run of one letter would take quadratic time."""
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
    """Return the lines that stand once in the body, and where, without the white space around them."""
    starts: dict[str, int] = {}
    repeated = {""}
    at = 0
    for line in body.splitlines(keepends=True):
        text = line.strip()
        if text in starts:
            repeated.add(text)
        starts[text] = at
        at += len(line)
    return {text: start for text, start in starts.items() if text not in repeated}
