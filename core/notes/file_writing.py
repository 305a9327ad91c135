"""Writing notes to files.

Edits are written atomically, and only if the file hasn't changed. Edits to several files are all-or-nothing.
"""

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from errno import EACCES
from logging import getLogger
from pathlib import Path
from typing import TypeVar

from core.base import files, safe_replace
from core.base.app_paths import check_vacant
from core.base.datetimes import utc_now
from core.base.errors import Conflict, DiskFull, EditError, NotWritable, SourceError, TesseraError
from core.base.faults import FULL, REFUSED, translate_errors
from core.base.frozen import ValueMap, Values, attributes, frozen
from core.base.safe_replace import Changed, rename_file, swap
from core.base.text import LINE_END, stem, with_line_ends
from core.intake import folder
from core.intake.encoding import decode_file, encode_like
from core.intake.folder import content_hash, free_path, is_safe
from core.intake.notefile import parse_note
from core.intake.placeholders import PLACEHOLDER, NotDownloaded, is_evicted
from core.markdown import frontmatter
from core.markdown.body import BodyMetadata, distinct_tags, look_into, short_title
from core.markdown.frontmatter import FrontMatter
from core.markdown.frontwriting import rewrite
from core.markdown.inline import tag_key
from core.model import NOTE_FIELDS, Note, clock_to_utc, day_of, is_day
from core.store import Store
from core.store.editing_tables import FileStep
from core.store.note_to_index import NoteToIndex

# The text of a note's file: front matter with the note's fields, then its body. It parses as the same note.


def text_of(note: Note) -> str:
    """Return the text of a note's file. If the note is unchanged, this is exactly the file's current text.

    For a plain note, the text is just the body, without fields. Raises EditError if the front matter can't hold a
    field.
    """
    if note.plain:
        return note.body
    front = front_of(note)
    head = read_front(front)
    path = note.path or "note.md"
    inside = look_into(note.body, path)
    title = short_title(head.value("title")) or inside.title or stem(path)
    tags = distinct_tags([*head.value("tags"), *inside.tags])
    file = replace(note, **{name: head.value(name) for name in NOTE_FIELDS} | {"title": title, "tags": tags})
    fields = changed_fields(head, file, note, inside)
    if note.source not in ("folder", "upload"):
        fields |= {name: at for name in ("created_at", "updated_at") if (at := getattr(note, name)) != head.value(name)}
    text = front_with_fields(front, fields, note.body)
    if not text or frontmatter.span(text).body != len(text) - len(note.body):
        text = front_with_fields(front, fields | {"title": note.title}, note.body)
    return text


def front_with_fields(front: str, fields: ValueMap, body: str) -> str:
    """Return front matter with some fields changed, followed by the body."""
    ending = re.search(LINE_END, front + body)
    return (rewrite(front, fields, ending[0] if ending else "\n") if fields else front) + body


def read_front(front: str) -> FrontMatter:
    start, end, _ = frontmatter.span(front)
    return frontmatter.parse(front[start:end])


def changed_fields(head: FrontMatter, file: Note, note: Note, inside: BodyMetadata) -> Values:
    """Return the fields to change in a file's front matter so that the file parses as the note.

    `head` is the front matter, `file` the note that the file currently parses as, and `inside` the note body's
    metadata.
    """
    fields = {
        name: value
        for name in NOTE_FIELDS
        if name not in ("title", "tags") and (value := getattr(note, name)) != getattr(file, name)
    }
    automatic = short_title(head.value("title")) or inside.title or stem(note.location)
    if note.title not in (file.title, automatic):
        fields = {"title": note.title} | fields
    in_text = {*map(tag_key, inside.tags)}
    held = {*map(tag_key, head.value("tags"))}
    wanted = {*map(tag_key, note.tags)}
    was_in_text = look_into(file.body, file.path or "note.md").tags if held - wanted - in_text else ()
    wanted |= {*map(tag_key, was_in_text)} - in_text
    staying = [tag for tag in head.value("tags") if tag_key(tag) in wanted]
    tags = distinct_tags([*staying, *(tag for tag in note.tags if tag_key(tag) not in held | in_text)])
    if {*tags} != {*distinct_tags(head.value("tags"))}:
        fields["tags"] = tags
    return fields


def front_of(note: Note) -> str:
    """Return a note's original front matter.

    For a note read by an earlier version of Tessera, this contains only the keys that Tessera doesn't know, because no
    others were stored.
    """
    return frontmatter.dump(note.extra) if note.front is None else note.front


