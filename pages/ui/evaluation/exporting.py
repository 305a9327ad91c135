"""Runs as a file to keep."""

from functools import partial

import streamlit as st

from core.model import KnowledgeBase, SideBySide
from core.workspace import Workspace
from pages.ui.shared.text import session_language, t


def popover(workspace: Workspace, base: KnowledgeBase, shown: SideBySide) -> None:
    """Draw a button for each form of a report; it is written when it is asked for."""
    forms = {
        "html": (t("As a page (HTML)"), "text/html"),
        "md": (t("In Markdown"), "text/markdown"),
        "csv": (t("As a table of questions (CSV)"), "text/csv"),
    }
    with st.popover(t("Report"), icon=":material/download:", key="export_runs"):
        for form, (label, mime) in forms.items():
            st.download_button(
                label,
                partial(workspace.runs.report, shown, form, base.name, session_language()),
                file_name=f"{t('comparison')}.{form}",
                mime=mime,
                key=f"export_runs_{form}",
                icon=":material/description:",
                on_click="ignore",
                width="stretch",
            )
