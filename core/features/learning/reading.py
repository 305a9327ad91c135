"""Reading logs: from bytes or text to masked events, with the parser that fits best."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import get_args

from core.base.errors import SourceError, UnknownChoice
from core.base.messages import verbatim
from core.base.text import make_storable
from core.features.learning import LOG_PARSERS
from core.features.learning.heads import level_of
from core.features.learning.masks import Masker, shorten
from core.intake.encoding import decode_file
from core.model import EventKind, LogEvent, LogText

MOST_BYTES = 64 * 1024 * 1024
MOST_EVENTS = 200_000
_MOST_LINE = 4_000
"""Maximum number of characters to read per line."""
_SAMPLE = 16 * 1024
_CONTROLS = re.compile(
    r"\x1b\[[0-9;?]{0,20}[A-Za-z]|\x1b\][^\x07\x1b\n]{0,200}(?:\x07|\x1b\\)|[\x00-\x08\x0b-\x1f\x7f-\x9f]"
)
"""Terminal escapes for colours and titles, and control characters."""
_FALLBACK = "plain"


def read(data: bytes, name: str, masker: Masker, *, parser: str = "") -> LogText:
    """Return the log in a file's bytes; raises the SourceErrors of `decode_file`, and UnknownChoice for a parser."""
    return read_text(decode_file(data, name, most=MOST_BYTES).text, name, masker, parser=parser)


def read_text(text: str, name: str, masker: Masker, *, parser: str = "") -> LogText:
    """Return the log in a text; raises SourceError if it is too long, and UnknownChoice for a parser."""
    if len(text) > MOST_BYTES:
        raise SourceError(name, "is {size:.1f} MB; the limit is {limit} MB.", size=len(text) / 2**20, limit=64)
    text = _CONTROLS.sub("", make_storable(text).replace("\r\n", "\n").replace("\r", "\n"))
    text = masker.across_lines(text)
    lines, cut = _cut_lines(text)
    chosen = parser or _choose_parser(name, text[:_SAMPLE])
    if parser and parser not in LOG_PARSERS:
        raise UnknownChoice("log parser", parser, LOG_PARSERS)
    try:
        reader = LOG_PARSERS.build(chosen)
        events, more = _bounded(reader.events(lines if reader.by_lines else text))
    except (ValueError, RecursionError):
        chosen = _FALLBACK
        events, more = _bounded(LOG_PARSERS.build(chosen).events(lines))
    before = len(masker)
    masked = tuple(map(masker.event, events))
    return LogText(_name(name, masker), chosen, masked, len(masker) - before, cut, more)


def read_events(items: Iterable[Mapping[str, object]], name: str, masker: Masker) -> LogText:
    """Return a log from parsed events; raises SourceError for an invalid event."""
    events = []
    for number, item in enumerate(items, 1):
        text = item.get("text") or item.get("message") or ""
        if not isinstance(text, str) or not text.strip():
            raise SourceError(name, "has an event without text (number {n}).", n=number)
        known = {key: str(item[key]) for key in ("time", "source") if item.get(key) is not None}
        kinds = {str(arg): arg for arg in get_args(EventKind)}
        kind: EventKind | None = kinds.get(str(item.get("kind") or "log"))
        if kind is None:
            raise UnknownChoice("kind of event", str(item["kind"]), kinds)
        fields = item.get("fields") or {}
        if not isinstance(fields, Mapping):
            raise SourceError(name, "has an event whose fields aren't an object (number {n}).", n=number)
        line = _number(item.get("line"), number)
        count = _number(item.get("count"), 1)
        values = {str(key): str(value) for key, value in [*fields.items()][:50]}
        clean = _CONTROLS.sub("", make_storable(text))
        level = level_of(str(item.get("level") or ""))
        events.append(
            LogEvent(text=clean, line=line, end=line, level=level, kind=kind, count=count, fields=values, **known)
        )
    before = len(masker)
    masked = tuple(map(masker.event, events[:MOST_EVENTS]))
    more = max(0, len(events) - MOST_EVENTS)
    return LogText(_name(name, masker), "events", masked, len(masker) - before, 0, more)


def excerpts(log: LogText, most: int) -> Iterator[list[tuple[LogEvent, str]]]:
    """Yield the events of a log, each with its head and text, in parts of at most `most` characters."""
    part: list[tuple[LogEvent, str]] = []
    size = 0
    for event in log.events:
        text = " ".join(filter(None, (event.time, event.level, event.source, event.text)))[:most]
        if part and size + len(text) > most:
            yield part
            part, size = [], 0
        part.append((event, text))
        size += len(text)
    if part:
        yield part


def _number(value: object, usual: int) -> int:
    return value if type(value) is int and 0 < value < 10**9 else usual


def _name(name: str, masker: Masker) -> str:
    return str(verbatim(masker.masked(" ".join(name.split())[:200], unknown=False)))


def _cut_lines(text: str) -> tuple[str, int]:
    """Return a text with its lines cut to `_MOST_LINE` characters, and the number of longer lines."""
    if len(text) <= _MOST_LINE:
        return text, 0
    lines = text.split("\n")
    longer = [number for number, line in enumerate(lines) if len(line) > _MOST_LINE]
    for number in longer:
        lines[number] = shorten(lines[number], _MOST_LINE)
    return "\n".join(lines), len(longer)


def _choose_parser(name: str, sample: str) -> str:
    """Return the parser that fits a log best; the first of equally good ones."""
    scores = {kind: LOG_PARSERS.build(kind).fits(name, sample) for kind in LOG_PARSERS}
    return max(scores, key=lambda kind: scores[kind])


def _bounded(events: Iterable[LogEvent]) -> tuple[list[LogEvent], int]:
    entry: list[LogEvent] = []
    more = 0
    for event in events:
        if len(entry) < MOST_EVENTS:
            entry.append(event)
        else:
            more += 1
    return entry, more
