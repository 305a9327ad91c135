"""The pictures and other files used in notes, and OCR for pictures.

Only files in a base's folders or in the workspace's folder of pictures are used.
"""

import os
import re
import stat
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from hashlib import sha256
from itertools import islice
from logging import getLogger
from pathlib import Path, PurePosixPath
from posixpath import dirname, relpath
from threading import Lock

from core import embedding
from core.base import files, safe_replace
from core.base.call_log import log_call
from core.base.errors import EditError, NoteNotFound, SourceError, UnknownChoice
from core.base.faults import FILES, FULL
from core.base.files import reason
from core.base.frozen import Texts, TextValues
from core.base.jobs import Jobs
from core.base.text import find_half_character, make_storable, name_key
from core.documents import converting
from core.documents.converting import PictureReader, check_picture_reader
from core.documents.process import Interrupted
from core.indexing.bases import Bases
from core.indexing.cutter import list_pictures
from core.indexing.embed_queue import FAILURES, PendingChunks, by_base
from core.indexing.indexer import Indexer
from core.intake.notefile import is_skipped
from core.markdown.body import attachments_in
from core.model import (
    Attachment,
    Author,
    KnowledgeBase,
    Note,
    NotePicture,
    PictureFile,
    Progress,
    ReadPicture,
    no_progress,
)
from core.notes.links import NoteLinks
from core.store import Store

_PICTURE_SUFFIXES = (".png", ".jpg", ".jpeg", ".gif", ".webp", ".avif", ".bmp", ".svg")
# Patterns for the first bytes of picture files, by type. Suffixes aren't reliable: many .jpg files are PNGs.
_SIGNATURES = {
    "image/png": rb"\x89PNG\r\n\x1a\n",
    "image/jpeg": rb"\xff\xd8\xff",
    "image/gif": rb"GIF8[79]a",
    "image/webp": rb"(?s)RIFF.{4}WEBP",
    "image/avif": rb"(?s).{4}ftypavi[fs]",
    "image/bmp": rb"BM",
    "image/svg+xml": rb"(?i)(?:\xef\xbb\xbf)?\s*<(?:\?xml|!--|!DOCTYPE\s+svg|svg)[\s>-]",
}
# Number of bytes read to detect a file's type.
_HEAD = 1024

# Maximum size of an attachment, in bytes. Larger ones aren't shown.
MOST = 50_000_000
# Maximum number of files to check when searching a folder for an attachment by name alone.
_SEARCHED = 50_000
# Seconds for which a folder listing is cached.
_FRESH = 20


def locate(folder: str, path: str, target: str) -> Attachment | None:
    """Return the attachment `target` of the note at `path` in `folder`, or None if it is missing.

    `target` is a path relative to the note or to `folder`, or just a file name, as in Obsidian. With a leading `/`, it
    is relative only to `folder`. A file isn't found if it is outside `folder` (even if a link leads there), in a hidden
    folder, larger than MOST or unreadable, or if its name can't be part of a URL.
    """
    if "\0" in target:
        return None
    top = Path(folder)
    name = target.replace("\\", "/")
    own = top / PurePosixPath(path).parent
    places = [top / name.lstrip("/")] if name.startswith("/") else [own / name, top / name]
    try:
        spelled = (*places, *(_on_disk(top, place) for place in places))
        found = next((place for place in spelled if is_inside(place, top)), None)
        if found is None and "/" not in name:
            found = _by_name(top, int(time.monotonic() / _FRESH)).get(name_key(name))
        if found is None or not is_inside(found, top):
            return None
        real = found.resolve()
        place = real.relative_to(top.resolve()).as_posix()
        with real.open("rb") as stream:
            head = stream.read(_HEAD)
        kind = picture_type(head) if real.suffix.lower() in _PICTURE_SUFFIXES else ""
        return None if find_half_character(place) is not None else Attachment(real, place, kind)
    except (OSError, RuntimeError, ValueError):  # RuntimeError: a symlink loop
        return None


def picture_type(data: bytes) -> str:
    """Return a picture's media type based on its first bytes, or "" if the data isn't a picture."""
    return next((kind for kind, begins in _SIGNATURES.items() if re.match(begins, data)), "")


def is_inside(path: Path, top: Path, most: int = MOST) -> bool:
    """Return whether a file's real path is inside a folder and not hidden, and its size is at most `most` bytes."""
    real = path.resolve()
    top = top.resolve()
    if not real.is_relative_to(top) or any(map(is_skipped, real.relative_to(top).parts)):
        return False
    return real.is_file() and real.stat().st_size <= most


