"""Notes of other programs -> Markdown: the table of the importers, and which one knows a folder."""

import json
import os
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import yaml

from core.base.errors import SourceError
from core.base.messages import message
from core.base.registry import Entry, Registry
from core.model import Failed, Omission


@dataclass(frozen=True, slots=True)
class Imported:
    """A note of another program as Markdown with front matter; `path` is where it belongs below the top of its base.

    `left_out` names what the text lacks.
    """

    path: str
    text: str
    left_out: tuple[Omission, ...] = ()


ImportedNotes = Iterator[Imported | Failed]
"""Notes as they are read, and what can't be."""


class Importer(Protocol):
    """Reads the notes of another program. Its constructor takes their folder, which is hostile, and reads nothing."""

    @property
    def name(self) -> str:
        """What the program is called."""

    @property
    def knows(self) -> bool:
        """Whether the folder holds notes of this program, by its files; cheap, and false for a folder without them."""

    @property
    def keeps_files(self) -> bool:
        """Whether each file is the note of the same path, so that the folder stays the source of its notes.

        Else it is an export, whose notes are written as files of other names.
        """

    def notes(self, paths: Collection[str] = ()) -> ImportedNotes:
        """Yield the notes of these files, all without `paths`, in the same order for the same folder.

        It reads no file outside of the folder and asks no network. What can't be read is a Failed.
        """


IMPORTERS: Registry[Importer] = Registry(
    message("importer"),
    {
        "logseq": Entry("core.intake.importers.logseq:Logseq"),
        "notion": Entry("core.intake.importers.notion:Notion"),
        "evernote": Entry("core.intake.importers.evernote:Evernote"),
        "joplin": Entry("core.intake.importers.joplin:Joplin"),
        "keep": Entry("core.intake.importers.keep:Keep"),
        "slack": Entry("core.intake.importers.chats:Slack"),
        "telegram": Entry("core.intake.importers.chats:Telegram"),
    },
    group="tessera.importers",
    protocol=Importer,
)


def importer_of(folder: Path) -> Importer | None:
    """Return the importer that knows a folder, None for a folder of files as they are."""
    made = (IMPORTERS.make(name, folder) for name in IMPORTERS)
    return next((importer for importer in made if importer.knows), None)


Fields = dict[str, Any]
"""Front matter: values by the names of fields."""
MAX_BYTES = 20 * 1024 * 1024
"""Bytes of a file of text."""
EXPORT = re.compile(r"Export-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?:-Part-\d+)?")
"""What Notion calls an export, and the folder around each of its parts."""
_UNFIT = re.compile(r"[\\/:*?\"<>|#^\[\]\x00-\x1f\x7f]+")


def add_front_matter(fields: Mapping[str, Any], body: str) -> str:
    """Return a text with the fields that hold something as its front matter."""
    said = {name: value for name, value in fields.items() if value not in ("", [], None)}
    if not said:
        return body if not body.startswith("---") else f"---\n---\n{body}"
    return f"---\n{yaml.safe_dump(said, allow_unicode=True, sort_keys=False, width=10_000)}---\n{body}"


def file_name(title: str) -> str:
    """Return a title as the name of a file, without its suffix."""
    name = " ".join(_UNFIT.sub(" ", title).split()).strip(". ")
    return name[:120].strip() or "Untitled"


def unique(path: str, taken: set[str]) -> str:
    """Return a path, with a number where it is taken, and take it; paths differ by more than case."""
    stem, dot, suffix = path.rpartition(".")
    number, free = 1, path
    while free.casefold() in taken:
        number += 1
        free = f"{stem} {number}{dot}{suffix}"
    taken.add(free.casefold())
    return free


def files(folder: Path) -> Iterator[str]:
    """Yield the paths of the files below a folder in order, without hidden and linked ones."""
    waiting = [(str(folder), "")]
    while waiting:
        place, path = waiting.pop()
        folders = []
        try:
            with os.scandir(place) as there:
                for dir_entry in sorted(there, key=lambda dir_entry: dir_entry.name):
                    if dir_entry.name.startswith(".") or dir_entry.is_symlink():
                        continue
                    if not dir_entry.is_dir():
                        yield path + dir_entry.name
                    elif dir_entry.name != "__MACOSX":
                        folders.append((dir_entry.path, f"{path}{dir_entry.name}/"))
        except OSError:
            continue
        waiting += reversed(folders)


def read_text(folder: Path, path: str) -> str:
    """Return the text of a file in UTF-8, with ends of lines as `\\n`; raises SourceError."""
    full = folder / path
    try:
        if not full.resolve(strict=True).is_relative_to(folder.resolve()):
            raise SourceError(path, "is a link that points outside the folder: refused.")
        with full.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except (OSError, RuntimeError) as error:
        raise SourceError(path, "can't be read: {why}.", why=getattr(error, "strerror", "") or str(error)) from error
    if len(data) > MAX_BYTES:
        raise SourceError(path, "is larger than {limit} MB. Divide it.", limit=MAX_BYTES // 2**20)
    return data.decode("utf-8-sig", "replace").replace("\r\n", "\n").replace("\r", "\n")


def read_json(folder: Path, path: str) -> Any:
    """Return the JSON of a file, None where it can't be read."""
    try:
        return json.loads(read_text(folder, path))
    except (SourceError, ValueError, RecursionError):
        return None


def objects(node: Any, name: str = "") -> list[dict[str, Any]]:
    """Return the objects in a list, or in the list that is a value of an object; none where there is none."""
    listed = node.get(name) if name and isinstance(node, dict) else node
    return [item for item in listed if isinstance(item, dict)] if isinstance(listed, list) else []


def text_of(node: Any, name: str) -> str:
    """Return a value of an object that is a text, "" for another one."""
    value = node.get(name) if isinstance(node, dict) else ""
    return value if isinstance(value, str) else ""
