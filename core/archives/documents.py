"""A base as one document, JSON or YAML: its settings and its notes, without their history."""

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

import yaml
from yaml.constructor import SafeConstructor

from core.archives.plain import Typed, noun, plain
from core.archives.records import NoteRecord, Records
from core.errors import ArchiveError, RowError
from core.intake.folder import content_hash, safe
from core.intake.notefile import look_into
from core.markdown import frontmatter
from core.markdown.frontwriting import as_json
from core.messages import Message, message, reason_of
from core.model import OPEN, BaseKind, ChunkingOptions, KnowledgeBase, Note, NoteStatus, SearchSettings
from core.notes.filetexts import front_of, read_front
from core.store.ids import fresh_id

_Parsed = tuple[dict[str, Any], list[tuple[int, Any]]]
"""The document without its notes, and each note with its line."""
_HEAD: dict[str, object] = {"tessera": "base", "version": 1}
_MOST_DEPTH = 30
_DEFAULT = ChunkingOptions()


@dataclass(frozen=True, slots=True)
class _Base:
    name: str
    kind: BaseKind = "vector"
    description: str = ""
    embedder: str = "bundled"
    embed_at_once: bool = True
    keep_tokens: bool = True
    chunking: ChunkingOptions = _DEFAULT
    search: SearchSettings = OPEN


@dataclass(frozen=True, slots=True)
class _Note:
    path: str
    title: str
    tags: tuple[str, ...] = ()
    type: str = ""
    category: str = ""
    project: str = ""
    scope: str = ""
    priority: int = 0
    status: NoteStatus = "active"
    expires_at: datetime | None = None
    supersedes: tuple[str, ...] = ()
    related: tuple[str, ...] = ()
    depends_on: tuple[str, ...] = ()
    source_url: str = ""
    created_at: datetime | None = None
    updated_at: datetime | None = None
    front: str = ""
    body: str = ""


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
    """Return the records of a JSON or YAML document; raises ArchiveError with every mistake and its line."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise _refused(name, 1, message("this isn't UTF-8. Save the file as UTF-8.")) from error
    parse: Callable[[str, str], _Parsed] = _parsed_json if name.lower().endswith(".json") else _parsed_yaml
    try:
        head, items = parse(text, name)
    except RecursionError as error:
        raise _refused(name, 1, message("this is nested too deeply.")) from error
    if (head.get("tessera"), _number(head.get("version"))) != ("base", 1):
        raise _refused(name, 1, message("this is no base that Tessera exported, or a later version did."))
    return _records(head.get("base"), items, name)


def records_of(base: KnowledgeBase, notes: Iterable[Note]) -> Records:
    """Return the records of a base with new notes, which get their ids."""
    taken: set[str] = set()
    records = []
    for note in notes:
        note_id = fresh_id(f"{base.id}/{note.path}", taken)
        taken.add(note_id)
        hashed = content_hash(note.body.encode("utf-8", "surrogatepass"))
        records.append(NoteRecord(replace(note, id=note_id, base_id=base.id, content_hash=hashed, source="person")))
    return Records(base, tuple(records))


def new_base(name: str, **fields: Any) -> KnowledgeBase:
    """Return a base that isn't stored yet; its model is known once it is written."""
    embedder = fields.pop("embedder", "bundled")
    chunking = fields.pop("chunking", ChunkingOptions())
    return KnowledgeBase(fresh_id(name, ()), name, embedder, "", 0, chunking, datetime.now(UTC), **fields)


def _records(head: Any, items: list[tuple[int, Any]], name: str) -> Records:
    mistakes: list[tuple[str | Message, Message]] = []
    described = _Base("")
    try:
        described = noun(_Base, head)
    except RowError as error:
        mistakes.append((message("base"), error.message))
    notes: list[Note] = []
    paths: set[str] = set()
    for line, item in items:
        try:
            one = noun(_Note, item)
            _check(one, paths)
            notes.append(_note(one))
        except RowError as error:
            mistakes.append((message("line {line}", line=line), error.message))
    if mistakes:
        raise ArchiveError(name, mistakes)
    return records_of(new_base(**{key: getattr(described, key) for key in _Base.__slots__}), notes)


def _check(note: _Note, paths: set[str]) -> None:
    if not safe(note.path):
        raise RowError("the path '{path}' could lead out of the folder.", path=note.path)
    if note.path in paths:
        raise RowError("the path '{path}' stands here twice.", path=note.path)
    paths.add(note.path)
    if frontmatter.span(note.front)[2] != len(note.front):
        raise RowError("'{name}' must be {kind}.", name="front", kind=message("front matter between its two lines"))