def _on_disk(top: Path, path: Path) -> Path:
    """Return a path with each name spelled as it is on disk. A path outside the folder is returned unchanged."""
    inside = Path(os.path.relpath(path, top)).parts
    if os.pardir in inside:
        return path
    place = top
    for name in inside:
        there = place / name
        place = (
            there
            if there.exists()
            else place / _names_in(place, int(time.monotonic() / _FRESH)).get(name_key(name), name)
        )
    return place


@lru_cache(64)
def _names_in(folder: Path, _: int) -> TextValues:
    """Return the names of a folder's first `_SEARCHED` entries, keyed by normalized name.

    The second argument is the current time in units of `_FRESH`. It makes cached results expire.
    """
    with suppress(OSError), os.scandir(folder) as entries:
        return {name_key(entry.name): entry.name for entry in islice(entries, _SEARCHED)}
    return {}


@lru_cache(4)
def _by_name(top: Path, _: int) -> dict[str, Path]:
    # Of files with equal names, the first one counts.
    return {name_key(path.name): path for path in reversed([*islice(_files(top), _SEARCHED)])}


def _files(top: Path) -> Iterator[Path]:
    for folder, folders, names in os.walk(top):
        folders[:] = sorted(name for name in folders if not is_skipped(name))
        yield from (Path(folder, name) for name in sorted(names))


# Pictures pasted into a note. Each is stored as a file inside the notes' folder.

# Maximum size of a pasted picture, in bytes. Photos from phones are smaller. Larger pictures are slow to display.
MOST_PASTED = 20_000_000
FOLDER = "attachments"
# Suffixes of the accepted picture types. SVG isn't accepted because it could contain a script.
_SUFFIXES = {
    "image/png": ".png",
    "image/jpeg": ".jpg",
    "image/gif": ".gif",
    "image/webp": ".webp",
    "image/avif": ".avif",
    "image/bmp": ".bmp",
}
# Maximum number of characters to keep from the original name.
_NAME = 40


def check_picture(data: bytes) -> str:
    """Return the file name suffix for a picture. Raises EditError if the data is too large or isn't a picture."""
    if len(data) > MOST_PASTED:
        raise EditError(
            "The picture is larger than {limit} MB. Make it smaller, then insert it again.",
            limit=MOST_PASTED // 1_000_000,
        )
    if (suffix := _SUFFIXES.get(picture_type(data))) is None:
        raise EditError(
            "Only pictures (PNG, JPEG, GIF, WebP, AVIF or BMP) can be inserted, and this file has another format."
        )
    return suffix


def save(top: Path, name: str, data: bytes) -> str:
    """Write a picture atomically into the `FOLDER` folder in `top`, and return its path relative to `top`.

    The file name ends with part of the picture's hash, so the same picture is stored only once. Raises EditError.
    """
    suffix = check_picture(data)
    digest = sha256(data).hexdigest()
    folder = top / FOLDER
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if not folder.resolve().is_relative_to(top.resolve()):
            raise EditError(
                "The folder {folder} points to another location, so the picture wasn't saved.", folder=folder
            )
        words = re.sub(r"[^\w-]+", "-", PurePosixPath(name.replace("\\", "/")).stem[:_NAME]).strip("-_")
        stem = f"picture-{words}" if words.isdigit() or len(words) < 4 else words
        for length in (8, len(digest)):
            file = folder / f"{stem}-{digest[:length]}{suffix}"
            try:
                safe_replace.create(file, data)
            except FileExistsError:
                if not file.is_file() or file.is_symlink() or file.read_bytes() != data:
                    continue
            return f"{FOLDER}/{file.name}"
    except (OSError, RuntimeError) as error:
        why = reason(error)
        if getattr(error, "errno", None) in FULL:
            raise EditError("There is no space left for the picture. Free some space, then insert it again.") from error
        raise EditError(
            "The picture can't be saved in {folder}: {why}. Check the folder's permissions.", folder=folder, why=why
        ) from error
    raise EditError("There is already another file at {path}. Rename the picture, then insert it again.", path=file)


