"""The rendered text of the editor; of a long one the part around the caret."""

import streamlit as st

from core.model import Note
from core.workspace import Workspace
from pages.ui.notes import composer, making, opened
from pages.ui.notes.sources import NoteSources
from pages.ui.notes.written_text import Writing
from pages.ui.shared.document import document, plain, view
from pages.ui.shared.safe import light, tangled

AROUND = 20_000
"""Characters before and behind the caret that are rendered of a long note."""


def draw(workspace: Workspace, now: Writing) -> None:
    """Draw the text. A click on a link to a note closes the editor and opens the note; the draft stays."""

    def clicked(link: view.Clicked) -> None:
        composer.leave()
        if link.note_id:
            opened.choose(link.note_id, link.place)
        else:
            making.begin(now.base, link.make)

    shown = light(_around(now.body, now.caret))
    now.links = now.links or workspace.notes.links()
    sources = NoteSources(workspace, _note(workspace, now), now.links)
    drawn = plain(shown) if tangled(shown) else document(shown, sources).html
    with st.container(key="reader_body"):
        view.show(f"<article>{drawn}</article>", "preview", arrival=now.token, on_click=clicked)


def _around(body: str, caret: int) -> str:
    """Return a text, or the lines around the caret of a long one."""
    if len(body) <= 2 * AROUND:
        return body
    first = body.rfind("\n", 0, max(0, caret - AROUND)) + 1
    return body[first : max(caret, AROUND) + AROUND]


def _note(workspace: Workspace, now: Writing) -> Note:
    """Return the note in the editor, a provisional one if it is new: links are resolved from its place."""
    if now.note:
        return now.note
    base = workspace.bases.find(now.base)
    path = f"{now.folder}/new" if now.folder else "new"
    return Note("", base.id if base else "", body="", content_hash="", title="", path=path)
