"""Inline Markdown -> its visible text: the titles of notes and sections."""

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Collection
from html import unescape

from markdown_it.common.utils import normalizeReference

from core.base.blobs import remove_blobs
from core.markdown.inline import PLACE, hide
from core.markdown.links import DESTINATION

MAX_TITLE = 1_000

_IMAGE = re.compile(r"!\[([^\[\]]*)\]" + DESTINATION)
_LINK = re.compile(r"\[(?!\^)([^\[\]]*)\]" + DESTINATION)
_REFERENCE = re.compile(r"!?\[(?!\^)([^\[\]]+)\](?:\[([^\[\]]*)\])?")
_PASTED = re.compile(r"!\[([^\[\]]{0,200})\]\(data:[^()\s]*\)", re.IGNORECASE)
"""A picture whose data are in the text itself; its description stays."""
_TRAILING = re.compile(r"\s+(?:\{[#.][^{}]*\}|\^[\w-]+)$")
_PLAIN = re.compile(r"[^`*_~=\[\]<\\&%{^]*")
_ENTITY = re.compile(r"&#?\w+;")
_SIGNS = re.compile(r"\*+|_+|~~|==")


def visible(text: str, references: Collection[str]) -> str:
    """Return the visible text: the words of links and wikilinks, without marks, of at most MAX_TITLE characters.

    `references` are the labels of the note's link definitions, normalized.
    """
    text = " ".join(remove_blobs(_PASTED.sub(r"\1", text))[: MAX_TITLE + 1].split())
    if len(text) > MAX_TITLE:
        text = text[: MAX_TITLE - 1] + "…"
    if _PLAIN.fullmatch(text):
        return text
    inline = hide(_TRAILING.sub("", text))

    def referred(match: re.Match[str]) -> str:
        return match[1] if normalizeReference(inline.raw(match[2] or match[1])) in references else match[0]

    text = _REFERENCE.sub(referred, _LINK.sub(r"\1", _IMAGE.sub(r"\1", inline.text)))
    text = _ENTITY.sub(lambda entity: unescape(entity[0]), _without_signs(text))
    text = PLACE.sub(lambda place: inline.literals[int(place[1])].visible, text)
    return " ".join(text.split())


def _without_signs(text: str) -> str:
    """Remove the signs of emphasis, strike-through and highlights, paired by CommonMark's rules.

    Unlike in CommonMark, punctuation next to a sign counts as a letter: Chinese has no spaces after it.
    """
    runs = list(_SIGNS.finditer(text))
    sides = [_sides(text, run) for run in runs]
    hidden = [0] * len(runs)
    openers: list[int] = []
    floors: defaultdict[tuple[str, bool, int], int] = defaultdict(int)
    for index, run in enumerate(runs):
        sign, size = run[0][0], len(run[0])
        opens, closes = sides[index]
        floor = (sign, opens, size % 3)
        while closes and hidden[index] < size:
            for place in range(len(openers) - 1, bisect_left(openers, floors[floor]) - 1, -1):
                opener = openers[place]
                other = len(runs[opener][0])
                both = sign in "*_" and (opens or sides[opener][1])
                if runs[opener][0][0] == sign and not (both and (size + other) % 3 == 0 and size % 3):
                    break
            else:
                floors[floor] = index
                break
            used = min(2, size - hidden[index], other - hidden[opener])
            hidden[index] += used
            hidden[opener] += used
            del openers[place + (hidden[opener] < other) :]
        if opens and hidden[index] < size:
            openers.append(index)
    left = dict(zip((run.start() for run in runs), hidden, strict=True))
    return _SIGNS.sub(lambda run: run[0][left[run.start()] :], text)


def _sides(text: str, run: re.Match[str]) -> tuple[bool, bool]:
    """Return whether a run of signs can open, and whether it can close."""
    before, after = text[: run.start()][-1:] or " ", text[run.end() :][:1] or " "
    inside_word = run[0][0] == "_" and before.isalnum() and after.isalnum()
    return not (after.isspace() or inside_word), not (before.isspace() or inside_word)
