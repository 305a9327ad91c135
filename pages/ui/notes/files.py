"""The targets of a note's links, a converted note's source document, and export as an HTML page."""

import posixpath
import re
from base64 import b64encode
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import streamlit as st

from core.base.errors import NoteNotFound
from core.base.frozen import TextValues
from core.base.html_page import html_page
from core.model import Attachment, Chunk, Note, NoteSummary
from pages.ui.notes import routes
from pages.ui.shared import document as documents
from pages.ui.shared.document import Sources, SourceSpan, as_written, document
from pages.ui.shared.names import READONLY
from pages.ui.shared.safe import html, is_deeply_nested
from pages.ui.shared.server import workspace
from pages.ui.shared.text import session_language, t, text_of
from pages.ui.shared.widgets import caption, row

# The targets of a note's links.

# Maximum number of characters in the preview of a linked note.
PREVIEW = 400
# Maximum number of linked notes with a preview.
PREVIEWED = 100


def why_read_only(note: Note | NoteSummary) -> str:
    """Return why a note's text can't be changed here, or "" if it can."""
    if workspace.readonly:
        return text_of(READONLY)
    if note.in_file and not note.in_text_file:
        return t("The text is read-only, because it was converted from a document.")
    if note.in_file and not workspace.files.is_owned(note):
        return t("The text is read-only, because Tessera doesn't change the files of this base.")
    return ""


class NoteSources(Sources):
    """Lookup of the notes and files that a note links to or embeds, used to draw the note.

    `address` returns the URL of a file in a note, or None if the file can't be shown.
    """

    def __init__(
        self,
        note: Note,
        links: Any = None,
        *,
        can_click: bool = False,
        first_line: int = 0,
        address: Callable[[str, Attachment], str | None] = lambda note_id, file: routes.file_address(
            note_id, file.place
        ),
    ) -> None:
        self._note = note
        self._links = links or workspace.notes.links()
        self._address = address
        self.can_click = can_click
        self.first_line = first_line
        self.can_tick = can_click and not why_read_only(note)
        self._beginnings: TextValues = {}

    def note(self, target: str, *, relative: bool) -> SourceSpan | None:
        note_id = self._links.target(self._note, target)
        return self._place(note_id) if note_id else None

    def missing(self, target: str, *, relative: bool) -> str:
        if workspace.readonly:
            return ""
        near = relative or "/" not in target
        folder = posixpath.dirname(self._note.path or "") if near and not target.startswith("/") else ""
        path = posixpath.normpath(posixpath.join(folder, target.strip().lstrip("/")))
        return posixpath.basename(path) if path.startswith("..") else path

    def file(self, target: str) -> str | None:
        file = workspace.attachments.find(self._note.id, target) if self._note.id else None
        return self._address(self._note.id, file) if file else None

    def text(self, note_id: str) -> tuple[str, Sources]:
        try:
            note = workspace.notes.get(note_id)
        except NoteNotFound:
            return "", self
        return note.body, NoteSources(note, self._links, address=self._address)

    def links(self) -> tuple[list[SourceSpan], list[str], list[SourceSpan]]:
        """Return the notes this note links to, the targets of its broken links, and the notes that link to it."""
        links = self._links.resolve(self._note, self._note.links)
        there = dict.fromkeys(link.note_id for link in links if link.note_id)
        return (
            self._places(there),
            [link.target for link in links if not link.note_id],
            self._places(workspace.notes.linking(self._note.id)),
        )

    def mentions(self, places: Sequence[SourceSpan]) -> TextValues:
        """Return the sentence in which each given note links to this note, keyed by its id, or "" if none is found."""
        return workspace.texts.mentions(self._links, self._note.id, [place.id for place in places])

    def near(self, limit: int) -> list[SourceSpan]:
        """Return up to `limit` notes with a similar meaning. The list is empty if vectors aren't in memory."""
        return self._places(
            card.id for card in (workspace.related.close(self._note.id, limit) if workspace.has("related") else ())
        )

    def _places(self, note_ids: Iterable[str]) -> list[SourceSpan]:
        return [self._place(note_id) for note_id in note_ids]

    def _place(self, note_id: str) -> SourceSpan:
        title = self._links.title(note_id)
        if self.can_click and note_id not in self._beginnings and len(self._beginnings) < PREVIEWED:
            text = workspace.texts.beginnings([note_id], PREVIEW).get(note_id, "")
            self._beginnings[note_id] = f"{title} {text}"
        return SourceSpan(note_id, title, self._beginnings.get(note_id, ""))


