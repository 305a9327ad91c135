"""Importing notes with tags, dates, tasks, links and files from Joplin exports (JEX), in a folder for each notebook."""

import posixpath
import re
import tarfile
from collections import defaultdict
from collections.abc import Collection, Mapping
from pathlib import Path, PurePosixPath

from core.base.errors import SourceError
from core.base.messages import message
from core.base.text import collapse_spaces, link_address
from core.intake.importers import (
    DAMAGED,
    MAX_BYTES,
    FilePart,
    FolderImporter,
    ImportedNotes,
    NoteFiles,
    Taken,
    add_front_matter,
    file_name,
    files,
    markup,
    tags_of,
    time_of,
    unique,
)
from core.model import Failed

_UNSET = ("", "0")

# An exported item: its fields by name, including `title` and `body`.
_Item = defaultdict[str, str]


class Joplin(FolderImporter):
    """Reads a folder of `.jex` files."""

    name = "Joplin"

    @property
    def knows(self) -> bool:
        return {PurePosixPath(path).suffix.lower() for path in files(self._folder)} == {".jex"}

    def notes(self, paths: Collection[str] = ()) -> ImportedNotes:
        """Yield each export's notes, in a folder for each notebook. Notes in Joplin's trash are skipped."""
        taken: Taken = {}
        for path in files(self._folder):
            try:
                yield from _notes(self._folder / path, taken)
            except (tarfile.TarError, OSError, EOFError, ValueError):
                yield Failed(path, DAMAGED)


def _notes(file: Path, taken: Taken) -> ImportedNotes:
    """Yield the notes in an archive. Raises ValueError or one of `tarfile`'s errors if the archive is damaged."""
    items = {}
    texts = {}
    resources = {}
    with tarfile.open(file, "r:") as archive:  # a compressed archive can't be read in parts
        for number, member in enumerate(archive):
            if number == 300_000:
                raise ValueError(file.name)
            part = FilePart(file, member.offset_data, member.size)
            if member.isfile() and member.name.startswith("resources/"):
                resources[PurePosixPath(member.name).stem] = part
            elif member.isfile() and member.size <= MAX_BYTES:
                item = _read(part)
                del item["body"]  # bodies are read one at a time
                items[item["id"]] = item
                texts[item["id"]] = part
    # An item's `type_` is 1 for a note, 4 for a resource, and 6 for a note's tag.
    tags = defaultdict(list)
    for item in items.values():
        if item["type_"] == "6" and (tag := items.get(item["tag_id"])):
            tags[item["note_id"]].append(tag["title"])
    places = {
        key: unique(f"{_folder(item, items)}{file_name(item['title'])}.md", taken)
        for key, item in items.items()
        if key and item["type_"] == "1"
    }
    for key, path in places.items():
        note = _read(texts[key])
        if note["encryption_applied"] == "1":
            yield Failed(
                note["title"] or key, message("This note is encrypted. Export it from Joplin without encryption.")
            )
            continue
        if note["deleted_time"] not in _UNSET:
            continue
        attached = NoteFiles()
        folder = posixpath.dirname(path) or "."

        def relative(match: re.Match[str], attached: NoteFiles = attached, folder: str = folder) -> str:
            linked = match[1]
            if linked in places:
                return link_address(posixpath.relpath(places[linked], folder)) + (match[2] or "")
            resource = items.get(linked)
            if not resource or resource["type_"] != "4":
                return match[0]
            return attached.address(
                resources.get(linked) if resource["encryption_blob_encrypted"] in _UNSET else None,
                resource["title"] or f"{linked}.{resource['file_extension']}",
            )

        try:
            # A value of 2 marks a clipped web page.
            body = markup.page(note["body"])[0] if note["markup_language"] == "2" else note["body"]
        except SourceError as error:
            yield Failed(path, error.reason)
            continue
        body = re.sub(r"""(?:(?<=\]\()|(?<=src="))<?:/([0-9a-f]{32})(#[^\s()<>"]*)?>?""", relative, body)
        if note["is_todo"] == "1":
            due = "" if note["todo_due"] in _UNSET else f" 📅 {time_of(note['todo_due'], 1000)[:10]}"
            body = f"- [{' ' if note['todo_completed'] in _UNSET else 'x'}] {note['title']}{due}\n\n{body}"
        yield attached.note(
            path,
            add_front_matter(
                {
                    "title": note["title"],
                    "tags": tags_of(tags[key]),
                    "created": note["user_created_time"] or note["created_time"],
                    "updated": note["user_updated_time"] or note["updated_time"],
                    "author": note["author"],
                    "source_url": note["source_url"],
                },
                f"{body}\n",
            ),
        )


def _folder(item: _Item, items: Mapping[str, _Item]) -> str:
    """Return the path of the notebooks that contain a note, stopping if the notebooks form a cycle."""
    titles = {}
    while (key := item["parent_id"]) in items and key not in titles:
        item = items[key]
        titles[key] = file_name(item["title"])
    # Up to nine nested notebooks become folders, because path lengths are limited.
    return "".join(f"{title}/" for title in reversed(list(titles.values())[:9]))


def _read(part: FilePart) -> _Item:
    """Read an exported item: a title, text, and one line per field."""
    text, _, fields = part.read().decode("utf-8-sig", "replace").rpartition("\n\n")
    title, _, body = text.partition("\n\n")
    item = defaultdict(str, (line.partition(": ")[::2] for line in fields.splitlines()))
    item.update(title=collapse_spaces(title), body=body)
    return item
