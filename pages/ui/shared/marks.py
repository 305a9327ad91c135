"""Places of a question's words in a text, and the excerpt that holds most of them."""

import re
from collections.abc import Iterable, Sequence

from core.base.text import simplify
from pages.ui.shared.safe import Span

EXCERPT = 420
"""Characters of a hit before it is unfolded."""

_LONGEST = 1000
"""Characters searched backwards for the start of a line."""


def find(text: str, words: Sequence[str]) -> list[Span]:
    """Return the spans of the words in order; spans that touch are joined.

    A word of letters is marked where it begins: at a border, or at a capital inside of an identifier.
    Simplified Chinese characters mark the traditional ones too.
    """
    text = simplify(text)
    latin = [re.escape(word) for word in words if word.isascii()]
    other = [re.escape(word) for word in words if not word.isascii()]
    spans = [match.span() for word in other for match in re.finditer(word, text, re.IGNORECASE)]
    if latin:
        pattern = "|".join(sorted(latin, key=len, reverse=True))
        for match in re.finditer(rf"(?:{pattern})(?![a-z0-9])", text, re.IGNORECASE):
            start = match.start()
            inside = start > 0 and text[start - 1].isascii() and text[start - 1].isalnum()
            if not inside or (text[start].isupper() and not text[start - 1].isupper()):
                spans.append(match.span())
    return joined(sorted(spans))


def best_excerpt(text: str, spans: Sequence[Span], length: int = EXCERPT) -> Span:
    """Return where a part of about `length` characters with most of the marked text begins and ends."""
    if len(text) <= length * 1.3:
        return 0, len(text)
    best, most, last, weight = 0, 0, 0, 0
    for first, (start, _) in enumerate(spans):
        while last < len(spans) and spans[last][1] <= start + length - 60:
            weight += spans[last][1] - spans[last][0]
            last += 1
        if weight > most:
            best, most = start, weight
        if last > first:
            weight -= spans[first][1] - spans[first][0]
        last = max(last, first + 1)
    start = max(0, best - 60)
    line = text.rfind("\n", max(0, start - _LONGEST), best) + 1
    if best - line <= length // 3:
        start = line
    return start, min(len(text), start + length)


def within(spans: Sequence[Span], start: int, end: int) -> list[Span]:
    """Return the spans of a part, counted from where it begins."""
    return [(max(a, start) - start, min(b, end) - start) for a, b in spans if a < end and b > start]


def joined(spans: Iterable[Span]) -> list[Span]:
    """Return sorted spans with those that touch joined."""
    apart: list[Span] = []
    for start, end in spans:
        if apart and start <= apart[-1][1]:
            apart[-1] = apart[-1][0], max(apart[-1][1], end)
        else:
            apart.append((start, end))
    return apart
