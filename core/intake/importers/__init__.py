"""Conversion of other programs' notes to Markdown: importers, the exports that they read, and attached files."""

import json
import os
import re
import stat
import zipfile
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path, PurePosixPath
from typing import Any, Protocol

from core.base.codec import value_at
from core.base.errors import SourceError
from core.base.files import reason
from core.base.frozen import AnyValues, ValueMap, frozen
from core.base.messages import message
from core.base.registry import Entry, Registry
from core.base.text import collapse_spaces, link_address
from core.documents.kinds import ZIP_DAMAGE, too_large
from core.intake.notefile import is_skipped
from core.intake.placeholders import lock_error
from core.markdown.frontmatter import dump
from core.model import Failed, Omission


@frozen
class FilePart:
    """A file, or a file in an uncompressed archive. It consists of `size` bytes of `file`, beginning at `start`."""

    file: Path
    start: int
    size: int

    def read(self) -> bytes:
        """Return the bytes, or b"" if the file is too large or can't be read."""
        with suppress(OSError), self.file.open("rb") as stream:
            stream.seek(self.start)
            # A larger file isn't read.
            return stream.read(self.size) if self.size <= 50_000_000 else b""
        return b""

    def digest(self) -> str:
        """Return a hash of the bytes, or "" if they can't be read."""
        with suppress(OSError):
            return _digest(self, self.file.stat().st_mtime_ns)
        return ""


@lru_cache(1_000)
def _digest(part: FilePart, _: int) -> str:
    """Return a part's hash, which is cached until the file's mtime changes, because many notes may link to the part."""
    data = part.read()
    return blake2b(data, digest_size=8).hexdigest() if data else ""


def find(folder: Path, path: str) -> FilePart | None:
    """Return the file at a path in a folder, or None if it is missing or resolves to a path outside the folder."""
    with suppress(OSError, RuntimeError, ValueError):  # an invalid name, or a symlink loop
        file = (folder / path).resolve(strict=True)
        if file.is_file() and file.is_relative_to(folder.resolve()):
            return FilePart(file, 0, file.stat().st_size)
    return None


@frozen
class Imported:
    """A note from another program as Markdown with front matter. `path` is its path in the base.

    `left_out` lists what is missing from the text. `files` are the files that the note links to, keyed by address.
    """

    path: str
    text: str
    left_out: tuple[Omission, ...] = ()
    files: Mapping[str, FilePart] = field(default_factory=dict)


# Imported notes, and failures for notes that can't be read.
ImportedNotes = Iterator[Imported | Failed]


class Importer(Protocol):
    """Reads notes from another program. The constructor takes a folder, which isn't trusted, and reads nothing."""

    @property
    def name(self) -> str:
        """Name of the program."""

    @property
    def knows(self) -> bool:
        """Whether the folder seems to contain notes from this program, after a quick check."""

    @property
    def keeps_files(self) -> bool:
        """Whether each file remains a note at the same path.

        If False, the folder is an export, and its notes are written to new files.
        """

    def notes(self, paths: Collection[str] = ()) -> ImportedNotes:
        """Yield the notes in the given files, by default in all files, in a stable order.

        Implementations must not read files outside the folder or make requests. An unreadable note becomes a Failed.
        """


@dataclass(eq=False)
class FolderImporter:
    """Base class for importers. Most of them read an export."""

    keeps_files = False
    _folder: Path


IMPORTERS: Registry[Importer] = Registry(
    message("importer"),
    {
        "logseq": Entry("core.intake.importers.logseq:Logseq", signs=r"(?:^|/)logseq/config\.edn$"),
        "notion": Entry("core.intake.importers.notion:Notion", signs=r"[0-9a-f]{32}(?:_all)?\.\w{1,8}$"),
        "evernote": Entry("core.intake.importers.evernote:Evernote", signs=r"(?i)\.enex$"),
        "joplin": Entry("core.intake.importers.joplin:Joplin", signs=r"(?i)\.jex$"),
        "keep": Entry("core.intake.importers.keep:Keep", signs=r"\.json$"),
        "slack": Entry("core.intake.importers.chats:Slack", signs=r"users\.json$"),
        "telegram": Entry("core.intake.importers.chats:Telegram", signs=r"result\.json$"),
    },
    group="tessera.importers",
    protocol=Importer,
)