@dataclass
class Attachments:
    """The pictures and other files of the notes in all bases. `_links` returns the links between notes."""

    most_bytes = MOST_PASTED

    _store: Store
    _bases: Bases
    _links: Callable[[], NoteLinks]

    def __post_init__(self) -> None:
        self.own_folder = self._store.folder / FILES
        """Workspace folder for pictures that don't go into one of the user's folders."""

    def find(self, note_id: str, target: str) -> Attachment | None:
        """Return a picture or file named in a note, or None if it is missing. Raises NoteNotFound.

        If the note is a file in a folder, that folder is searched, provided the base was synced with it. Otherwise, the
        base's folders and the pictures pasted into the workspace are searched.
        """
        return self._find_in_folders(self._store.note(note_id), target)

    def missing(self, note: Note) -> Texts:
        """Return the names of a note's missing pictures and files, as written in the note."""
        try:
            named = () if note.plain else attachments_in(note.body, note.location)
        except SourceError:
            return ()
        return tuple(
            target
            for target in named
            if not (self._find_in_folders(note, target) or self._links().target(note, target))
        )

    @log_call("note.attach")
    def add(self, base: str, name: str, data: bytes, *, note_id: str = "", author: Author = "person") -> str:
        """Write a picture for a new or existing note in a base, and return the path to use in the note's text.

        If the base writes the author's changes to files, the picture goes into the folder of the note's file, or into
        another of the base's folders. Otherwise, it goes into the workspace. Raises EditError if the data isn't a
        picture or can't be written.
        """
        self._store.check_writable()
        note = self._store.note(note_id) if note_id else None
        into = self._bases.find(base)
        folders = self._folders(into) if into and into.writes_files_of(author) else []
        own = [folder for folder in folders if note and note.in_file and str(folder) == note.source_ref]
        path = save([*own, *folders, self.own_folder][0], name, data)
        return relpath(path, dirname(note.location)) if note and own else path

    def _find_in_folders(self, note: Note, target: str) -> Attachment | None:
        if not note.in_file:
            tops = [*self._folders(self._bases.by_id(note.base_id)), self.own_folder]
        else:
            tops = [note.folder] if self._store.bases.is_synced(note.base_id, note.source_ref) else []
        return next(filter(None, (locate(str(top), note.location, target) for top in tops)), None)

    def _folders(self, base: KnowledgeBase) -> list[Path]:
        folders = (Path(sync.folder) for sync in self._store.bases.syncs(base))
        return [folder for folder in folders if folder.is_absolute() and folder.is_dir()]


_LOG = getLogger(__name__)
_JOB = "pictures"
# Seconds between checks on the jobs that OCR waits for.
_PATIENCE = 0.3


