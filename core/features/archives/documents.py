"""Read and write a base as a JSON or YAML document (settings and notes) or a folder of Markdown files (notes only).

These formats have no history. In a folder, an unchanged UTF-8 file from a vault is written byte for byte.
"""

import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from datetime import datetime
from errno import EXDEV
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any

import yaml
from yaml.constructor import SafeConstructor
from yaml.resolver import Resolver

from core.base.codec import Scalar, assemble, to_plain
from core.base.errors import ArchiveError, EditError, RowError, SourceError
from core.base.file_names import harmless_path
from core.base.frozen import AnyValues, Values, attributes, frozen
from core.base.messages import Message, message, reason_of
from core.features.archives.records import (
    FOREIGN,
    FORMAT,
    Made,
    Mistakes,
    NoteRecord,
    RecordParts,
    Records,
    check_format,
    new_base,
    record_of,
)
from core.intake import folder, notefile, upload
from core.intake.encoding import MAX_BYTES, unreadable
from core.intake.folder import free_path
from core.intake.rows import noun, parse_json
from core.markdown.body import look_into, named_in
from core.markdown.frontwriting import as_json
from core.model import (
    NOTE_FIELDS,
    NOTE_SUFFIXES,
    OPEN,
    Attachment,
    BaseKind,
    ChunkingOptions,
    FieldValues,
    KnowledgeBase,
    Note,
    SearchSettings,
)
from core.notes.file_writing import front_of, read_front, text_of
from core.notes.texts import title_filename

_MOST_DEPTH = 30
# Maximum number of strings, commas and brackets in a JSON document.
_MOST_SIGNS = 5_000_000
# Maximum number of YAML events in a document, enough for about 30,000 notes.
_MOST_EVENTS = 1_500_000
# Maximum length of a number, date or boolean in YAML, in characters. A longer scalar is read as a string.
_MOST_TYPED = 100

_RESOLVER: Any = Resolver()
_STYLE: dict[str, Any] = {"allow_unicode": True, "sort_keys": False, "width": 10**9}

_DEFAULT = ChunkingOptions()


_Events = Iterator[yaml.Event]
# The paths and bytes of files.
Contents = Iterable[tuple[str, bytes]]


@frozen
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


# The keys of a note in a document, in order.
_NAMES = ("path", *NOTE_FIELDS, "source_url", "created_at", "updated_at", "front", "body")


def to_json(records: Records) -> bytes:
    """Return a base as JSON, with each note on one line."""
    head = "".join(f'"{name}": {as_json(value)},\n' for name, value in _head(records).items())
    notes = ",\n".join(map(as_json, _notes(records)))
    return f'{{\n{head}"notes": [\n{notes}\n]\n}}\n'.encode()


def to_yaml(records: Records) -> bytes:
    """Return a base as YAML."""
    head = yaml.dump(_head(records), Dumper=_Dumper, **_STYLE)
    notes = "".join(map(_yaml, _notes(records)))
    return f"{head}notes:{' []' if not notes else ''}\n{notes}".encode()


def _head(records: Records) -> Values:
    base = records.base
    values = to_plain(assemble(_BaseSection, base))
    values |= {"embedder": base.wish or base.embedder, "search": base.search.chosen()}
    return {**FORMAT, "base": values}


def _notes(records: Records) -> list[Values]:
    return [
        to_plain(attributes(note, _NAMES) | {"path": note.path or note.id, "front": front_of(note)})
        for note in records.sorted_notes()
    ]


class _Dumper(yaml.SafeDumper):
    """Writes multi-line strings as literal blocks."""

    def represent_text(self, text: str) -> yaml.ScalarNode:
        return self.represent_scalar("tag:yaml.org,2002:str", text, style="|" if "\n" in text else None)


_Dumper.add_representer(str, _Dumper.represent_text)


def _yaml(note: Values) -> str:
    """Return a note as a YAML list item.

    If parsing the YAML wouldn't produce the same note, the item is written as JSON, where all strings are quoted.
    """
    text: str = yaml.dump([note], Dumper=_Dumper, **_STYLE)
    try:
        same = yaml.load(text, Loader=yaml.CSafeLoader) == [note]
    except (yaml.YAMLError, ValueError):
        same = False
    return text if same else f"- {as_json(note)}\n"


