"""The place of a quote after its note was changed: where it fits best, or nowhere rather than at a wrong place."""

from collections.abc import Iterator, Sequence

from core.model import DiffPiece

Span = tuple[int, int]

_AROUND = 300
"""Characters on each side of a quote by which its place is known."""
_NEAR = 20
"""Characters that must be equal around a short quote."""
_LONG = 60
"""Characters from which on a quote is known by itself."""
_MOST = 200
"""Places of the same text that are compared."""
_SHOWN = 120
"""Characters that are shown before and after a changed quote."""


def relocate(old: str, span: Span, new: str) -> Span | None:
    """Return the place of a slice of a text in a later state of that text, None where that can't be said.

    Of several equal texts it is the one whose surroundings are most like those of the slice, unless they are as much
    like those of another equal text of `old`.
    """
    start, end = span
    anchor = old[start:end]
    matches = list(_places(new, anchor))
    if not matches:
        return None
    likeness = {place: _count_equal_around(old, span, new, place) for place in matches}
    place = max(likeness, key=likeness.__getitem__)
    best = likeness[place]
    if sum(item == best for item in likeness.values()) > 1:
        return None
    others = (other for other in _places(old, anchor) if other != start)
    if any(_count_equal_around(old, (other, other + len(anchor)), new, place) >= best for other in others):
        return None
    possible = min(start, _AROUND) + min(len(old) - end, _AROUND)
    if best < min(_NEAR, possible) and len(anchor) < _LONG:
        return None
    return place, place + len(anchor)


def find_unique(quote: str, new: str) -> Span | None:
    """Return the place of a long quote in a text that has it once, None else; its older text isn't known."""
    matches = list(_places(new, quote))
    return (matches[0], matches[0] + len(quote)) if len(matches) == 1 and len(quote) >= _LONG else None


def changes_around(pieces: Sequence[DiffPiece], span: Span) -> tuple[DiffPiece, ...]:
    """Return what differs around a slice of the older of two texts, of the pieces of both."""
    first, last = span[0] - _SHOWN, span[1] + _SHOWN
    around: list[DiffPiece] = []
    at = 0
    for piece in pieces:
        if piece.kind == "added":
            if first <= at <= last:
                around.append(DiffPiece("added", piece.text[: last - first]))
            continue
        text = piece.text[max(0, first - at) : max(0, last - at)]
        at += len(piece.text)
        if text:
            around.append(DiffPiece(piece.kind, text))
    return tuple(around)


def _places(text: str, anchor: str) -> Iterator[int]:
    """Yield the places of a text in another one, also where it overlaps itself; at most so many."""
    at = text.find(anchor) if anchor else -1
    for _ in range(_MOST):
        if at < 0:
            return
        yield at
        at = text.find(anchor, at + 1)


def _count_equal_around(old: str, span: Span, new: str, place: int) -> int:
    """Return how many characters around a slice of `old` are equal around a place in `new`."""
    start, end = span
    after = place + end - start
    before = _common_prefix(old[max(0, start - _AROUND) : start][::-1], new[max(0, place - _AROUND) : place][::-1])
    return before + _common_prefix(old[end : end + _AROUND], new[after : after + _AROUND])


def _common_prefix(first: str, second: str) -> int:
    """Return how many characters two texts begin with alike."""
    pairs = zip(first, second, strict=False)
    return next((at for at, (pair, other) in enumerate(pairs) if pair != other), min(len(first), len(second)))
