"""A base as one JSON or YAML document: its settings and notes, without history."""

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from itertools import islice
from typing import Any

import yaml
from yaml.constructor import SafeConstructor
from yaml.resolver import Resolver

from core.base.codec import Scalar, to_plain
from core.base.errors import ArchiveError, RowError
from core.base.frozen import frozen
from core.base.messages import Message, message, reason_of
from core.features.archives.lazy_records import JSON, SIGNS, Made, RecordParts, json_error, noun
from core.features.archives.records import NoteRecord, Records, new_base, record_of
from core.intake.encoding import MAX_BYTES, unreadable
from core.markdown.body import look_into
from core.markdown.frontwriting import as_json
from core.model import NOTE_FIELDS, OPEN, BaseKind, ChunkingOptions, FieldValues, KnowledgeBase, Note, SearchSettings
from core.notes.file_writing import front_of, read_front

_MOST_DEPTH = 30
_MOST_SIGNS = 5_000_000
"""Maximum number of strings, commas and brackets in a JSON document."""
_BLANKS = re.compile(r"[ \t\r\n]*")
_MOST_EVENTS = 1_500_000
"""Maximum number of YAML events in a document, about as many as for 30,000 notes."""
_MOST_TYPED = 100
"""Maximum length of a number, date or boolean in YAML; a longer scalar is a string."""

_RESOLVER: Any = Resolver()

_HEAD: dict[str, object] = {"tessera": "base", "version": 1}
_DEFAULT = ChunkingOptions()


def _document_error(name: str, line: int, reason: Message) -> ArchiveError:
    """Return the error for a document that can't be parsed further."""
    return ArchiveError(name, [(message("line {line}", line=line), reason)])


def _json_items(data: bytes, name: str, head: dict[str, object]) -> Iterator[tuple[int, object]]:
    """Yield the line and value of each note in a JSON document, and fill `head` with its other fields.

    Notes are parsed one at a time. Raises ArchiveError.
    """
    line = 1
    try:
        text = data.decode()
        at, sign = _pass(text, 0, "{")
        while sign != "}":
            key, at = JSON.raw_decode(text, at)
            at, sign = _pass(text, at, ":")
            if key == "notes" and text.startswith("[", at):
                line, seen = 1, 0
                at, sign = _pass(text, at, "[")
                if text.startswith("]", at):
                    at, sign = _pass(text, at, "]")
                while sign != "]":
                    line, seen = line + text.count("\n", seen, at), at
                    item, at = JSON.raw_decode(text, at)
                    yield line, item
                    at, sign = _pass(text, at, ",]")
            else:
                head[str(key)], at = JSON.raw_decode(text, at)
            at, sign = _pass(text, at, ",}")
        if at < len(text):
            raise json.JSONDecodeError("Extra data", text, at)
    except UnicodeDecodeError as error:
        raise _document_error(name, data.count(b"\n", 0, error.start) + 1, json_error(error).message) from error
    except (ValueError, RowError, RecursionError) as error:
        raise _document_error(name, getattr(error, "lineno", line), json_error(error).message) from error


def _pass(text: str, at: int, signs: str) -> tuple[int, str]:
    """Skip one of the given characters and the white space around it; return the position after it, and the character.

    Raises JSONDecodeError for another character.
    """
    at = _end_of_blanks(text, at)
    sign = text[at : at + 1]
    if not sign or sign not in signs:
        reason = "Expecting value" if signs == "{" else f"Expecting '{signs[0]}' delimiter"
        raise json.JSONDecodeError(reason, text, at)
    return _end_of_blanks(text, at + 1), sign


def _end_of_blanks(text: str, at: int) -> int:
    return _BLANKS.match(text, at).end()  # type: ignore[union-attr]


