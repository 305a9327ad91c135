"""Importing notes with dates and tags from Evernote exports (ENEX). Pictures and files are only mentioned by name."""

import base64
import hashlib
import re
from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from xml.etree.ElementTree import Element, ParseError, TreeBuilder, fromstring
from xml.parsers import expat
from zoneinfo import ZoneInfo

from core.base.errors import SourceError
from core.base.files import reason
from core.base.frozen import TextValues
from core.base.messages import message
from core.base.text import collapse_spaces
from core.documents.kinds import wrong_kind
from core.intake.importers import (
    MAX_BYTES,
    FolderImporter,
    Imported,
    ImportedNotes,
    Taken,
    add_front_matter,
    file_name,
    files,
    tags_of,
    unique,
)
from core.intake.importers.markup import markdown
from core.model import Failed, Omission, summed


class Evernote(FolderImporter):
    """Reads a folder of `.enex` files. Each file is a notebook."""

    name = "Evernote"

    @property
    def knows(self) -> bool:
        suffixes = {PurePosixPath(path).suffix.lower() for path in files(self._folder)}
        return ".enex" in suffixes and not suffixes & {".md", ".markdown", ".txt"}

    def notes(self, paths: Collection[str] = ()) -> ImportedNotes:
        """Yield each notebook's notes, in a folder named after the notebook. An empty notebook counts as failed."""
        taken: Taken = {}
        for path in files(self._folder):
            if path.lower().endswith(".enex"):
                before = len(taken)
                try:
                    for note in _read(self._folder / path, path):
                        title = collapse_spaces(note.findtext("title", ""))
                        place = f"{PurePosixPath(path).with_suffix('')}/{file_name(title)}.md"
                        yield _to_imported(note, title, unique(place, taken))
                    if len(taken) == before:
                        yield Failed(path, message("This is an Evernote export without notes."))
                except SourceError as error:
                    yield Failed(path, error.reason)


# Maximum number of characters in an element.
_MOST_TEXT = 100 << 20


def _read(file: Path, path: str) -> Iterator[Element]:
    """Yield the notes in a notebook, reading the file block by block.

    Each resource's `data` is replaced by its fingerprint. No other file is read. Raises SourceError, for example if the
    notebook declares entities.
    """
    parser = expat.ParserCreate()
    tree = TreeBuilder()
    top = list[Element]()
    notes = []
    length = depth = 0

    def start(name: str, attributes: TextValues) -> None:
        nonlocal length, depth
        length = 0
        depth += 1
        element = tree.start(name, attributes)
        if not top:
            top.append(element)
        if depth > 100 or top[0].tag != "en-export":
            raise wrong_kind(path, message("an Evernote export"))

    def text(data: str) -> None:
        nonlocal length
        length += len(data)
        if length <= _MOST_TEXT:  # the rest is dropped
            tree.data(data)

    def end(name: str) -> None:
        nonlocal length, depth
        element = tree.end(name)
        whole = length <= _MOST_TEXT
        length = 0
        depth -= 1
        if name == "data":
            # A note's text refers to a resource by its MD5 fingerprint.
            encoded = element.text or ""
            element.text = ""
            with suppress(ValueError):
                data = base64.b64decode(encoded) if whole else b""
                element.text = hashlib.md5(data, usedforsecurity=False).hexdigest() if data else ""
        elif name == "note":
            notes.append(element)

    def refuse(*_: object) -> None:
        raise SourceError(
            path, "This file declares XML entities, which an Evernote export doesn't need. It was not imported."
        )

    parser.buffer_text = True
    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = text
    parser.EntityDeclHandler = refuse
    try:
        with file.open("rb") as stream:
            while block := stream.read(1024 * 1024):
                parser.Parse(block, False)
                yield from notes
                notes.clear()
                for element in top:
                    element.clear()
        parser.Parse(b"", True)
        yield from notes
    except expat.ExpatError as error:
        raise SourceError(
            path, "This Evernote export is damaged at line {line}. Export the notes again.", line=error.lineno
        ) from error
    except OSError as error:
        raise SourceError(path, "This file can't be read: {why}.", why=reason(error)) from error


