"""Where a text may be cut: sentence ends, clauses, spaces, and what must stay in one piece."""

import re
from bisect import bisect_right
from collections.abc import Sequence

SENTENCE_END = r"(?:[。！？；…][”’」』）》】\"')\]]*\s*|(?<!\b[A-Za-z])[.!?]+[\"'”’)\]*_]*\s+)"
_SENTENCES = re.compile(SENTENCE_END)
_CLAUSES = re.compile(r"[，、：；]\s*|[,;:]\s+")
_SPACES = re.compile(r"\s+")
_LINES = re.compile(r"\r\n|\n|\r")
_GAPS = re.compile(r"(?:\r\n|\n|\r)(?:[^\S\r\n]*(?:\r\n|\n|\r))+")

# Every repetition is over a set that excludes its own closing mark, or is possessive: the search
# takes linear time whatever the text.
_UNBREAKABLE = re.compile(
    r"""
      (?=[`!\[$%<h])(?:
      ``[^\n]*?``
    | `[^`\n]+`
    | !?\[\[[^\[\]\n]*\]\]
    | !?\[(?>[^\[\]\n]+|\n(?!\s*\n)|\[[^\[\]\n]*\])*+\]
      (?:\((?:<[^<>\n]*>|(?>[^()\s]+|\([^()\s]*\))*+)(?:\s+(?:"[^"\n]*"|'[^'\n]*'))?\s*\)|\[[^\[\]\n]*\])
    | \$\$[^$]+\$\$
    | \$[^$\n]+\$
    | %%[^%\n]*%%
    | <[A-Za-z/!][^<>\n]*>
    | https?://[^\s<>]+
    )
    """,
    re.VERBOSE,
)
JOINED = (
    r"[\u0300-\u036f\u0591-\u05bd\u064b-\u0652\u0900-\u0903\u093a-\u094f\u200c\u200d\u20d0-\u20ff"
    r"\ufe00-\ufe0f\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f]"
)
"""Characters shown as a part of the one before: accents, vowel signs, joiners, emoji modifiers."""
_JOINED = re.compile(JOINED)


def line_starts(text: str, start: int, end: int) -> list[int]:
    """Return where lines start, the first one not counted."""
    return _ends(_LINES, text, start, end)


def gap_ends(text: str, start: int, end: int) -> list[int]:
    """Return where a line starts that follows a blank one."""
    return _ends(_GAPS, text, start, end)


def sentence_starts(text: str, start: int, end: int) -> list[int]:
    """Return where sentences start, Chinese and Latin, outside links and code."""
    return outside(_ends(_SENTENCES, text, start, end), unbreakable(text, start, end))


def clause_starts(text: str, start: int, end: int) -> list[int]:
    """Return where the words behind a comma or colon start, outside links and code."""
    return outside(_ends(_CLAUSES, text, start, end), unbreakable(text, start, end))


def word_starts(text: str, start: int, end: int) -> list[int]:
    """Return where the words behind white space start, outside links and code."""
    return outside(_ends(_SPACES, text, start, end), unbreakable(text, start, end))


def space_ends(text: str, start: int, end: int) -> list[int]:
    """Return where white space ends, wherever it is."""
    return _ends(_SPACES, text, start, end)


def unbreakable(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Return the spans of links, code, math and tags inside a paragraph."""
    return [match.span() for match in _UNBREAKABLE.finditer(text, start, end)]


def outside(points: Sequence[int], spans: Sequence[tuple[int, int]]) -> list[int]:
    """Return the points that are inside none of the spans, which are in order."""
    begins = [begin for begin, _ in spans]
    kept = []
    for point in points:
        index = bisect_right(begins, point - 1) - 1
        if index < 0 or point >= spans[index][1]:
            kept.append(point)
    return kept


def is_joined(text: str, offset: int) -> bool:
    """Tell whether a cut here would part what is seen as one character, or \\r from \\n."""
    if not 0 < offset < len(text):
        return False
    before, after = text[offset - 1], text[offset]
    return before == "\u200d" or (before == "\r" and after == "\n") or bool(_JOINED.match(after))


def _ends(pattern: re.Pattern[str], text: str, start: int, end: int) -> list[int]:
    return [match.end() for match in pattern.finditer(text, start, end) if match.end() < end]
