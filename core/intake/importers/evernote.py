"""Evernote exports (ENEX): notes with their dates and tags; pictures and files are only named."""

import base64
import binascii
import hashlib
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from xml.etree.ElementTree import Element, ParseError, fromstring
from xml.parsers import expat
from zoneinfo import ZoneInfo

from core.base.errors import SourceError
from core.base.messages import message
from core.intake.importers import (
    MAX_BYTES,
    FolderImporter,
    Imported,
    ImportedNotes,
    Taken,
    add_front_matter,
    file_name,
    files,
    markup,
    tags_of,
    unique,
)
from core.model import Failed, Omission

TASK = ("title", "taskStatus", "dueDate", "timeZone", "description", "sortWeight", "taskGroupNoteLevelID")
"""XML elements of a task that are read."""
_SURE = 60
"""Minimum weight, up to 100, of a word that Evernote recognized in a picture."""


def task_lists(tasks: Iterable[Mapping[str, str]]) -> dict[str, str]:
    """Return the tasks in each group as a list with checkboxes, by the group's id."""
    made: dict[str, list[str]] = {}
    for task in sorted(tasks, key=lambda item: item.get("sortWeight", "")):
        box = "x" if task.get("taskStatus") == "completed" else " "
        due = _day(task.get("dueDate", ""), task.get("timeZone", ""))
        title = " ".join(task.get("title", "").split())
        lines = [f"- [{box}] {title}" + (f" 📅 {due}" if due else "")]
        lines += [f"  {line.strip()}" for line in task.get("description", "").splitlines() if line.strip()]
        made.setdefault(task.get("taskGroupNoteLevelID", ""), []).extend(lines)
    return {group: "\n".join(lines) for group, lines in made.items()}


