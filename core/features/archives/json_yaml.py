"""A base as one document, JSON or YAML: its settings and its notes, without their history."""

import json
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from itertools import pairwise
from typing import Any

import yaml
from yaml.constructor import SafeConstructor
from yaml.resolver import Resolver

from core.base.codec import Scalar, to_plain
from core.base.errors import ArchiveError, RowError
from core.base.frozen import frozen
from core.base.messages import Message, message, reason_of
from core.features.archives.lazy_records import SIGNS, Made, RecordParts, identity, noun, parse_json
from core.features.archives.records import NoteRecord, Records, new_base, record_of
from core.intake.encoding import MAX_BYTES, unreadable
from core.markdown.body import look_into
from core.markdown.frontwriting import as_json
from core.model import NOTE_FIELDS, OPEN, BaseKind, ChunkingOptions, FieldValues, KnowledgeBase, Note, SearchSettings
from core.notes.filing import front_of, read_front

MOST_DEPTH = 30
_MOST_SIGNS, _MOST_NOTES = 5_000_000, 500_000
"""Brackets and commas in a document, and items of its list of notes."""
_MOST_HEAD = 2**20
_NAME_BYTES = 40
"""Bytes before a list in which its name is looked for."""
_NOTES = re.compile(rb'"notes"\s*:\s*\Z')

_MOST_EVENTS = 1_500_000
"""Beginnings and ends of values in a document: about as many as 30,000 notes have."""
_MOST_TYPED = 100
"""Characters of a number, a date or a truth; a longer text is a text."""

_Line = tuple[int, Any]

_RESOLVER: Any = Resolver()

_HEAD: dict[str, object] = {"tessera": "base", "version": 1}
_DEFAULT = ChunkingOptions()


@frozen
class JsonDocument:
    """A document without its notes, and `items`, which yields the line of each note and what reads it."""

    head: dict[str, Any]
    items: Callable[[], Iterator[tuple[int, Callable[[], Any]]]]


def document_error(name: str, line: int, reason: Message) -> ArchiveError:
    """Return the error of a document with a mistake that keeps its notes from being read."""
    return ArchiveError(name, [(message("line {line}", line=line), reason)])


def read_json(data: bytes, name: str) -> JsonDocument:
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
                and _NOTES.search(data, max(0, token.start() - _NAME_BYTES), token.start())
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


def read_yaml(data: bytes, name: str) -> JsonDocument:
    """Return a YAML document; raises ArchiveError for one that can't be read."""
    head: dict[str, Any] = {}
    for _ in _items(data, name, head, build=False):
        pass
    return JsonDocument(
        head, lambda: ((line, partial(identity, item)) for line, item in _items(data, name, {}, build=True))
    )


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
    """Return a base as JSON, with a line for each note."""
    head = "".join(f'"{name}": {_json(value)},\n' for name, value in (_HEAD | {"base": _base(records)}).items())
    notes = ",\n".join(map(_json, _notes(records)))
    return f'{{\n{head}"notes": [\n{notes}\n]\n}}\n'.encode()


def to_yaml(records: Records) -> bytes:
    """Return a base as YAML."""
    head = yaml.dump(_HEAD | {"base": _base(records)}, Dumper=_Dumper, **_STYLE)
    notes = "".join(map(_yaml, _notes(records)))
    return f"{head}notes:{' []' if not notes else ''}\n{notes}".encode()


def read(data: bytes, name: str) -> Records:
    """Return the records of a JSON or YAML document, whose notes are read when they are needed; raises ArchiveError."""
    data = data.removeprefix(b"\xef\xbb\xbf")
    document: JsonDocument = (read_json if name.lower().endswith(".json") else read_yaml)(data, name)
    version = document.head.get("version")
    if (document.head.get("tessera"), version.value if isinstance(version, Scalar) else version) != ("base", 1):
        raise document_error(name, 1, message("this is no base that Tessera exported, or a later version did."))
    try:
        described = noun(_BaseSection, document.head.get("base"))
    except RowError as error:
        raise ArchiveError(name, [(message("base"), error.message)]) from error
    base = new_base(**{key: getattr(described, key) for key in _BaseSection.__slots__})

    def notes() -> Iterator[Made[NoteRecord]]:
        ids: set[str] = set()
        paths: set[str] = set()
        for line, item in document.items():
            yield message("line {line}", line=line), partial(_record, item, base, paths, ids)

    return Records(base, RecordParts(notes))


def _record(item: Callable[[], Any], base: KnowledgeBase, paths: set[str], ids: set[str]) -> NoteRecord:
    note = noun(_NoteSection, item())
    if len(note.body) + len(note.front) > MAX_BYTES:
        raise RowError("it is more than {limit} MB.", limit=MAX_BYTES >> 20)
    if note.path in paths:
        raise RowError("the path '{path}' is here twice.", path=note.path)
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


def _base(records: Records) -> dict[str, Any]:
    values: dict[str, Any] = to_plain(
        _BaseSection(**{name: getattr(records.base, name) for name in _BaseSection.__slots__})
    )
    values["embedder"] = records.base.wish or records.base.embedder
    values["search"] = records.base.search.chosen()
    return values


def _notes(records: Records) -> list[dict[str, Any]]:
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
    """Writes texts of several lines as such."""

    def ignore_aliases(self, data: Any) -> bool:
        return True

    def represent_text(self, text: str) -> yaml.ScalarNode:
        return self.represent_scalar("tag:yaml.org,2002:str", text, style="|" if "\n" in text else None)


_Dumper.add_representer(str, _Dumper.represent_text)
_STYLE: dict[str, Any] = {"allow_unicode": True, "sort_keys": False, "width": 10**9}


def _yaml(note: dict[str, Any]) -> str:
    """Return a note as an item of a list; in quotes throughout where it would read otherwise."""
    text: str = yaml.dump([note], Dumper=_Dumper, **_STYLE)
    try:
        same = yaml.load(text, Loader=yaml.CSafeLoader) == [note]
    except (yaml.YAMLError, ValueError):
        same = False
    return text if same else f"- {as_json(note)}\n"
