"""The chunks that are not indexed yet, and the switch that indexes new ones at once."""

from collections.abc import Sequence
from typing import Any

import streamlit as st

from core.model import Chunk, KnowledgeBase, Note
from core.workspace import Workspace
from pages.ui.shared import jobs, switches, widgets
from pages.ui.shared.text import t


def section(workspace: Workspace, base: KnowledgeBase, note: Note, chunks: Sequence[Chunk]) -> None:
    """Draw the switch of the base, and the buttons that index the waiting chunks of the note and of the base."""
    if not base.has_vectors:
        return
    pending = sum(chunk.state == "pending" for chunk in chunks)
    waiting = workspace.chunks.pending(base.name)
    shut = jobs.writing(workspace, base.name) or workspace.jobs.running("embed")
    with st.container(horizontal=True, vertical_alignment="center"):
        switches.draw(workspace, base, "embed_at_once")
        label = t("Index this note ({n})", n=pending)
        if pending and widgets.button(label, "embed_note", "bolt", disabled=shut):
            embed(workspace, note_ids=[note.id])
        if waiting > pending:
            embed_all(workspace, base, waiting)


def embed_all(workspace: Workspace, base: KnowledgeBase, pending: int) -> None:
    """Draw the button that indexes the waiting chunks of a base."""
    label = t("Index the whole base ({n})", n=pending)
    if widgets.button(label, f"embed_base_{base.id}", "bolt", disabled=jobs.writing(workspace, base.name)):
        embed(workspace, base.name)


def embed(workspace: Workspace, base: str | None = None, **which: Any) -> None:
    """Index the waiting chunks of a base, or `which` notes or chunks, in a job."""
    jobs.start(workspace, "embed", lambda progress: workspace.chunks.embed(base, progress=progress, **which))
