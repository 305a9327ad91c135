"""Notes whose lines were broken at a width, as books and mails are: their line ends are spaces, not ends of lines.

Obsidian shows every line end, which people write their notes by; in a note that an editor wrapped they say nothing.
"""

import re
from collections.abc import Sequence
from itertools import pairwise

from markdown_it.rules_core import StateCore
from markdown_it.token import Token

from core.base.text import CJK

_WIDTHS = range(50, 121)
"""Characters at which editors wrap."""
_LEAST = 4
"""Fewest line ends that tell a width."""
_MOST_OTHERS = 0.3
"""Share of line ends that may be a person's, in a note that is wrapped."""
_LONG = 0.9
"""The width is what so many lines don't exceed: a link that can't be broken is longer."""

_CJK = re.compile(f"[{CJK}]")
_WORD = re.compile(rf"\s*([{CJK}]|(?:(?![{CJK}])\S)*)")
"""What isn't broken: a Chinese sign, or the letters up to a space."""

Line = tuple[str, str]
"""A line and the one behind it."""


def unwrap(state: StateCore) -> None:
    """Make spaces of the line ends of a wrapped note, where the next word had no room; a core rule of markdown-it."""
    texts = [token for token in state.tokens if token.type == "inline" and "\n" in token.content]
    lines = [line for token in texts for line in _lines(token)]
    if len(lines) < _LEAST:
        return
    width = sorted(len(line) for line, _ in lines)[int(_LONG * (len(lines) - 1))]
    if width not in _WIDTHS or sum(_has_room(line, width) for line in lines) > _MOST_OTHERS * len(lines):
        return
    for token in texts:
        breaks = [child for child in token.children or () if child.type in ("softbreak", "hardbreak")]
        written = _lines(token)
        if len(breaks) != len(written):  # a piece of code goes over a line's end
            continue
        for child, line in zip(breaks, written, strict=True):
            if child.type == "softbreak" and not _has_room(line, width):
                child.type, child.content = "text", _between(line)


def _lines(token: Token) -> Sequence[Line]:
    return [*pairwise(token.content.split("\n"))]


def _has_room(line: Line, width: int) -> bool:
    """Whether the first word of the next line would have stood behind a line: a person broke it."""
    word = _WORD.match(line[1])
    return len(line[0].rstrip()) + 1 + len(word[1] if word else "") <= width


def _between(line: Line) -> str:
    """Return what stands for a line's end: nothing between Chinese signs."""
    before, after = line[0].rstrip()[-1:], line[1].lstrip()[:1]
    return "" if _CJK.match(before) and _CJK.match(after) else " "
