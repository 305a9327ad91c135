"""A YAML document with a list of notes, each of which is read when it is needed."""

from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from typing import Any

import yaml
from yaml.constructor import SafeConstructor
from yaml.resolver import Resolver

from core.base.codec import Scalar
from core.base.messages import message, reason_of
from core.features.archives.jsondocument import MOST_DEPTH, JsonDocument, document_error

_MOST_EVENTS = 1_500_000
"""Beginnings and ends of values in a document: about as many as 30,000 notes have."""
_MOST_TYPED = 100
"""Characters of a number, a date or a truth; a longer text is a text."""

_Line = tuple[int, Any]


def read(data: bytes, name: str) -> JsonDocument:
    """Return a YAML document; raises ArchiveError for one that can't be read."""
    head: dict[str, Any] = {}
    for _ in _items(data, name, head, build=False):
        pass
    return JsonDocument(
        head, lambda: ((line, partial(_identity, item)) for line, item in _items(data, name, {}, build=True))
    )


def _identity(item: Any) -> Any:
    return item


def _items(data: bytes, name: str, head: dict[str, Any], *, build: bool) -> Iterator[_Line]:
    """Yield the notes of a document with their lines, and fill its head; without `build` the notes are left out."""
    events = _events(data, name)
    try:
        for event in events:
            if isinstance(event, yaml.MappingStartEvent):
                break
            if isinstance(event, yaml.NodeEvent):
                return
        for key in events:
            if isinstance(key, yaml.MappingEndEvent):
                return
            named, value = _build(events, key, name), next(events)
            if named == "notes" and isinstance(value, yaml.SequenceStartEvent):
                for item in events:
                    if isinstance(item, yaml.SequenceEndEvent):
                        break
                    made = _build(events, item, name)
                    if build:
                        yield line_of(item), made
            else:
                head[str(named)] = _build(events, value, name)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        raise document_error(name, mark.line + 1 if mark else 1, reason_of(error)) from error


def _events(data: bytes, name: str) -> Iterator[yaml.Event]:
    depth = 0
    for count, event in enumerate(yaml.parse(data, Loader=yaml.CSafeLoader)):
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if isinstance(event, yaml.AliasEvent) or depth > MOST_DEPTH or count > _MOST_EVENTS:
            reason = message("this is nested too deeply, holds too many values, or uses aliases (*name).")
            raise document_error(name, line_of(event), reason)
        yield event


def line_of(event: yaml.Event) -> int:
    """Return the number of the line at which an event begins, from 1."""
    return event.start_mark.line + 1 if event.start_mark else 1


def _build(events: Iterator[yaml.Event], event: yaml.Event, name: str) -> Any:
    """Return the value that an event begins; the text of a scalar without quotes is `Scalar`."""
    if isinstance(event, yaml.SequenceStartEvent):
        return [_build(events, item, name) for item in _until(events, yaml.SequenceEndEvent)]
    if isinstance(event, yaml.MappingStartEvent):
        values: dict[str, Any] = {}
        for key in _until(events, yaml.MappingEndEvent):
            if not isinstance(key, yaml.ScalarEvent):
                raise document_error(name, line_of(key), message("the name of a field must be a text."))
            values[str(key.value)] = _build(events, next(events), name)
        return values
    return _scalar(event)


def _until(events: Iterator[yaml.Event], end: type) -> Iterator[yaml.Event]:
    for event in events:
        if isinstance(event, end):
            return
        yield event


def _scalar(event: Any) -> Any:
    if event.style:
        return str(event.value)
    scalar = Scalar(event.value)
    scalar.value = str(event.value)
    if len(event.value) <= _MOST_TYPED:
        tag = event.tag or _RESOLVER.resolve(yaml.ScalarNode, event.value, (True, False))
        with suppress(yaml.YAMLError, ValueError, TypeError, LookupError, ArithmeticError, AttributeError):
            scalar.value = SafeConstructor().construct_document(yaml.ScalarNode(tag, event.value))
    return scalar


_RESOLVER: Any = Resolver()
