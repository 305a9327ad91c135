"""A page without notes: its purpose, and the two buttons that bring notes."""

from typing import Any

import streamlit as st

from core.workspace import Workspace
from pages.ui.shared import jobs, widgets
from pages.ui.shared.safe import html
from pages.ui.shared.text import t


def no_notes(workspace: Workspace, text: str) -> None:
    """Draw the purpose of the page, the buttons, and the import that one of them started."""
    st.html(f'<p class="t-lead">{html(text)}</p>')
    beginnings(workspace)
    jobs.panel(workspace)


def beginnings(workspace: Workspace) -> None:
    """Draw the two ways to begin: the sample notes at once, or the import of the user's own."""
    with st.container(horizontal=True):
        samples(workspace, type="primary")
        if widgets.button(t("Import my notes"), "to_import", "folder_open", disabled=jobs.shut(workspace)):
            st.switch_page("notes.py")


def samples(workspace: Workspace, **more: Any) -> None:
    """Draw the button that imports the sample notes."""
    label, shut = t("Try it with sample notes"), jobs.shut(workspace)
    if widgets.button(label, "try", "play_arrow", disabled=shut, **more):
        jobs.start_samples(workspace)
        st.rerun()
