"""The export of a base: a file in one of four forms, written when its button is clicked."""

import re
from functools import partial

import streamlit as st

from core.model import KnowledgeBase
from core.workspace import Workspace
from pages.ui.shared import widgets
from pages.ui.shared.text import t


def popover(workspace: Workspace, base: KnowledgeBase) -> None:
    """Draw a button for each form of an export."""
    forms = {
        "zip": (t("Everything, with the history (zip)"), "application/zip", ".zip", "folder_zip"),
        "markdown": (t("Markdown files (zip)"), "application/zip", " Markdown.zip", "description"),
        "json": (t("Notes and fields (JSON)"), "application/json", ".json", "data_object"),
        "yaml": (t("Notes and fields (YAML)"), "application/yaml", ".yaml", "data_object"),
    }
    name = re.sub(r'[\\/:*?"<>|\x00-\x1f]', "-", base.name)
    with st.popover(t("Export"), icon=":material/download:", key=f"export_{base.id}"):
        for form, (label, mime, end, icon) in forms.items():
            written = partial(workspace.archives.exported, base.name, form)
            key = f"export_{base.id}_{form}"
            widgets.download(label, written, f"{name}{end}", mime, key, icon, type="tertiary")
        st.caption(t("The first one holds all that belongs to the base; the others its notes as they are now."))
