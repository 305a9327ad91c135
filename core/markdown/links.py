"""The targets of a note's links, as written: wikilinks, links, link definitions."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from core.markdown.inline import PLACE, Inline, Literal
from core.markdown.parser import Parsed

DESTINATION = r"\(\s*+(?P<address><[^<>]*>|(?>[^()\s]+|\([^()\s]*\))*+)(?:\s++(?:\"[^\"]*\"|'[^']*'))?\s*+\)"
"""The text behind the `]` of a link: an address, and a title, which is not visible."""

_MARKS = re.compile(rf"\[|\](?:{DESTINATION})?|\0(?P<literal>\d+)\0")


@dataclass(frozen=True, slots=True)
class Link:
    """The target of a link: with `wiki` a wikilink's note and heading, else an address."""

    target: str
    wiki: bool = False


def extract(inline: Inline) -> tuple[Inline, list[Link]]:
    """Return a text without the destinations of its links, and its links in order."""
    links: list[Link] = []
    depth = 0

    def read(match: re.Match[str]) -> str:
        nonlocal depth
        if match["literal"]:
            target = inline.literals[int(match["literal"])].target
            if target is not None:
                links.append(Link(target, wiki=True))
            return match[0]
        if match[0] == "[":
            depth += 1
            return "["
        opened, depth = depth > 0, max(0, depth - 1)
        if match["address"] is None or not opened:
            return match[0]
        address = PLACE.sub(lambda place: _typed(inline.literals[int(place[1])]), match["address"])
        links.append(Link(address[1:-1] if address[:1] == "<" and address[-1:] == ">" else address))
        return "]"

    return replace(inline, text=_MARKS.sub(read, inline.text)), links


def definitions(parsed: Parsed) -> Iterator[Link]:
    """Yield the targets of a body's link definitions."""
    for token in parsed.tokens:
        if token.type == "definition" and not parsed.is_footnote(token):
            yield Link(token.meta["url"])


def _typed(literal: Literal) -> str:
    """Return a literal inside an address, where only escapes are read."""
    return literal.visible if literal.raw.startswith("\\") else literal.raw
