"""The chunks that wait to be embedded, and whether new ones shall."""

from collections.abc import Sequence

import streamlit as st

from core.model import Chunk, KnowledgeBase, Note
from core.workspace import Workspace
from pages.ui import work
from pages.ui.text import t


def section(workspace: Workspace, base: KnowledgeBase, note: Note, chunks: Sequence[Chunk]) -> None:
    """Draw when the base's chunks are embedded, and what of the note and of the base waits for it."""

    pending = sum(chunk.state == "pending" for chunk in chunks)
    waiting = workspace.pending(base.name)
    shut = work.writing(workspace)
    with st.container(horizontal=True, vertical_alignment="center"):
        at_once(workspace, base)
        if pending and st.button(t("embed.note", n=pending), key="embed_note", icon=":material/bolt:", disabled=shut):
            work.start(workspace, "embed", lambda progress: workspace.embed(note_ids=[note.id], progress=progress))
        if waiting > pending:
            embed_all(workspace, base, waiting)


def at_once(workspace: Workspace, base: KnowledgeBase) -> None:
    """Draw whether a base's new chunks are embedded at once."""
    # Its state is in its key: a browser that still shows an older one would take it for a choice.
    key = f"at_once_{base.id}_{base.embed_at_once}"
    st.toggle(
        t("embed.at_once"),
        value=base.embed_at_once,
        key=key,
        on_change=lambda: workspace.set_embed_at_once(base.name, bool(st.session_state[key])),
        disabled=workspace.readonly,
        help=t("embed.at_once.help"),
    )


def embed_all(workspace: Workspace, base: KnowledgeBase, pending: int) -> None:
    """Draw the button that embeds what waits of a base."""
    label = t("embed.base", n=pending)
    if st.button(label, key=f"embed_base_{base.id}", icon=":material/bolt:", disabled=work.writing(workspace)):
        work.start(workspace, "embed", lambda progress: workspace.embed(base.name, progress=progress))
