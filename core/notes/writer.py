"""Writes changed and new notes, along with their versions and files."""

import json
import os
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable, Container, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from pathlib import Path, PurePosixPath
from posixpath import dirname

from core import embedding
from core.base.call_log import log_bases, log_call
from core.base.datetimes import utc_now
from core.base.errors import Conflict, EditError, SourceError, TesseraError, UnknownChoice
from core.base.frozen import AnyValues, ValueMap, Values, frozen
from core.base.messages import message
from core.base.text import name_key, one_line, stem
from core.indexing.embed_queue import PendingChunks
from core.indexing.indexer import Indexed, Indexer
from core.intake.folder import TakenNames, free_path, is_entered
from core.markdown.body import BodyMetadata, look_into
from core.markdown.frontmatter import dump, moment
from core.model import NOTE_SOURCES, NOTE_SUFFIXES, ORIGIN, Added, Author, KnowledgeBase, Note, NoteSummary, Revision
from core.notes import file_writing
from core.notes.fields import check_body, check_fields, check_text, overriding
from core.notes.file_writing import FileActs, FileChange, is_synced, plan_removal, put_away
from core.notes.texts import (
    at_path,
    check_path,
    first_words,
    is_titled_by_text,
    title_filename,
    title_of,
    with_body,
    with_title,
)
from core.store import Store
from core.store.ids import fresh_id
from core.store.note_to_index import NoteToIndex
from core.store.table import NoteIds

Change = Callable[[Note], Note]

# Keys allowed in a new note besides its text, path and fields.
NAMES = ("source", ORIGIN, "created_by", "source_url", "created", "metadata")
# Maximum number of characters in each provenance value, such as a note's origin or its author's name.
_MOST = 500
_MOST_METADATA = 16 * 1024

# Number of new notes written per batch.
_GROUP = 256


def own_title(body: str, path: str) -> str:
    """Return a file's title, taken from the text or, if the text has no title, from the file name."""
    return look_into(body, path).title or stem(path)


