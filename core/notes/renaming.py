"""Notes get other titles and places; the links to them follow, and all of it can be undone."""

import os
import posixpath
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from core.base.call_log import log_call
from core.base.errors import EditError, TesseraError
from core.base.messages import Message
from core.intake.folder import is_entered
from core.markdown.body import file_of, look_into, short_title, target_of
from core.markdown.inline import Link
from core.markdown.relinking import relink
from core.model import Author, LinkingNote, Note, NoteSummary, Renaming, Revision
from core.notes import attachments, naming
from core.notes.fields import check_fields
from core.notes.links import NoteLinks, plain
from core.notes.texts import at_path
from core.notes.writer import PlannedChange, Writer, check_file_writable, check_version
from core.store import Store
from core.store.note_rows import NoteNames

_UNWRITABLE = set("[]|#^\n")
"""Signs that a wikilink can't hold in a name."""


def _leads(links: NoteLinks, note_id: str, target: str, other: str) -> bool:
    return links.target(links.names[note_id], target) == other


def _attachment(here: NoteNames, there: NoteNames, link: Link) -> str | None:
    """Return the path of the file that a link of a moved note led to; None where it does so from the new place."""
    name = file_of(link)
    if not (name and here.source_ref):
        return None
    before, after = (attachments.locate(names.source_ref, names.path or "", name) for names in (here, there))
    return before.place if before and before != after else None


