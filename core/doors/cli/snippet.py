"""The few lines of a hit that a terminal shows."""

import re
from typing import Any

from core.base.text import CJK, STOP_WORDS, fold

_WORD = re.compile(rf"(?=([{CJK}]{{2}}))|((?:(?![{CJK}])\w)+)")
SNIPPET = 6
"""Most lines of a passage that a hit prints."""


def snippet_lines(hit: dict[str, Any], question: str) -> list[str]:
    """Return up to SNIPPET lines of a hit side by side, those with the most words of a question.

    Blank lines go, and so does a heading that stands in the line above.
    """
    heading = re.compile(rf"#+\s+{re.escape(hit['section'][-1])}\s*" if hit["section"] else "(?!)")
    every = [line for line in hit["text"].splitlines() if line.strip()]
    every = [line for line in every if not heading.fullmatch(line)] or every
    wanted = {pair or word for pair, word in _WORD.findall(fold(question))} - STOP_WORDS
    held = [{word for word in wanted if word in fold(line)} for line in every]
    starts = range(max(1, len(every) - SNIPPET + 1))
    start = max(starts, key=lambda at: len(set().union(*held[at : at + SNIPPET])))
    before, after = ["…"] * (start > 0), ["…"] * (start + SNIPPET < len(every))
    within = every[start : start + SNIPPET]
    return [*before, *within[len(before) : len(within) - len(after)], *after]
