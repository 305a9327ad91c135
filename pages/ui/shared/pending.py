"""The chunks that wait to be embedded, and whether new ones shall."""

from collections.abc import Sequence

import streamlit as st

from core.model import Chunk, KnowledgeBase, Note
from core.workspace import Workspace
from pages.ui.shared import jobs
from pages.ui.shared.text import t


def section(workspace: Workspace, base: KnowledgeBase, note: Note, chunks: Sequence[Chunk]) -> None:
    """Draw when the base's chunks are embedded, and what of the note and of the base waits for it."""

    pending = sum(chunk.state == "pending" for chunk in chunks)
    waiting = workspace.chunks.pending(base.name)
    shut = jobs.writing(workspace)
    with st.container(horizontal=True, vertical_alignment="center"):
        at_once(workspace, base)
        if pending and st.button(
            t("Index this note ({n})", n=pending), key="embed_note", icon=":material/bolt:", disabled=shut
        ):
            jobs.start(
                workspace, "embed", lambda progress: workspace.chunks.embed(note_ids=[note.id], progress=progress)
            )
        if waiting > pending:
            embed_all(workspace, base, waiting)


def at_once(workspace: Workspace, base: KnowledgeBase) -> None:
    """Draw whether a base's new chunks are embedded at once."""
    # Its state is in its key: a browser that still shows an older one would take it for a choice.
    key = f"at_once_{base.id}_{base.embed_at_once}"
    st.toggle(
        t("Index new chunks at once"),
        value=base.embed_at_once,
        key=key,
        on_change=lambda: workspace.bases.set_embed_at_once(base.name, bool(st.session_state[key])),
        disabled=workspace.readonly,
        help=t(
            "On: new chunks of this base are indexed as they are made. Off: they wait until you index them; you "
            "can search them by words meanwhile."
        ),
    )


def embed_all(workspace: Workspace, base: KnowledgeBase, pending: int) -> None:
    """Draw the button that embeds what waits of a base."""
    label = t("Index the whole base ({n})", n=pending)
    if st.button(label, key=f"embed_base_{base.id}", icon=":material/bolt:", disabled=jobs.writing(workspace)):
        jobs.start(workspace, "embed", lambda progress: workspace.chunks.embed(base.name, progress=progress))
