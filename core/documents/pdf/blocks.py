"""The blocks of a text -> Markdown, with the places where pages begin."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from core.markdown.writing import code_block

Kind = Literal["heading", "text", "item", "code", "table"]


@dataclass(slots=True)
class PageBlock:
    """A part of the text; `level` is that of a heading, or the depth of an item.

    A heading is `stated` by the bookmarks of the document.
    """

    kind: Kind
    text: str
    page: int
    level: int = 0
    places: list[tuple[int, int]] = field(default_factory=list)
    """(characters before, page) where a later page begins in the text."""
    stated: bool = False


def written(blocks: Sequence[PageBlock], pages: int) -> tuple[str, list[int]]:
    parts: list[str] = []
    starts: dict[int, int] = {}
    at = 0
    before: PageBlock | None = None
    for block in blocks:
        lead = "" if before is None else "\n" if before.kind == block.kind == "item" else "\n\n"
        text = _markdown(block)
        at += len(lead)
        starts.setdefault(block.page, at)
        for place, page in block.places:
            starts.setdefault(page, at + len(text) - len(block.text) + place)
        parts += [lead, text]
        at += len(text)
        before = block
    text = "".join(parts) + "\n"
    places, following = [], len(text)
    for number in range(pages, 0, -1):
        following = starts.get(number, following)
        places.append(following)
    return text, places[::-1]


def _markdown(block: PageBlock) -> str:
    if block.kind == "heading":
        return f"{'#' * block.level} {block.text}"
    if block.kind == "code":
        return code_block(block.text)
    if block.kind == "item":
        return "  " * block.level + block.text
    if block.kind == "text" and re.match(r"#{1,6}\s|>|[+*-]\s|~~~|```|\d+[.)]\s|=+$|-+$", block.text):
        return "\\" + block.text if not block.text[0].isdigit() else re.sub(r"^(\d+)", r"\1\\", block.text)
    return block.text
