"""The passages that a base's model refuses, and the button that tries them again."""

import streamlit as st

from core.model import BaseStatus, RefusedChunk
from core.workspace import Workspace
from pages.ui.shared import jobs, pending, widgets
from pages.ui.shared.safe import plain
from pages.ui.shared.text import t, t_plural, text_of

_SHOWN = 20
_LENGTH = 80
"""Passages that are shown, and characters of each."""


def section(workspace: Workspace, status: BaseStatus) -> None:
    """Draw the refused passages of a base, each with its note and the model's reason; draws nothing without any."""
    if not status.refused:
        return
    base = status.base.name
    label = t_plural("{n} passage the model refuses", "{n} passages the model refuses", n=status.refused)
    with st.expander(label, icon=":material/block:", key=f"refused_{status.base.id}"):
        st.caption(
            t(
                "These passages are found by their words only. They are tried again when their text or the model "
                "changes, or when you say so."
            )
        )
        refused = workspace.chunks.refused(base)
        by_reason: dict[str, list[RefusedChunk]] = {}
        for refused_chunk in refused[:_SHOWN]:
            by_reason.setdefault(text_of(refused_chunk.reason), []).append(refused_chunk)
        for reason, chunks in by_reason.items():
            st.markdown(plain(reason))
            for refused_chunk in chunks:
                with st.container(horizontal=True, vertical_alignment="center", gap="small"):
                    widgets.chunk_link(refused_chunk.note_id, None, refused_chunk.title)
                    st.caption(plain(" ".join(refused_chunk.text.split())[:_LENGTH]), width="content")
        if len(refused) > _SHOWN:
            st.caption(t("and {n} more", n=len(refused) - _SHOWN))
        shut = jobs.writing(workspace, base) or workspace.jobs.running("embed")
        if widgets.button(t("Try them again"), f"retry_{status.base.id}", "replay", disabled=shut):
            pending.embed(workspace, base, refused=True)
