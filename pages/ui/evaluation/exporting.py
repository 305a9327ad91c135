"""Reports of runs as files."""

from functools import partial

import streamlit as st

from core.model import KnowledgeBase, SideBySide
from core.workspace import Workspace
from pages.ui.shared import widgets
from pages.ui.shared.text import session_language, t


def popover(workspace: Workspace, base: KnowledgeBase, shown: SideBySide) -> None:
    """Draw a button for each form of a report, which is written on demand."""
    forms = {
        "html": (t("As a page (HTML)"), "text/html"),
        "md": (t("In Markdown"), "text/markdown"),
        "csv": (t("As a table of questions (CSV)"), "text/csv"),
    }
    with st.popover(t("Report"), icon=":material/download:", key="export_runs"):
        for form, (label, mime) in forms.items():
            written = partial(workspace.runs.report, shown, form, base.name, session_language())
            file = f"{t('comparison')}.{form}"
            widgets.download(label, written, file, mime, f"export_runs_{form}", "description", width="stretch")
