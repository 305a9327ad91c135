"""Renaming and moving notes. Links to the notes are updated, and both actions can be undone."""

import os
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from posixpath import basename, dirname, join, normpath
from types import MappingProxyType
from typing import NamedTuple

from core.base.call_log import log_call
from core.base.errors import EditError, TesseraError
from core.base.frozen import frozen
from core.base.text import name_key
from core.intake.folder import is_entered
from core.markdown.body import file_of, look_into, relink, short_title, target_of
from core.markdown.inline import Link
from core.model import Author, LinkingNote, Note, NoteRenamed, Renaming, Revision
from core.notes import attachments
from core.notes.fields import check_fields
from core.notes.links import NoteLinks, plain
from core.notes.texts import at_path, check_path, renamed_path, title_filename
from core.notes.writer import Files, PlannedChange, Writer, check_file_writable, check_version
from core.store import Store
from core.store.note_rows import NoteNames

# Characters that a name in a wikilink can't contain.
_UNWRITABLE = set("[]|#^\n")


class _NewName(NamedTuple):
    """A stored note, the title that links still use for it, and its new title and path."""

    note: Note
    title_before: str
    title: str
    path: str


@dataclass
class Renames:
    """Renames and moves notes and their files. Raises WorkspaceLocked in a read-only workspace."""

    _store: Store
    _writer: Writer
    _files: Files

    def plan(self, note_id: str, title: str, *, file: bool = True, title_before: str = "") -> Renaming:
        """Return what `rename` would change.

        If the title stays the same, `linking` lists all notes that a rename might change.
        """

        def plan() -> Renaming:
            note = self._store.note(note_id)
            note = replace(note, title=title_before or note.title)
            path = self._path_for(note, title, file=file)
            # If the title stays the same, find all notes whose links might have to change.
            links = NoteLinks(self._store).renamed({note.id: (note.title, note.path)})
            after = links.renamed({note.id: ("", None) if title == note.title else (title, path)})

            def follows(other: str, target: str) -> bool:
                here, there = (named.target(named.names[other], target) for named in (links, after))
                return here == note.id != there

            linking = (
                LinkingNote(other, links.title(other))
                for other, targets in self._store.notes.links_of(links.to(note.id)).items()
                if any(follows(other, target) for target in targets)
            )
            return Renaming(note_id, title, path, note.title, note.location, tuple(linking))

        return self._store.remembered.get(("rename", note_id, title, file, title_before), plan)

    def _path_for(self, note: Note, title: str, *, file: bool) -> str:
        """Return a free path for a note's new title.

        A note from a folder, an upload or a pack keeps its path, unless `file` is set and its file is writable.
        """
        before = note.path or title_filename(note.title)
        if title == note.title or (note.source_ref and not (file and self._files.is_writable(note))):
            return before
        return self._writer.free_path(note, renamed_path(before, note.title, title))

    @log_call("note.move")
    def move(
        self,
        note_ids: Sequence[str] | str,
        folder: str,
        *,
        expected_version: int | None = None,
        author: Author = "person",
    ) -> list[Renaming]:
        """Move notes into a folder in their bases, along with their files if the bases write files.

        Either all notes are moved or none. The folder "" is the top level. Links to the notes are updated as in
        `rename`. Links from Markdown notes to files are updated too. Before anything is moved, raises EditError if a
        note comes from an upload or a pack, or if the folder leads out of the base.
        """
        note_ids = [note_ids] if isinstance(note_ids, str) else note_ids
        folder = folder.replace("\\", "/").strip("/")
        with self._store.changing:
            self._store.check_writable()
            new_names = []
            given = defaultdict[tuple[str, str], set[str]](set)
            for note in map(self._store.note, dict.fromkeys(note_ids)):
                check_version(note, expected_version)
                if note.in_file:
                    check_file_writable(self._store.base(note.base_id), note)
                elif note.source_ref:
                    raise EditError(
                        (
                            "'{path}' came from a pack or an upload, and the next update expects it at this "
                            "path. Duplicate the note, then move the copy."
                        ),
                        path=note.path,
                    )
                root = note.folder
                name = basename(note.path or title_filename(note.title))
                path = check_path(f"{folder}/{name}")
                if note.in_file:  # the user's folders may have names that are invalid on other systems
                    is_there = os.path.isdir(root / folder)  # noqa: PTH112 where is_dir raises for a long name
                    path = join(folder if is_there else dirname(path), name)
                    if not is_entered(root, path):
                        raise EditError("Imports of the folder leave out '{path}'. Choose another folder.", path=path)
                taken = given[note.base_id, note.source_ref]
                path = self._writer.free_path(note, path, taken)
                taken.add(name_key(path))
                new_names.append(_NewName(note, note.title, note.title, path))
            return self._rename(new_names, author)

    @log_call("note.rename")
    def rename(
        self,
        note_id: str,
        title: str,
        *,
        file: bool = True,
        title_before: str = "",
        expected_version: int | None = None,
    ) -> Renaming:
        """Retitle a note, updating its path, its first heading and links to it. Each changed note gets a new version.

        If `file` is True, the note's file is renamed too, provided its base writes files. If an edit has already
        changed the note's title, `title_before` is the title that links still use.

        If another program has changed the file of a linking note, the file is read first, so no changes are lost. A
        linking note that can't be written keeps its links, and is returned with the reason. NoteNotFound, Conflict and
        EditError are raised before anything is changed.
        """
        title = check_fields({"title": title})["title"]
        if not title:
            raise EditError("A note needs a title.")
        with self._store.changing:
            self._store.check_writable()
            note = self._store.note(note_id)
            check_version(note, expected_version)
            title_before = title_before or note.title
            path = self._path_for(replace(note, title=title_before), title, file=file)
            return self._rename([_NewName(note, title_before, title, path)])[0]

    def _rename(
        self, new_names: Sequence[_NewName], author: Author = "person", old: Mapping[str, Note] = MappingProxyType({})
    ) -> list[Renaming]:
        """Rename several notes in one change, as `rename` does.

        `old` maps note ids to earlier states of the notes, whose text is restored. Each result lists the notes whose
        links to the renamed note changed. The first result also lists all other notes that changed.
        """
        before = NoteLinks(self._store).renamed({note.id: (titled, note.path) for note, titled, *_ in new_names})
        after = before.renamed({note.id: (title, path) for note, _, title, path in new_names})
        files = {
            (note.source_ref, note.location): note.id
            for note, *_, path in new_names
            if note.in_file and note.document and path != note.path
        }
        renamed = _Renamed(before, after, author, old, files)
        refused = {}
        plans = {note.id: self._plan(note, title, path, renamed) for note, _, title, path in new_names}
        own = {*plans}
        linking = before.to(*set().union(*map(after.namesakes, own)))
        # Links never percent-encode these parts of a file name.
        words = {max(re.findall("[a-z0-9]+", basename(path).lower()), key=len) for _, path in files}
        naming = self._store.notes.naming({folder for folder, _ in files}, words)
        for other in dict.fromkeys([*linking, *naming, *old]):
            try:
                if other not in own:
                    note = self._store.note(other)
                    note = self._read(other) if renamed.text(note) != note.body else note
                    if (body := renamed.text(note)) != note.body:
                        plans[other] = self._writer.plan(note, lambda same: same, renamed.revision(note), body)
            except TesseraError as error:
                refused[other] = error.message
        done = [plan for plan in plans.values() if plan]
        others = [plan.note.id for plan in done if plan.note.id not in own] + list(refused)
        self._writer.carry_out(done)
        self._store.leave_pending()
        versions = {plan.note.id: self._store.note(plan.note.id).version for plan in done}
        links = [LinkingNote(other, after.title(other), versions.get(other, 0), refused.get(other)) for other in others]
        first = {note.id for note, *_ in new_names[:1]}
        renamings = [
            Renaming(
                note.id,
                title,
                path,
                note.title,
                note.location,
                tuple(link for link in links if note.id in (own & renamed.followed[link.id] or first)),
                versions.get(note.id, 0),
            )
            for note, _, title, path in new_names
        ]
        for renaming in renamings:
            self._store.events.publish(NoteRenamed(renaming))
        return renamings

    @log_call("note.undo_rename")
    def undo(self, *done: Renaming) -> list[Renaming]:
        """Restore the old titles and paths of notes that were renamed or moved together.

        Notes that haven't changed since then, including linking notes, get their old text back. Raises the same errors
        as `rename`.
        """
        with self._store.changing:
            versions = {renaming.note_id: renaming.version for renaming in done}
            versions |= {link.id: link.version for renaming in done for link in renaming.linking}
            new_names = []
            old = {}
            for other, version in versions.items():
                with suppress(TesseraError):
                    if version > 0 and self._read(other).version == version:
                        versions_of = self._store.versions.for_note(other)
                        if number := next((before.number for before in versions_of if before.number < version), 0):
                            old[other] = self._store.versions.note(other, number)
            for renaming in done:
                note = self._store.note(renaming.note_id)
                path = self._writer.free_path(note, renaming.path_before)
                new_names.append(_NewName(note, note.title, renaming.title_before, path))
                old = old if path == renaming.path_before else {}
            return self._rename(new_names, old=old)

    def _plan(self, note: Note, title: str, path: str, renamed: "_Renamed") -> PlannedChange | None:
        body = note.body
        if note.id in renamed.old or (
            not note.plain and not note.document and (not note.in_file or self._files.is_writable(note))
        ):
            # If the first heading is the old title, it becomes the new title.
            headings = look_into(body, note.location).outline.headings
            heading = next((heading for heading in headings if heading.level == 1), None)
            if heading and not heading.nested and short_title(heading.title) == note.title:
                text = body[heading.start : heading.end]
                body = body[: heading.start] + text.replace(note.title, title, 1) + body[heading.end :]
            body = renamed.text(replace(note, body=body))

        def change(stored: Note) -> Note:
            return replace(stored if stored.path == path else at_path(stored, path), title=title)

        return self._writer.plan(note, change, renamed.revision(note), None if body == note.body else body)

    def _read(self, note_id: str) -> Note:
        """Return a note. If its base writes files, the note's file is reread first."""
        note = self._store.note(note_id)
        return self._files.read(note_id) if self._files.is_writable(note) else note


