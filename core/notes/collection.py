"""Listing, finding, writing, classifying and archiving a workspace's notes. Each change creates a version."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import partial
from operator import itemgetter
from posixpath import dirname
from typing import Unpack

from core.base.call_log import log_call
from core.base.datetimes import utc_now
from core.base.errors import EditError, NoteNotFound
from core.base.frozen import ValueMap, attributes
from core.indexing.bases import Bases
from core.markdown.parts import toggle_task
from core.model import (
    NOTE_FIELDS,
    SOON,
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
from core.store.table import NoteIds

_EDIT = Revision("update", "person")


@dataclass
class Notes:
    """The notes in all bases. Changes raise WorkspaceLocked in a read-only workspace."""

    _store: Store
    _bases: Bases
    _writer: Writer

    # reading

    def all(self, filters: Filters | None = None, *, text: str = "", answering: bool = False) -> list[NoteSummary]:
        """Return the notes that match the filters and have `text` in their title or path.

        If `answering` is True, return only notes that a search would consider. Unless the filters name a status, these
        are the active notes that haven't expired. Raises QueryError if a filter or `text` is too long.
        """
        check_part(text)
        filters = filters or Filters()
        read = partial(self._store.notes.cards, filters, text=text, answering=answering)
        if text or answering or filters != Filters(bases=filters.bases):  # time-dependent, or too many to cache
            return read()
        return list(self._store.remembered.get(("cards", filters.bases), read))

    def get(self, note_id: str) -> Note:
        """Return a note that the user opens. Its pending chunks are embedded next. Raises NoteNotFound."""
        note = self._store.note(note_id)
        self._store.pending.open(note_id)
        return note

    def find(self, name: str) -> NoteSummary | None:
        """Return the note with the given name, or None if there is no such note. Names are the same as in `resolve`."""
        try:
            return self.resolve(name)
        except NoteNotFound:
            return None

    def resolve(self, name: str) -> NoteSummary:
        """Return the note with the given id, path, file name, title or alias, in any spelling that works in a link.

        Raises NoteNotFound if no note has the name, and QueryError if several notes do.
        """
        return self.resolve_all([name])[0]

    def resolve_all(self, names: Iterable[str]) -> list[NoteSummary]:
        """Return the notes with the given names, in the same order. Raises the same errors as `resolve`."""
        found = list(map(self.links().single, names))
        cards = self.cards_of(found)
        return [cards[note_id] for note_id in found]

    def expiring(self, *, days: int = SOON) -> list[NoteSummary]:
        """Return the active notes that have expired or will expire within the given number of days, soonest first."""
        until = later(utc_now(), days)
        ends = [
            (lapses(card.expires_at), card)
            for card in self._store.notes.cards_of(self._store.fields.expiring(until)).values()
            if card.expires_at
        ]
        return [card for end, card in sorted(ends, key=itemgetter(0)) if end <= until]

    def counts(self, base: str = "") -> NoteCounts:
        """Return the note counts for a base, or for all bases. Raises UnknownChoice."""
        base_ids = [known.id for known in ([self._bases.get(base)] if base else self._bases.all())]
        return replace(self._store.notes.counts(base_ids), by_words=self._store.pending.count(base_ids).notes)

    def links(self) -> NoteLinks:
        return self._store.remembered.get("links", lambda: NoteLinks(self._store))

    def linking(self, note_id: str) -> list[str]:
        """Return the ids of the notes that link to a note, ordered by path. Raises NoteNotFound."""
        self._store.notes.card(note_id)
        return list(self._store.remembered.get(("linking", note_id), lambda: self.links().to(note_id)))

    def switch(self, text: str, limit: int, base: str = "") -> list[NoteSummary]:
        """Return the notes whose titles, aliases or paths match `text`, best first.

        If `text` is empty, return the newest notes, of one base if `base` is given.
        """
        notes = self._store.notes
        base_id = self._bases.get(base).id if base else None
        ids = nearest_names(notes.named(), text, limit) if text.strip() else notes.newest(limit, base_id)
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
        """Add a note to a base, creating the base if it doesn't exist, and return the note.

        In a base that writes files, a note that the user adds becomes a new file. Existing files are never replaced.

        Keyword search finds the note as soon as this method returns. If `embed` is True and the base embeds notes at
        once, semantic search finds it too. `path` is the note's path in the base. By default, the path is based on the
        title. If `path` ends in `/`, it is the note's folder. Raises EditError or UnknownChoice if a field is invalid,
        and SourceError if the text is too large to be read.
        """
        items = [{"body": body, "path": path, **fields}]
        return self.get(self.add_many(base, items, author=author, embed=embed, strict=True).note_ids[0])

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
        """Add notes, and return their ids and any failures.

        Each item holds the `body`, the `path` and the fields of a note, as in `add`. Invalid items are reported as
        failures, and the rest are added. If `strict` is True, the error of an invalid item is raised instead.
        """
        self._store.check_writable()
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
        """Change a note's text or fields, and return the note. Any other fields and the note's path stay the same.

        If the user edits the note and its title was taken from the first line, the title follows that line. An empty
        title is also taken from that line. If `joins` is True, the new version replaces the previous one. If the
        previous version created the note, the path follows the title too.

        In a base that writes files, the text and fields are written to the note's file. In any other base, the fields
        override those in the file. Raises NoteNotFound. Raises Conflict if the note's version isn't the expected one or
        its file was changed. Raises EditError if the file can't be written, and the same errors as `add`.
        """
        return self._writer.change(
            note_id,
            partial(with_fields, fields=fields),
            Revision("update", author, joins),
            expected_version,
            body=body,
            embed=embed,
        )

    def set_fields(
        self,
        note_ids: NoteIds,
        *,
        expected_version: int | None = None,
        **fields: Unpack[NoteFields],
    ) -> None:
        """Set fields on several notes. Raises the same errors as `update`."""
        values = check_fields(fields)
        self._writer.change_all(note_ids, partial(replace, **values), _EDIT, expected_version)
        if "title" in values:  # the embedded text of each chunk contains the title
            self._writer.index(note_ids, embed=True)

    def tag(
        self,
        note_ids: NoteIds,
        *,
        add: Iterable[str] = (),
        remove: Iterable[str] = (),
        expected_version: int | None = None,
    ) -> None:
        """Add tags to several notes, and remove tags from them."""
        more = check_fields({"tags": add})["tags"]
        less = {tag.casefold() for tag in check_fields({"tags": remove})["tags"]}

        def change(note: Note) -> Note:
            return with_fields(note, {"tags": [*(tag for tag in note.tags if tag.casefold() not in less), *more]})

        self._writer.change_all(note_ids, change, _EDIT, expected_version)

    def tick(self, note_id: str, line: int, *, expected_version: int, embed: bool = True) -> Note:
        """Toggle the checkbox on a line of a note, as an edit by the user, and return the note.

        Lines are counted from 0. Raises EditError if the line has no checkbox, and the same errors as `update`.
        """
        if (body := toggle_task(self._store.note(note_id).body, line)) is None:
            raise EditError("Line {line} of the note has no checkbox.", line=line + 1)
        return self.update(note_id, body=body, expected_version=expected_version, author="person", embed=embed)

    def copy(self, note_id: str, *, title: str = "", embed: bool = True) -> Note:
        """Copy a note into its folder, by default with the same title, and return the copy.

        The copy can be edited even if the note is a file in a base that doesn't write files.
        """
        note = self._store.note(note_id)
        fields = attributes(note, NOTE_FIELDS) | ({"title": title} if title else {})
        folder = dirname(note.location)
        return self.add(
            self._store.base(note.base_id).name,
            note.body,
            path=folder and f"{folder}/",
            author="person",
            embed=embed,
            **fields,
        )

    def archive(self, note_ids: NoteIds) -> None:
        """Archive notes. Only searches that ask for archived notes find them."""
        self._writer.change_all(note_ids, partial(replace, status="archived"), Revision("archive", "person"))
