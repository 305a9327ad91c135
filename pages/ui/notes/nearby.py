"""Passages of other notes that are similar to the paragraph at the caret, next to the editor."""

import streamlit as st

from core.workspace import Workspace
from pages.ui.notes.session import EditorSession
from pages.ui.shared.safe import plain
from pages.ui.shared.text import t

_PASSAGE = 400
"""Characters of a passage that are shown."""


def draw_nearby(workspace: Workspace, now: EditorSession) -> None:
    """Draw the passages; a click on a title opens its note, and the draft stays."""
    note_id = now.note.id if now.note else ""
    hits = workspace.related.passages(now.body, now.caret, without=note_id)
    if not hits:
        st.caption(t("Passages of your other notes that are near the paragraph you write appear here."))
    for number, hit in enumerate(hits):
        with st.container(key=f"nearby_{number}", gap="xsmall"):
            address = {"note": hit.note.id, "chunk": str(hit.chunk.index)}
            st.page_link("notes.py", label=plain(hit.note.title), icon=":material/description:", query_params=address)
            text = " ".join(hit.chunk.text.split())
            st.caption(plain(text if len(text) <= _PASSAGE else f"{text[: _PASSAGE - 1]}…"))
