"""Read and write a base as a zip that contains word lists and a JSON Lines file for each kind of record."""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from io import BytesIO
from itertools import islice
from pathlib import Path
from typing import IO, Any, get_args, get_type_hints
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from core.base import files
from core.base.app_paths import PROGRAM
from core.base.codec import to_plain
from core.base.errors import ArchiveError, RowError, SourceError
from core.base.faults import translate_errors
from core.base.frozen import AnyValues, Pair, Texts
from core.base.messages import message
from core.features.archives.records import FORMAT, Made, Mistakes, RecordParts, Records, WordLists, check_format
from core.intake import upload
from core.intake.encoding import MAX_BYTES
from core.intake.notefile import is_note
from core.intake.rows import noun, parse_json
from core.model import Feedback, KnowledgeBase, RequestedPermissions
from core.notes import fields
from core.query import synonyms
from core.store.backups.manifest import DAMAGE
from core.store.base_table import SyncRecord

_MARK = "tessera.json"
_BASE = "base.json"
_WORDS = "words/"
_LISTS = "notes versions edits proposals sets runs syncs uses".split()
# Maximum size of a record in bytes. It is enough for the largest note with every character escaped in JSON.
_MOST_LINE = 2 * MAX_BYTES + 2**20
_MOST_HEAD = 2**20
_MOST_FOLDERS = 20
# Maximum number of note titles to read from an archive in the list of deleted bases.
_TITLES = 50

FILES = (synonyms.FILE, fields.FILE)


def pack(records: Records) -> bytes:
    """Return a base as a zip. The same records always produce the same bytes."""
    stream = BytesIO()
    with ZipFile(stream, "w") as archive:
        for name, text in _files(records):
            member = ZipInfo(name)  # without a time, so it is always the start of 1980
            member.external_attr = 0o600 << 16
            archive.writestr(member, text, ZIP_DEFLATED, compresslevel=6)
    return stream.getvalue()


def _files(records: Records) -> Iterator[Pair]:
    yield _MARK, _line(FORMAT)
    yield _BASE, _line(to_plain(records.base))
    for name in _LISTS:
        yield f"{name}.jsonl", "".join(_line(to_plain(record)) for record in getattr(records, name))
    for name, text in sorted(records.words.items()):
        yield f"{_WORDS}{name}", text


def _line(value: object) -> str:
    return json.dumps(value, ensure_ascii=False) + "\n"


def is_notes(archive: upload.Archive) -> bool:
    """Return whether a zip contains note files rather than an exported base."""
    return _MARK not in archive.names and any(map(is_note, archive.names))


def unpack(stream: IO[bytes], name: str, *, own: bool = False) -> Records:
    """Return the records in a zip. Each record is read only when it is needed.

    `own` says whether this workspace wrote the zip. If so, no size limits apply. Raises ArchiveError if the zip isn't
    an exported base, and SourceError if it is damaged.
    """
    archive = upload.open_archive(stream, name, limited=not own)
    head = None
    with suppress(RowError):
        head = parse_json(archive.read(_MARK, _MOST_HEAD))
    check_format(head if isinstance(head, dict) else {}, name, _MARK)
    kinds = get_type_hints(Records)
    lists: AnyValues = {
        kind: RecordParts(partial(_lines, archive, f"{kind}.jsonl", get_args(kinds[kind])[0], own)) for kind in _LISTS
    }
    # Earlier versions of Tessera wrote verdicts instead of uses.
    verdicts = RecordParts(partial(_lines, archive, "feedback.jsonl", Feedback, own))
    lists["uses"] = lists["uses"].followed_by(verdicts.map(Feedback.use))
    try:
        base: KnowledgeBase = noun(KnowledgeBase, parse_json(archive.read(_BASE, _MOST_HEAD)))
    except RowError as error:
        raise ArchiveError(name, [(_BASE, error.message)]) from error
    words = {file: archive.read(f"{_WORDS}{file}", files.SMALL) for file in FILES}
    return Records(
        base,
        words={file: text.decode("utf-8", "replace") for file, text in words.items() if text},
        powers=RequestedPermissions(folders=() if own else _folders(lists["syncs"])),
        **lists,
    )


def _lines(archive: upload.Archive, file: str, kind: object, own: bool) -> Iterator[Made[Any]]:
    for number, line in enumerate(archive.lines(file, None if own else _MOST_LINE), start=1):
        yield message("{file}, line {line}", file=file, line=number), partial(_record, kind, line)


def _record(kind: object, line: bytes) -> object:
    return noun(kind, parse_json(line, 10_000_000))  # a test run has about 300 values per question


def _folders(syncs: RecordParts[SyncRecord]) -> Texts:
    """Return the folders from which an archive's notes were synced. Reading stops at the first unreadable record."""
    folders = list[str]()
    with suppress(RowError, SourceError):  # `checked` reports the error
        folders.extend(sync.folder for sync in syncs if re.match(r"[/~\\]|.:", sync.folder))
    return tuple(folders[:_MOST_FOLDERS])


def base_of(file: Path) -> KnowledgeBase:
    """Return the base in a zip, but not the notes. Raises SourceError if the zip is damaged or isn't an archive."""
    with _member(file, _BASE) as stream:
        base: KnowledgeBase = noun(KnowledgeBase, json.loads(stream.read(_MOST_HEAD)))
        return base


def titles_of(file: Path) -> Texts:
    """Return the titles of the first notes in a zip, up to _TITLES. Raises the same errors as `base_of`."""
    with _member(file, "notes.jsonl") as stream:
        lines = iter(lambda: stream.readline(_MOST_LINE), b"")
        return tuple(str(json.loads(line)["note"]["title"]) for line in islice(lines, _TITLES))


@contextmanager
def _member(file: Path, name: str) -> Iterator[IO[bytes]]:
    try:
        with files.open_regular(file) as stream, ZipFile(stream) as archive, archive.open(name) as member:
            yield member
    except (*DAMAGE, RowError) as error:
        files.check_access(file, error)
        raise SourceError(
            str(file), "This zip archive is damaged, encrypted or of an unknown type. Try another copy of it."
        ) from error


def check(words: WordLists, mistakes: Mistakes) -> None:
    """Check an archive's word lists, and add unreadable lines to `mistakes`."""
    for problem in synonyms.problems(words.get(synonyms.FILE, "")):
        mistakes.add(f"words/{synonyms.FILE}", problem)
    for problem in fields.parse(words.get(fields.FILE, "").encode()).problems:
        mistakes.add(f"words/{fields.FILE}", problem)


def user_wordlists(folder: Path) -> WordLists:
    """Return the user's word lists in a workspace, by file name."""
    return {name: text for name in FILES if (text := _text(folder / name))}


def add(folder: Path, words: WordLists) -> None:
    """Add an archive's words to a workspace's word lists. A list that the user hasn't edited is replaced."""
    for name, text in words.items():
        shipped = PROGRAM / "data" / name
        own = _text(folder / name)
        untouched = not own or (shipped.is_file() and own == shipped.read_text(encoding="utf-8"))
        there = {*own.splitlines()}
        more = [line for line in text.splitlines() if line.strip() and line not in there]
        if own != text and (untouched or more):
            with translate_errors(folder):
                files.replace(folder / name, text if untouched else own.rstrip("\n") + "\n" + "\n".join(more) + "\n")


def _text(file: Path) -> str:
    """Return a word list's text, or "" if the file can't be read."""
    with suppress(OSError, files.Unfit):
        return files.read(file).decode("utf-8", "replace")
    return ""
