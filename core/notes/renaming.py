"""Notes get other titles and places; the links to them follow, and all of it can be undone."""

import posixpath
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial

from core.base.call_log import log_call
from core.base.errors import EditError, TesseraError
from core.markdown.body import look_into, short_title, target_of
from core.markdown.inline import Link
from core.markdown.relinking import relink
from core.model import Author, LinkingNote, Note, Renaming, Revision
from core.notes import naming
from core.notes.fields import check_fields
from core.notes.links import NoteLinks, plain
from core.notes.texts import at_path, restore_version
from core.notes.writer import Writer, check_version
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

    def _links(self, note: Note) -> NoteLinks:
        """Return the links as they are with the title and the path that a note has here, perhaps earlier ones."""
        return NoteLinks(self._store).renamed(note.id, note.title, note.path)

    def linking(self, note: Note, title: str, path: str) -> list[LinkingNote]:
        """Return the notes whose links have to follow another title and path; with the same title all that may."""
        links, note_id = self._links(note), note.id
        after = links.renamed(note_id, "", None) if title == note.title else links.renamed(note_id, title, path)
        linking = self._store.notes.links_of(links.to(note_id))

        def follows(other: str, target: str) -> bool:
            return _leads(links, other, target, note_id) and not _leads(after, other, target, note_id)

        return [
            LinkingNote(other, links.title(other))
            for other, targets in linking.items()
            if any(follows(other, target) for target in targets)
        ]

    def path_for(self, note: Note, title: str, *, file: bool) -> str:
        """Return the free path of a note with another title; with `file` also of a note that is a file."""
        before = note.path or naming.title_filename(note.title)
        if title == note.title or (note.source_ref and not (file and self.has_file(note))):
            return before
        return self._writer.free_path(note, naming.renamed_path(before, note.title, title))

    def path_in(self, note: Note, folder: str) -> str:
        """Return the free path of a note in a folder, "" for the top of its base; raises EditError as `move` does."""
        if note.source_ref:
            raise EditError("'{path}' is a file. Move the file, then update its folder.", path=str(note.path))
        name = posixpath.basename(note.path or naming.title_filename(note.title))
        return self._writer.free_path(note, naming.check_path(f"{folder}/{name}"))

    @log_call("note.rename")
    def rename(
        self,
        note_id: str,
        title: str,
        path: str,
        expected_version: int | None,
        author: Author,
        title_before: str = "",
    ) -> Renaming:
        """Give a note another title and a free path, in versions of the notes whose links follow.

        The links are those to `title_before`, where the note has its new title already.

        A linking file that another program changed is read first, so nothing in it is overwritten. One that can't be
        written keeps its links and is returned with the reason. Raises NoteNotFound, Conflict and EditError before
        anything is changed.
        """
        title = check_fields({"title": title})["title"]
        if not title:
            raise EditError("A note needs a title.")
        with self._store.changing:
            self._store.database.check_writable()
            note = self._store.notes.note(note_id)
            check_version(note, expected_version)
            before = self._links(replace(note, title=title_before or note.title))
            after = before.renamed(note_id, title, path)
            renamed = _Renamed(before, after)
            written = self._write(note, title, path, renamed, author)
            linking = [other for other in before.to(*after.namesakes(note_id)) if other != note_id]
            followed = [self._follow(other, renamed, author) for other in linking]
        self._store.leave_pending()
        version = written.version if written.version != note.version else 0
        return Renaming(note_id, title, path, note.title, note.path or "", tuple(filter(None, followed)), version)

    @log_call("note.undo_rename")
    def undo(self, done: Renaming, author: Author) -> Renaming:
        """Give a note its title and its path of before, and each note that wasn't changed since its text of before.

        Raises as `rename`.
        """
        with self._store.changing:
            versions = {done.note_id: done.version} | {link.id: link.version for link in done.linking}
            unchanged = {other: version for other, version in versions.items() if self._is_version(other, version)}
            path = self._writer.free_path(self._store.notes.note(done.note_id), done.path_before)
            undone = self.rename(done.note_id, done.title_before, path, None, author)
            if path == done.path_before:
                for other, version in unchanged.items():
                    with suppress(TesseraError):  # its links followed once more, or stay as `undone` says
                        self._restore(other, version, author)
        return undone

    def _is_version(self, note_id: str, version: int) -> bool:
        """Return whether a note, and its file, are as a version says."""
        with suppress(TesseraError):
            return version > 0 and self._read(note_id).version == version
        return False

    def _restore(self, note_id: str, version: int, author: Author) -> None:
        """Give a note the text that it had before a version, if that is stored."""
        numbers = (other.number for other in self._store.versions.for_note(note_id))
        if number := next((number for number in numbers if number < version), 0):
            old = self._store.versions.note(note_id, number)
            self._writer.change(note_id, lambda note: restore_version(note, old), Revision("revert", author))

    def _write(self, note: Note, title: str, path: str, renamed: "_Renamed", author: Author) -> Note:
        """Write the renamed note: its place, its title, its heading and its own links."""
        body = note.body
        if not note.plain and not note.document and (not note.in_file or self.has_file(note)):
            body = renamed.relinked(replace(note, body=_with_heading(note, title)))

        def change(stored: Note) -> Note:
            moved = stored if stored.path == path else at_path(stored, path)
            return replace(moved, title=title)

        body_after = None if body == note.body else body
        return self._writer.change(note.id, change, Revision("update", author), body=body_after)

    def _read(self, note_id: str) -> Note:
        """Return a note as its file is now, where its base writes files."""
        note = self._store.notes.note(note_id)
        return self._writer.take_file(note_id) if self.has_file(note) else note

    def _follow(self, note_id: str, renamed: "_Renamed", author: Author) -> LinkingNote | None:
        """Let the links of another note follow; return it, None where none of its links has to."""
        note, refusal, version = self._store.notes.note(note_id), None, 0
        try:
            body = renamed.relinked(note)
            if body != note.body:
                note = self._read(note_id)
                body = renamed.relinked(note)
            if body == note.body:
                return None
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