def _yaml_items(data: bytes, name: str, head: dict[str, object]) -> Iterator[tuple[int, object]]:
    """Yield the line and value of each note in a YAML document, and fill `head` with its other fields.

    Raises ArchiveError.
    """
    events = _events(data, name)
    try:
        for event in events:
            if isinstance(event, yaml.MappingStartEvent):
                break
            if isinstance(event, yaml.NodeEvent):
                return
        for key in _until(events, yaml.MappingEndEvent):
            named, value = _build(events, key, name), next(events)
            if named == "notes" and isinstance(value, yaml.SequenceStartEvent):
                for item in _until(events, yaml.SequenceEndEvent):
                    yield _line_of(item), _build(events, item, name)
            else:
                head[str(named)] = _build(events, value, name)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        raise _document_error(name, mark.line + 1 if mark else 1, reason_of(error)) from error


def _events(data: bytes, name: str) -> Iterator[yaml.Event]:
    depth = 0
    for count, event in enumerate(yaml.parse(data, Loader=yaml.CSafeLoader)):
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if isinstance(event, yaml.AliasEvent) or depth > _MOST_DEPTH or count > _MOST_EVENTS:
            reason = message("this is nested too deeply, holds too many values, or uses aliases (*name).")
            raise _document_error(name, _line_of(event), reason)
        yield event


def _line_of(event: yaml.Event) -> int:
    """Return the number of the line where an event begins, from 1."""
    return event.start_mark.line + 1 if event.start_mark else 1


def _build(events: Iterator[yaml.Event], event: yaml.Event, name: str) -> object:
    """Return the value that begins with an event; unquoted scalars become `Scalar`."""
    if isinstance(event, yaml.SequenceStartEvent):
        return [_build(events, item, name) for item in _until(events, yaml.SequenceEndEvent)]
    if isinstance(event, yaml.MappingStartEvent):
        values: dict[str, object] = {}
        for key in _until(events, yaml.MappingEndEvent):
            if not isinstance(key, yaml.ScalarEvent):
                raise _document_error(name, _line_of(key), message("the name of a field must be text."))
            values[str(key.value)] = _build(events, next(events), name)
        return values
    return _scalar(event)


def _until(events: Iterator[yaml.Event], end: type) -> Iterator[yaml.Event]:
    for event in events:
        if isinstance(event, end):
            return
        yield event


def _scalar(event: Any) -> object:
    if event.style:
        return str(event.value)
    typed = Scalar(event.value)
    typed.value = str(event.value)
    if len(event.value) <= _MOST_TYPED:
        tag = event.tag or _RESOLVER.resolve(yaml.ScalarNode, event.value, (True, False))
        with suppress(yaml.YAMLError, ValueError, TypeError, LookupError, ArithmeticError, AttributeError):
            typed.value = SafeConstructor().construct_document(yaml.ScalarNode(tag, event.value))
    return typed


@dataclass(frozen=True, slots=True)
class _BaseSection:
    name: str
    kind: BaseKind = "vector"
    description: str = ""
    embedder: str = ""
    embed_at_once: bool = True
    keep_tokens: bool = True
    chunking: ChunkingOptions = _DEFAULT
    search: SearchSettings = OPEN


@frozen
class _NoteSection(FieldValues):
    path: str
    source_url: str = ""
    created_at: datetime | None = None
    updated_at: datetime | None = None
    front: str = ""
    body: str = ""


_NAMES = ("path", *NOTE_FIELDS, "source_url", "created_at", "updated_at", "front", "body")
"""The keys of a note in a document, in order."""


def to_json(records: Records) -> bytes:
    """Return a base as JSON, with each note on one line."""
    head = "".join(f'"{name}": {_json(value)},\n' for name, value in (_HEAD | {"base": _base(records)}).items())
    notes = ",\n".join(map(_json, _notes(records)))
    return f'{{\n{head}"notes": [\n{notes}\n]\n}}\n'.encode()


def to_yaml(records: Records) -> bytes:
    """Return a base as YAML."""
    head = yaml.dump(_HEAD | {"base": _base(records)}, Dumper=_Dumper, **_STYLE)
    notes = "".join(map(_yaml, _notes(records)))
    return f"{head}notes:{' []' if not notes else ''}\n{notes}".encode()