class Renames:
    """Renames the notes of a workspace and their files."""

    def __init__(self, store: Store, writer: Writer) -> None:
        self._store = store
        self._writer = writer

    def has_file(self, note: Note) -> bool:
        """Return whether a note has a file that may be written."""
        return note.in_text_file and self.owns_file(note)

    def owns_file(self, note: Note | NoteSummary) -> bool:
        """Return whether a note has a file that is moved and deleted with it."""
        return note.in_file and self._store.bases.by_id(note.base_id).write_files

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
        if note.in_text_file:
            check_file_writable(self._store.bases.by_id(note.base_id), note)
        elif note.source_ref:
            raise EditError("'{path}' is a file. Move the file, then update its folder.", path=str(note.path))
        root, folder = Path(note.source_ref), folder.replace("\\", "/").strip("/")
        name = posixpath.basename(note.path or naming.title_filename(note.title))
        path = naming.check_path(f"{folder}/{name}")
        if note.in_file:  # folders of the user may have names that not every system can hold
            is_there = os.path.isdir(root / folder)  # noqa: PTH112 where is_dir raises for a long name
            there = folder if is_there else posixpath.dirname(path)
            path = posixpath.join(there, name)
            if not is_entered(root, path):
                raise EditError("An import of the folder leaves out '{path}'. Choose another folder.", path=path)
        return self._writer.free_path(note, path)

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
            return self._rename(note, title, path, title_before or note.title, author, {})

    def _rename(
        self, note: Note, title: str, path: str, title_before: str, author: Author, old: Mapping[str, Note]
    ) -> Renaming:
        """Rename a note as `rename`; the notes of `old`, by their ids, get the texts that they have there."""
        before = self._links(replace(note, title=title_before))
        after = before.renamed(note.id, title, path)
        renamed, refused = _Renamed(before, after, author, old), dict[str, Message]()
        plans = {note.id: self._plan(note, title, path, renamed)}
        for other in dict.fromkeys([*before.to(*after.namesakes(note.id)), *old]):
            try:
                plans[other] = plans[other] if other == note.id else self._plan_link(other, renamed)
            except TesseraError as error:
                refused[other] = error.message
        done = [plan for plan in plans.values() if plan]
        self._writer.carry_out(done)
        self._store.leave_pending()
        versions = {plan.note.id: self._store.notes.note(plan.note.id).version for plan in done}
        version = versions.pop(note.id, 0)
        linking = (
            LinkingNote(other, after.title(other), versions.get(other, 0), refused.get(other))
            for other in {**versions, **refused}
        )
        return Renaming(note.id, title, path, note.title, note.path or "", tuple(linking), version)

    @log_call("note.undo_rename")
    def undo(self, done: Renaming, author: Author) -> Renaming:
        """Give a note its title and its path of before, and each note that wasn't changed since its text of before.

        Raises as `rename`.
        """
        with self._store.changing:
            versions = {done.note_id: done.version} | {link.id: link.version for link in done.linking}
            unchanged = {other: version for other, version in versions.items() if self._is_version(other, version)}
            note = self._store.notes.note(done.note_id)
            path = self._writer.free_path(note, done.path_before)
            texts = unchanged if path == done.path_before else {}
            old = {other: text for other, version in texts.items() if (text := self._text_before(other, version))}
            return self._rename(note, done.title_before, path, note.title, author, old)

    def _is_version(self, note_id: str, version: int) -> bool:
        """Return whether a note, and its file, are as a version says."""
        with suppress(TesseraError):
            return version > 0 and self._read(note_id).version == version
        return False

    def _text_before(self, note_id: str, version: int) -> Note | None:
        """Return a note as it was before a version, None if that isn't stored."""
        numbers = (other.number for other in self._store.versions.for_note(note_id))
        number = next((number for number in numbers if number < version), 0)
        return self._store.versions.note(note_id, number) if number else None

    def _plan(self, note: Note, title: str, path: str, renamed: "_Renamed") -> PlannedChange | None:
        """Plan the renamed note: its place, its title, its heading and its own links."""
        body = note.body
        if note.id in renamed.old or (
            not note.plain and not note.document and (not note.in_file or self.has_file(note))
        ):
            body = renamed.text(replace(note, body=_with_heading(note, title)))

        def change(stored: Note) -> Note:
            moved = stored if stored.path == path else at_path(stored, path)
            return replace(moved, title=title)

        return self._writer.plan(note, change, renamed.as_what(note), None if body == note.body else body)

    def _read(self, note_id: str) -> Note:
        """Return a note as its file is now, where its base writes files."""
        note = self._store.notes.note(note_id)
        return self._writer.take_file(note_id) if self.has_file(note) else note

    def _plan_link(self, note_id: str, renamed: "_Renamed") -> PlannedChange | None:
        """Plan how the links of another note follow; None where none of its links has to."""
        note = self._store.notes.note(note_id)
        if renamed.text(note) != note.body:
            note = self._read(note_id)
        body = renamed.text(note)
        if body == note.body:
            return None
        return self._writer.plan(note, lambda same: same, renamed.as_what(note), body)


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
    """The links between the notes, before one of them is renamed and after; notes of `old` get their texts again."""

    before: NoteLinks
    after: NoteLinks
    author: Author
    old: Mapping[str, Note]

    def as_what(self, note: Note) -> Revision:
        return Revision("revert" if note.id in self.old else "update", self.author)

    def text(self, note: Note) -> str:
        """Return the old text of a note, or its text with links that lead where they led."""
        if old := self.old.get(note.id):
            return old.body
        there = self.after.names[note.id]
        return relink(note.body, there.path or "", partial(self._target, self.before.names[note.id], there))

    def _target(self, here: NoteNames, there: NoteNames, link: Link) -> str | None:
        """Return the name or the path by which a link leads where it led; None where it does so already."""
        target = target_of(link, posixpath.dirname(here.path or ""))
        note_id = self.before.target(here, target) if target else None
        if note_id is None:
            return _attachment(here, there, link) if here.path != there.path else None
        if self.after.target(there, target_of(link, posixpath.dirname(there.path or ""))) == note_id:
            return None
        if not link.wiki:
            return self.after.names[note_id].path
        lead = self.after.names[note_id]
        names = [self.after.name(note_id), lead.path or "", lead.title]
        if plain(target) != plain(posixpath.basename(self.before.names[note_id].path or "")):
            names.reverse()  # it named the title
        leads = (name for name in names if not _UNWRITABLE & {*name} and self.after.target(there, name) == note_id)
        return next(leads, None)