class _Mapping(Values):
    """A YAML mapping that knows the line on which it begins."""

    line = 1


def read(data: bytes, name: str) -> Records:
    """Return the records in a JSON or YAML document. Raises ArchiveError if it is invalid."""
    is_json = name.lower().endswith(".json")
    data = data.removeprefix(b"\xef\xbb\xbf")
    document = (_parse_json if is_json else _parse_yaml)(data, name)
    head: AnyValues = document if isinstance(document, dict) else {}
    items = head.get("notes", [])
    check_format(head, name, message("line {line}", line=1))
    if not isinstance(items, list):
        raise _document_error(name, 1, FOREIGN)
    try:
        described = noun(_BaseSection, head.get("base"))
    except RowError as error:
        raise ArchiveError(name, [(message("base"), error.message)]) from error
    base = new_base(**attributes(described, _BaseSection.__annotations__))

    def notes() -> Iterator[Made[NoteRecord]]:
        ids = set[str]()
        paths = set[str]()
        text = data.decode() if is_json else ""
        at = 0
        line = 1
        for item in items:
            known_by = as_json(item.get("path") if isinstance(item, dict) else item) if is_json else ""
            found = text.find(known_by, at)
            if found > at:
                line += text.count("\n", at, found)
                at = found
            elif found < 0:
                text = ""  # another program escaped it differently; further searches would be slow
            if isinstance(item, _Mapping):
                line = item.line
            yield message("line {line}", line=line), partial(_record, item, base, paths, ids)

    return Records(base, RecordParts(notes))


def _record(item: object, base: KnowledgeBase, paths: set[str], ids: set[str]) -> NoteRecord:
    section = noun(_NoteSection, item)
    if len(section.body) + len(section.front) > MAX_BYTES:
        raise RowError("it is larger than {limit} MB.", limit=MAX_BYTES >> 20)
    if section.path in paths:
        raise RowError("the path '{path}' appears twice.", path=section.path)
    paths.add(section.path)
    front = read_front(section.front)
    note = assemble(
        Note,
        section,
        id="",
        base_id="",
        content_hash="",
        links=look_into(section.body, section.path).targets(section.path),
        extra=front.extra,
        warnings=tuple(front.warnings),
        body_start=len(section.front),
        left_out=(*unreadable(section.front + section.body), *front.left_out),
    )
    return record_of(base, note, ids)


def _parse_json(data: bytes, name: str) -> object:
    try:
        return parse_json(data, _MOST_SIGNS)
    except RowError as error:
        cause = error.__cause__
        line = getattr(cause, "lineno", 1)
        if isinstance(cause, UnicodeDecodeError):
            line += data.count(b"\n", 0, cause.start)
        raise _document_error(name, line, error.message) from error


def _parse_yaml(data: bytes, name: str) -> object:
    events = _events(data, name)
    try:
        return next((_build(events, event, name) for event in events if isinstance(event, yaml.NodeEvent)), None)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        raise _document_error(name, mark.line + 1 if mark else 1, reason_of(error)) from error


def _document_error(name: str, line: int, reason: Message) -> ArchiveError:
    """Return the error for a document that can't be parsed further."""
    return ArchiveError(name, [(message("line {line}", line=line), reason)])


def _events(data: bytes, name: str) -> _Events:
    depth = 0
    for count, event in enumerate(yaml.parse(data, Loader=yaml.CSafeLoader)):
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if isinstance(event, yaml.AliasEvent) or depth > _MOST_DEPTH or count > _MOST_EVENTS:
            raise _document_error(
                name,
                _line_of(event),
                message("this is nested too deeply, contains too many values, or uses aliases (*name)."),
            )
        yield event


def _line_of(event: yaml.Event) -> int:
    """Return the number of the line on which an event begins, counting from 1."""
    return event.start_mark.line + 1 if event.start_mark else 1


