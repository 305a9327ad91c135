"""What a page without notes says, and the two buttons that bring some."""

import streamlit as st

from core.workspace import Workspace
from pages.ui.shared import jobs, widgets
from pages.ui.shared.safe import html
from pages.ui.shared.text import t


def no_notes(workspace: Workspace, text: str) -> None:
    """Draw what the page is for, the buttons, and the import that one of them began."""
    st.html(f'<p class="t-lead">{html(text)}</p>')
    beginnings(workspace)
    jobs.panel(workspace)


def beginnings(workspace: Workspace) -> None:
    """Draw the two ways to begin: the sample notes at once, or the import of a person's own."""
    shut = workspace.readonly or jobs.importing(workspace)
    with st.container(horizontal=True):
        if widgets.button(t("Try it with sample notes"), "try", "play_arrow", type="primary", disabled=shut):
            jobs.start_samples(workspace)
            st.rerun()
        if widgets.button(t("Import my notes"), "to_import", "folder_open", disabled=shut):
            st.switch_page("notes.py")
