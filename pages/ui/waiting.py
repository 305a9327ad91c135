"""The chunks that wait to be embedded, and whether new ones shall."""

from collections.abc import Sequence

import streamlit as st

from core.model import Chunk, KnowledgeBase, Note
from core.workspace import Workspace
from pages.ui import work
from pages.ui.text import t


def section(workspace: Workspace, base: KnowledgeBase, note: Note, chunks: Sequence[Chunk]) -> None:
    """Draw when the base's chunks are embedded, and what of the note and of the base waits for it."""

    def chosen() -> None:
        workspace.set_embed_at_once(base.name, bool(st.session_state[key]))

    key = f"at_once_{base.id}"
    pending = sum(chunk.state == "pending" for chunk in chunks)
    waiting = workspace.pending(base.name)
    shut = work.writing(workspace)
    with st.container(horizontal=True, vertical_alignment="center"):
        st.toggle(
            t("embed.at_once"),
            value=base.embed_at_once,
            key=key,
            on_change=chosen,
            disabled=workspace.readonly,
            help=t("embed.at_once.help"),
        )
        if pending and st.button(t("embed.note", n=pending), key="embed_note", icon=":material/bolt:", disabled=shut):
            work.start(workspace, "embed", lambda progress: workspace.embed(note_ids=[note.id], progress=progress))
        if waiting > pending and st.button(
            t("embed.base", n=waiting), key="embed_base", icon=":material/bolt:", disabled=shut
        ):
            work.start(workspace, "embed", lambda progress: workspace.embed(base.name, progress=progress))
