"""The stored notes: listed, read, found by their names, with their links and files."""

import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterable
from dataclasses import replace
from operator import itemgetter
from pathlib import Path
from urllib.parse import unquote

from core.base.blobs import Span
from core.base.datetimes import utc_now
from core.base.errors import NoteNotFound, SourceError
from core.base.faults import FILES
from core.indexing.bases import Bases
from core.indexing.models import Models
from core.intake.imports import Imports
from core.markdown.body import attachments_in
from core.model import (
    NOTE_SUFFIXES,
    Attachment,
    Filters,
    KnowledgeBase,
    Note,
    NoteCounts,
    NoteLine,
    NoteSummary,
    lapses,
    later,
)
from core.model.limits import check_part
from core.notes import attachments, naming, texts
from core.notes.links import NoteLinks
from core.store import Store
from core.store.remembered import Remembered


class StoredNotes(Imports):
    """The notes of all bases, to be read."""

    title_of = staticmethod(texts.title_of)
    is_titled_by_text = staticmethod(texts.is_titled_by_text)

    def __init__(self, store: Store, models: Models, bases: Bases) -> None:
        super().__init__(store, models, bases)
        self._remembered = Remembered(store.database)

    def all(self, filters: Filters | None = None, *, text: str = "", answering: bool = False) -> list[NoteSummary]:
        """Return the notes that match the filters and have `text` in their title or path.

        With `answering` as a search goes by the filters: active and not expired, unless they name a status. Raises
        QueryError for filters and texts that are too long.
        """
        check_part(text)
        filters = filters or Filters()

        def read() -> list[NoteSummary]:
            return self._store.notes.cards(filters, text=text, answering=answering)

        if text or answering or filters != Filters(bases=filters.bases):  # others depend on the time, or are many
            return read()
        return [*self._remembered.get(("cards", filters.bases), read)]

    def get(self, note_id: str) -> Note:
        """Return a note with its text, for the user: its pending chunks are embedded next. Raises NoteNotFound."""
        note = self._store.notes.note(note_id)
        self._store.pending.open(note_id)
        return note

    def find(self, name: str) -> NoteSummary | None:
        """Return the note of a name as `resolve` does, None if there is none."""
        try:
            return self.resolve(name)
        except NoteNotFound:
            return None

    def resolve(self, name: str) -> NoteSummary:
        """Return the note of an id, a path, a file name, a title or an alias, in the spellings of links.

        Raises NoteNotFound, and QueryError where several notes have the name.
        """
        return self.resolve_all([name])[0]

    def resolve_all(self, names: Iterable[str]) -> list[NoteSummary]:
        """Return the note of each name, in their order; raises as `resolve` does."""
        links = self.links()
        found = [naming.resolve_single(name, links.called(name), links.names) for name in names]
        cards = self.cards_of(found)
        return [cards[note_id] for note_id in found]

    def expiring(self, *, days: int = 14) -> list[NoteSummary]:
        """Return the active notes that are expired or will be within some days, the first ones first."""
        until = later(utc_now(), days)
        ends = [
            (lapses(card.expires_at), card)
            for card in self._store.notes.cards_of(self._store.fields.expiring(until)).values()
            if card.expires_at
        ]
        return [card for end, card in sorted(ends, key=itemgetter(0)) if end <= until]

    def lines(self, base: str, text: str) -> list[NoteLine]:
        """Return the lines of a base's notes that hold a text, by path, of notes and chunks that answer questions.

        Raises UnknownChoice for a base, and QueryError for a text that is too long.
        """
        check_part(text)
        return [
            line
            for note in self._store.notes.notes_with_text(self._bases.get(base), text)
            for line in texts.find_lines(note, text, self.hidden(note.id))
        ]

    def shown(self, note_id: str) -> str:
        """Return the text of a note without hidden parts; raises NoteNotFound."""
        return texts.visible_text(self.get(note_id), self.hidden(note_id))

    def without_hidden(self, note_id: str) -> Note:
        """Return a note with blanks for hidden parts; raises NoteNotFound."""
        return texts.blank_hidden(self.get(note_id), self.hidden(note_id))

    def hidden(self, note_id: str) -> list[Span]:
        """Return the hidden parts of a note's body, which answer nothing."""
        return self._store.chunks.hidden(note_id)

    def counts(self, base: str = "") -> NoteCounts:
        """Return the numbers of the notes of a base, or of all; raises UnknownChoice."""
        base_ids = [known.id for known in ([self._bases.get(base)] if base else self._bases.all())]
        return replace(self._store.notes.counts(base_ids), by_words=self._store.pending.count(base_ids).notes)

    def tags(self, base: str | None = None) -> dict[str, int]:
        """Return how many notes have each tag."""
        return dict(self._remembered.get(("tags", base), lambda: self._store.notes.tags(base)))

    def categories(self, base: str | None = None) -> dict[str, int]:
        """Return how many notes have each category."""
        return self._store.notes.categories(base)

    # links and files

    def links(self) -> NoteLinks:
        """Return the links between the notes, as of now."""
        return self._remembered.get("links", lambda: NoteLinks(self._store))

    def linking(self, note_id: str) -> list[str]:
        """Return the ids of the notes that link to a note, by path; raises NoteNotFound."""
        self._store.notes.card(note_id)
        return [*self._remembered.get(("linking", note_id), lambda: self.links().to(note_id))]

    def mentions(self, links: NoteLinks, note_id: str, among: Iterable[str]) -> dict[str, str]:
        """Return the sentence in which each of some notes links to a note, without hidden parts."""

        def sentence(other: str) -> str:
            note = texts.blank_hidden(self._store.notes.note(other), self.hidden(other))
            return linking_sentence(note.body, lambda target: links.target(note, target) == note_id)

        return {other: sentence(other) for other in among}

    def beginnings(self, note_ids: Iterable[str], length: int) -> dict[str, str]:
        """Return the title and the first characters of each note as one line, without hidden parts."""
        texts = self._store.notes.beginnings(note_ids, length)
        return {note_id: " ".join(text.split()) for note_id, text in texts.items()}

    def switch(self, text: str, limit: int) -> list[NoteSummary]:
        """Return the notes whose title, alias or path has the words of a text, the nearest first; else the newest."""
        notes = self._store.notes
        ids = naming.nearest_names(notes.named(), text, limit) if text.strip() else notes.newest(limit)
        cards = notes.cards_of(ids)
        return [cards[note_id] for note_id in ids if note_id in cards]

    def cards_of(self, note_ids: Iterable[str]) -> dict[str, NoteSummary]:
        """Return the cards of notes by their ids."""
        return self._store.notes.cards_of(note_ids)

    def ids_by_chunks(self, chunk_ids: Iterable[str]) -> list[str]:
        """Return the ids of the notes of some chunks; raises ChunkNotFound."""
        return [*dict.fromkeys(map(self._store.chunks.note_of, chunk_ids))]

    def attachment(self, note_id: str, target: str) -> Attachment | None:
        """Return the picture or file that a note names, of the folder it was read from; raises NoteNotFound.

        A note that says it is from a folder with which its base was never synced has none. One that was written here
        has the files of its base's folders, and the pictures that were pasted without such a folder.
        """
        return self._attached(self._store.notes.note(note_id), target)

    def _attached(self, note: Note, target: str) -> Attachment | None:
        found = (attachments.locate(str(top), str(note.path), target) for top in self._tops(note))
        return next(filter(None, found), None)

    def _tops(self, note: Note) -> list[Path]:
        """Return the folders in which the files of a note are."""
        if note.in_file:
            return [Path(note.source_ref)] if self._store.bases.is_synced(note.base_id, note.source_ref) else []
        return [*self._folders(self._bases.by_id(note.base_id)), self.own_files]

    def _folders(self, base: KnowledgeBase) -> list[Path]:
        """Return the folders of a base that are there."""
        folders = (Path(folder) for folder, _ in self._bases.folders(base))
        return [folder for folder in folders if folder.is_absolute() and folder.is_dir()]

    @property
    def own_files(self) -> Path:
        """The folder of pictures that belong to no folder of the user."""
        return self._store.folder / FILES

    def missing_attachments(self, note: Note) -> tuple[str, ...]:
        """Return the pictures and files that a note names and that aren't there, as they are written."""
        try:
            named = () if note.plain else attachments_in(note.body, str(note.path))
        except SourceError:
            return ()
        lost = [target for target in named if not self._attached(note, target)]
        return tuple(target for target in lost if not self.links().target(note, target))

    def open_file(self, note_id: str) -> None:
        """Open a note's file in the program of the system.

        Raises NoteNotFound, and SourceError where the file isn't there or the system has no program for it.
        """
        note = self._store.notes.note(note_id)
        path = Path(note.source_ref) / str(note.path) if note.in_file else Path()
        if not (path.is_file() and path.name.lower().endswith(NOTE_SUFFIXES)):
            raise SourceError(str(path), "this file isn't there any more.")
        try:
            if sys.platform == "win32":
                os.startfile(path)
            else:
                program, nothing = "open" if sys.platform == "darwin" else "xdg-open", subprocess.DEVNULL
                subprocess.Popen(
                    [program, str(path)], stdin=nothing, stdout=nothing, stderr=nothing, start_new_session=True
                )
        except OSError as error:
            raise SourceError(str(path), "the system has no program that opens it.") from error


