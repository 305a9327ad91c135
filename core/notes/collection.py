"""The notes of a workspace: read, written, classified, archived, deleted and restored, each change a version."""

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any, Unpack

from core import embedding
from core.config import Settings
from core.errors import Conflict, EditError, NoteNotFound, QueryError, TesseraError
from core.indexing.bases import Bases
from core.indexing.chunks import Chunks
from core.indexing.cutter import Draft
from core.indexing.indexer import Indexer
from core.indexing.waiting import FAILURES
from core.intake.folder import content_hash
from core.intake.imports import Imports
from core.intake.notefile import look_into
from core.messages import Message
from core.model import (
    FIELDS,
    Added,
    Author,
    Filters,
    KnowledgeBase,
    Note,
    NoteCard,
    NoteDraft,
    Revision,
    Trashed,
    Version,
)
from core.models import Models
from core.notes import filing, naming
from core.notes.fields import NoteFields, check_text, checked, with_fields
from core.store import Store
from core.store.ids import fresh_id

_LOG = logging.getLogger(__name__)
_GROUP = 256
"""Notes of `add_many` that are written together."""


class Notes(Imports):
    """The notes of all bases. Changes raise WorkspaceLocked in a workspace that is open for reading only."""

    def __init__(self, store: Store, settings: Settings, models: Models, bases: Bases, chunks: Chunks) -> None:
        super().__init__(store, models, bases)
        self._chunks = chunks
        self._trash_days = settings.trash_days
        store.versions.most = settings.keep_versions

    # reading

    def cards(self, filters: Filters | None = None, *, text: str = "") -> list[NoteCard]:
        """Return the notes that match the filters and have `text` in their title or path."""
        return self._store.notes.cards(filters or Filters(), text=text)

    def get(self, note_id: str) -> Note:
        """Return a note with its text, for a person: its pending chunks are embedded next. Raises NoteNotFound."""
        note = self._store.notes.note(note_id)
        self._store.pending.open(note_id)
        return note

    def named(self, name: str) -> NoteCard:
        """Return the note of this id, path or title; raises NoteNotFound, and QueryError where several have it."""
        cards = [card for card in self.cards() if name in (card.id, card.path, card.title)]
        if len(cards) > 1:
            ids = [card.id for card in cards]
            raise QueryError(
                "{n} notes are called '{name}'. Give one by its id: {ids}.", n=len(ids), name=name, ids=ids
            )
        if not cards:
            raise NoteNotFound(name)
        return cards[0]

    def tags(self, base: str | None = None) -> dict[str, int]:
        """Return how many notes have each tag."""
        return self._store.notes.tags(base)

    # writing

    def add(
        self,
        base: str,
        body: str = "",
        *,
        path: str = "",
        author: Author = "program",
        embed: bool = True,
        **fields: Unpack[NoteFields],
    ) -> Note:
        """Add a note to a base, which is made if there is none of this name; return the note.

        The note is found by its words when this returns; with `embed`, in a base that embeds at once, also by meaning.
        `path` is its place in the base, by default its title. Raises EditError and UnknownChoice for a field, and
        SourceError for a text too large to be read.
        """
        added = self.add_many(base, [{"body": body, "path": path, **fields}], author=author, embed=embed, strict=True)
        return self._store.notes.note(added.note_ids[0])

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
        into = self._base_for_import(base)
        paths = self._store.notes.paths(into)
        taken = self._store.notes.ids() | self._store.versions.note_ids()
        note_ids: list[str] = []
        failed: list[tuple[int, Message]] = []
        group: list[Draft] = []
        for number, item in enumerate(items):
            try:
                note = self._new(into, dict(item), author, paths)
            except TesseraError as error:
                if strict:
                    raise
                failed.append((number, error.message))
                continue
            note = replace(note, id=fresh_id(f"{into.id}/{note.path}", taken))
            paths.add(str(note.path))
            taken.add(note.id)
            note_ids.append(note.id)
            group.append(Draft(note, change=Revision("create", author)))
            if len(group) >= _GROUP:
                self._write(into, group)
                group = []
        self._write(into, group)
        if embed:
            self._embed(note_ids)
        return Added(tuple(note_ids), tuple(failed))

    def update(
        self,
        note_id: str,
        *,
        body: str | None = None,
        expected_version: int | None = None,
        author: Author = "program",
        embed: bool = True,
        **fields: Unpack[NoteFields],
    ) -> Note:
        """Revision the text or fields of a note, and return it; what isn't given stays, and so does a note's path.

        An edit of a file's text goes into the file, where the note's base writes files; fields go there too, and
        elsewhere stay the person's over those of the file. Raises NoteNotFound, Conflict if the note's version isn't
        the expected one or its file was changed, EditError for a file that may not be written, and as `add` does.
        """

        def change(note: Note) -> Note:
            return _with_body(with_fields(note, fields), note.body if body is None else body)

        return self._change(note_id, change, Revision("update", author), expected_version, embed=embed)

    def set_fields(self, note_ids: Sequence[str], *, author: Author = "person", **fields: Unpack[NoteFields]) -> None:
        """Set fields of several notes."""
        values = checked(fields)
        for note_id in note_ids:
            self._change(note_id, lambda note: replace(note, **values), Revision("update", author))

    def tag(
        self, note_ids: Sequence[str], *, add: Iterable[str] = (), remove: Iterable[str] = (), author: Author = "person"
    ) -> None:
        """Add tags to several notes, and remove tags from them."""
        more, less = checked({"tags": add})["tags"], {tag.casefold() for tag in checked({"tags": remove})["tags"]}

        def change(note: Note) -> Note:
            return with_fields(note, {"tags": [*(tag for tag in note.tags if tag.casefold() not in less), *more]})

        for note_id in note_ids:
            self._change(note_id, change, Revision("update", author))

    def give_back(self, note_id: str, names: Iterable[str], *, author: Author = "person") -> Note:
        """Let fields be those of the note's file again; return the note."""
        given = set(names)

        def change(note: Note) -> Note:
            own: dict[str, Any] = {name: value for name, value in note.overridden.items() if name in given}
            rest = {name: value for name, value in note.overridden.items() if name not in given}
            return replace(note, overridden=rest, **own)

        return self._change(note_id, change, Revision("update", author))

    def copy(self, note_id: str, *, author: Author = "person", embed: bool = True) -> Note:
        """Copy a note, to be edited here where its file isn't written; return the copy."""
        note = self._store.notes.note(note_id)
        fields = {name: getattr(note, name) for name in FIELDS}
        base = self._store.bases.of_id(note.base_id)
        return self.add(base.name, note.body, author=author, embed=embed, **fields)

    # versions

    def history(self, note_id: str) -> list[Version]:
        """Return the versions of a note, also of a deleted one, the newest first; raises NoteNotFound."""
        versions = self._store.versions.of(note_id)
        if not versions:
            raise NoteNotFound(note_id)
        return versions

    def at(self, note_id: str, number: int) -> Note:
        """Return a note as it was in a version; raises VersionNotFound."""
        return self._store.versions.note(note_id, number)

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
        fields = {name: getattr(old, name) for name in FIELDS}

        def change(note: Note) -> Note:
            return _with_body(replace(note, **fields), old.body, tags=old.tags)

        return self._change(note_id, change, Revision("revert", author), expected_version, embed=embed)

    def archive(self, note_ids: Sequence[str], *, author: Author = "person") -> None:
        """Archive notes: they answer only where a question asks for them."""
        for note_id in note_ids:
            self._change(note_id, lambda note: replace(note, status="archived"), Revision("archive", author))

    # deleting and restoring

    def delete(self, note_ids: Sequence[str] | str, *, author: Author = "person") -> None:
        """Put notes into the trash, with their edits of chunks and versions; notes that aren't there are left out.

        Their files stay on disk, and the next sync imports them again.
        """
        self._store.open_index()
        ids = [note_ids] if isinstance(note_ids, str) else note_ids
        for base, here in self._by_base(ids):
            self._store.delete_notes(base, here, Revision("delete", author))

    def trash(self, base: str | None = None) -> list[Trashed]:
        """Return the deleted notes, the last deleted first."""
        return self._store.versions.deleted(self._bases.get(base).id if base else None)

    def restore(self, note_ids: Sequence[str], *, author: Author = "person", embed: bool = True) -> None:
        """Bring notes back: deleted ones from the trash, archived ones to the active ones.

        A note whose file is gone lives here from then on. Raises NoteNotFound for a note that is neither.
        """
        change = Revision("restore", author)
        for note_id in note_ids:
            if self._store.notes.generation(note_id):
                self._change(note_id, lambda note: replace(note, status="active"), change)
                continue
            with self._store.changing:
                note = self._store.versions.trashed(note_id)
                base = self._store.bases.of_id(note.base_id)
                if note.in_file and not filing.exists(note):
                    note = replace(note, source=author, source_ref="", overridden={})
                paths = self._store.notes.paths(base, note.source_ref)
                self._write(base, [Draft(replace(note, path=naming.free(str(note.path), paths)), change=change)])
        if embed:
            self._embed(note_ids)

    def empty_trash(self, note_ids: Sequence[str] | None = None, *, older_than: timedelta | None = None) -> int:
        """Delete deleted notes for good, with their versions and edits: some, or all, or the old ones."""
        until = datetime.now(UTC) - (older_than or timedelta())
        chosen = [
            one.version.note_id
            for one in self._store.versions.deleted()
            if (note_ids is None or one.version.note_id in note_ids) and one.version.at <= until
        ]
        self._store.forget_notes(chosen)
        return len(chosen)

    def expire_trash(self) -> int:
        """Delete for good what is in the trash for longer than the settings say; return how many notes."""
        return self.empty_trash(older_than=timedelta(days=self._trash_days))

    # drafts

    def drafts(self) -> list[NoteDraft]:
        """Return the unsaved texts of the editor, the newest first."""
        return self._store.drafts.all()

    def save_draft(self, draft: NoteDraft) -> None:
        """Store an unsaved text of the editor."""
        self._store.drafts.put(draft)

    def drop_draft(self, key: str) -> None:
        """Delete an unsaved text."""
        self._store.drafts.drop(key)

    # shared

    def _new(self, base: KnowledgeBase, item: dict[str, Any], author: Author, paths: set[str]) -> Note:
        """Return a new note without an id, at a free path."""
        body, path = item.pop("body", ""), item.pop("path", "")
        fields = checked(item)
        check_text("text", body)
        inside = look_into(body, path or "note.md")
        title = fields.pop("title", "") or inside.title or naming.stem(path) or naming.first_words(body)
        path = naming.free(naming.checked(path) if path else naming.of_title(title), paths)
        now = datetime.now(UTC)
        note = Note(
            id="",
            base_id=base.id,
            title=title,
            body="",
            content_hash="",
            path=path,
            source=author,
            created_at=now,
            updated_at=now,
            **fields,
        )
        return _with_body(note, body)

    def _change(
        self,
        note_id: str,
        change: Callable[[Note], Note],
        as_what: Revision,
        expected_version: int | None = None,
        *,
        embed: bool = False,
    ) -> Note:
        """Revision a note as a function says, and write it as a new version, unless nothing changes; return it."""
        with self._store.changing:
            self._store.database.check_writable()
            note = self._store.notes.note(note_id)
            if expected_version not in (None, note.version):
                raise Conflict(
                    "'{title}' was changed meanwhile: it is version {now} now, and you changed version {before}.",
                    note,
                    int(expected_version or 0),
                    title=note.title,
                    now=note.version,
                    before=expected_version,
                )
            changed = change(note)
            if changed == note:
                return note
            base = self._store.bases.of_id(note.base_id)
            changed = replace(changed, updated_at=datetime.now(UTC))
            self._save(base, note, changed, as_what)
        if embed and changed.body != note.body:
            self._embed([note_id])
        return self._store.notes.note(note_id)

    def _save(self, base: KnowledgeBase, note: Note, changed: Note, change: Revision) -> None:
        """Write a changed note, and its file where the base writes files."""
        mtime_ns = size = None
        if note.in_file and base.write_files:
            changed, mtime_ns, size = filing.write(note, changed)
        elif note.in_file and changed.body != note.body:
            raise EditError(
                "'{path}' is a file, and its base doesn't write to files. Let it do so, or edit a copy.",
                path=str(note.path),
            )
        elif note.in_file:
            changed = _overriding(note, changed)
        if (changed.title, changed.body) == (note.title, note.body) and mtime_ns is None:
            self._store.describe([replace(changed, version=self._store.versions.last(note.id) + 1)], change)
            return
        if mtime_ns is None:
            row = self._store.notes.indexed_as(note.id)
            mtime_ns, size = row["mtime_ns"], row["size"]
        self._write(base, [Draft(changed, mtime_ns, size, change=change)])

    def _write(self, base: KnowledgeBase, drafts: Sequence[Draft]) -> None:
        """Write notes, so that their words find them; raises SourceError for one that can't be cut."""
        if not drafts:
            return
        indexer = Indexer(self._store, base, embedding.build(base.embedder))
        for error in indexer.write(drafts, len(drafts)).failed:
            raise error

    def _embed(self, note_ids: Sequence[str]) -> None:
        """Embed the chunks of notes in bases that embed at once; if the model fails, they are pending."""
        at_once = {base.id for base in self._bases.all() if base.embed_at_once}
        stored = self._store.notes.base_ids(note_ids)
        due = [note_id for note_id, base_id in stored.items() if base_id in at_once]
        try:
            if due:
                self._chunks.embed(note_ids=due)
        except FAILURES:
            _LOG.warning("Notes that were written are found by words only", exc_info=True)

    def _by_base(self, note_ids: Sequence[str]) -> list[tuple[KnowledgeBase, list[str]]]:
        stored = self._store.notes.base_ids(note_ids)
        return [
            (base, [note_id for note_id, base_id in stored.items() if base_id == base.id])
            for base in self._bases.all()
            if base.id in stored.values()
        ]


def _with_body(note: Note, body: str, tags: Sequence[str] | None = None) -> Note:
    """Return a note with another text, whose tags and links are the note's; `tags` are its tags otherwise."""
    check_text("text", body)
    if body == note.body and body:
        return note
    path = note.path or "note.md"
    inside, before = look_into(body, path), look_into(note.body, path)
    gone = {tag.casefold() for tag in before.tags}
    own = [tag for tag in (note.tags if tags is None else tags) if tag.casefold() not in gone]
    return replace(
        with_fields(note, {"tags": [*own, *inside.tags]}),
        body=body,
        links=inside.links,
        content_hash=content_hash(body.encode("utf-8")),
    )


def _overriding(note: Note, changed: Note) -> Note:
    """Return a changed note of a file that isn't written, with the file's values of the fields that differ from it."""
    overridden = dict(changed.overridden)
    for name in FIELDS:
        value = getattr(changed, name)
        if value != getattr(note, name) and name not in note.overridden:
            overridden[name] = getattr(note, name)
        if name in overridden and overridden[name] == value:
            del overridden[name]
    return replace(changed, overridden=overridden)