# The document from which a note was converted.


def provenance(note: Note, chunk: Chunk | None) -> None:
    """Show the format of a converted note's source document, and the name of the converter.

    If no passage is shown, also show a link to the document.
    """
    if note.document is None:
        return
    converter = note.document.converter
    with row("provenance"):
        caption(t("Converted from a .{kind} file by {converter}", kind=note.document.kind, converter=converter))
        if chunk is None:
            original_link(note)


def original_link(note: Note, page: int = 0) -> None:
    """Draw the link to a note's source document, if any. `page` is the PDF page to open, or 0 for none."""
    if note.document:
        st.link_button(
            t("Open the original at page {n}", n=page) if page else t("Open the original"),
            routes.original_address(note.id, page),
            icon=":material/draft:",
            type="tertiary",
        )


# Exporting a note as a single HTML file with its pictures, for printing and sharing.

# Maximum number of characters to render. Longer notes are exported as raw text.
#
# Rendering this many takes about three seconds.
LAID_OUT = 300_000
# Maximum total size of a note's pictures in bytes. Any further pictures are replaced by their descriptions.
PICTURES = 50_000_000
_STYLE = Path(documents.__file__).with_name("document.css").read_text(encoding="utf-8")
_STYLE += """
:root { color-scheme: light dark; --st-font: system-ui, sans-serif; --st-text-color: light-dark(#1f2328, #e6edf3);
  --st-background-color: light-dark(#fff, #0d1117); --st-link-color: light-dark(#0b6e66, #4fc3b8); }
body { background: var(--st-background-color); max-width: 50rem; margin: 2rem auto; padding: 0 1rem; }
.t-near { background: #e0a83040; } .t-dim { opacity: .65; } .t-code { font-family: monospace; white-space: pre-wrap; }
a:not([href]) { color: inherit; }
"""


def page_file(title: str, body: str) -> bytes:
    """Return a complete HTML page, styled like a note. `title` is plain text and `body` is HTML."""
    body = f'<div class="document"><article>{body}</article></div>'
    return html_page(title, body, _STYLE, session_language()).encode("utf-8", "replace")


def note_page(note: Note) -> bytes:
    """Return a note as an HTML page that contains its pictures. Links to other notes become plain text."""
    room = PICTURES

    def inside(note_id: str, file: Attachment) -> str | None:
        nonlocal room
        if not routes.is_shown(file) or (size := file.path.stat().st_size) > room:
            return None
        room -= size
        return f"data:{file.type};base64,{b64encode(file.path.read_bytes()).decode()}"

    heading = f"<h1>{html(note.title)}</h1>"
    if note.plain or len(note.body) > LAID_OUT or is_deeply_nested(note.body):
        return page_file(note.title, heading + as_written(note.body))
    drawn = document(note.body, NoteSources(note, address=inside))
    headed = [heading.level for heading in drawn.headings[:1]] == [1]
    # Other notes can't be opened outside the app. Links within the page must work without a script.
    body = re.sub(r'<a class="(?:note|missing)"[^>]*>', "<a>", drawn.html)
    body = re.sub(r'href="#" data-place="([^"]+)"', r'href="#\1"', body)
    return page_file(note.title, body if headed else heading + body)
