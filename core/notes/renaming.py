"""Notes get other titles and places; the links to them follow, and all of it can be undone."""

import os
import posixpath
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from core.base.call_log import log_call
from core.base.errors import Conflict, EditError, NoteNotFound, TesseraError
from core.intake.folder import free_path
from core.markdown.body import look_into, short_title, target_of
from core.markdown.inline import Link
from core.markdown.relinking import relink
from core.model import Author, LinkingNote, Note, Renaming, Revision
from core.notes import filing, naming
from core.notes.fields import check_fields
from core.notes.links import NoteLinks, plain
from core.notes.texts import at_path, restore_version
from core.notes.writer import TakenNames, Writer, check_version
from core.store import Store
from core.store.note_rows import NoteNames

_UNWRITABLE = set("[]|#^\n")
"""Signs that a wikilink can't hold in a name."""


def _leads(links: NoteLinks, note_id: str, target: str, other: str) -> bool:
    return links.target(links.names[note_id], target) == other


class Renames:
    """Renames the notes of a workspace and their files."""

    def __init__(self, store: Store, writer: Writer) -> None:
        self._store = store
        self._writer = writer

    def has_file(self, note: Note) -> bool:
        """Return whether a note has a file that may be written."""
        return note.in_text_file and self._store.bases.by_id(note.base_id).write_files

    def linking(self, note_id: str) -> list[LinkingNote]:
        """Return the notes that link to a note by its title or its file."""
        links = NoteLinks(self._store)
        nameless = links.renamed(note_id, "", None)
        linking = self._store.notes.links_of(links.to(note_id))
        return [
            LinkingNote(other, links.title(other))
            for other, targets in linking.items()
            if any(
                _leads(links, other, target, note_id) > _leads(nameless, other, target, note_id) for target in targets
            )
        ]

    def path_for(self, note: Note, title: str, *, file: bool) -> str:
        """Return the free path of a note with another title; with `file` also of a note that is a file."""
        before = note.path or naming.title_filename(note.title)
        if title == note.title or (note.source_ref and not (file and self.has_file(note))):
            return before
        return self._free(note, naming.renamed_path(before, note.title, title))

    def path_in(self, note: Note, folder: str) -> str:
        """Return the free path of a note in a folder, "" for the top of its base; raises EditError as `move` does."""
        if note.source_ref:
            raise EditError("'{path}' is a file. Move the file, then update its folder.", path=str(note.path))
        name = posixpath.basename(note.path or naming.title_filename(note.title))
        return self._free(note, naming.check_path(f"{folder}/{name}"))

    def _free(self, note: Note, path: str) -> str:
        base, root = self._store.bases.by_id(note.base_id), Path(note.source_ref)

        def is_taken(name: str) -> bool:
            if self._store.notes.has_path(base, name, note.source_ref):
                return True
            file = root / name
            return note.in_file and os.path.lexists(file) and not file.samefile(root / str(note.path))

        return path if path == note.path else free_path(path, TakenNames(is_taken))

    @log_call("note.rename")
    def rename(self, note_id: str, title: str, path: str, expected_version: int | None, author: Author) -> Renaming:
        """Give a note another title and a free path, in versions of the notes whose links follow.

        A linking file that another program changed is read first, so nothing in it is overwritten. One that can't be
        written keeps its links and is returned with the reason. Raises NoteNotFound, Conflict and EditError before
        anything is changed.
        """
        title = check_fields({"title": title})["title"]
        with self._store.changing:
            self._store.database.check_writable()
            note = self._store.notes.note(note_id)
            check_version(note, expected_version)
            before = NoteLinks(self._store)
            after = before.renamed(note_id, title, path)
            renamed = _Renamed(before, after)
            self._write(note, title, path, renamed, author)
            linking = [other for other in before.to(*after.namesakes(note_id)) if other != note_id]
            followed = [self._follow(other, renamed, author) for other in linking]
        self._store.leave_pending()
        return Renaming(note_id, title, path, note.title, note.path or "", tuple(filter(None, followed)))

    @log_call("note.undo_rename")
    def undo(self, done: Renaming, author: Author) -> None:
        """Give a note its title and its path of before, and each linking note the text of before it followed."""
        with self._store.changing:
            note = self._store.notes.note(done.note_id)
            for link in done.linking:
                with suppress(Conflict, NoteNotFound):  # it was changed since: its links follow once more
                    if link.version:
                        self._restore(link, author)
            self.rename(note.id, done.title_before, self._free(note, done.path_before), None, author)

    def _restore(self, link: LinkingNote, author: Author) -> None:
        numbers = [version.number for version in self._store.versions.for_note(link.id)]
        old = self._store.versions.note(link.id, next(number for number in numbers if number < link.version))
        self._writer.change(link.id, lambda note: restore_version(note, old), Revision("revert", author), link.version)

    def _write(self, note: Note, title: str, path: str, renamed: "_Renamed", author: Author) -> None:
        """Write the renamed note: its file first, then its title, its heading and its own links."""
        body = note.body
        if not note.plain and not note.document and (not note.in_file or self.has_file(note)):
            body = renamed.relinked(replace(note, body=_with_heading(note, title)))
        if path != note.path and note.in_file:
            self._store.notes.move([filing.rename(note, path)])

        def change(stored: Note) -> Note:
            moved = stored if stored.path == path else at_path(stored, path)
            return replace(moved, title=title)

        self._writer.change(note.id, change, Revision("update", author), body=None if body == note.body else body)

    def _follow(self, note_id: str, renamed: "_Renamed", author: Author) -> LinkingNote | None:
        """Let the links of another note follow; return it, None where none of its links has to."""
        note, refusal, version = self._store.notes.note(note_id), None, 0
        try:
            if renamed.relinked(note) == note.body:
                return None
            if self.has_file(note):
                note = self._writer.take_file(note_id)
            body = renamed.relinked(note)
            change = self._writer.change(
                note_id, lambda same: same, Revision("update", author), note.version, body=body
            )
            version = change.version
        except TesseraError as error:
            refusal = error.message
        return LinkingNote(note_id, note.title, version, refusal)


