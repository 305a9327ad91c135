"""The runs of a paragraph, which are bold, raised or a link, as inlines."""

from collections.abc import Sequence
from itertools import groupby
from typing import Any, NamedTuple

from core.documents.office import blocks
from core.documents.office.blocks import BREAK, SPACE, Inlines


class Look(NamedTuple):
    """How a run looks: `side` is above 0 for raised text, below 0 for lowered; `link` is the address it leads to."""

    bold: bool = False
    italic: bool = False
    side: int = 0
    link: str = ""


def joined(runs: Sequence[tuple[Look, str]]) -> Inlines:
    """Return runs as inlines, those that look the same joined; a newline in them is a break."""
    made: Inlines = []
    for look, group in groupby(runs, key=lambda run: run[0]):
        before, content, after = _trimmed(_spaced("".join(text for _, text in group)))
        if content:
            looks = {"Strong": look.bold, "Emph": look.italic, "Superscript": look.side > 0, "Subscript": look.side < 0}
            for kind in (kind for kind, is_so in looks.items() if is_so):
                content = [{"t": kind, "c": content}]
            if look.link:
                content = [{"t": "Link", "c": [blocks.ATTRIBUTES, content, [look.link, ""]]}]
        made += [*before, *content, *after]
    return _trimmed(made)[1]


def _spaced(text: str) -> Inlines:
    """Return text as inlines, spaces at its ends too."""
    if not text.strip():
        return [BREAK if "\n" in text else SPACE] if text else []
    made: Inlines = []
    if text[0].isspace():
        made.append(BREAK if text[0] == "\n" else SPACE)
    made += blocks.inlines(text)
    if text[-1].isspace():
        made.append(BREAK if text[-1] == "\n" else SPACE)
    return made


def _trimmed(content: Inlines) -> tuple[Inlines, Inlines, Inlines]:
    """Return the spaces before inlines, the inlines, and the spaces after them."""
    blank: list[Any] = [SPACE, BREAK]
    start, end = 0, len(content)
    while start < end and content[start] in blank:
        start += 1
    while end > start and content[end - 1] in blank:
        end -= 1
    return content[:start], content[start:end], content[end:]