@frozen
class _Renamed:
    """The links between notes before and after a rename. The text of the notes in `old` is restored.

    `files` maps the folder and old path of each renamed document to its note id. `followed` maps each note id to the
    target notes of its changed links.
    """

    before: NoteLinks
    after: NoteLinks
    author: Author
    old: Mapping[str, Note]
    files: Mapping[tuple[str, str], str]
    followed: defaultdict[str, set[str]] = field(default_factory=lambda: defaultdict(set))

    def revision(self, note: Note) -> Revision:
        return Revision("revert" if note.id in self.old else "update", self.author)

    def text(self, note: Note) -> str:
        """Return a note's text from `old`. If the note isn't in `old`, return its current text with updated links."""
        if old := self.old.get(note.id):
            return old.body
        there = self.after.names[note.id]
        return relink(note.body, there.location, partial(self._target, self.before.names[note.id], there))

    def _target(self, here: NoteNames, there: NoteNames, link: Link) -> str | None:
        """Return the new name or path for a link so that it still leads to the same note.

        Return None if the link needn't change.
        """
        target = target_of(link, dirname(here.location))
        note_id = self.before.target(here, target) if target else None
        if note_id is None:
            return self._file(here, there, link) if here.source_ref else None
        before = self.before.names[note_id]
        lead = self.after.names[note_id]
        now = target_of(link, dirname(there.location))
        is_path = not link.wiki and target == before.path  # other programs only resolve exact paths
        if self.after.target(there, now) == note_id and not (is_path and now != lead.path):
            return None
        self.followed[here.id].add(note_id)
        if not link.wiki:
            return lead.path
        names = [self.after.name(note_id), lead.location, lead.title]
        if plain(target) != plain(basename(before.location)):
            names.reverse()  # the link used the title
        return next(
            (name for name in names if not _UNWRITABLE & {*name} and self.after.target(there, name) == note_id), None
        )

    def _file(self, here: NoteNames, there: NoteNames, link: Link) -> str | None:
        """Return the new path or name for a link so that it still leads to the same file.

        Return None if the link needn't change.
        """
        if not (name := file_of(link)) or (here.path == there.path and not self.files):
            return None
        note_id = self.files.get((here.source_ref, normpath(join(dirname(here.location), name))))
        if note_id is None:
            led, leads = (attachments.locate(names.source_ref, names.location, name) for names in (here, there))
            note_id = self.files.get((here.source_ref, led.place)) if led else None
            if note_id is None:
                return led.place if led and led != leads else None
        self.followed[here.id].add(note_id)
        new = self.after.name(note_id) if link.wiki and "/" not in name else str(self.after.names[note_id].path)
        return None if link.wiki and _UNWRITABLE & {*new} else new
