"""The targets of a note's links, and the document that it was converted from."""

import posixpath
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import streamlit as st

from core.base.errors import NoteNotFound
from core.model import Attachment, Chunk, Note
from core.workspace import Workspace
from pages.ui.notes import routes
from pages.ui.shared import widgets
from pages.ui.shared.document import Sources, SourceSpan
from pages.ui.shared.safe import plain
from pages.ui.shared.text import t

# The targets of the links of a note.

PREVIEW = 400
"""Characters of a linked note that are shown before it is opened."""
PREVIEWED = 100
"""Linked notes of which they are shown."""


def _route(note_id: str, file: Attachment) -> str | None:
    return routes.file_address(note_id, file.place)


class NoteSources:
    """The notes and files that a note refers to, looked up as it is drawn.

    `address` returns the address of a file of a note, by the note's id; None where there is none.
    """

    def __init__(
        self,
        workspace: Workspace,
        note: Note,
        links: Any = None,
        *,
        can_click: bool = False,
        first_line: int = 0,
        address: Callable[[str, Attachment], str | None] = _route,
    ) -> None:
        self._workspace = workspace
        self._note = note
        self._links = links or workspace.notes.links()
        self._address = address
        self.can_click, self.first_line = can_click, first_line
        base = workspace.bases.by_id(note.base_id) if can_click else None
        self.can_tick = base is not None and not workspace.readonly and (not note.in_file or base.write_files)
        self._beginnings: dict[str, str] = {}

    def note(self, target: str, *, relative: bool) -> SourceSpan | None:
        note_id = self._links.target(self._note, target)
        return self._place(note_id) if note_id else None

    def missing(self, target: str, *, relative: bool) -> str:
        if self._workspace.readonly:
            return ""
        near = relative or "/" not in target
        folder = posixpath.dirname(self._note.path or "") if near and not target.startswith("/") else ""
        path = posixpath.normpath(posixpath.join(folder, target.strip().lstrip("/")))
        return posixpath.basename(path) if path.startswith("..") else path

    def file(self, target: str) -> str | None:
        file = self._workspace.attachments.find(self._note.id, target) if self._note.id else None
        return self._address(self._note.id, file) if file else None

    def text(self, note_id: str) -> tuple[str, Sources]:
        try:
            note = self._workspace.notes.get(note_id)
        except NoteNotFound:
            return "", self
        return note.body, NoteSources(self._workspace, note, self._links, address=self._address)

    def links(self) -> tuple[list[SourceSpan], list[str], list[SourceSpan]]:
        """Return the notes that the note links to, the targets of its broken links, and the notes that link to it."""
        links = self._links.resolve(self._note, self._note.links)
        there = dict.fromkeys(link.note_id for link in links if link.note_id)
        missing = [link.target for link in links if not link.note_id]
        return self._places(there), missing, self._places(self._workspace.notes.linking(self._note.id))

    def mentions(self, places: Sequence[SourceSpan]) -> dict[str, str]:
        """Return the sentences in which notes link to the note, by their ids."""
        return self._workspace.texts.mentions(self._links, self._note.id, [place.id for place in places])

    def near(self, limit: int) -> list[SourceSpan]:
        """Return the notes close in meaning, as far as that is in memory."""
        has = self._workspace.has("related")
        return self._places(card.id for card in (self._workspace.related.close(self._note.id, limit) if has else ()))

    def links_among(self, places: Iterable[SourceSpan]) -> list[tuple[str, str]]:
        """Return the links between some notes, by their ids."""
        return list(self._links.among(place.id for place in places))

    def _places(self, note_ids: Iterable[str]) -> list[SourceSpan]:
        return [self._place(note_id) for note_id in note_ids]

    def _place(self, note_id: str) -> SourceSpan:
        if self.can_click and note_id not in self._beginnings and len(self._beginnings) < PREVIEWED:
            self._beginnings |= self._workspace.texts.beginnings([note_id], PREVIEW)
        return SourceSpan(note_id, self._links.title(note_id), self._beginnings.get(note_id, ""))


# The document that a note was converted from.


def provenance(note: Note, chunk: Chunk | None) -> None:
    """Draw what a note was converted from and by what, and the link to that where no passage is shown."""
    if note.document is None:
        return
    kind, converter = note.document.kind, note.document.converter
    with widgets.row("provenance"):
        st.caption(plain(t("Converted from a .{kind} file by {converter}", kind=kind, converter=converter)))
        if chunk is None:
            original_link(note)


def original_link(note: Note, page: int = 0) -> None:
    """Draw the link to the document of a note, of a PDF at a page; nothing for a note without one."""
    if note.document:
        label = t("Open the original at page {n}", n=page) if page else t("Open the original")
        st.link_button(label, routes.original_address(note.id, page), icon=":material/draft:", type="tertiary")