def importer_of(folder: Path) -> Importer | None:
    """Return the importer for a folder, or None.

    Only importers whose `signs` match the path of a file in the folder are created.
    """
    paths = "\n".join(files(folder))
    made = (IMPORTERS.make(name, folder) for name in IMPORTERS if re.search(IMPORTERS[name].signs, paths, re.MULTILINE))
    return next((importer for importer in made if importer.knows), None)


# The fields of front matter, keyed by name.
Fields = AnyValues
# Maximum size of a text file in bytes.
MAX_BYTES = 20 * 1024 * 1024
# Pattern for the name of a Notion export, or of the folder that contains one of its parts.
EXPORT = re.compile(r"Export-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?:-Part-\d+)?")
DAMAGED = message("This file is damaged. Export it from its program again.")
_PLAIN = (str, int, float)


def add_front_matter(fields: ValueMap, body: str) -> str:
    """Return Markdown with the non-empty fields as its front matter."""
    filled = {name: value for name, value in fields.items() if value not in ("", [], None)}
    return (dump(filled) or ("---\n---\n" if body.startswith("---") else "")) + body


def file_name(title: str) -> str:
    """Return a file name for a title, without a suffix."""
    name = collapse_spaces(re.sub(r"[\\/:*?\"<>|#^\[\]\x00-\x1f\x7f]+", " ", title)).strip(". ")
    # Most systems allow 255 bytes.
    return name[:120].encode("utf-8", "ignore")[:200].decode("utf-8", "ignore").strip() or "Untitled"


# The last number appended to each note path, keyed by case-folded path.
Taken = dict[str, int]


def unique(path: str, taken: Taken) -> str:
    """Return a path, with a number appended if the path is taken, ignoring case. Add the result to `taken`."""
    stem, dot, suffix = path.rpartition(".")
    free = path
    while free.casefold() in taken:
        taken[path.casefold()] += 1
        free = f"{stem} {taken[path.casefold()]}{dot}{suffix}"
    taken[free.casefold()] = 1
    return free


def files(folder: Path) -> Iterator[str]:
    """Yield the paths of the files below a folder in a stable order, skipping hidden and linked files."""
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


def read_bytes(folder: Path, path: str, most: int = MAX_BYTES) -> bytes:
    """Return the bytes of a file in a folder.

    Raises SourceError if the file can't be read, is larger than `most` bytes, or is no longer in the folder.
    """
    full = folder / path
    try:
        if not full.resolve(strict=True).is_relative_to(folder.resolve()):
            raise SourceError(path, "This is a link that points outside the folder. It was not imported.")
        status = full.stat()
        if not stat.S_ISREG(status.st_mode):
            raise SourceError(path, "This is a device or a pipe, not a file. It was not imported.")
        if status.st_size > most:
            raise too_large(path, status.st_size, most)
        with full.open("rb") as file:
            data = file.read(most + 1)
    except (OSError, RuntimeError) as error:
        raise lock_error(error, path) or SourceError(
            path, "This file can't be read: {why}.", why=reason(error)
        ) from error
    if len(data) > most:
        raise too_large(path, len(data), most)
    return data


def read_text(folder: Path, path: str) -> str:
    """Return the text of a UTF-8 file with `\\n` as line ends. Raises SourceError."""
    return read_bytes(folder, path).decode("utf-8-sig", "replace").replace("\r\n", "\n").replace("\r", "\n")


def read_json(folder: Path, path: str, failed: list[Failed], most: int = MAX_BYTES) -> Any:
    """Return the parsed contents of a JSON file. If the file can't be read, add it to `failed` and return None."""
    try:
        return json.loads(read_bytes(folder, path, most))
    except SourceError as error:
        failed.append(Failed(path, error.reason))
    except (ValueError, RecursionError):
        failed.append(Failed(path, DAMAGED))
    return None


def text_of(node: object, *names: str) -> str:
    """Return the string or number at a sequence of keys as text.

    If there is a list or an object, the strings and numbers in it are joined by commas. For any other value, return "".
    """
    value = value_at(node, names)
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        return ", ".join(str(item) for item in value if isinstance(item, _PLAIN) and item is not False)
    return str(value) if isinstance(value, _PLAIN) else ""


