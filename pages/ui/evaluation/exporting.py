"""Runs as a file to keep."""

import streamlit as st

from core.model import KnowledgeBase
from core.workspace import SideBySide, Workspace, to_csv, to_html, to_markdown
from pages.ui.sentences import said
from pages.ui.text import t


def popover(workspace: Workspace, base: KnowledgeBase, shown: SideBySide) -> None:
    """Draw a button for each form of a report; it is written when it is asked for."""
    language = st.session_state.get("language", "en")
    forms = {
        "html": ("text/html", lambda: to_html(shown, base.name, said, language=language)),
        "md": ("text/markdown", lambda: to_markdown(shown, base.name, said)),
        "csv": ("text/csv", lambda: to_csv(shown)),
    }
    with st.popover(t("eval.export"), icon=":material/download:", key="export_runs"):
        for name, (mime, written) in forms.items():
            st.download_button(
                t(f"eval.export.{name}"),
                written,
                file_name=f"{t('eval.export.file')}.{name}",
                mime=mime,
                key=f"export_runs_{name}",
                icon=":material/description:",
                on_click="ignore",
                width="stretch",
            )