def export(data: str | bytes, place: Path) -> Path:
    """Write a new file and return its path. Raises ConfigError if the path is taken."""
    place = check_vacant(place)
    with translate_errors(place.parent):
        place.parent.mkdir(parents=True, exist_ok=True)
        files.create(place, data)
    return place


# Reading and writing a note's file.


def chosen_in(note: Note) -> str:
    """Return the encoding that the user chose for a note's file, or "" if the user chose none."""
    return note.encoding.chosen if note.encoding else ""


def exists(note: Note) -> bool:
    """Return whether a note's file exists, or will exist once it is downloaded."""
    return note.file.is_file() or is_evicted(note.file)


def read(note: Note) -> NoteToIndex:
    """Parse a note's file in its current state. Raises the same errors as `plan`."""
    data = _read(note)
    return replace(_note_of(data, note, utc_now()), mtime_ns=note.file.stat().st_mtime_ns, size=len(data))


@frozen
class FileChange:
    """A planned change to a note's file, with the step, the note before and after, and the file's new contents."""

    step: FileStep
    note: Note
    changed: Note
    data: bytes = b""
    text: str | None = None
    inside: BodyMetadata | None = None


def plan(note: Note, changed: Note, inside: BodyMetadata | None = None) -> FileChange:
    """Plan the change to the path of a note's file and, if it is a text file, to its text.

    `inside` is the metadata of the new body, if already parsed. The file keeps its encoding, its line endings and all
    unchanged front matter fields. Raises Conflict, with the note as read from the file, if the file has changed since
    the last sync. Raises EditError if the file is missing or can't hold the text. Also raises SourceError and
    NotWritable.
    """
    path = note.location
    before = read_synced(note)
    step = FileStep(note.source_ref, path, changed.location)
    if not note.in_text_file:
        return FileChange(step, note, changed)
    old = parse_note(decode_file(before, path, chosen=chosen_in(changed)).text, step.new_path).note
    front = old.front or ""
    body = changed.body
    if changed.front and not front:  # an earlier version of Tessera read this as front matter
        body = changed.front + body
    body = with_line_ends(body, old.body)
    if not front + body:
        raise EditError("A file without any text isn't a note. Write something, or delete the note.")
    head = read_front(front)
    if inside is None or body != changed.body:
        inside = look_into(body, step.new_path)
    fields = changed_fields(head, old, changed, inside)
    if (at := head.value("updated_at")) is not None and (fields or body != old.body):
        now = clock_to_utc(utc_now().replace(microsecond=0))
        fields["updated_at"] = datetime.fromisoformat(f"{day_of(now)}T00:00:00Z") if is_day(at) else now
    text = front_with_fields(front, fields, body)
    data, encoding = encode_like(text, before, path, chosen=chosen_in(note))
    if data != before:
        if not (note.file.stat().st_mode & 0o222 and os.access(note.file.parent, os.W_OK)):
            raise NotWritable("'{path}' is read-only. Make it writable, then save again.", path=path)
        step = replace(step, before=before, after=content_hash(data))
    return FileChange(step, note, replace(changed, encoding=encoding), data, text, inside)


def plan_removal(note: Note) -> FileChange:
    """Plan moving a note's file to the trash. Raises the same errors as `plan`."""
    return FileChange(FileStep(note.source_ref, note.location, "", _read(note)), note, note)


# Name of the folder used if there is no system trash, as in Obsidian. It is at the top of the user's folder.
TRASH = ".trash"


def put_away(change: FileChange) -> Path | None:
    """Move a file to the system trash and return None, or move it to the `TRASH` folder and return that folder.

    There is no system trash on servers, or on drives where the user can't create one. Raises the same errors as
    `apply`.
    """
    root = Path(change.step.folder)
    path = change.step.path
    with _writing(root, path):
        with suppress(OSError):
            _send_to_trash(root / path)
            return None
        spare = root / TRASH
        spare.mkdir(exist_ok=True)
        if spare.is_symlink():
            raise PermissionError(EACCES, os.strerror(EACCES), str(spare))
        rename_file(root / path, spare / free_path(Path(path).name, [file.name for file in spare.iterdir()]))
    return spare


def _send_to_trash(file: Path) -> None:
    from send2trash import send2trash  # a slow import, because it looks for desktop libraries

    send2trash(file)