@dataclass
class Pictures:
    """Runs OCR on pictures in bases that enable it, while no other job is running.

    If OCR is stopped, its results so far are kept.
    """

    _store: Store
    _pending: PendingChunks
    _jobs: Jobs

    def __post_init__(self) -> None:
        self._pictures = self._store.pictures
        self._turn = Lock()
        self.problems = self._pictures.problems

    @property
    def can_read(self) -> bool:
        return converting.can_read()

    def start(self) -> bool:
        """Start the `pictures` job, or make a running one check again.

        Return False if the workspace is read-only, no picture reader is installed, or no base reads pictures.
        """
        wanted = not self._store.readonly and self.can_read and self._pictures.any_read()
        return wanted and self._jobs.start(_JOB, self._read_all, again=True, quiet=True)

    def switched(self) -> None:
        """React at once when reading pictures is turned on or off for a base.

        Remove the base's picture chunks, or start reading its pictures.
        """
        self._drop_left_over()
        self.start()

    def read(self, progress: Progress = no_progress, *, again: bool = False) -> int:
        """Read pictures that are new or changed, or whose reading was interrupted, and return their number.

        If `again` is True, also retry pictures that couldn't be read before. Raises ConfigError if no picture reader is
        installed. The message contains the command that installs one.
        """
        self._store.check_writable()
        check_picture_reader()
        self._pictures.forget_problems(lasting=again)
        return self._read_all(progress)

    def _read_all(self, progress: Progress) -> int:
        while not self._turn.acquire(timeout=_PATIENCE):
            progress(0, 0, "")
        try:
            self._drop_left_over()
            # Pictures of notes that were stored before their base enabled OCR.
            for note_id in self._pictures.unnamed():
                progress(0, 0, "")
                with self._store.changing, suppress(NoteNotFound):
                    self._pictures.put(
                        note_id, list_pictures(self._store.note(note_id), self._pictures.for_note(note_id))
                    )
            for picture_file in self._pictures.files():
                progress(0, 0, "")
                if now := seen(picture_file):
                    self._pictures.look(picture_file.note_id, now)
            self._place()
            return self._read_files(progress)
        finally:
            self._turn.release()

    def _drop_left_over(self) -> None:
        """Remove pictures, with their chunks, from bases that no longer read them."""
        with self._store.changing:
            if not (note_ids := self._pictures.left_over()):
                return
            self._store.index.open()
            stale = [(base, self._store.chunks.entries(own)) for base, own in by_base(self._store, note_ids)]
            self._pictures.drop(note_ids)
            for base, entries in stale:
                self._store.index.follow(base, entries)

    def _place(self) -> None:
        """Re-chunk the notes whose pictures were read, each only once, so that searches find the pictures' text."""
        unplaced = defaultdict(list)
        for base_id, note_id, differs in self._pictures.unplaced():
            unplaced[base_id if differs else ""].append(note_id)
        self._pictures.settle(unplaced.pop("", []))
        for base_id, note_ids in unplaced.items():
            try:
                base = self._store.base(base_id)
                done = Indexer(self._store, base, embedding.build(base.embedder)).recut_words(note_ids)
            except (*FAILURES, UnknownChoice):
                _LOG.warning("Pictures can't be found yet, because their notes can't be split", exc_info=True)
                continue
            # This includes notes that can't be chunked: they are only tried again once their text or pictures change.
            self._pictures.settle(note_ids)
            self._pending.embed_written(done.notes)

    def _read_files(self, progress: Progress) -> int:
        unread = self._pictures.unread()
        done = 0
        with closing(PictureReader()) as reader:
            for number, picture_file in enumerate(unread):
                report = partial(progress, number, len(unread), picture_file.picture.place)
                while any(job.state == "running" and job.name not in (_JOB, "images") for job in self._jobs.all()):
                    reader.close()  # frees the reader's memory
                    report()
                    time.sleep(_PATIENCE)
                report()
                if (data := data_of(picture_file)) is None:
                    continue  # the file is changing right now, so the next check finds it
                done += 1
                try:
                    text, version = reader.read(data, picture_file.picture.place, report)
                except SourceError as error:
                    unreadable = ReadPicture(picture_file.picture.hash, "", "")
                    self._pictures.keep(unreadable, error.reason, again=isinstance(error, Interrupted))
                else:
                    self._pictures.keep(ReadPicture(picture_file.picture.hash, make_storable(text).strip(), version))
                self._place()
        return done


def seen(picture_file: PictureFile) -> NotePicture | None:
    """Return the current state of a picture's file, including its hash.

    Return None if the file is unchanged or can't be checked.
    """
    now = _as_file(picture_file)
    before = picture_file.picture
    if now is None or (
        before.looked and (now.place, now.mtime_ns, now.size) == (before.place, before.mtime_ns, before.size)
    ):
        return None
    if not now.place:
        return now
    data = _data(picture_file, now)
    return None if data is None else replace(now, hash=sha256(data).hexdigest())


def data_of(picture_file: PictureFile) -> bytes | None:
    """Return a picture's bytes, or None if its file can't be read or has changed."""
    now = _as_file(picture_file)
    data = _data(picture_file, now) if now and now.place else None
    return data if data is not None and sha256(data).hexdigest() == picture_file.picture.hash else None


def _as_file(picture_file: PictureFile) -> NotePicture | None:
    """Return a picture file's current path, modification time and size, but not its hash.

    Return None if the file can't be checked.
    """
    now = NotePicture(picture_file.picture.target, looked=True)
    if (file := locate(picture_file.source_ref, picture_file.path, now.target)) is None:
        # If the folder is unavailable, its notes keep their pictures.
        return now if Path(picture_file.source_ref).is_dir() else None
    try:
        status = file.path.stat()
    except OSError:
        return None
    return replace(now, place=file.place, mtime_ns=status.st_mtime_ns, size=status.st_size)


def _data(picture_file: PictureFile, now: NotePicture) -> bytes | None:
    """Return a picture file's bytes, or None if it isn't a readable regular file of at most MOST bytes.

    This never blocks on pipes, and never follows links.
    """
    flags = os.O_RDONLY | files.AT_ONCE | getattr(os, "O_NOFOLLOW", 0)
    try:
        with os.fdopen(os.open(Path(picture_file.source_ref) / now.place, flags), "rb") as stream:
            status = os.fstat(stream.fileno())
            if not stat.S_ISREG(status.st_mode) or status.st_size > MOST:
                return None
            return stream.read(MOST + 1)
    except OSError:
        return None
