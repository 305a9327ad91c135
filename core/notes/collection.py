"""Listing, finding, writing, classifying and archiving the notes of a workspace; each change makes a version."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from operator import itemgetter
from typing import Unpack

from core.base.call_log import log_call
from core.base.datetimes import utc_now
from core.base.errors import EditError, NoteNotFound
from core.base.frozen import ValueMap
from core.indexing.bases import Bases
from core.markdown.parts import toggle_task
from core.model import (
    NOTE_FIELDS,
    Added,
    Author,
    Filters,
    NewNoteFields,
    Note,
    NoteCounts,
    NoteFields,
    NoteSummary,
    Revision,
    lapses,
    later,
)
from core.model.limits import check_part
from core.notes.fields import check_fields, with_fields
from core.notes.links import NoteLinks
from core.notes.texts import nearest_names
from core.notes.writer import Writer, add
from core.store import Store


class Notes:
    """The notes in all bases. Changes raise WorkspaceLocked in a read-only workspace."""

    def __init__(self, store: Store, bases: Bases, writer: Writer) -> None:
        self._store = store
        self._bases = bases
        self._writer = writer

    # reading

    def all(self, filters: Filters | None = None, *, text: str = "", answering: bool = False) -> list[NoteSummary]:
        """Return the notes that match the filters and have `text` in their title or path.

        With `answering`, return only notes that searches consider: active and unexpired, unless the filters name a
        status. Raises QueryError for filters and texts that are too long.
        """
        check_part(text)
        filters = filters or Filters()

        def read() -> list[NoteSummary]:
            return self._store.notes.cards(filters, text=text, answering=answering)

        if text or answering or filters != Filters(bases=filters.bases):  # these depend on the time, or are too many
            return read()
        return list(self._store.remembered.get(("cards", filters.bases), read))

    def get(self, note_id: str) -> Note:
        """Return a note that the user opens; its pending chunks are embedded next. Raises NoteNotFound."""
        note = self._store.notes.note(note_id)
        self._store.pending.open(note_id)
        return note

    def find(self, name: str) -> NoteSummary | None:
        """Return the note with the given name, as `resolve` does, or None."""
        try:
            return self.resolve(name)
        except NoteNotFound:
            return None

    def resolve(self, name: str) -> NoteSummary:
        """Return the note with the given id, path, file name, title or alias, in any spelling that a link accepts.

        Raises NoteNotFound, and QueryError if several notes have the name.
        """
        return self.resolve_all([name])[0]

    def resolve_all(self, names: Iterable[str]) -> list[NoteSummary]:
        """Return the notes with the given names, in the same order; raises as `resolve` does."""
        links = self.links()
        found = [links.single(name) for name in names]
        cards = self.cards_of(found)
        return [cards[note_id] for note_id in found]

    def expiring(self, *, days: int = 14) -> list[NoteSummary]:
        """Return the active notes that have expired or will expire within some days, soonest first."""
        until = later(utc_now(), days)
        ends = [
            (lapses(card.expires_at), card)
            for card in self._store.notes.cards_of(self._store.fields.expiring(until)).values()
            if card.expires_at
        ]
        return [card for end, card in sorted(ends, key=itemgetter(0)) if end <= until]

    def counts(self, base: str = "") -> NoteCounts:
        """Return the note counts of a base, or of all bases; raises UnknownChoice."""
        base_ids = [known.id for known in ([self._bases.get(base)] if base else self._bases.all())]
        return replace(self._store.notes.counts(base_ids), by_words=self._store.pending.count(base_ids).notes)

    def links(self) -> NoteLinks:
        return self._store.remembered.get("links", lambda: NoteLinks(self._store))

    def linking(self, note_id: str) -> list[str]:
        """Return the ids of the notes that link to a note, ordered by path; raises NoteNotFound."""
        self._store.notes.card(note_id)
        return list(self._store.remembered.get(("linking", note_id), lambda: self.links().to(note_id)))

    def switch(self, text: str, limit: int) -> list[NoteSummary]:
        """Return the notes whose titles, aliases or paths match a text, best first; the newest if the text is empty."""
        notes = self._store.notes
        ids = nearest_names(notes.named(), text, limit) if text.strip() else notes.newest(limit)
        cards = notes.cards_of(ids)
        return [cards[note_id] for note_id in ids if note_id in cards]

    def cards_of(self, note_ids: Iterable[str]) -> dict[str, NoteSummary]:
        return self._store.notes.cards_of(note_ids)

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
        """Add a note to a base, which is created if it doesn't exist; return the note.

        In a base that writes files, the user's notes become new files, which never replace others.

        Keyword search finds the note when this returns; with `embed`, in a base that embeds at once, so does semantic
        search. `path` is its path in the base, which is made from the title by default; a path that ends with `/` is a
        folder. Raises EditError and UnknownChoice for a field, and SourceError for a text too large to be read.
        """
        item = {"body": body, "path": path, **fields}
        return self.get(self.add_many(base, [item], author=author, embed=embed, strict=True).note_ids[0])

    @log_call("note.add")
    def add_many(
        self,
        base: str,
        items: Iterable[ValueMap],
        *,
        author: Author = "program",
        embed: bool = True,
        strict: bool = False,
    ) -> Added:
        """Add notes, each given by `body`, `path` and the fields of `add`; return their ids and the failures.

        An invalid item is reported, and the others are added; with `strict`, its error is raised.
        """
        self._store.database.check_writable()
        added = add(self._store, self._writer, self._bases.find_or_add(base), author, items, strict=strict)
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
        """Change the text or fields of a note, and return it; other fields and the note's path stay.

        If the user edits it, a title that came from the first line follows that line, and an empty title is taken from
        it. With `joins`, the version replaces the previous one; if that one created the note, the path follows the
        title too.

        In a base that writes files, the text and the fields are written to the note's file. In other bases, fields
        override those of the file. Raises NoteNotFound, Conflict if the note's version isn't the expected one or its
        file was changed, EditError for a file that can't be written, and as `add` does.
        """
        change = partial(with_fields, fields=fields)
        revision = Revision("update", author, joins)
        return self._writer.change(note_id, change, revision, expected_version, body=body, embed=embed)

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
        if "title" in values:  # the embedded text of each chunk contains the title
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
        """Add tags to several notes, and remove other tags from them."""
        more = check_fields({"tags": add})["tags"]
        less = {tag.casefold() for tag in check_fields({"tags": remove})["tags"]}

        def change(note: Note) -> Note:
            return with_fields(note, {"tags": [*(tag for tag in note.tags if tag.casefold() not in less), *more]})

        self._writer.change_all(note_ids, change, Revision("update", author), expected_version)

    def tick(self, note_id: str, line: int, *, expected_version: int, embed: bool = True) -> Note:
        """Toggle the checkbox on a line of a note, counted from 0, as an edit by the user; return the note.

        Raises EditError for a line without a checkbox, and as `update` does.
        """
        body = toggle_task(self._store.notes.note(note_id).body, line)
        if body is None:
            raise EditError("Line {line} of the note has no checkbox.", line=line + 1)
        return self.update(note_id, body=body, expected_version=expected_version, author="person", embed=embed)

    def copy(self, note_id: str, *, author: Author = "person", embed: bool = True) -> Note:
        """Copy a note, for example to edit it when its base writes no files; return the copy."""
        note = self._store.notes.note(note_id)
        fields = {name: getattr(note, name) for name in NOTE_FIELDS}
        return self.add(self._store.bases.by_id(note.base_id).name, note.body, author=author, embed=embed, **fields)

    def archive(self, note_ids: Sequence[str], *, author: Author = "person") -> None:
        """Archive notes; only searches that ask for archived notes find them."""
        self._writer.change_all(note_ids, lambda note: replace(note, status="archived"), Revision("archive", author))