def apply(change: FileChange) -> os.stat_result:
    """Carry out a planned change to a file, and return the result of `stat` on the new file.

    Raises DiskFull, and the same errors as `plan`.
    """
    step = change.step
    root = Path(step.folder)
    path = step.new_path
    file = root / path
    with _writing(root, path):
        try:
            if step.path != path:
                file.parent.mkdir(parents=True, exist_ok=True)
                rename_file(root / step.path, file)
            state = file.stat()
            if step.before is not None:
                state = swap(file.resolve(), change.data, step.before)
        except Changed as changed:
            moved = replace(change.note, path=path)
            raise _conflict(moved, _read(moved), changed.copy) from None
    return state


def written(change: FileChange, state: os.stat_result) -> NoteToIndex:
    """Return a note as read from its text file after a change. `state` is the file's new `stat` result."""
    read = _note_of(
        change.data, change.changed, datetime.fromtimestamp(state.st_mtime_ns / 1e9, UTC), change.text, change.inside
    )
    return replace(read, mtime_ns=state.st_mtime_ns, size=state.st_size)


def is_synced(note: Note) -> bool:
    """Return whether a note's file exists and hasn't changed since the last sync."""
    with suppress(SourceError, EditError):
        return content_hash(_read(note)) == note.content_hash
    return False


def is_taken(root: Path, path: str) -> bool:
    """Return whether a path is taken, possibly by a cloud file that hasn't been downloaded yet."""
    return os.path.lexists(root / path) or is_evicted(root / path)


def create(root: Path, path: str, data: bytes) -> bool:
    """Write a new file, creating its folders if needed. Return whether the file was written.

    An existing file is replaced only if it is empty. Raises the same errors as `apply`.
    """
    _check_root(root)
    file = root / path
    with _writing(root, path):
        if is_evicted(file):
            return False
        file.parent.mkdir(parents=True, exist_ok=True)
        with suppress(FileExistsError, Changed):
            if file.is_file() and not file.stat().st_size:
                swap(file, data, b"")
            else:
                safe_replace.create(file, data)
            return True
    return False


def _check_root(root: Path) -> None:
    if not root.is_dir():
        raise EditError(
            "The folder {folder} is missing. Connect its disk, or import the folder from its new location.",
            folder=root,
        )


def _read(note: Note) -> bytes:
    path = note.location
    _check_root(note.folder)
    if is_evicted(note.file):
        raise NotDownloaded(path, PLACEHOLDER)
    if not note.file.exists():
        raise EditError("'{path}' is no longer in {folder}. Import the folder again.", path=path, folder=note.folder)
    return folder.read(note.folder, path)


def read_synced(note: Note) -> bytes:
    """Return the bytes of a note's file. Raises Conflict if the file has changed since the last sync."""
    data = _read(note)
    if content_hash(data) != note.content_hash:
        raise _conflict(note, data)
    return data


def _conflict(note: Note, data: bytes, copy: Path | None = None) -> Conflict:
    """Return the error to raise if a file has changed since the last sync."""
    stored = _note_of(data, note, utc_now()).note
    if copy:
        return Conflict(
            (
                "'{path}' was changed by another program several times while it was being saved. Nothing is lost. "
                "An earlier version of the text was saved next to the file as '{copy}'."
            ),
            stored,
            note.version,
            path=note.path,
            copy=copy.name,
        )
    return Conflict(
        "'{path}' was changed by another program since its last update. Choose which version to keep.",
        stored,
        note.version,
        path=note.path,
    )


# Fields that a note keeps when it is read again.
_KEPT = ("id", "base_id", "generation", "version", "source", "source_ref")


def _note_of(
    data: bytes, note: Note, updated_at: datetime, text: str | None = None, inside: BodyMetadata | None = None
) -> NoteToIndex:
    """Return the note that a sync would create from a file's bytes. Pass `text` and `inside` if already known."""
    path = note.location
    encoding = note.encoding
    if text is None:
        found = decode_file(data, path, chosen=chosen_in(note))
        text = found.text
        encoding = found.text_encoding
    read, outline = parse_note(text, path, plain=note.plain, inside=inside, encoding=encoding)
    read = replace(
        read,
        **attributes(note, _KEPT),
        content_hash=content_hash(data),
        updated_at=read.updated_at or updated_at,
    )
    return NoteToIndex(read, outline=outline)


@contextmanager
def _writing(root: Path, path: str) -> Iterator[None]:
    """Translate file system errors during a write into errors that tell the user what to do."""
    try:
        yield
    except OSError as error:
        why = files.reason(error)
        if error.errno in FULL:
            raise DiskFull(
                (
                    "There is no space left for '{path}' ({why}), so the file wasn't changed. Free some space, then "
                    "save again."
                ),
                path=path,
                why=why,
            ) from error
        if error.errno in REFUSED:
            raise NotWritable(
                "'{path}' can't be written ({why}). Make its folder {folder} writable, then save again.",
                path=path,
                why=why,
                folder=root,
            ) from error
        raise SourceError(path, "This file can't be written: {why}.", why=why) from error