def _day(time: str, zone: str) -> str:
    """Return the day of a UTC time in the given time zone, "" if there is no time."""
    try:
        at = datetime.strptime(time.strip(), "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
        return at.astimezone(ZoneInfo(zone.strip() or "UTC")).date().isoformat()
    except (ValueError, OSError, KeyError, OverflowError):
        return f"{time[:4]}-{time[4:6]}-{time[6:8]}" if re.match(r"\d{8}T", time) else ""


def recognized_words(index: str) -> str:
    """Return the words that Evernote recognized reliably in a picture, "" if its index can't be read."""
    try:
        root = fromstring(index) if index and "<!ENTITY" not in index else Element("")
    except ParseError:
        return ""
    words = []
    for item in root.iter("item"):
        read = [(_weight(element.get("w", "")), element.text or "") for element in item.iter("t")]
        weight, word = max(read, key=lambda pair: pair[0], default=(0, ""))
        words.append(" ".join(word.split()) if weight >= _SURE else "")
    return " ".join(filter(None, words))


def _weight(said: str) -> int:
    return int(said) if said.isdecimal() and len(said) < 4 else 0


_BLOCK = 1024 * 1024
_MOST_NOTES = 100_000
_DEEPEST = 100
_MOST_RESOURCE = 100 * 1024 * 1024
"""Maximum number of characters in a resource to fingerprint; a larger resource is identified by its number."""
_TIME = re.compile(r"(\d{4})(\d{2})(\d{2})T(\d{2})(\d{2})(\d{2})Z")
_TIMES = ("created", "updated", "reminder-time")
_RESOURCE = ("data", "mime", "file-name", "recognition")
_TEXTS = frozenset(
    (
        *("title", "content", "tag", "author", "source-url"),
        *_TIMES,
        *_RESOURCE,
        *TASK,
    )
)


@dataclass(slots=True)
class _EvernoteNote:
    """A parsed note; `files` has the names of its resources by fingerprint.

    `tasks` has the values of each task, `words` has the names of pictures with the words that Evernote recognized in
    them.
    """

    values: dict[str, str] = field(default_factory=dict)
    tags: list[str] = field(default_factory=list)
    files: dict[str, str] = field(default_factory=dict)
    tasks: list[dict[str, str]] = field(default_factory=list)
    words: list[tuple[str, str]] = field(default_factory=list)


class Evernote(FolderImporter):
    """Reads the `.enex` files in a folder without notes; each file is a notebook."""

    name = "Evernote"

    @property
    def knows(self) -> bool:
        """Whether the folder contains `.enex` files, and no notes."""
        suffixes = {PurePosixPath(path).suffix.lower() for path in files(self._folder)}
        return ".enex" in suffixes and not suffixes & {".md", ".markdown", ".txt"}

    def notes(self, paths: Collection[str] = ()) -> ImportedNotes:
        """Yield the notes in each notebook, in a folder for it; a notebook without notes counts as failed."""
        taken: Taken = {}
        for path in files(self._folder):
            if path.lower().endswith(".enex"):
                before = len(taken)
                try:
                    for note in _read(self._folder / path, path):
                        title = " ".join(note.values.get("title", "").split())
                        place = PurePosixPath(path).with_suffix("") / f"{file_name(title)}.md"
                        yield _to_imported(note, unique(str(place), taken))
                    if len(taken) == before:
                        yield Failed(path, message("is an Evernote export without notes."))
                except SourceError as error:
                    yield Failed(path, error.reason)


def _to_imported(note: _EvernoteNote, place: str) -> Imported | Failed:
    try:
        groups = task_lists(note.tasks)
        body, encrypted, placed = markup.markdown(note.values.get("content", ""), note.files, groups)
    except SourceError as error:
        return Failed(place, error.reason)
    files = "\n".join(f"- [[{name}]]" for name in note.files.values() if name not in body)
    words = "\n\n".join(dict.fromkeys(f"> {name}: {text}" for name, text in note.words))
    rest = "\n".join(text for group, text in groups.items() if group not in placed)
    text = "\n\n".join(filter(None, (body, rest, files, words)))
    counts = {"encrypted": encrypted, "attachment": len(note.files)}
    fields = {
        "title": " ".join(note.values.get("title", "").split()),
        "tags": tags_of(note.tags),
        **{name.removesuffix("-time"): _TIME.sub(r"\1-\2-\3T\4:\5:\6Z", note.values.get(name, "")) for name in _TIMES},
        "author": note.values.get("author", ""),
        "source_url": note.values.get("source-url", ""),
    }
    left_out = tuple(Omission(kind, count) for kind, count in counts.items() if count)
    return Imported(place, add_front_matter(fields, f"{text}\n"), left_out)


def _read(file: Path, path: str) -> Iterator[_EvernoteNote]:
    """Yield the notes in a notebook, read block by block; raises SourceError."""
    reader = _EvernoteHandler(path)
    try:
        with file.open("rb") as stream:
            while block := stream.read(_BLOCK):
                reader.parser.Parse(block, False)
                yield from reader.taken()
            reader.parser.Parse(b"", True)
            yield from reader.taken()
    except expat.ExpatError as error:
        raise SourceError(path, "isn't a valid Evernote export (line {line}).", line=error.lineno) from error
    except OSError as error:
        raise SourceError(path, "can't be read: {why}.", why=error.strerror or str(error)) from error


class _EvernoteHandler:
    """Handlers for the XML parser. A file that declares entities is refused, and no other file is read."""

    def __init__(self, path: str) -> None:
        self.parser = expat.ParserCreate()
        self.parser.buffer_text = True
        self.parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_NEVER)
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._text
        self.parser.EntityDeclHandler = self._entity
        self._path = path
        self._open: list[str] = []
        self._note = _EvernoteNote()
        self._resource: dict[str, str] = {}
        self._parts: list[str] = []
        self._length = self._count = 0
        self._done: list[_EvernoteNote] = []

    def taken(self) -> list[_EvernoteNote]:
        """Return the notes that are complete, and forget them."""
        done, self._done = self._done, []
        return done

    def _entity(self, *_: object) -> None:
        raise SourceError(
            self._path, "declares XML entities, which an Evernote export doesn't need, so it was refused."
        )

    def _start(self, name: str, _: object) -> None:
        if len(self._open) >= _DEEPEST:
            raise SourceError(self._path, "is nested more deeply than an Evernote export should be.")
        if not self._open and name != "en-export":
            raise SourceError(self._path, "isn't an Evernote export, despite its name.")
        self._open.append(name)
        self._parts, self._length = [], 0
        if name == "note":
            self._note = _EvernoteNote()
            self._count += 1
            if self._count > _MOST_NOTES:
                raise SourceError(self._path, "contains more than {n} notes. Divide it.", n=_MOST_NOTES)
        elif name == "resource":
            self._resource = {}
        elif name == "task":
            self._note.tasks.append({})

    def _text(self, text: str) -> None:
        if not self._open or self._open[-1] not in _TEXTS:
            return
        self._length += len(text)
        is_data = self._open[-1] == "data"
        if self._length <= (_MOST_RESOURCE if is_data else MAX_BYTES):
            self._parts.append(text)
        elif is_data:
            self._parts = []
        else:
            raise SourceError(self._path, "contains a note larger than {limit} MB.", limit=MAX_BYTES // 2**20)

    def _end(self, name: str) -> None:
        self._open.pop()
        text, self._parts = "".join(self._parts), []
        if "resource" in self._open:
            if name in _RESOURCE:
                self._resource[name] = _fingerprint(text) if name == "data" else text
        elif self._open[-1:] == ["task"] and name in TASK:
            self._note.tasks[-1][name] = text
        elif "task" in self._open:
            return
        elif name == "resource":
            number = len(self._note.files) + 1
            suffix = self._resource.get("mime", "").rpartition("/")[2].split("+")[0].replace("jpeg", "jpg")
            called = _in_link(self._resource.get("file-name", "")) or f"file-{number}.{file_name(suffix or 'bin')}"
            self._note.files[self._resource.get("data") or str(number)] = called
            if words := recognized_words(self._resource.get("recognition", "")):
                self._note.words.append((called, words))
        elif name == "tag":
            self._note.tags.append(text)
        elif name in _TEXTS:
            self._note.values.setdefault(name, text)
        elif name == "note":
            self._done.append(self._note)


def _fingerprint(data: str) -> str:
    """Return the MD5 fingerprint with which a note's text refers to a resource."""
    try:
        return hashlib.md5(base64.b64decode("".join(data.split())), usedforsecurity=False).hexdigest() if data else ""
    except (binascii.Error, ValueError):
        return ""


def _in_link(name: str) -> str:
    return " ".join(re.sub(r"[\[\]|#^\x00-\x1f\\/]", " ", name).split())[:120]
