"""A base with everything as one zip: a file of JSON lines for each kind of record, always the same bytes."""

import io
import json
import lzma
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import IO, Any, get_args, get_type_hints

from core import files
from core.archives.plain import noun, plain
from core.archives.records import Records
from core.errors import ArchiveError, RowError, SourceError
from core.evaluation.problems import parsing
from core.intake import upload
from core.intake.folder import safe
from core.intake.notefile import is_note
from core.messages import Message, message
from core.model import KnowledgeBase

_MARK, _VERSION = "tessera.json", {"tessera": "base", "version": 1}
_BASE, _WORDS = "base.json", "words/"
_LISTS = ("notes", "versions", "edits", "proposals", "sets", "runs", "syncs", "feedback")
_TIME = (1980, 1, 1, 0, 0, 0)
_HEAD, _TITLES = 1 << 20, 50
"""Most bytes of the base, and most titles, that a list of archives reads."""
FAULTS = (
    *(OSError, EOFError, ValueError, TypeError, LookupError, RecursionError, RowError),
    *(RuntimeError, OverflowError, zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error),
)
"""What reading an unknown zip raises: damage, encryption, an unknown compression, a record of another kind."""


def packed(records: Records) -> bytes:
    """Return the zip of a base."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, text in _files(records):
            member = zipfile.ZipInfo(name, _TIME)
            member.external_attr = 0o600 << 16
            archive.writestr(member, text.encode("utf-8"), zipfile.ZIP_DEFLATED, compresslevel=6)
    return stream.getvalue()


def _files(records: Records) -> Iterator[tuple[str, str]]:
    yield _MARK, _line(_VERSION)
    yield _BASE, _line(plain(records.base))
    for name in _LISTS:
        yield f"{name}.jsonl", "".join(_line(plain(record)) for record in getattr(records, name))
    for name, text in sorted(records.words.items()):
        yield f"{_WORDS}{name}", text


def _line(value: object) -> str:
    return json.dumps(value, ensure_ascii=False) + "\n"


def is_notes(data: bytes) -> bool:
    """Return whether a zip holds a folder of notes, not a base with everything."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            names = archive.namelist()
    except (zipfile.BadZipFile, ValueError):
        return False
    return _MARK not in names and any(map(is_note, names))


def unpacked(data: bytes, name: str) -> Records:
    """Return the records of a zip; raises ArchiveError with every mistake, SourceError for a damaged archive."""
    files = upload.members(data, name=name)
    if files.get(_MARK, b"").strip() != _line(_VERSION).strip().encode():
        raise ArchiveError(name, [(_MARK, message("this is no base that Tessera exported, or a later version did."))])
    reading = _Reading(files)
    kinds = get_type_hints(Records)
    bases = reading.records(_BASE, KnowledgeBase)
    lists = {kind: tuple(reading.records(f"{kind}.jsonl", get_args(kinds[kind])[0])) for kind in _LISTS}
    words = {file.removeprefix(_WORDS): reading.text(file) for file in files if file.startswith(_WORDS)}
    if len(bases) != 1 and not reading.mistakes:
        reading.mistakes.append((_BASE, message("this must hold one base.")))
    if not reading.mistakes:
        reading.check(bases[0], lists)
    if reading.mistakes:
        raise ArchiveError(name, reading.mistakes)
    return Records(bases[0], words=words, **lists)


class _Reading:
    """The files of an archive; `mistakes` are the places that are wrong."""

    def __init__(self, files: dict[str, bytes]) -> None:
        self._files = files
        self.mistakes: list[tuple[str | Message, Message]] = []

    def text(self, file: str) -> str:
        try:
            return self._files.get(file, b"").decode("utf-8")
        except UnicodeDecodeError:
            self.mistakes.append((file, message("this isn't UTF-8. Save the file as UTF-8.")))
            return ""

    def records(self, file: str, kind: Any) -> list[Any]:
        found = []
        for number, line in enumerate(self.text(file).split("\n"), start=1):
            try:
                if line.strip():
                    found.append(noun(kind, json.loads(line)))
            except RowError as error:
                self._add(file, number, error.message)
            except json.JSONDecodeError as error:
                text = parsing(error.msg)
                reason = message("this isn't a JSON object ({reason}, column {n}).", reason=text, n=error.colno)
                self._add(file, number, reason)
            except RecursionError:
                self._add(file, number, message("this is nested too deeply."))
        return found

    def check(self, base: KnowledgeBase, lists: dict[str, tuple[Any, ...]]) -> None:
        """Note what doesn't belong together: another base's records, ids that stand twice, paths that lead out."""
        ids: set[str] = set()
        paths: set[tuple[str, str | None]] = set()
        for kind in ("notes", "versions"):
            for number, record in enumerate(lists[kind], start=1):
                note, file = record.note, f"{kind}.jsonl"
                if note.base_id != base.id:
                    self._add(file, number, message("this is a note of another base."))
                if note.path is not None and not safe(note.path):
                    reason = message("the path '{path}' could lead out of the folder.", path=note.path)
                    self._add(file, number, reason)
                if kind == "notes":
                    if note.id in ids or (note.path is not None and (note.source_ref, note.path) in paths):
                        self._add(file, number, message("this note stands here twice."))
                    ids.add(note.id)
                    paths.add((note.source_ref, note.path))
        for number, proposal in enumerate(lists["proposals"], start=1):
            if proposal.note_id not in ids:
                self._add("proposals.jsonl", number, message("the note of this change isn't in the archive."))

    def _add(self, file: str, number: int, reason: Message) -> None:
        self.mistakes.append((message("{file}, line {line}", file=file, line=number), reason))


def base_of(file: Path) -> KnowledgeBase:
    """Return the base in a zip, without its notes; raises SourceError for a damaged one, and for what is none."""
    with _member(file, _BASE) as stream:
        base: KnowledgeBase = noun(KnowledgeBase, json.loads(stream.read(_HEAD)))
        return base


def titles_of(file: Path) -> tuple[str, ...]:
    """Return the titles of the first notes in a zip; raises as `base_of` does."""
    with _member(file, "notes.jsonl") as stream:
        lines = iter(lambda: stream.readline(_HEAD), b"")
        return tuple(str(json.loads(line)["note"]["title"]) for line in islice(lines, _TITLES))


@contextmanager
def _member(file: Path, name: str) -> Iterator[IO[bytes]]:
    try:
        with files.opened(file) as stream, zipfile.ZipFile(stream) as archive, archive.open(name) as member:
            yield member
    except FAULTS as error:
        raise SourceError(
            str(file), "This zip archive is damaged or of an unknown kind ({reason}).", reason=str(error)
        ) from error


def data_of(file: Path) -> bytes:
    """Return the bytes of a zip; raises SourceError for what is no file, and OSError."""
    try:
        with files.opened(file) as stream:
            return stream.read()
    except files.Unfit as error:
        raise SourceError(str(file), "can't be read: {why}.", why=str(error)) from error
