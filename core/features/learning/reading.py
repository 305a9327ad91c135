"""Turn the bytes or text of logs into masked events, using the parser that fits best."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import islice
from operator import ne
from typing import cast, get_args

from core.base.errors import SourceError, UnknownChoice
from core.base.frozen import ValueMap
from core.base.text import make_storable
from core.features.learning import LOG_PARSERS, LogEvents
from core.features.learning.chats import is_export
from core.features.learning.lines import level_of
from core.features.learning.masks import Masker, shorten
from core.intake.encoding import decode_file
from core.model import EventKind, LogEvent, LogText

MOST_BYTES = 64 * 1024 * 1024
MOST_EVENTS = 200_000
# Maximum number of characters to read per line.
_MOST_LINE = 4_000
_SAMPLE = 16 * 1024
# Terminal escape sequences for colours and titles, and control characters.
_CONTROLS = re.compile(
    r"\x1b\[[0-9;?]{0,20}[A-Za-z]|\x1b\][^\x07\x1b\n]{0,200}(?:\x07|\x1b\\)|[\x00-\x08\x0b-\x1f\x7f-\x9f]"
)
_FALLBACK = "plain"


def read(data: bytes, name: str, masker: Masker, *, parser: str = "") -> LogText:
    """Parse the contents of a log file.

    Raises the same SourceErrors as `decode_file` and `read_text`, and UnknownChoice if there is no such parser.
    """
    return read_text(decode_file(data, name, most=MOST_BYTES).text, name, masker, parser=parser)


def read_text(text: str, name: str, masker: Masker, *, parser: str = "") -> LogText:
    """Parse the text of a log. Raises SourceError if it is too long, and UnknownChoice if there is no such parser."""
    if len(text) > MOST_BYTES:
        raise SourceError(
            name, "This file is {size:.1f} MB; the limit is {limit} MB.", size=len(text) / 2**20, limit=64
        )
    text = masker.across_lines(_clean(text.replace("\r\n", "\n").replace("\r", "\n")))
    if parser and parser not in LOG_PARSERS:
        raise UnknownChoice("log parser", parser, LOG_PARSERS)
    lines = [shorten(line, _MOST_LINE) for line in text.split("\n")]
    cut = sum(map(ne, lines, text.split("\n")))
    scores = {kind: LOG_PARSERS.build(kind).fits(name, text[:_SAMPLE]) for kind in LOG_PARSERS}
    chosen = parser or max(scores, key=scores.__getitem__)
    try:
        reader = LOG_PARSERS.build(chosen)
        events = reader.events("\n".join(lines) if reader.by_lines else text)
        by_message = chosen == "chat" and is_export(text)
        return replace(_masked(name, chosen, events, masker, cut), by_message=by_message)
    except (ValueError, RecursionError):
        return _masked(name, _FALLBACK, LOG_PARSERS.build(_FALLBACK).events("\n".join(lines)), masker, cut)


def read_events(items: Iterable[ValueMap], name: str, masker: Masker) -> LogText:
    """Build a log from parsed events. Raises SourceError for an invalid event, or UnknownChoice for an unknown kind."""
    events = []
    kinds = get_args(EventKind)
    for number, item in enumerate(items, 1):
        given = item.get
        text = given("text") or given("message")
        kind = given("kind") or "log"
        fields = given("fields") or {}
        if not isinstance(text, str) or not text.strip():
            raise SourceError(name, "Event {n} has no text.", n=number)
        if kind not in kinds:
            raise UnknownChoice("kind of event", str(kind), kinds)
        if not isinstance(fields, Mapping):
            raise SourceError(name, "Event {n} has fields that aren't an object.", n=number)
        line = _number(given("line"), number)
        events.append(
            LogEvent(
                text=_clean(text),
                line=line,
                end=line,
                time=str(given("time") or ""),
                level=level_of(str(given("level"))),
                source=str(given("source") or ""),
                kind=cast(EventKind, kind),
                count=_number(given("count"), 1),
                fields={str(key): str(value) for key, value in [*fields.items()][:50]},
            )
        )
    return _masked(name, "events", events, masker, 0)


def _masked(name: str, form: str, events: LogEvents, masker: Masker, cut: int) -> LogText:
    """Return a log of the first MOST_EVENTS events, with all secrets masked."""
    before = len(masker)
    stream = iter(events)
    first = [*islice(stream, MOST_EVENTS)]
    more = sum(1 for _ in stream)  # read to the end before masking, so that a parser error is raised first
    masked = tuple(map(masker.event, first))
    title = masker.masked(" ".join(name.split())[:200], unknown=False)
    return LogText(title, form, masked, len(masker) - before, cut, more)


def _clean(text: str) -> str:
    return _CONTROLS.sub("", make_storable(text))


# Events from a log, each with the text to send to a model.
Excerpt = list[tuple[LogEvent, str]]


def excerpts(log: LogText, most: int) -> Iterator[Excerpt]:
    """Split a log's events into parts of at most `most` characters.

    Each event is paired with the text to send: its time, level and source, followed by its text.
    """
    part: Excerpt = []
    size = 0
    for event in log.events:
        text = " ".join(filter(None, (event.time, event.level, event.source, event.text)))[:most]
        if part and size + len(text) > most:
            yield part
            part = []
            size = 0
        part.append((event, text))
        size += len(text)
    if part:
        yield part


def _number(value: object, usual: int) -> int:
    return value if type(value) is int and 0 < value < 10**9 else usual
