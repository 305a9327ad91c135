"""The language, the look, folders and old versions on the settings page."""

from functools import partial

import streamlit as st

from core.workspace import Workspace
from pages.ui.settings import program
from pages.ui.shared import language, look
from pages.ui.shared.safe import html
from pages.ui.shared.text import t


def section(workspace: Workspace) -> None:
    """Draw the choices of this workspace, then what is in `tessera.toml`."""
    program.beside(workspace, "general", partial(_fields, workspace))


def _fields(workspace: Workspace) -> None:
    language.choose(workspace, "settings_language", label_visibility="visible")
    look.choose(workspace, "settings_look", label_visibility="visible")
    st.html(f'<div class="t-caption">{html(t("Folders and old versions"))}</div>')
    program.numbers(workspace)