def _note(one: _Note) -> Note:
    head = read_front(one.front)
    fields = {name: getattr(one, name) for name in _Note.__slots__}
    extra: dict[str, Any] = {"extra": head.extra, "warnings": tuple(head.warnings), "body_start": len(one.front)}
    links = look_into(one.body, one.path).links
    return Note(id="", base_id="", content_hash="", links=links, **fields, **extra)


def _base(records: Records) -> dict[str, Any]:
    values: dict[str, Any] = plain(_Base(**{name: getattr(records.base, name) for name in _Base.__slots__}))
    values["search"] = records.base.search.chosen()
    return values


def _notes(records: Records) -> list[dict[str, Any]]:
    notes = sorted((one.note for one in records.notes), key=lambda note: (note.path or "", note.source_ref))
    return [plain(_Note(**{name: _value(note, name) for name in _Note.__slots__})) for note in notes]


def _value(note: Note, name: str) -> Any:
    return front_of(note) if name == "front" else (getattr(note, name) if name != "path" else note.path or note.id)


def _refused(name: str, line: int, reason: Message) -> ArchiveError:
    return ArchiveError(name, [(message("line {line}", line=line), reason)])


def _number(value: object) -> object:
    return value.value if isinstance(value, Typed) else value


# JSON


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _parsed_json(text: str, name: str) -> _Parsed:
    try:
        whole = json.loads(text)
    except json.JSONDecodeError as error:
        raise _refused(name, error.lineno, reason_of(error)) from error
    if not isinstance(whole, dict) or not isinstance(whole.get("notes"), list):
        raise _refused(name, 1, message("this is no base that Tessera exported, or a later version did."))
    return whole, list(zip(_lines_of_items(text, len(whole["notes"])), whole["notes"], strict=True))


def _lines_of_items(text: str, count: int) -> list[int]:
    """Return the line of each item of the list `notes`, which the document holds at its top."""
    decoder, at = json.JSONDecoder(), text.index("{") + 1
    lines: list[int] = []
    while True:
        at = _next(text, at)
        key, at = decoder.raw_decode(text, at)
        at = _next(text, at)
        if key != "notes":
            _, at = decoder.raw_decode(text, at)
            continue
        at += 1
        seen, line = 0, 1
        for _ in range(count):
            at = _next(text, at)
            line, seen = line + text.count("\n", seen, at), at
            lines.append(line)
            _, at = decoder.raw_decode(text, at)
        return lines


def _next(text: str, at: int) -> int:
    """Return where the next value begins, behind white space, commas and colons."""
    while text[at] in " \t\r\n,:":
        at += 1
    return at


# YAML


class _Dumper(yaml.SafeDumper):
    """Writes texts of several lines as such."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


def _text_node(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style="|" if "\n" in text else None)


_Dumper.add_representer(str, _text_node)
_STYLE: dict[str, Any] = {"allow_unicode": True, "sort_keys": False, "width": 10**9}


def _yaml(note: dict[str, Any]) -> str:
    """Return a note as an item of a list; in quotes throughout where it would read otherwise."""
    text: str = yaml.dump([note], Dumper=_Dumper, **_STYLE)
    try:
        same = yaml.load(text, Loader=yaml.CSafeLoader) == [note]
    except (yaml.YAMLError, ValueError):
        same = False
    return text if same else f"- {as_json(note)}\n"


def _parsed_yaml(text: str, name: str) -> _Parsed:
    try:
        depth = 0
        for event in yaml.parse(text, Loader=yaml.CSafeLoader):
            depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
            if isinstance(event, yaml.AliasEvent) or depth > _MOST_DEPTH:
                reason = message("this is nested too deeply, or uses aliases (*name).")
                raise _refused(name, event.start_mark.line + 1 if event.start_mark else 1, reason)
        root = yaml.compose(text, Loader=yaml.CSafeLoader)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        raise _refused(name, mark.line + 1 if mark else 1, reason_of(error)) from error
    pairs = root.value if isinstance(root, yaml.MappingNode) else []
    head: dict[str, Any] = {}
    items: list[tuple[int, Any]] = []
    for key, value in pairs:
        if key.value == "notes" and isinstance(value, yaml.SequenceNode):
            items = [(item.start_mark.line + 1, _plain_of(item)) for item in value.value]
        else:
            head[str(key.value)] = _plain_of(value)
    return head, items


def _plain_of(node: yaml.Node) -> Any:
    if isinstance(node, yaml.MappingNode):
        return {str(key.value): _plain_of(value) for key, value in node.value}
    if isinstance(node, yaml.SequenceNode):
        return [_plain_of(item) for item in node.value]
    if getattr(node, "style", None):
        return str(node.value)
    typed = Typed(node.value)
    try:
        typed.value = SafeConstructor().construct_document(node)
    except (yaml.YAMLError, ValueError, TypeError, LookupError):
        typed.value = str(node.value)
    return typed
