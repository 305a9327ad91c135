"""The passages that a base's model refuses, and the button that tries them again."""

import streamlit as st

from core.model import BaseStatus
from core.workspace import Workspace
from pages.ui.shared import jobs, pending, widgets
from pages.ui.shared.safe import plain
from pages.ui.shared.text import t, t_plural, text_of

_SHOWN = 20


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
        for one in refused[:_SHOWN]:
            with st.container(horizontal=True, vertical_alignment="center"):
                widgets.chunk_link(one.note_id, None, one.title)
                st.caption(f"{plain(' '.join(one.text.split())[:100])} — {plain(text_of(one.reason))}")
        widgets.more(len(refused) - _SHOWN)
        shut = jobs.writing(workspace, base) or workspace.jobs.running("embed")
        if widgets.button(t("Try them again"), f"retry_{status.base.id}", "replay", disabled=shut):
            pending.embed(workspace, base, refused=True)
