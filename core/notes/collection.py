"""The notes of a workspace: read, written, classified, archived, deleted and restored, each change a version."""

import hashlib
import os
import posixpath
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any, Unpack

from core.base import safe_replace
from core.base.call_log import log_bases, log_call
from core.base.errors import EditError, NoteNotFound, SourceError
from core.base.faults import FULL
from core.indexing.bases import Bases
from core.indexing.chunks import Chunks
from core.indexing.models import Models
from core.intake.folder import is_entered
from core.markdown import parts
from core.model import (
    NOTE_FIELDS,
    Added,
    Author,
    KnowledgeBase,
    NewNoteFields,
    Note,
    NoteDifference,
    NoteFields,
    Renaming,
    Revision,
    Trashed,
    Version,
)
from core.notes import attachments, difference, filing, naming
from core.notes.fields import check_fields, with_fields
from core.notes.links import NoteLinks
from core.notes.renaming import Renames
from core.notes.stored_notes import StoredNotes
from core.notes.texts import restore_version
from core.notes.writer import Writer, add, check_version
from core.settings.config import Settings
from core.store import Store
from core.store.note_rows import NoteNames
from core.store.note_to_index import NoteToIndex

# Pictures that the user pastes into a note: one file each, next to the notes of a folder and never outside of it.

MOST = 20_000_000
"""Bytes of a picture: a photo of a telephone has less, and a larger one is slow to show."""
FOLDER = "attachments"
_SUFFIXES = {
    "image/png": ".png",
    "image/jpeg": ".jpg",
    "image/gif": ".gif",
    "image/webp": ".webp",
    "image/avif": ".avif",
    "image/bmp": ".bmp",
}
"""Types of pictures that are taken, by their first bytes; an SVG could hold a script."""
_NAME = 40
"""Characters of a name that stay."""


def save(top: Path, name: str, data: bytes) -> str:
    """Write a picture into the folder of pictures in `top`, whole or not at all; return its path from `top`.

    Its name ends with a part of its hash, so the same picture is stored once. Raises EditError.
    """
    if len(data) > MOST:
        raise EditError(
            "The picture has more than {limit} MB. Make it smaller, then put it in again.", limit=MOST // 1_000_000
        )
    suffix = _SUFFIXES.get(attachments.picture_type(data))
    if suffix is None:
        raise EditError("Only pictures can be put in: PNG, JPEG, GIF, WebP, AVIF and BMP. This file is none of them.")
    digest = hashlib.sha256(data).hexdigest()
    folder = top / FOLDER
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if not folder.resolve().is_relative_to(top.resolve()):
            raise EditError("The folder {folder} points elsewhere. The picture wasn't saved.", folder=str(folder))
        for length in (8, len(digest)):
            file = folder / f"{_stem(name)}-{digest[:length]}{suffix}"
            if _written(file, data):
                return f"{FOLDER}/{file.name}"
    except (OSError, RuntimeError) as error:
        why = getattr(error, "strerror", "") or str(error)
        if getattr(error, "errno", None) in FULL:
            raise EditError("There is no space left for the picture ({why}).", why=why) from error
        raise EditError("The picture can't be written into {folder} ({why}).", folder=str(folder), why=why) from error
    raise EditError("There is another file in the place of the picture: {path}.", path=str(file))


def _written(file: Path, data: bytes) -> bool:
    """Write a new file; return whether it holds the data, which another file of the name doesn't."""
    if os.path.lexists(file):
        return file.is_file() and not file.is_symlink() and file.read_bytes() == data
    try:
        safe_replace.create(file, data)
    except FileExistsError:
        return file.read_bytes() == data
    return True


def _stem(name: str) -> str:
    """Return a name that every system can hold and that needs no escape in a link."""
    words = re.sub(r"[^\w-]+", "-", PurePosixPath(name.replace("\\", "/")).stem[:_NAME]).strip("-_")
    return f"picture-{words}" if words.isdigit() or len(words) < 4 else words


_MOST_BYTES = 50_000_000
"""Bytes of the files that are deleted in one transaction."""


def _changes_files(base: KnowledgeBase, author: Author) -> bool:
    """Return whether the files of a base's notes go and come with them; for programs, only where it trusts them."""
    return base.write_files and (author != "program" or base.trusts_programs)