def _to_imported(note: Element, title: str, place: str) -> Imported | Failed:
    def value(name: str) -> str:
        return note.findtext(name) or note.findtext(f"note-attributes/{name}") or ""

    names = {}
    words = []
    for number, resource in enumerate(note.findall("resource"), 1):
        suffix = resource.findtext("mime", "").rpartition("/")[2].split("+")[0].replace("jpeg", "jpg")
        name = re.sub(r"[\[\]|#^\x00-\x1f\\/]", " ", resource.findtext("resource-attributes/file-name", ""))
        name = collapse_spaces(name)[:120] or f"file-{number}.{file_name(suffix or 'bin')}"
        names[resource.findtext("data") or str(number)] = name
        if text := recognized_words(resource.findtext("recognition", "")):
            words.append(f"> {name}: {text}")
    groups = task_lists(note.findall("task"))
    if len(content := value("content")) > MAX_BYTES:
        return Failed(
            place,
            message(
                "This file contains a note larger than {limit} MB. Split the note, then export it again.",
                limit=MAX_BYTES // 2**20,
            ),
        )
    try:
        body, encrypted, placed = markdown(content, names, groups)
    except SourceError as error:
        return Failed(place, error.reason)
    rest = (text for group, text in groups.items() if group not in placed)
    links = (f"- [[{name}]]" for name in names.values() if name not in body)
    text = "\n\n".join(filter(None, (body, "\n".join(rest), "\n".join(links), *dict.fromkeys(words))))
    fields = {
        "title": title,
        "tags": tags_of(tag.text or "" for tag in note.findall("tag")),
        **{
            name.removesuffix("-time"): re.sub(
                r"(\d{4})(\d{2})(\d{2})T(\d{2})(\d{2})(\d{2})Z", r"\1-\2-\3T\4:\5:\6Z", value(name)
            )
            for name in ("created", "updated", "reminder-time")
        },
        "author": value("author"),
        "source_url": value("source-url"),
    }
    return Imported(
        place,
        add_front_matter(fields, f"{text}\n"),
        summed([Omission("encrypted", encrypted), Omission("attachment", len(names))]),
    )


def task_lists(tasks: Iterable[Element]) -> TextValues:
    """Return each task group as a list with checkboxes, keyed by group id."""
    made: TextValues = {}
    for task in sorted(tasks, key=lambda item: item.findtext("sortWeight", "")):
        box = "x" if task.findtext("taskStatus") == "completed" else " "
        due = _day(task.findtext("dueDate", ""), task.findtext("timeZone", ""))
        text = f"- [{box}] {collapse_spaces(task.findtext('title', ''))}" + (f" 📅 {due}" if due else "")
        for line in filter(str.strip, task.findtext("description", "").splitlines()):
            text += f"\n  {line.strip()}"
        group = task.findtext("taskGroupNoteLevelID", "")
        made[group] = f"{made[group]}\n{text}" if group in made else text
    return made


def _day(time: str, zone: str) -> str:
    """Return the day of a UTC time in a time zone, or in UTC if the zone is unknown, or "" for an invalid time."""
    try:
        return (
            datetime.strptime(time.strip(), "%Y%m%dT%H%M%SZ")
            .replace(tzinfo=UTC)
            .astimezone(ZoneInfo(zone.strip() or "UTC"))
            .date()
            .isoformat()
        )
    except (ValueError, OSError, KeyError, OverflowError):
        return f"{time[:4]}-{time[4:6]}-{time[6:8]}" if re.match(r"\d{8}T", time) else ""


def recognized_words(index: str) -> str:
    """Return the words that Evernote reliably recognized in a picture, or "" if `index` can't be read."""
    try:
        root = fromstring(index) if index and "<!ENTITY" not in index else Element("")
    except ParseError:
        return ""
    words = []
    for item in root.iter("item"):
        best = max(item.iter("t"), key=_weight, default=Element("t"))
        # Evernote gives each word it recognizes a weight of up to 100.
        if _weight(best) >= 60:
            words += (best.text or "").split()
    return " ".join(words)


def _weight(word: Element) -> int:
    weight = word.get("w", "")
    return int(weight) if weight.isdecimal() and len(weight) < 4 else 0
