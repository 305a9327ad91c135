"""Rewriting of link targets in a body; all other characters stay the same."""

import posixpath
import re
from collections.abc import Callable

from core.base.text import link_address
from core.markdown import parser
from core.markdown.body import file_of
from core.markdown.inline import DESTINATION, PLACE, Inline, Link, hide
from core.model import NOTE_SUFFIXES

NewTarget = Callable[[Link], str | None]
"""Function that returns the new target of a link (a path for an address), or None to keep the old one."""

_PROSE = ("paragraph_open", "heading_open", "table_open", "definition")
_ADDRESS = re.compile(rf"(?<=\]){DESTINATION}")
_DEFINED = re.compile(r"(?<=\]:)\s*(?P<address><[^<>\n]*>|\S+)")


def relink(body: str, path: str, new_target: NewTarget) -> str:
    """Return a body with new targets for some of its links; `path` is the new path of the note.

    Raises SourceError for a body that is too large to parse.
    """
    parsed = parser.parse(body, path)
    folder = posixpath.dirname(path)
    pieces, at = [], 0
    for token in parsed.tokens:
        if token.type not in _PROSE or not token.map:
            continue
        start, end = parsed.span(token)
        if start >= at and "[" in body[start:end] and "\0" not in body[start:end]:
            defines = token.type == "definition" and not parsed.is_footnote(token)
            pieces += [body[at:start], _relinked(body[start:end], folder, new_target, defines=defines)]
            at = end
    return "".join([*pieces, body[at:]])


def _relinked(text: str, folder: str, new_target: NewTarget, *, defines: bool) -> str:
    inline = hide(text)

    def readdress(match: re.Match[str]) -> str:
        start, end = (place - match.start() for place in match.span("address"))
        return f"{match[0][:start]}{_address(match['address'], inline, folder, new_target)}{match[0][end:]}"

    def retarget(match: re.Match[str]) -> str:
        literal = inline.literals[int(match[1])]
        link = Link(literal.target or "", wiki=True)
        name, new = file_of(link), new_target(link) if literal.target else None
        mark, opened, rest = literal.raw.partition("[[")
        return literal.raw if new is None else f"{mark}{opened}{rest.replace(name, new, 1)}"

    return PLACE.sub(retarget, (_DEFINED if defines else _ADDRESS).sub(readdress, inline.text))


def _address(written: str, inline: Inline, folder: str, new_target: NewTarget) -> str:
    """Return the address of a link, changed if it leads to another note."""
    angled = written[:1] == "<" and written[-1:] == ">"
    address = PLACE.sub(lambda place: _unescaped(inline.literals[int(place[1])].raw), written)
    link = Link(address[1:-1] if angled else address)
    new = new_target(link)
    if new is None:
        return written
    before, place = re.match(r"(?s)([^#?]*)(.*)", link.target).groups()  # type: ignore[union-attr]
    new = f"/{new}" if before.startswith("/") else posixpath.relpath(new, folder or ".")
    if new.lower().endswith(NOTE_SUFFIXES) and not before.lower().endswith(NOTE_SUFFIXES):
        new = posixpath.splitext(new)[0]
    new = link_address(new, plain=" ()" if angled else "") + place
    return f"<{new}>" if angled else new


def _unescaped(raw: str) -> str:
    return raw[1:] if raw.startswith("\\") else raw
