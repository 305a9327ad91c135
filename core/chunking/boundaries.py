"""Offsets at which a text may be cut (lines, sentences, clauses, words), and spans that stay in one piece."""

import re
from bisect import bisect_right
from collections.abc import Sequence

from core.base.text import LINE_END

SENTENCE_END = r"(?:[。！？；…][”’」』）》】\"')\]]*\s*|(?<!\b[A-Za-z])[.!?]+[\"'”’)\]*_]*\s+)"
_SENTENCES = re.compile(SENTENCE_END)
_CLAUSES = re.compile(r"[，、：；]\s*|[,;:]\s+")
_SPACES = re.compile(r"\s+")
_LINES = re.compile(LINE_END)
_GAPS = re.compile(rf"{LINE_END}(?:[^\S\r\n]*{LINE_END})+")

# Every repetition excludes its own closing mark or is possessive, so the search takes linear time on any text.
_UNBREAKABLE = re.compile(
    r"""
      (?=[`!\[$%<h])(?:
      ``[^\r\n]*?``
    | `[^`\r\n]+`
    | !?\[\[[^\[\]\r\n]*\]\]
    | !?\[(?>[^\[\]\r\n]+|(?:\r\n|\n|\r)(?!\s*[\r\n])|\[[^\[\]\r\n]*\])*+\]
      (?:\((?:<[^<>\r\n]*>|(?>[^()\s]+|\([^()\s]*\))*+)(?:\s+(?:"[^"\r\n]*"|'[^'\r\n]*'))?\s*\)|\[[^\[\]\r\n]*\])
    | \$\$[^$]+\$\$
    | \$[^$\r\n]+\$
    | %%[^%\r\n]*%%
    | <[A-Za-z/!][^<>\r\n]*>
    | https?://[^\s<>]+
    )
    """,
    re.VERBOSE,
)
JOINED = (
    r"[\u0300-\u036f\u0591-\u05bd\u064b-\u0652\u0900-\u0903\u093a-\u094f\u200c\u200d\u20d0-\u20ff"
    r"\ufe00-\ufe0f\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f]"
)
"""Characters displayed as part of the character before: accents, vowel signs, joiners, emoji modifiers."""
_JOINED = re.compile(JOINED)


def line_starts(text: str, start: int, end: int) -> list[int]:
    """Return the starts of all lines but the first."""
    return _ends(_LINES, text, start, end)


def gap_ends(text: str, start: int, end: int) -> list[int]:
    """Return the starts of the lines that follow a blank line."""
    return _ends(_GAPS, text, start, end)


def sentence_starts(text: str, start: int, end: int) -> list[int]:
    """Return the starts of Chinese and Latin sentences, outside links and code."""
    return outside(_ends(_SENTENCES, text, start, end), unbreakable(text, start, end))


def clause_starts(text: str, start: int, end: int) -> list[int]:
    """Return the starts of the text after commas and colons, outside links and code."""
    return outside(_ends(_CLAUSES, text, start, end), unbreakable(text, start, end))


def word_starts(text: str, start: int, end: int) -> list[int]:
    """Return the starts of the words after white space, outside links and code."""
    return outside(_ends(_SPACES, text, start, end), unbreakable(text, start, end))


def space_ends(text: str, start: int, end: int) -> list[int]:
    """Return the ends of white space, in links and code too."""
    return _ends(_SPACES, text, start, end)


def unbreakable(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Return the spans of links, code, math and tags inside a paragraph."""
    return [match.span() for match in _UNBREAKABLE.finditer(text, start, end)]


def outside(points: Sequence[int], spans: Sequence[tuple[int, int]]) -> list[int]:
    """Return the points that are inside none of the spans; the spans are sorted."""
    begins = [begin for begin, _ in spans]
    free = []
    for point in points:
        index = bisect_right(begins, point - 1) - 1
        if index < 0 or point >= spans[index][1]:
            free.append(point)
    return free


def is_joined(text: str, offset: int) -> bool:
    """Return whether a cut at `offset` would divide a character as displayed, or \\r\\n."""
    if not 0 < offset < len(text):
        return False
    before, after = text[offset - 1], text[offset]
    return before == "\u200d" or (before == "\r" and after == "\n") or bool(_JOINED.match(after))


def _ends(pattern: re.Pattern[str], text: str, start: int, end: int) -> list[int]:
    return [match.end() for match in pattern.finditer(text, start, end) if match.end() < end]
