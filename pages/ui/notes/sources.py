"""The targets of the links of a note."""

from collections.abc import Iterable, Sequence
from typing import Any

from core.base.errors import NoteNotFound
from core.model import Note
from core.workspace import Workspace
from pages.ui.notes import attachments
from pages.ui.shared.document import Sources, SourceSpan

PREVIEW = 400
"""Characters of a linked note that are shown before it is opened."""
PREVIEWED = 100
"""Linked notes of which they are shown."""


class NoteSources:
    """The notes and files that a note refers to, looked up as it is drawn."""

    def __init__(
        self, workspace: Workspace, note: Note, links: Any = None, *, can_click: bool = False, first_line: int = 0
    ) -> None:
        self._workspace = workspace
        self._note = note
        self._links = links or workspace.notes.links()
        self.can_click, self.first_line = can_click, first_line
        base = workspace.bases.by_id(note.base_id) if can_click else None
        self.can_tick = base is not None and not workspace.readonly and (not note.in_file or base.write_files)
        self._beginnings: dict[str, str] = {}

    @property
    def can_make(self) -> bool:
        return not self._workspace.readonly

    def note(self, target: str, *, relative: bool) -> SourceSpan | None:
        note_id = self._links.target(self._note, target)
        return self._place(note_id) if note_id else None

    def file(self, target: str) -> str | None:
        file = self._workspace.notes.attachment(self._note.id, target) if self._note.id else None
        return attachments.address(self._note.id, file.place) if file else None

    def text(self, note_id: str) -> tuple[str, Sources]:
        try:
            note = self._workspace.notes.get(note_id)
        except NoteNotFound:
            return "", self
        return note.body, NoteSources(self._workspace, note, self._links)

    def links(self) -> tuple[list[SourceSpan], list[str], list[SourceSpan]]:
        """Return the notes that the note links to, the targets of its broken links, and the notes that link to it."""
        links = self._links.resolve(self._note, self._note.links)
        there = dict.fromkeys(link.note_id for link in links if link.note_id)
        missing = [link.target for link in links if not link.note_id]
        return self._places(there), missing, self._places(self._links.to(self._note.id))

    def mentions(self, places: Sequence[SourceSpan]) -> dict[str, str]:
        """Return the sentences in which notes link to the note, by their ids."""
        return self._workspace.notes.mentions(self._links, self._note.id, [place.id for place in places])

    def _places(self, note_ids: Iterable[str]) -> list[SourceSpan]:
        return [self._place(note_id) for note_id in note_ids]

    def _place(self, note_id: str) -> SourceSpan:
        if self.can_click and note_id not in self._beginnings and len(self._beginnings) < PREVIEWED:
            self._beginnings |= self._workspace.notes.beginnings([note_id], PREVIEW)
        return SourceSpan(note_id, self._links.title(note_id), self._beginnings.get(note_id, ""))
