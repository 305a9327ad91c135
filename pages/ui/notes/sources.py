"""The targets of the links of a note."""

from collections.abc import Iterable
from typing import Any

from core.errors import NoteNotFound
from core.model import Note
from core.workspace import Workspace
from pages.ui.notes import attachments
from pages.ui.shared.document import Place, Sources


class NoteSources:
    """The notes and files that a note refers to, looked up as it is drawn."""

    def __init__(self, workspace: Workspace, note: Note, links: Any = None) -> None:
        self._workspace = workspace
        self._note = note
        self._links = links or workspace.notes.links()

    @property
    def can_make(self) -> bool:
        return not self._workspace.readonly

    def note(self, target: str, *, relative: bool) -> Place | None:
        note_id = self._links.target(self._note, target)
        return Place(note_id, self._links.title(note_id)) if note_id else None

    def file(self, target: str) -> str | None:
        file = self._workspace.notes.attachment(self._note.id, target) if self._note.in_file else None
        return attachments.address(self._note.id, file.place) if file else None

    def text(self, note_id: str) -> tuple[str, Sources]:
        try:
            note = self._workspace.notes.get(note_id)
        except NoteNotFound:
            return "", self
        return note.body, NoteSources(self._workspace, note, self._links)

    def links(self) -> tuple[list[Place], list[str], list[Place]]:
        """Return the notes that the note links to, the targets of its broken links, and the notes that link to it."""
        links = self._links.of(self._note, self._note.links)
        there = dict.fromkeys(link.note_id for link in links if link.note_id)
        missing = [link.target for link in links if not link.note_id]
        return self._places(there), missing, self._places(self._links.to(self._note.id))

    def _places(self, note_ids: Iterable[str]) -> list[Place]:
        return [Place(note_id, self._links.title(note_id)) for note_id in note_ids]