@dataclass
class Writer:
    """Writes a workspace's notes. Methods raise WorkspaceLocked if the workspace is read-only."""

    _store: Store
    _pending: PendingChunks

    def __post_init__(self) -> None:
        self.files = FileActs(self._store)

    @log_call("note.change")
    def change(
        self,
        note_id: str,
        change: Change,
        revision: Revision,
        expected_version: int | None = None,
        *,
        body: str | None = None,
        embed: bool | None = None,
    ) -> Note:
        """Apply a function to a note, then set its `body`, and return the note.

        A new version is written unless nothing changes. If `embed` is None, the caller must call `index` later. Raises
        NoteNotFound, and Conflict if the note's version isn't the expected one.
        """
        planned = self._change([note_id], change, revision, expected_version, body)
        if planned and embed is not None and (planned[0].is_cut or not embed):
            self.index([note_id], embed=embed)
        return self._store.note(note_id)

    def index(self, note_ids: NoteIds, *, embed: bool) -> None:
        """Embed the written notes' chunks, or leave the chunks pending."""
        if embed:
            self._pending.embed_written(note_ids)
        else:
            self._store.leave_pending()

    @log_call("note.change")
    def change_all(
        self, note_ids: NoteIds, change: Change, revision: Revision, expected_version: int | None = None
    ) -> None:
        """Apply a function to several notes and write their files. Either all notes are changed or none.

        Raises NoteNotFound, Conflict and the same errors as `file_writing.plan` and `file_writing.apply`.
        """
        self._change(note_ids, change, revision, expected_version)

    def _change(
        self, note_ids: NoteIds, change: Change, revision: Revision, expected: int | None, body: str | None = None
    ) -> "list[PlannedChange]":
        with self._store.changing:
            self._store.check_writable()
            notes = [self._store.note(note_id) for note_id in dict.fromkeys(note_ids)]
            for note in notes:
                check_version(note, expected)
            self._store.log_notes(note_ids)
            plans = [planned for note in notes if (planned := self.plan(note, change, revision, body))]
            if plans:
                self.carry_out(plans)
        return plans

    def write(self, base: KnowledgeBase, notes: Sequence[NoteToIndex], *, strict: bool = True) -> Indexed:
        """Write notes, index them for keyword search, and return what was written.

        If a note can't be chunked, raises SourceError if `strict` is True. Otherwise, the error is listed in the
        result's `failed`.
        """
        if not notes:
            return Indexed()
        log_bases([base])
        done = Indexer(self._store, base, embedding.build(base.embedder)).write(notes, len(notes))
        if strict and done.failed:
            raise done.failed[0]
        return done

    def plan(self, note: Note, change: Change, revision: Revision, body: str | None = None) -> "PlannedChange | None":
        """Plan a change to a note. Return None if nothing changes.

        The note's file changes too if the note is renamed or if the base writes files. Raises the errors of `change`
        and `file_writing.plan`. Nothing is written.
        """
        base = self._store.base(note.base_id)
        changed = change(note)
        inside = None
        if body is not None:
            changed, inside = with_body(changed, body)
        if (body is not None and revision.author == "person") or not changed.title:
            changed = with_title(note, changed, inside)
        if changed == note:
            return None
        if revision.joins and self._store.versions.kind(note.id) == "create":
            changed = self._renamed(base, note, changed, inside)
        is_moved = note.in_file and changed.path != note.path
        is_written = note.in_text_file and base.write_files
        if is_moved:
            check_file_writable(base, note)
        if not is_written:
            check_text_writable(base, note, changed)
        changed = replace(changed, updated_at=utc_now())
        file = file_writing.plan(note, changed, inside) if is_moved or is_written else None
        return PlannedChange(note, changed, revision, inside, file)

    def carry_out(self, plans: Sequence["PlannedChange"]) -> None:
        """Write the planned changes to notes and their files. Either all are written or none.

        Raises the same errors as `file_writing.apply`.
        """
        if any(plan.file or plan.is_cut for plan in plans):
            self._store.index.open()
        with self.files.carry_out([plan.file for plan in plans if plan.file], file_writing.apply) as states:
            cut = defaultdict(list)
            for plan in plans:
                note = plan.note
                revision = plan.revision
                changed = overriding(note, plan.changed) if note.in_file else plan.changed
                if plan.file and note.in_text_file:
                    cut[note.base_id].append(replace(file_writing.written(plan.file, states[note.id]), change=revision))
                elif plan.is_cut:
                    outline = plan.inside.outline if plan.inside else None
                    cut[note.base_id].append(
                        NoteToIndex(changed, change=revision, outline=outline, **self._store.notes.indexed_as(note.id))
                    )
                else:
                    self._store.describe([replace(changed, version=self._store.versions.last(note.id) + 1)], revision)
            for base_id, notes in cut.items():
                self.write(self._store.base(base_id), notes)

    def _renamed(self, base: KnowledgeBase, note: Note, changed: Note, inside: BodyMetadata | None) -> Note:
        """For a note that is still being created, return the note with a path that matches its new title."""
        title = changed.title
        follows = False
        if note.source_ref and not (note.in_text_file and base.write_files):
            return changed
        if note.in_file and (not title or (title == note.title and is_titled_by_text(note))):
            title = title_of(changed.body, inside)
            follows = True
        if title == note.title or (follows and title == title_of(note.body)):
            return changed
        path = self.free_path(note, str(PurePosixPath(note.location).with_name(title_filename(title))))
        if note.in_file and not is_entered(note.folder, path):
            return changed
        return at_path(replace(changed, title=own_title(changed.body, path) if follows else title), path)

    def free_path(self, note: Note, path: str, reserved: Container[str] = ()) -> str:
        """Return a path for a note, with a number appended if another note or file already has that path.

        `reserved` holds normalized paths that are about to be given to other notes from the same source.
        """
        base = self._store.base(note.base_id)

        def is_taken(name: str) -> bool:
            if name == note.path:
                return False
            if name_key(name) in reserved or self._store.notes.has_path(base, name, note.source_ref):
                return True
            if not (note.in_file and file_writing.is_taken(note.folder, name)):
                return False
            with suppress(OSError):  # a missing file, or a broken link
                # Some systems treat two spellings of a name as the same.
                return name_key(name) != name_key(note.location) or not (note.folder / name).samefile(note.file)
            return True

        return free_path(path, TakenNames(is_taken))

    def folder_for(self, base: KnowledgeBase, path: str) -> Path | None:
        """Return the folder for a new note's file, or None if the base writes no files.

        Of several folders, one that already contains the path's directory is preferred.
        """
        folders = (Path(sync.folder) for sync in self._store.bases.syncs(base) if base.write_files)
        top = dirname(path)
        return max(filter(Path.is_absolute, folders), key=lambda folder: os.access(folder / top, os.F_OK), default=None)

    def file(self, base: KnowledgeBase, new: NoteToIndex) -> NoteToIndex:
        """Write a file for a new note if its base writes files. Return the note as read back from the file.

        No file is written if the note is pending or wasn't written by the user, or if imports would skip the path.
        Raises the same errors as `file_writing.apply`.
        """
        path = new.note.location
        folder = self.folder_for(base, path)
        mine = new.note.source == "person" and new.note.status != "pending"
        if folder is None or not mine or not is_entered(folder, path):
            return new
        note = replace(new.note, source="folder", source_ref=str(folder), path=None)
        follows = note.title == title_of(note.body)
        while True:
            free = self.free_path(note, path)
            filed = at_path(replace(note, title=own_title(note.body, free) if follows else note.title), free)
            text = file_writing.text_of(filed)
            check_body(text)
            if file_writing.create(folder, free, text.encode()):
                return replace(file_writing.read(filed), change=new.change)