_LOG = getLogger(__name__)
_Done = TypeVar("_Done")


@dataclass
class FileActs:
    """Applies file changes together with the caller's database transaction."""

    _store: Store

    @contextmanager
    def carry_out(
        self, changes: Sequence[FileChange], act: Callable[[FileChange], _Done]
    ) -> Iterator[dict[str, _Done]]:
        """Change files by calling `act`, then let the `with` block write their notes in one transaction.

        Yield the results of `act`, keyed by note id. After any error, even in the `with` block, all files are restored.
        The exception is a change to a single file that keeps its name. That file isn't restored, so that the user's
        text isn't lost, and the next update of its folder reads the file.
        """
        steps = [change.step for change in changes if change.step.before is not None or not change.step.is_plain]
        intents = {} if len(steps) == 1 and steps[0].is_plain else self._store.intents.put(steps)
        try:
            done = {change.note.id: act(change) for change in changes}
            with self._store.database.write():
                yield done
                self._store.intents.drop(intents)
        except BaseException:
            self._take_back(intents)
            raise

    def recover(self) -> None:
        if intents := self._store.intents.all():
            _LOG.warning("A killed process was changing %d files; restoring them", len(intents))
            self._take_back(intents)

    def _take_back(self, intents: Mapping[int, FileStep]) -> None:
        try:
            for number, step in list(intents.items())[::-1]:
                (self._store.intents.drop if self._is_settled(step) else self._store.intents.leave)([number])
        except TesseraError:  # a database error, so the next opening of the workspace tries again
            _LOG.warning("Files can't be restored", exc_info=True)

    def _is_settled(self, step: FileStep) -> bool:
        """Undo a step, and return whether the step is settled.

        A step is settled if it is fully undone, or if an update of the folder has already read the changed file.
        """
        bases = self._store.bases
        root = Path(step.folder)
        # The stored hash shows whether an update has read the file since the step.
        stored = self._store.database.value(
            "SELECT content_hash FROM notes WHERE source_ref = ? AND path = ?", step.folder, step.path
        )
        if step.is_new:
            is_stored = stored is not None
        else:
            is_stored = stored is None or (step.before is not None and stored != content_hash(step.before))
        try:
            is_ours = any(bases.is_synced(base.id, step.folder) for base in bases.all()) and root.is_dir()
            # The paths must stay inside the folder once all links are followed.
            places = [root / path for path in step.paths if is_ours and is_safe(path)]
            if len(places) < len(step.paths) or not all(
                place.resolve().is_relative_to(root.resolve()) for place in places
            ):
                return is_stored and not step.left
            for place in {place.parent for place in places}:
                for part in place.glob(f"{safe_replace.PREFIX}*{safe_replace.SUFFIX}"):
                    if (data := part.read_bytes()) in (b"", step.before) or content_hash(data) == step.after:
                        part.unlink()  # a temporary file of the killed step
            return not step.left if is_stored else take_back(step)
        except (OSError, RuntimeError, ValueError, TypeError, AttributeError, safe_replace.Changed):
            _LOG.warning("A file can't be restored", exc_info=True)
            return False


def take_back(step: FileStep) -> bool:
    """Restore a file to its state before a step. Return False if another program has changed the file.

    If the step's process was killed, the step may be only partly done. Raises OSError and Changed.
    """
    old, new = (Path(step.folder) / path for path in step.paths)
    if not step.new_path and step.before is not None and not os.path.lexists(old):
        safe_replace.create(old, step.before)
    if new != old and os.path.lexists(old) and os.path.lexists(new):
        # This is the new name of a file being renamed, or its placeholder, but not another spelling of the old name.
        if new.stat().st_nlink > 1 if old.samefile(new) else new.read_bytes() in (b"", old.read_bytes()):
            new.unlink()
        new = old
    file = new if os.path.lexists(new) else old
    is_ours = True
    if step.before is not None and file.exists():
        data = file.read_bytes()
        if content_hash(data) != step.after:
            is_ours = data == step.before or step.is_new
        elif step.is_new:
            safe_replace.remove(file, data)
        else:
            safe_replace.swap(file.resolve(), step.before, data)
    if file != old:
        safe_replace.rename_file(file, old)
    return is_ours
