"""A base as one document, JSON or YAML: its settings and its notes, without their history."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any

import yaml

from core.base.codec import Scalar, to_plain
from core.base.errors import ArchiveError, RowError
from core.base.messages import message
from core.features.archives import jsondocument, yamldocument
from core.features.archives.jsondocument import JsonDocument, document_error
from core.features.archives.parts import Made, RecordParts
from core.features.archives.plain import noun
from core.features.archives.records import NoteRecord, Records, new_base, record_of
from core.intake.encoding import MAX_BYTES, unreadable
from core.intake.folder import is_safe
from core.markdown import frontmatter
from core.markdown.body import look_into
from core.markdown.frontwriting import as_json
from core.model import NOTE_FIELDS, OPEN, BaseKind, ChunkingOptions, FieldValues, KnowledgeBase, Note, SearchSettings
from core.notes.filing import front_of, read_front

_HEAD: dict[str, object] = {"tessera": "base", "version": 1}
_DEFAULT = ChunkingOptions()


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


@dataclass(frozen=True, slots=True)
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
    document: JsonDocument = (jsondocument if name.lower().endswith(".json") else yamldocument).read(data, name)
    if (document.head.get("tessera"), _number(document.head.get("version"))) != ("base", 1):
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
    entry = noun(_NoteSection, item())
    _check(entry, paths)
    return record_of(base, _note(entry), ids)


def _check(note: _NoteSection, paths: set[str]) -> None:
    if len(note.body) + len(note.front) > MAX_BYTES:
        raise RowError("it is more than {limit} MB.", limit=MAX_BYTES >> 20)
    if not is_safe(note.path):
        raise RowError("the path '{path}' could lead out of the folder.", path=note.path)
    if note.path in paths:
        raise RowError("the path '{path}' stands here twice.", path=note.path)
    paths.add(note.path)
    if frontmatter.delimited(note.front)[2] != len(note.front):
        raise RowError("'{name}' must be {kind}.", name="front", kind=message("front matter between its two lines"))


def _note(entry: _NoteSection) -> Note:
    head = read_front(entry.front)
    fields = {name: getattr(entry, name) for name in _NAMES}
    extra: dict[str, Any] = {"extra": head.extra, "warnings": tuple(head.warnings), "body_start": len(entry.front)}
    extra["left_out"] = (*unreadable(entry.front + entry.body), *head.left_out)
    links = look_into(entry.body, entry.path).targets(entry.path)
    return Note(id="", base_id="", content_hash="", links=links, **fields, **extra)


def _base(records: Records) -> dict[str, Any]:
    values: dict[str, Any] = to_plain(
        _BaseSection(**{name: getattr(records.base, name) for name in _BaseSection.__slots__})
    )
    values["embedder"] = records.base.wish or records.base.embedder
    values["search"] = records.base.search.chosen()
    return values


def _notes(records: Records) -> list[dict[str, Any]]:
    notes = sorted(
        (note_record.note for note_record in records.notes), key=lambda note: (note.path or "", note.source_ref)
    )
    return [to_plain({name: _value(note, name) for name in _NAMES}) for note in notes]


def _value(note: Note, name: str) -> Any:
    return front_of(note) if name == "front" else (getattr(note, name) if name != "path" else note.path or note.id)


def _number(value: object) -> object:
    return value.value if isinstance(value, Scalar) else value


# JSON


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


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