def time_of(seconds: str, per_second: int = 1) -> str:
    """Return a Unix time, which may be negative, as ISO 8601 in UTC, or "" if it isn't a number.

    `per_second` is the number of the time's units in a second.
    """
    try:
        return (datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=float(seconds) / per_second)).isoformat(
            timespec="seconds"
        )
    except (ValueError, OverflowError):
        return ""


def tags_of(names: Iterable[str]) -> list[str]:
    """Return another program's tags, replacing spaces with hyphens because tags can't contain spaces."""
    return ["-".join(name.split()) for name in names if name.strip()]


# Name of the folder for attachments among the workspace's files.
FOLDER = "attachments"


@dataclass(slots=True)
class NoteFiles:
    """The imported files that a note links to, keyed by address, and the names of missing files."""

    parts: dict[str, FilePart] = field(default_factory=dict)
    missing: list[str] = field(default_factory=list)

    def address(self, part: FilePart | None, name: str, elsewhere: str = "") -> str:
        """Return a file's address, which contains its hash. For a missing file, return `elsewhere` or else `name`."""
        path = PurePosixPath(file_name(name))
        if not part or not (digest := part.digest()):
            self.missing.append(name)
            return elsewhere or link_address(str(path))
        stem = re.sub(r"[^\w-]+", "-", path.stem).strip("-")[:40]
        address = f"{FOLDER}/{stem or 'file'}-{digest}{path.suffix.lower()}"
        self.parts[address] = part
        return link_address(address)

    def link(self, part: FilePart | None, name: str, elsewhere: str = "") -> str:
        """Return a link to a file, or an embed if the file is a picture."""
        label = file_name(name)
        is_picture = PurePosixPath(label).suffix.lower() in ".png .jpg .jpeg .gif .webp .avif .bmp .svg".split()
        return f"{'!' if is_picture else ''}[{label}]({self.address(part, name, elsewhere)})"

    def note(self, path: str, text: str) -> Imported:
        return Imported(
            path,
            text,
            (Omission("attachment", len(self.missing), ", ".join(self.missing)[:200]),) if self.missing else (),
            self.parts,
        )


# Suffixes of archives and of exports that consist of a single file.
SUFFIXES = (".zip", ".enex", ".jex")
# Pattern for the paths of files in exports that aren't notes, but from which an importer reads notes.
EXPORTED = re.compile(
    r"(?i)\.jex$|(?:^|/)(?:users|result)\.json$|(?:^|/)(?:takeout/[^/]+|keep)/[^/]+\.json$|^[^/]+\.json$"
)

# The paths, sizes and modification times of files.
FileStates = list[tuple[str, int, int]]


def exports_in(folder: Path) -> list[Path]:
    """Return the exports directly in a folder."""
    with suppress(OSError):
        return [place for place in sorted(folder.iterdir()) if not is_skipped(place.name) and is_export(place)]
    return []


@lru_cache(100)
def _packs_export(file: Path, _mtime_ns: int) -> bool:
    with zipfile.ZipFile(file) as archive:
        return any(map(EXPORTED.search, archive.namelist()))


def is_export(place: Path) -> bool:
    """Return whether a file or folder is an export. Only files with names that occur in exports are read."""
    with suppress(*ZIP_DAMAGE):
        if place.is_symlink():
            return False
        if place.is_dir():
            names = [f"{place.name}/{inside.name}" for inside in place.iterdir()]
            named = any(EXPORTED.search(name) or EXPORTED.search(f"{name}/0.json") for name in names)
            importer = importer_of(place) if named else None
            return importer is not None and not importer.keeps_files
        if place.suffix.lower() == ".zip":
            return _packs_export(place, place.stat().st_mtime_ns)
        return place.suffix.lower() in SUFFIXES
    return False


def state_of(place: Path) -> FileStates:
    """Return the states of an export's files, which are compared later to detect changes."""
    states = FileStates()
    for file in [place / path for path in files(place)] if place.is_dir() else [place]:
        with suppress(OSError):
            state = file.stat()
            states.append((str(file), state.st_size, state.st_mtime_ns))
    return states
