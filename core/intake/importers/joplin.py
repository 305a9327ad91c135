"""Exports of Joplin (JEX): notes in the folders of their notebooks, with tags, dates, tasks and links to each other."""

import posixpath
import re
import tarfile
from collections import defaultdict
from collections.abc import Collection, Iterator
from pathlib import Path, PurePosixPath

from core.base.messages import message
from core.base.text import link_address
from core.intake.importers import MAX_BYTES, Imported, ImportedNotes, add_front_matter, file_name, files, unique
from core.model import Failed, Omission

_NOTE, _FOLDER, _RESOURCE, _TAG, _TAGGED = "1", "2", "4", "5", "6"
"""The `type_` of an item."""
_LINK = re.compile(r"(?<=\]\()<?:/([0-9a-f]{32})(#[^\s()<>]*)?>?")
_DEEPEST = 20
"""Notebooks in each other."""

_Item = dict[str, str]
"""The fields of an item of an export, with its `title` and `body`."""


class Joplin:
    """Reads the `.jex` files of a folder that holds nothing else."""

    name = "Joplin"
    keeps_files = False

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @property
    def knows(self) -> bool:
        """Whether all files are `.jex` files."""
        return {PurePosixPath(path).suffix.lower() for path in files(self._folder)} == {".jex"}

    def notes(self, paths: Collection[str] = ()) -> ImportedNotes:
        """Yield the notes of each export, in the folders of their notebooks."""
        taken: set[str] = set()
        for path in files(self._folder):
            try:
                yield from _notes({item["id"]: item for item in _items(self._folder / path)}, taken)
            except (tarfile.TarError, OSError, EOFError, ValueError):
                yield Failed(path, message("is damaged. Export it from Joplin again."))


def _items(file: Path) -> Iterator[_Item]:
    """Yield the items of an export; a compressed one is none."""
    with tarfile.open(file, "r:") as archive:
        for member in archive:
            stream = archive.extractfile(member) if member.isfile() and member.name.endswith(".md") else None
            if stream and member.size <= MAX_BYTES:
                text, _, fields = stream.read().decode("utf-8-sig", "replace").rpartition("\n\n")
                title, _, body = text.partition("\n\n")
                item = dict(line.partition(": ")[::2] for line in fields.splitlines())
                if "id" in item:
                    yield item | {"title": " ".join(title.split()), "body": body}


def _notes(items: dict[str, _Item], taken: set[str]) -> ImportedNotes:
    places: dict[str, str] = {}
    tags = defaultdict(list)
    for key, item in items.items():
        if item.get("type_") == _NOTE:
            folder = "".join(f"{file_name(above)}/" for above in reversed([*_above(item, items)]))
            places[key] = unique(f"{folder}{file_name(item['title'])}.md", taken)
        elif item.get("type_") == _RESOURCE:
            places[key] = file_name(item["title"] or key)
        elif item.get("type_") == _TAGGED and (tag := items.get(item.get("tag_id", ""))):
            tags[item.get("note_id")].append("-".join(tag["title"].split()))
    for key, item in items.items():
        if item.get("type_") == _NOTE:
            yield _to_imported(item, places, tags[key])


def _above(item: _Item, items: dict[str, _Item]) -> Iterator[str]:
    """Yield the titles of the notebooks around a note, the innermost first."""
    for _ in range(_DEEPEST):
        if not (above := items.get(item.get("parent_id", ""))):
            break
        item = above
        yield item["title"]


def _to_imported(note: _Item, places: dict[str, str], tags: list[str]) -> Imported | Failed:
    path = places[note["id"]]
    if note.get("encryption_applied") == "1":
        return Failed(path, message("is encrypted. Export it from Joplin unencrypted."))

    def relative(match: re.Match[str]) -> str:
        place = places.get(match[1])
        if place is None:
            return match[0]
        to = posixpath.relpath(place, posixpath.dirname(path) or ".") if place.endswith(".md") else place
        return link_address(to) + (match[2] or "")

    body = _LINK.sub(relative, note["body"])
    if note.get("is_todo") == "1":
        body = f"- [{' ' if note.get('todo_completed', '0') == '0' else 'x'}] {note['title']}\n\n{body}"
    fields = {
        "title": note["title"],
        "tags": tags,
        "created": note.get("created_time", ""),
        "updated": note.get("updated_time", ""),
        "author": note.get("author", ""),
        "source_url": note.get("source_url", ""),
    }
    attached = sum(not places.get(found[1], ".md").endswith(".md") for found in _LINK.finditer(note["body"]))
    left_out = (Omission("attachment", attached),) if attached else ()
    return Imported(path, add_front_matter(fields, f"{body}\n"), left_out)
