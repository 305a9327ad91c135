"""Notes that are files: edits are written to the file atomically, unless it was changed meanwhile."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from core.base.errors import Conflict, DiskFull, EditError, NotWritable, SourceError
from core.base.faults import FULL, REFUSED
from core.base.swapping import Changed, swap
from core.base.text import with_line_ends
from core.intake import folder, notefile
from core.intake.encoding import decode_file, encode_like
from core.intake.placeholders import PLACEHOLDER, NotDownloaded, is_evicted
from core.markdown.body import BodyMetadata, look_into
from core.model import Note
from core.notes import filetexts
from core.store.note_to_index import NoteToIndex


def chosen_in(note: Note) -> str:
    """Return the encoding that the user chose for the file of a note, "" for none."""
    return note.encoding.chosen if note.encoding else ""


def exists(note: Note) -> bool:
    """Return whether the file of a note is there, or will be once it is downloaded."""
    file = Path(note.source_ref) / str(note.path)
    return file.is_file() or is_evicted(file)


def read(note: Note) -> NoteToIndex:
    """Return the note of a file as the file is now; raises as `write` does."""
    root, path = Path(note.source_ref), str(note.path)
    data, state = _read(root, path), (root / path).stat()
    return replace(_note_of(data, note, datetime.now(UTC)), mtime_ns=state.st_mtime_ns, size=len(data))


def write(note: Note, changed: Note, inside: BodyMetadata | None = None) -> NoteToIndex:
    """Write a changed note into its file; return the note as its file is now. `inside` is what its text says, if read.

    The text of the note takes the place of the old one, with the file's encoding and line ends; of its front matter
    only the fields that differ change. Raises Conflict, with the note of the file, for a file that isn't as it was
    synced; EditError for a text that the file can't hold or a file that isn't there; SourceError, NotWritable,
    DiskFull.
    """
    root, path = Path(note.source_ref), str(note.path)
    before = _read(root, path)
    if folder.content_hash(before) != note.content_hash:
        raise _conflict(note, before)
    text, inside = _text(before, path, changed, inside)
    data, encoding = encode_like(text, before, path, chosen=chosen_in(note))
    file = (root / path).resolve()
    if data == before:
        state = file.stat()
    else:
        with _writing(root, path):
            if not file.stat().st_mode & 0o222:
                raise NotWritable("'{path}' may only be read. Allow writing to it, then save again.", path=path)
            try:
                state = swap(file, data, before)
            except Changed as change:
                raise _conflict(note, _read(root, path), change.copy) from None
    now = datetime.fromtimestamp(state.st_mtime_ns / 1e9, UTC)
    written = _note_of(data, replace(changed, encoding=encoding), now, text, inside)
    return replace(written, mtime_ns=state.st_mtime_ns, size=state.st_size)


def _read(root: Path, path: str) -> bytes:
    if not root.is_dir():
        raise EditError(
            "The folder {folder} isn't there. Connect its disk, or import the folder from where it is now.",
            folder=str(root),
        )
    if is_evicted(root / path):
        raise NotDownloaded(path, PLACEHOLDER)
    if not (root / path).exists():
        raise EditError("'{path}' isn't in {folder} any more. Import the folder again.", path=path, folder=str(root))
    return folder.read(root, path)


def _conflict(note: Note, data: bytes, copy: Path | None = None) -> Conflict:
    """Return the error of a file that was changed since it was synced."""
    stored = _note_of(data, note, datetime.now(UTC)).note
    if copy:
        return Conflict(
            "'{path}' was changed by another program several times while it was saved. Nothing is lost: an earlier "
            "text is beside it as '{copy}'.",
            stored,
            note.version,
            path=str(note.path),
            copy=copy.name,
        )
    return Conflict(
        "'{path}' was changed by another program since its last update. Choose which text stays.",
        stored,
        note.version,
        path=str(note.path),
    )


def _note_of(
    data: bytes, note: Note, updated_at: datetime, text: str | None = None, inside: BodyMetadata | None = None
) -> NoteToIndex:
    """Return the note of a file's bytes, as a sync makes it; `text` is theirs, and `inside` what its body says."""
    path, encoding = str(note.path), note.encoding
    if text is None:
        found = decode_file(data, path, chosen=chosen_in(note))
        text, encoding = found.text, found.text_encoding
    read, outline = notefile.parse_note(text, path, plain=note.plain, inside=inside, encoding=encoding)
    read = replace(
        read,
        id=note.id,
        base_id=note.base_id,
        generation=note.generation,
        version=note.version,
        content_hash=folder.content_hash(data),
        source=note.source,
        source_ref=note.source_ref,
        updated_at=read.updated_at or updated_at,
    )
    return NoteToIndex(read, outline=outline)


def _text(before: bytes, path: str, changed: Note, inside: BodyMetadata | None) -> tuple[str, BodyMetadata]:
    """Return the text of a file with the body and the fields of a changed note, and what that body says."""
    old, _ = notefile.parse_note(decode_file(before, path, chosen=chosen_in(changed)).text, path)
    front, body = old.front or "", changed.body
    if changed.front and not front:  # an earlier version of Tessera took it for front matter
        body = changed.front + body
    body = with_line_ends(body, old.body)
    if not front + body:
        raise EditError("A file without any text is no note. Write something, or delete the note.")
    head = filetexts.read_front(front)
    if inside is None or body != changed.body:
        inside = look_into(body, path)
    fields = filetexts.changed_fields(head, old, changed, inside)
    if fields or body != old.body:
        fields |= filetexts.touched_at(head)
    return filetexts.with_fields(front, fields, body), inside


@contextmanager
def _writing(root: Path, path: str) -> Iterator[None]:
    """Raise the errors of the file system that keep a file from being written as errors that say what to do."""
    try:
        yield
    except OSError as error:
        why = error.strerror or str(error)
        if error.errno in FULL:
            raise DiskFull(
                "There is no space left for '{path}' ({why}); the file is as it was. Make space, then save again.",
                path=path,
                why=why,
            ) from error
        if error.errno in REFUSED:
            raise NotWritable(
                "'{path}' can't be written ({why}). Allow writing to its folder {folder}, then save again.",
                path=path,
                why=why,
                folder=str(root),
            ) from error
        raise SourceError(path, "can't be written: {why}.", why=why) from error
