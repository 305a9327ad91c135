"""A JSON document with a list of notes, each of which is read when it is needed."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any

from core.base.errors import ArchiveError, RowError
from core.base.messages import Message, message
from core.features.archives.plain import SIGNS, parse_json
from core.intake.encoding import MAX_BYTES

MOST_DEPTH = 30
_MOST_SIGNS, _MOST_NOTES = 5_000_000, 500_000
"""Brackets and commas in a document, and items of its list of notes."""
_MOST_HEAD = 2**20
_NEAR = 40
"""Bytes before a list in which its name is looked for."""
_NOTES = re.compile(rb'"notes"\s*:\s*\Z')


@dataclass(frozen=True, slots=True)
class JsonDocument:
    """A document without its notes, and `items`, which yields the line of each note and what reads it."""

    head: dict[str, Any]
    items: Callable[[], Iterator[tuple[int, Callable[[], Any]]]]


def document_error(name: str, line: int, reason: Message) -> ArchiveError:
    """Return the error of a document with a mistake that keeps its notes from being read."""
    return ArchiveError(name, [(message("line {line}", line=line), reason)])


def read(data: bytes, name: str) -> JsonDocument:
    """Return a JSON document; raises ArchiveError, and the items RowError."""
    places = _places(data, name)
    start, end = (places[0], places[-1]) if places else (0, 0)
    if len(data) - (end - start) > _MOST_HEAD:
        raise document_error(name, 1, message("this is no base that Tessera exported, or a later version did."))
    try:
        head = parse_json(data[:start] + data[end:])
    except RowError as error:
        raise document_error(name, data.count(b"\n") + 1, error.message) from error
    if not places or not isinstance(head, dict) or head.get("notes") != []:
        raise document_error(name, 1, message("this is no base that Tessera exported, or a later version did."))

    def items() -> Iterator[tuple[int, Callable[[], Any]]]:
        seen, line = 0, 1
        for before, after in pairwise(places):
            item = data[before:after].lstrip(b", \t\r\n")
            if not item and len(places) == 2:
                return
            line, seen = line + data.count(b"\n", seen, after - len(item)), after - len(item)
            yield line, partial(_item, data, after - len(item), after)

    return JsonDocument(head, items)


def _item(data: bytes, start: int, end: int) -> Any:
    if end - start > 2 * MAX_BYTES:
        raise RowError("it is {size:.1f} MB; the limit is {limit} MB.", size=(end - start) / 2**20, limit=40)
    return parse_json(data[start:end])


def _places(data: bytes, name: str) -> list[int]:
    """Return where the list of notes begins, after its bracket, where each comma in it is, and where it ends."""
    places: list[int] = []
    depth, inside = 0, False
    for count, token in enumerate(SIGNS.finditer(data)):
        sign = token[0][:1]
        if sign in b"[{":
            if (
                depth == 1
                and not places
                and sign == b"["
                and _NOTES.search(data, max(0, token.start() - 40), token.start())
            ):
                places.append(token.end())
                inside = True
            depth += 1
        elif sign in b"]}":
            depth -= 1
            if inside and depth == 1:
                places.append(token.start())
                inside = False
        elif sign == b"," and inside and depth == 2:
            places.append(token.start())
        if depth > MOST_DEPTH or max(count / _MOST_SIGNS, len(places) / _MOST_NOTES) > 1:
            reason = message("this is nested too deeply, or holds too many values.")
            raise document_error(name, data.count(b"\n", 0, token.start()) + 1, reason)
    return [] if inside else places