@frozen
class PlannedChange:
    """A planned change to a note and to its file, if any. `inside` is the new body's metadata."""

    note: Note
    changed: Note
    revision: Revision
    inside: BodyMetadata | None
    file: FileChange | None

    @property
    def is_cut(self) -> bool:
        """Whether the note must be re-chunked because its title or text changes."""
        return (self.changed.title, self.changed.body) != (self.note.title, self.note.body)


def check_text_writable(base: KnowledgeBase, note: Note, changed: Note) -> None:
    """Raise EditError if a change would edit a document's text, or a file in a base that doesn't write files."""
    if changed.body == note.body:
        return
    if note.in_file and note.document:
        raise EditError(
            "The text of '{path}' was converted from a document. Edit the document, or a copy of the note.",
            path=note.path,
        )
    check_file_writable(base, note)


def check_file_writable(base: KnowledgeBase, note: Note) -> None:
    """Raise EditError if a note is a file and its base doesn't write files."""
    if note.in_file and not base.write_files:
        raise EditError(
            (
                "'{path}' is a file, and its base isn't allowed to change files. Allow this in the base's settings, "
                "or edit a copy."
            ),
            path=note.path,
        )


def check_version(note: Note, expected: int | None) -> None:
    """Raise Conflict if a note isn't at the expected version. None accepts any version."""
    if expected not in (None, note.version):
        raise Conflict(
            (
                "'{title}' was changed in the meantime. The note is now at version {now}, but you changed version "
                "{before}. Read the note again, then repeat your change."
            ),
            note,
            int(expected or 0),
            title=note.title,
            now=note.version,
            before=expected,
        )


# A new note's provenance, as given by its author: source, location in the source, author, and other values.