def read(data: bytes, name: str) -> Records:
    """Return the records in a JSON or YAML document, with notes parsed lazily; raises ArchiveError."""
    data = data.removeprefix(b"\xef\xbb\xbf")
    items = _json_items if name.lower().endswith(".json") else _yaml_items
    if items is _json_items and sum(1 for _ in islice(SIGNS.finditer(data), _MOST_SIGNS)) == _MOST_SIGNS:
        raise _document_error(name, 1, message("it holds too many values."))
    head: dict[str, Any] = {}
    for _ in items(data, name, head):
        pass
    version = head.get("version")
    known = (head.get("tessera"), version.value if isinstance(version, Scalar) else version) == ("base", 1)
    if not known or "notes" in head:
        raise _document_error(
            name, 1, message("this isn't a base exported by Tessera, or a newer version exported it.")
        )
    try:
        described = noun(_BaseSection, head.get("base"))
    except RowError as error:
        raise ArchiveError(name, [(message("base"), error.message)]) from error
    base = new_base(**{key: getattr(described, key) for key in _BaseSection.__slots__})

    def notes() -> Iterator[Made[NoteRecord]]:
        ids: set[str] = set()
        paths: set[str] = set()
        for line, item in items(data, name, {}):
            yield message("line {line}", line=line), partial(_record, item, base, paths, ids)

    return Records(base, RecordParts(notes))


def _record(item: object, base: KnowledgeBase, paths: set[str], ids: set[str]) -> NoteRecord:
    note = noun(_NoteSection, item)
    if len(note.body) + len(note.front) > MAX_BYTES:
        raise RowError("it is larger than {limit} MB.", limit=MAX_BYTES >> 20)
    if note.path in paths:
        raise RowError("the path '{path}' appears twice.", path=note.path)
    paths.add(note.path)
    return record_of(base, _note(note), ids)


def _note(entry: _NoteSection) -> Note:
    head = read_front(entry.front)
    return Note(
        id="",
        base_id="",
        content_hash="",
        links=look_into(entry.body, entry.path).targets(entry.path),
        extra=head.extra,
        warnings=tuple(head.warnings),
        body_start=len(entry.front),
        left_out=(*unreadable(entry.front + entry.body), *head.left_out),
        **{name: getattr(entry, name) for name in _NAMES},
    )


def _base(records: Records) -> dict[str, object]:
    values: dict[str, object] = to_plain(
        _BaseSection(**{name: getattr(records.base, name) for name in _BaseSection.__slots__})
    )
    values["embedder"] = records.base.wish or records.base.embedder
    values["search"] = records.base.search.chosen()
    return values


def _notes(records: Records) -> list[dict[str, object]]:
    return [
        to_plain(
            {name: getattr(note, name) for name in _NAMES} | {"path": note.path or note.id, "front": front_of(note)}
        )
        for note in records.sorted_notes()
    ]


# JSON


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


# YAML


class _Dumper(yaml.SafeDumper):
    """Writes multi-line strings as literal blocks."""

    def ignore_aliases(self, data: object) -> bool:
        return True

    def represent_text(self, text: str) -> yaml.ScalarNode:
        return self.represent_scalar("tag:yaml.org,2002:str", text, style="|" if "\n" in text else None)


_Dumper.add_representer(str, _Dumper.represent_text)
_STYLE: dict[str, Any] = {"allow_unicode": True, "sort_keys": False, "width": 10**9}


def _yaml(note: dict[str, object]) -> str:
    """Return a note as a YAML list item; as JSON, with all strings quoted, if YAML would be read back differently."""
    text: str = yaml.dump([note], Dumper=_Dumper, **_STYLE)
    try:
        same = yaml.load(text, Loader=yaml.CSafeLoader) == [note]
    except (yaml.YAMLError, ValueError):
        same = False
    return text if same else f"- {as_json(note)}\n"