def _with_heading(note: Note, title: str) -> str:
    """Return the text of a note, with another first heading where that gave the note its title."""
    headings = (one for one in look_into(note.body, note.path or "").outline.headings if one.level == 1)
    for heading in headings:
        text = note.body[heading.start : heading.end]
        if not heading.nested and short_title(heading.title) == note.title and note.title in text:
            return note.body[: heading.start] + text.replace(note.title, title, 1) + note.body[heading.end :]
        break
    return note.body


@dataclass(frozen=True, slots=True)
class _Renamed:
    """The links between the notes, before one of them was renamed and after."""

    before: NoteLinks
    after: NoteLinks

    def relinked(self, note: Note) -> str:
        """Return the text of a note with links that lead where they led."""
        there = self.after.names[note.id]
        return relink(note.body, there.path or "", partial(self._target, self.before.names[note.id], there))

    def _target(self, here: NoteNames, there: NoteNames, link: Link) -> str | None:
        """Return the name or the path by which a link leads where it led; None where it does so already."""
        target = target_of(link, posixpath.dirname(here.path or ""))
        note_id = self.before.target(here, target) if target else None
        if note_id is None or self.after.target(there, target_of(link, posixpath.dirname(there.path or ""))) == note_id:
            return None
        if not link.wiki:
            return self.after.names[note_id].path
        lead = self.after.names[note_id]
        names = [self.after.name(note_id), lead.path or "", lead.title]
        if plain(target) != plain(posixpath.basename(self.before.names[note_id].path or "")):
            names.reverse()  # it named the title
        leads = (name for name in names if not _UNWRITABLE & {*name} and self.after.target(there, name) == note_id)
        return next(leads, None)
