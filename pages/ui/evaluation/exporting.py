"""Reports of runs as files."""

import streamlit as st

from core.model import KnowledgeBase, SideBySide
from core.workspace import Workspace
from pages.ui.shared import widgets
from pages.ui.shared.text import session_language, t


def popover(workspace: Workspace, base: KnowledgeBase, shown: SideBySide) -> None:
    """Draw a button for each form of a report, which is written on demand."""
    language = session_language().replace("_", "-")
    forms = {
        "html": (t("As a page (HTML)"), "text/html", lambda: workspace.runs.to_html(shown, base.name, language)),
        "md": (t("In Markdown"), "text/markdown", lambda: workspace.runs.to_markdown(shown, base.name, language)),
        "csv": (t("As a table of questions (CSV)"), "text/csv", lambda: workspace.runs.to_csv(shown)),
    }
    with st.popover(t("Report"), icon=":material/download:", key="export_runs"):
        for name, (label, mime, written) in forms.items():
            file = f"{t('comparison')}.{name}"
            widgets.download(label, written, file, mime, f"export_runs_{name}", "description", width="stretch")