def _build(events: _Events, event: yaml.Event, name: str) -> object:
    """Build the value that starts with the given event. An unquoted scalar becomes a `Scalar`."""
    if isinstance(event, yaml.SequenceStartEvent):
        return [_build(events, item, name) for item in _until(events, yaml.SequenceEndEvent)]
    if isinstance(event, yaml.MappingStartEvent):
        values = _Mapping()
        values.line = _line_of(event)
        for key in _until(events, yaml.MappingEndEvent):
            if not isinstance(key, yaml.ScalarEvent):
                raise _document_error(name, _line_of(key), message("the name of a field must be text."))
            values[str(key.value)] = _build(events, next(events), name)
        return values
    return _scalar(event)


def _until(events: _Events, end: type) -> _Events:
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


# Markdown


# A function that takes a note's id and a link target, and returns the attachment or None if there is none.
FindFile = Callable[[str, str], Attachment | None]


def markdown_files(records: Records, find_file: FindFile) -> Contents:
    """Yield the path and bytes of each note in a base, followed by those of each attachment.

    An attachment keeps its path, so that links to it stay valid. Raises ArchiveError if a field can't be written as
    front matter.
    """
    texts = {}
    mistakes = Mistakes(records.base.name)
    notes = records.sorted_notes()
    named = [harmless_path(note.path or title_filename(note.title), keeps_marks=True) for note in notes]
    paths = {str(parent) for path in named for parent in PurePosixPath(path).parents}
    for note, path in zip(notes, named, strict=True):
        if not path.lower().endswith(NOTE_SUFFIXES):
            path += ".md"  # the note of a converted document is exported as Markdown
        if path in paths:
            path = free_path(path, paths)
        paths.add(path)
        try:
            texts[path] = text_of(note).encode("utf-8", "surrogatepass")
        except EditError as error:
            mistakes.add(path, error.message)
    mistakes.raise_any()
    yield from texts.items()
    for note in notes:
        for target in named_in(note.body, note.location) if not note.plain else ():
            file = find_file(note.id, target)
            if file and file.place not in paths:
                paths.add(file.place)
                yield file.place, file.path.read_bytes()


def write_folder(contents: Contents, place: Path, staging: Path) -> None:
    """Write all files to a new folder. If an error occurs, no folder is created.

    `staging` is an empty folder. The files are first written to this folder, which is then renamed to `place`.
    """
    for path, data in contents:
        file = staging / path
        if not file.resolve().is_relative_to(staging.resolve()):
            raise SourceError(path, "This path could point outside the folder.")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)
    staging.chmod(0o755)
    try:
        staging.rename(place)
    except OSError as error:
        if error.errno != EXDEV:
            raise
        # `place` is on another disk, so copy the files there first. After a crash, the next export replaces this
        # partial copy.
        part = place.with_name(f".{place.name[:40]}.part")
        shutil.rmtree(part, ignore_errors=True)
        try:
            shutil.copytree(staging, part)
            part.rename(place)
        finally:
            shutil.rmtree(part, ignore_errors=True)


def read_folder(place: Path, *, forbidden: Path | None = None) -> Records:
    """Return the notes in a folder as records of notes that live in the workspace. Files are read lazily, one by one.

    Raises SourceError if there are no notes, and ArchiveError if a file can't be read.
    """
    scanned = folder.scan(place, forbidden=forbidden, most=upload.MAX_ENTRIES, scope="notes")
    if sum(file.size for file in scanned.files) > upload.MAX_UNPACKED:
        raise upload.size_error(str(place))
    if scanned.failed:
        raise ArchiveError(str(place), [(failed.path, failed.error) for failed in scanned.failed])
    base = new_base(scanned.folder.name)

    def files() -> Iterator[Made[NoteRecord]]:
        ids = set[str]()
        for file in scanned.files:
            yield file.path, partial(_read_note, scanned.folder, file.path, base, ids)

    return Records(base, RecordParts(files))


def _read_note(place: Path, path: str, base: KnowledgeBase, ids: set[str]) -> NoteRecord:
    return record_of(base, notefile.read(folder.read(place, path), path).note, ids)