MOST_CHARACTERS = 240
"""Characters of a sentence."""
_LINK = re.compile(r"\[\[([^\[\]|\n#^]{1,500}+)[^\[\]\n]{0,500}+\]\]|\]\(<?+([^()<>\s#]{1,500}+)[^()\n]{0,300}+\)")
_END = re.compile(r"[.!?…](?=\s)|[。！？]|\n")
_WORDS = re.compile(r"!?\[\[(?:[^\[\]|\n]{0,500}\|)?([^\[\]|\n]{0,500})\]\]|!?\[([^\[\]\n]{0,500})\]\([^()\n]{0,500}\)")
_SIGNS = re.compile(r"^(?:[-*+>#]+\s|\d{1,9}[.)]\s|\[.\]\s|\s)+|\*\*|__|==|`")


def linking_sentence(body: str, is_wanted: Callable[[str], bool]) -> str:
    """Return the sentence around the first link whose target is wanted, as plain text; "" without one."""
    for link in _LINK.finditer(body):
        if is_wanted((link[1] or unquote(link[2])).removesuffix("\\").strip()):
            return _plain(_around(body, link.start(), link.end()))
    return ""


def _around(body: str, start: int, end: int) -> str:
    first = max(0, start - MOST_CHARACTERS)
    before = [stop.end() for stop in _END.finditer(body, first, start)]
    after = _END.search(body, end, end + MOST_CHARACTERS)
    return body[before[-1] if before else first : after.end() if after else end + MOST_CHARACTERS]


def _plain(text: str) -> str:
    shown = _WORDS.sub(lambda link: link[1] or link[2] or "", text.strip())
    shown = " ".join(_SIGNS.sub("", shown).split())
    return shown if len(shown) <= MOST_CHARACTERS else f"{shown[: MOST_CHARACTERS - 1]}…"