def take_provenance(item: Values) -> tuple[str, Values]:
    """Remove the provenance from an item. Return the source ("" if there is none), and the other values as properties.

    `user` is an alias for the source `manual`. Raises UnknownChoice for an unknown source, and EditError for values
    that are invalid, too long or not JSON.
    """
    source, *stated, metadata = (item.pop(name, None) for name in NAMES)
    source = "manual" if source == "user" else source
    if source and source not in NOTE_SOURCES:
        raise UnknownChoice("source", str(source), NOTE_SOURCES)
    texts = {name: one_line(str(value)) for name, value in zip(NAMES[1:], stated, strict=False) if value}
    for name, text in texts.items():
        check_text(name, text)
        if len(text) > _MOST:
            raise EditError(
                "The {name} has {n} characters; the limit is {most}. Shorten it.", name=name, n=len(text), most=_MOST
            )
    if not re.match(r"https?://", texts.get("source_url", "https://")):
        raise EditError("'{name}' must be {kind}.", name="source_url", kind=message("a web address"))
    if not metadata:
        return str(source or ""), {**texts}
    try:
        dumped = json.dumps(metadata, allow_nan=False, ensure_ascii=False)
        dumped.encode()
        plain = json.loads(dumped)
    except (TypeError, ValueError, RecursionError) as error:
        raise EditError("The metadata isn't a JSON object. Send names and values.") from error
    if not isinstance(plain, dict) or len(dumped) > _MOST_METADATA or "\\u0000" in dumped:
        raise EditError("The metadata must be a JSON object of at most {limit} KB.", limit=_MOST_METADATA // 1024)
    return str(source or ""), {**texts, "metadata": plain}


def check_new(item: Values) -> None:
    """Raise UnknownChoice or EditError if `add` would reject a new note's values."""
    take_provenance(item)
    check_fields(item)


# New notes.


def add(
    store: Store,
    writer: Writer,
    base: KnowledgeBase,
    author: Author,
    items: Iterable[ValueMap],
    *,
    strict: bool,
) -> Added:
    """Add a note to a base for each item.

    Return the new ids and the failures. If `strict` is True, raise the first failure instead. Notes are written in
    batches, and nothing else can write during a batch. The user's own notes become files if the base writes files.
    """
    paths = TakenNames(partial(store.notes.has_path, base))
    ids = TakenNames(store.versions.has)
    note_ids = list[str]()
    failed = []
    numbered = enumerate(items)
    while group := list(islice(numbered, _GROUP)):
        notes = []
        numbers = {}
        written = Indexed()
        with store.changing:
            try:
                for number, item in group:
                    try:
                        new = _new(base, author, dict(item), paths, ids)
                        notes.append(writer.file(base, new) if author == "person" else new)
                    except TesseraError as error:
                        if strict:
                            raise
                        failed.append((number, error.message))
                    else:
                        numbers[notes[-1].note.path] = number
                written = writer.write(base, notes, strict=False)
            finally:  # remove the files of notes that weren't written
                for new in notes:
                    if new.note.in_file and new.note.id not in written.notes:
                        with suppress(TesseraError):
                            put_away(plan_removal(new.note))
        for source_error in written.failed:
            if strict:
                raise source_error
            failed.append((numbers[source_error.path], source_error.message))
        note_ids += written.notes
    return Added(tuple(note_ids), tuple(failed))


def _new(base: KnowledgeBase, author: Author, item: AnyValues, paths: TakenNames, ids: TakenNames) -> NoteToIndex:
    body = item.pop("body", "")
    path = item.pop("path", "")
    source, properties = take_provenance(item)
    front = "" if base.plain else dump(properties)
    fields = check_fields(item)
    check_body(body)
    in_folder = not path or path.endswith("/")
    inside = look_into(body, "note.md" if in_folder else path, plain=base.plain)
    title = fields.pop("title", "") or inside.title or ("" if in_folder else stem(path)) or first_words(body)
    path = f"{path}{title_filename(title)}" if in_folder else path
    path = free_path(check_path(path), paths)
    note_id = fresh_id(f"{base.id}/{path}", ids)
    now = utc_now()
    note = Note(
        id=note_id,
        base_id=base.id,
        title=title,
        body="",
        content_hash="",
        path=path,
        source=source or author,
        front=front,
        body_start=len(front),
        source_url=str(properties.get("source_url", "")),
        extra=properties,
        created_at=moment(str(properties.get("created", ""))) or now,
        updated_at=now,
        plain=base.plain,
        **fields,
    )
    note, _ = with_body(note, body, inside)
    paths.add(path)
    ids.add(note_id)
    return NoteToIndex(note, change=Revision("create", author), outline=inside.outline)


@dataclass
class Files:
    _store: Store
    _writer: Writer

    def is_writable(self, note: Note) -> bool:
        """Return whether a note has a text file that Tessera may write to."""
        return note.in_text_file and self.is_owned(note)

    def is_owned(self, note: Note | NoteSummary) -> bool:
        """Return whether a note is a file that Tessera moves and deletes along with the note."""
        return note.in_file and self._store.base(note.base_id).write_files

    def text(self, note_id: str) -> str:
        """Return a note formatted as a file. Raises NoteNotFound, and EditError if a file can't hold its fields."""
        return file_writing.text_of(self._store.note(note_id))

    def export(self, note_id: str, place: Path) -> str:
        """Write a note to a new file and return the file's text. Raises ConfigError if the path is taken."""
        text = self.text(note_id)
        file_writing.export(text, place)
        return text

    @log_call("note.sync")
    def read(self, note_id: str) -> Note:
        """Reread a note's file and return the note, saving a new version if the file has changed."""
        with self._store.changing:
            self._store.check_writable()
            note = self._store.note(note_id)
            if not is_synced(note):
                self._writer.write(
                    self._store.base(note.base_id),
                    [replace(file_writing.read(note), change=Revision("sync", "sync"))],
                )
                self._store.leave_pending()
        return self._store.note(note_id)

    def give_back(self, note_id: str, names: Iterable[str]) -> Note:
        """Reset fields that the user changed in Tessera to the values in the note's file, and return the note."""
        chosen = set(names)

        def change(note: Note) -> Note:
            rest: AnyValues = dict(note.overridden)
            own = {name: rest.pop(name) for name in chosen & rest.keys()}
            return replace(note, overridden=rest, **own)

        return self._writer.change(note_id, change, Revision("update", "person"))

    def open(self, note_id: str) -> None:
        """Open a note's file in the default program.

        Raises NoteNotFound, and SourceError if the file is missing or no program can open it.
        """
        note = self._store.note(note_id)
        path = note.file if note.in_file else Path()
        if not (path.is_file() and path.name.lower().endswith(NOTE_SUFFIXES)):
            raise SourceError(str(path), "This file no longer exists.")
        try:
            if sys.platform == "win32":
                os.startfile(path)
            else:
                program = "open" if sys.platform == "darwin" else "xdg-open"
                nothing = subprocess.DEVNULL
                subprocess.Popen(
                    [program, str(path)], stdin=nothing, stdout=nothing, stderr=nothing, start_new_session=True
                )
        except OSError as error:
            raise SourceError(str(path), "The system has no program that can open this file.") from error