class Notes(StoredNotes):
    """The notes of all bases. Changes raise WorkspaceLocked in a workspace that is open for reading only."""

    def __init__(self, store: Store, settings: Settings, models: Models, bases: Bases, chunks: Chunks) -> None:
        super().__init__(store, models, bases)
        self._writer = Writer(store, chunks)
        self._renames = Renames(store, self._writer)
        self.trash_stays = timedelta(days=settings.trash_days)
        """Time within which a deleted note can be restored."""
        self.on_renamed: Callable[[Renaming], object] = lambda _: None
        store.versions.most = settings.keep_versions
        self.recover_files = self._writer.files.recover
        self.has_file = self._renames.has_file
        self.owns_file = self._renames.owns_file
        self.take_file = self._writer.take_file
        self.folder_for = self._writer.folder_for

    # writing

    def add(
        self,
        base: str,
        body: str = "",
        *,
        path: str = "",
        author: Author = "program",
        embed: bool = True,
        **fields: Unpack[NewNoteFields],
    ) -> Note:
        """Add a note to a base, which is made if there is none of this name; return the note.

        A note of the user is a file, where the base writes files: never in place of another one.

        The note is found by its words when this returns; with `embed`, in a base that embeds at once, also by meaning.
        `path` is its place in the base, by default its title; one that ends with `/` is its folder. Raises EditError
        and UnknownChoice for a field, and SourceError for a text too large to be read.
        """
        item = {"body": body, "path": path, **fields}
        return self.get(self.add_many(base, [item], author=author, embed=embed, strict=True).note_ids[0])

    @log_call("note.add")
    def add_many(
        self,
        base: str,
        items: Iterable[Mapping[str, Any]],
        *,
        author: Author = "program",
        embed: bool = True,
        strict: bool = False,
    ) -> Added:
        """Add notes, each given by `body`, `path` and the fields of `add`; return their ids and what failed.

        A bad item is reported, and the others are added; with `strict` it is raised.
        """
        self._store.database.check_writable()
        added = add(self._store, self._writer, self._base_for_import(base), author, items, strict=strict)
        self._writer.index(added.note_ids, embed=embed)
        return added

    def update(
        self,
        note_id: str,
        *,
        body: str | None = None,
        expected_version: int | None = None,
        author: Author = "program",
        embed: bool = True,
        joins: bool = False,
        **fields: Unpack[NoteFields],
    ) -> Note:
        """Change the text or fields of a note, and return it; what isn't given stays, and so does a note's path.

        Where the user writes, a title that the first line gave follows it; an empty one becomes it. With `joins` the
        version takes the place of the one before; where that made the note, the path follows the title too.

        An edit of a file's text goes into the file, where the note's base writes files; fields go there too, and
        elsewhere stay the user's over the file's. Raises NoteNotFound, Conflict if the note's version isn't
        the expected one or its file was changed, EditError for a file that may not be written, and as `add` does.
        """
        change, as_what = partial(with_fields, fields=fields), Revision("update", author, joins)
        return self._writer.change(note_id, change, as_what, expected_version, body=body, embed=embed)

    def set_fields(
        self,
        note_ids: Sequence[str],
        *,
        expected_version: int | None = None,
        author: Author = "person",
        **fields: Unpack[NoteFields],
    ) -> None:
        """Set fields of several notes; raises as `update` does."""
        values = check_fields(fields)
        self._writer.change_all(
            note_ids, lambda note: replace(note, **values), Revision("update", author), expected_version
        )
        if "title" in values:  # which is in the text of each chunk
            self._writer.index(note_ids, embed=True)

    def tag(
        self,
        note_ids: Sequence[str],
        *,
        add: Iterable[str] = (),
        remove: Iterable[str] = (),
        expected_version: int | None = None,
        author: Author = "person",
    ) -> None:
        """Add tags to several notes, and remove tags from them."""
        more, less = (
            check_fields({"tags": add})["tags"],
            {tag.casefold() for tag in check_fields({"tags": remove})["tags"]},
        )

        def change(note: Note) -> Note:
            return with_fields(note, {"tags": [*(tag for tag in note.tags if tag.casefold() not in less), *more]})

        self._writer.change_all(note_ids, change, Revision("update", author), expected_version)

    def move(
        self,
        note_ids: Sequence[str] | str,
        folder: str,
        *,
        expected_version: int | None = None,
        author: Author = "person",
    ) -> list[Renaming]:
        """Put notes into a folder of their bases, "" for the top, and the files of bases that write files.

        Links follow, as of `rename`, and so do the links of Markdown notes to files. Raises EditError, before any is
        moved, for the note of an upload or a pack, and for a folder that leads out of the base.
        """
        ids = [note_ids] if isinstance(note_ids, str) else note_ids
        return self._renamed(self._renames.move(ids, folder, expected_version, author))

    def rename(
        self,
        note_id: str,
        title: str,
        *,
        file: bool = True,
        title_before: str = "",
        expected_version: int | None = None,
        author: Author = "person",
    ) -> Renaming:
        """Give a note another title; its place, its first heading and the links to it follow, each in a version.

        With `file` a note that is a file follows too, where its base writes files. What has followed `title_before`
        follows a title that the note got by an edit. Raises as `update` does.
        """
        path = self._renames.path_for(self._titled(note_id, title_before), title, file=file)
        return self._renamed([self._renames.rename(note_id, title, path, expected_version, author, title_before)])[0]

    def undo_rename(self, done: Renaming, *, author: Author = "person") -> Renaming:
        """Undo a renaming as `undo_move` does."""
        return self.undo_move([done], author=author)[0]

    def undo_move(self, done: Sequence[Renaming], *, author: Author = "person") -> list[Renaming]:
        """Give notes that were moved together their places of before, and the notes that link to them their texts."""
        return self._renamed(self._renames.undo(done, author))

    def _renamed(self, done: list[Renaming]) -> list[Renaming]:
        for renaming in done:
            self._store.changing.follow(partial(self.on_renamed, renaming))
        return done

    def plan_rename(self, note_id: str, title: str, *, file: bool = True, title_before: str = "") -> Renaming:
        """Return what `rename` would change; for the title that it has, `linking` are all that another may change."""

        def plan() -> Renaming:
            note = self._titled(note_id, title_before)
            path = self._renames.path_for(note, title, file=file)
            linking = self._renames.linking(note, title, path)
            return Renaming(note_id, title, path, note.title, note.path or "", tuple(linking))

        return self._remembered.get(("rename", note_id, title, file, title_before), plan)

    def _titled(self, note_id: str, title: str) -> Note:
        """Return a note, with an earlier title if one is given."""
        note = self._store.notes.note(note_id)
        return replace(note, title=title or note.title)

    def tick(self, note_id: str, line: int, *, expected_version: int, embed: bool = True) -> Note:
        """Click the check box in a line of a note's text, counted from 0, for the user; return the note.

        Raises EditError for a line without a box, and as `update` does.
        """
        body = parts.toggle_task(self._store.notes.note(note_id).body, line)
        if body is None:
            raise EditError("Line {line} of the note has no check box.", line=line + 1)
        return self.update(note_id, body=body, expected_version=expected_version, author="person", embed=embed)

    def give_back(self, note_id: str, names: Iterable[str]) -> Note:
        """Take fields from the note's file again; return the note."""
        given = set(names)

        def change(note: Note) -> Note:
            own: dict[str, Any] = {name: value for name, value in note.overridden.items() if name in given}
            rest = {name: value for name, value in note.overridden.items() if name not in given}
            return replace(note, overridden=rest, **own)

        return self._writer.change(note_id, change, Revision("update", "person"))

    compare = staticmethod(difference.between)
    merge_texts = staticmethod(difference.merge_texts)
    picture_bytes = MOST
    """Most bytes of a picture that is attached."""

    @log_call("note.attach")
    def attach(self, base: str, name: str, data: bytes, *, note_id: str = "") -> str:
        """Write a picture for a note of a base, or for a new one; return the path by which the note shows it.

        It goes into the folder of the note's file, else of the base, where files may be written, else into the
        workspace. Raises EditError for what is no picture or can't be written.
        """
        self._store.database.check_writable()
        note, into = self._store.notes.note(note_id) if note_id else None, self._bases.find(base)
        folders = self._folders(into) if into and into.write_files else []
        own = [folder for folder in folders if note and note.in_file and str(folder) == note.source_ref]
        path = save([*own, *folders, self.own_files][0], name, data)
        return posixpath.relpath(path, posixpath.dirname(str(note.path))) if note and own else path

    def copy(self, note_id: str, *, author: Author = "person", embed: bool = True) -> Note:
        """Copy a note, to be edited here where its base writes no files; return the copy."""
        note = self._store.notes.note(note_id)
        fields = {name: getattr(note, name) for name in NOTE_FIELDS}
        return self.add(self._store.bases.by_id(note.base_id).name, note.body, author=author, embed=embed, **fields)

    def file_text(self, note_id: str) -> str:
        """Return the text of a file that reads as the note; raises NoteNotFound, EditError for fields no file holds."""
        return filing.text_of(self._store.notes.note(note_id))

    def export(self, note_id: str, place: Path) -> str:
        """Write `file_text` where nothing is yet, and return it; raises ConfigError for a place that is taken."""
        return filing.exported_text(self.file_text(note_id), place)

    # versions

    def history(self, note_id: str) -> list[Version]:
        """Return the versions of a note, also of a deleted one, the newest first; raises NoteNotFound."""
        if versions := self._store.versions.for_note(note_id):
            return versions
        raise NoteNotFound(note_id)

    def at(self, note_id: str, number: int) -> Note:
        """Return a note as it was in a version; raises VersionNotFound."""
        return self._store.versions.note(note_id, number)

    def difference(self, note_id: str, first: int, second: int) -> NoteDifference:
        """Return what differs between two versions of a note, word by word; raises VersionNotFound."""
        return difference.between(self.at(note_id, first), self.at(note_id, second))

    def revert(
        self,
        note_id: str,
        number: int,
        *,
        expected_version: int | None = None,
        author: Author = "person",
        embed: bool = True,
    ) -> Note:
        """Give a note the title, text and fields of one of its versions, as a new version; return the note."""
        old = self.at(note_id, number)
        return self._writer.change(
            note_id, lambda note: restore_version(note, old), Revision("revert", author), expected_version, embed=embed
        )

    def archive(self, note_ids: Sequence[str], *, author: Author = "person") -> None:
        """Archive notes: they answer only where a question asks for them."""
        self._writer.change_all(note_ids, lambda note: replace(note, status="archived"), Revision("archive", author))

    # deleting and restoring

    @log_call("note.delete")
    def delete(self, note_ids: Sequence[str] | str, *, author: Author = "person") -> set[Path]:
        """Put notes into the trash, with their edits of chunks and versions; raises NoteNotFound before any is.

        Those that are there stay as they are. Where a base writes files, a note's file goes to the trash of the
        system; return the folders that hold files for which there is none. Other files stay, and no update of their
        folder reads them until they change. A program deletes files only where the base trusts programs.
        """
        chosen = [note_ids] if isinstance(note_ids, str) else note_ids
        self._check_known(chosen)
        log_bases(self._store.bases.for_notes(chosen))
        self._store.open_index()
        folders = set[Path | None]()
        with self._store.changing:
            stored = self._store.notes.base_ids(chosen)
            bases = {base.id: base for base in self._store.bases.all()}
            for group, removals in self._removals(stored, bases, author):
                with self._writer.files.carry_out(removals, filing.put_away) as places:
                    for removal in removals:
                        self._store.documents.keep(removal.note.content_hash, removal.step.before or b"")
                    for base_id, here in group.items():
                        self._store.delete_notes(bases[base_id], here, Revision("delete", author))
                folders.update(places.values())
        return {folder for folder in folders if folder}

    def _removals(
        self, stored: Mapping[str, str], bases: Mapping[str, KnowledgeBase], author: Author
    ) -> Iterator[tuple[Mapping[str, list[str]], list[filing.FileChange]]]:
        """Yield notes of bases in groups, with the removals of their files; the bytes of a group are in memory."""
        group, removals, size = defaultdict[str, list[str]](list), list[filing.FileChange](), 0
        for note_id, base_id in stored.items():
            note = self._store.notes.note(note_id) if _changes_files(bases[base_id], author) else None
            if note and note.in_file and filing.exists(note):
                if note.in_text_file:
                    with suppress(SourceError):  # a file that is no note any more is deleted as it is
                        note = self.take_file(note_id)
                removals.append(filing.plan_removal(note))
                size += len(removals[-1].step.before or b"")
            group[base_id].append(note_id)
            if size > _MOST_BYTES:
                yield group, removals
                group, removals, size = defaultdict(list), [], 0
        yield group, removals

    def _check_known(self, note_ids: Iterable[str]) -> None:
        """Raise NoteNotFound for an id of no note, of no deleted one either."""
        for note_id in note_ids:
            if not self._store.versions.last(note_id):
                raise NoteNotFound(note_id)

    def trash(self, base: str | None = None) -> list[Trashed]:
        """Return the deleted notes, the last deleted first."""
        return self._store.versions.deleted(self._bases.get(base).id if base else None)

    def resolve_deleted(self, name: str) -> Trashed:
        """Return the deleted note of a name; raises as `resolve` does."""
        deleted = {trashed.version.note_id: trashed for trashed in self.trash()}
        links = NoteLinks(
            self._store,
            [
                NoteNames(note_id, trashed.base_id, trashed.source_ref, trashed.path, trashed.version.title, ())
                for note_id, trashed in deleted.items()
            ],
        )
        return deleted[naming.resolve_single(name, links.called(name), links.names)]

    @log_call("note.take_back")
    def take_back(self, note_id: str, *, expected_version: int | None = None) -> None:
        """Put a note that the user has just made into the trash, with the file that was made for it.

        Raises Conflict, before anything is changed, where the note or its file was changed since.
        """
        with self._store.changing:
            note = self._store.notes.note(note_id)
            check_version(note, expected_version)
            if self.has_file(note) and filing.exists(note):
                filing.read_synced(note)
            self.delete(note_id)

    @log_call("note.restore")
    def restore(self, note_ids: Sequence[str], *, author: Author = "person", embed: bool = True) -> None:
        """Bring notes back: deleted ones from the trash, archived ones to the active ones.

        The file of a note is written again, where its base writes files; a note whose file is gone elsewhere lives here
        from then on. Raises NoteNotFound for a note that is neither stored nor in the trash.
        """
        change = Revision("restore", author)
        with self._store.changing:
            stored = self._store.notes.base_ids(note_ids)
            gone = [note_id for note_id in dict.fromkeys(note_ids) if note_id not in stored]
            deleted = list(map(self._store.versions.trashed, gone))
            for note in deleted:
                self._bring_back(self._store.bases.by_id(note.base_id), note, change)
            self._writer.change_all(list(stored), lambda note: replace(note, status="active"), change)
        log_bases(self._store.bases.for_notes(note_ids))
        self._writer.index(note_ids, embed=embed)

    def _bring_back(self, base: KnowledgeBase, note: Note, change: Revision) -> None:
        """Write a deleted note again, at a free path, and the file that went with it.

        Another note whose file is gone lives in the workspace then.
        """
        root, path, files = Path(note.source_ref), str(note.path), list[filing.FileChange]()
        is_there = filing.is_synced if base.write_files else filing.exists
        if not note.in_file or self._store.notes.has_path(base, path, note.source_ref) or not is_there(note):
            writes = note.in_file and _changes_files(base, change.author) and root.is_dir() and is_entered(root, path)
            data = self._store.documents.original(note.content_hash) if writes else None
            if note.in_file and data is None:
                note = replace(note, source=change.author, source_ref="", overridden={})
            note = replace(note, path=self._writer.free_path(replace(note, path=None), path))
            files += [filing.plan_new(note, data)] if data is not None else []
        with self._writer.files.carry_out(files, filing.write_new):
            self._writer.write(base, [NoteToIndex(note, change=change)])

    @log_call("note.delete_for_good")
    def delete_for_good(self, note_ids: Sequence[str]) -> int:
        """Delete notes of the trash, with their versions and edits; return how many there were.

        Raises NoteNotFound for an unknown id.
        """
        with self._store.changing:
            self._check_known(note_ids)
            chosen = [*{trashed.version.note_id for trashed in self.trash()}.intersection(note_ids)]
            if chosen:
                self._store.forget_notes(chosen)
        return len(chosen)

    @log_call("note.empty_trash")
    def empty_trash(self) -> int:
        """Delete all notes of the trash for good; return how many there were."""
        with self._store.changing:
            return self.delete_for_good([trashed.version.note_id for trashed in self.trash()])
