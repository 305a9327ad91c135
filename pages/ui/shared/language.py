"""The language of the screens: the user's choice, else the browser's."""

from typing import Any

import streamlit as st

from core.base.messages import LANGUAGES, language_of
from core.workspace import Workspace
from pages.ui.shared import widgets
from pages.ui.shared.text import t


def settle_language(workspace: Workspace | None) -> None:
    """Decide the language of a session that has none yet."""
    if st.session_state.get("language") not in LANGUAGES:
        preference = workspace.preferences.get("language") if workspace else ""
        st.session_state["language"] = language_of(preference or st.context.locale or "")


def choose_language(workspace: Workspace | None, key: str, **more: Any) -> None:
    """Draw the switch; later sessions begin with the choice."""

    def store(language: str) -> None:
        st.session_state["language"] = language
        if workspace:
            workspace.preferences.set("language", language)

    # The switch has a key of its own: a widget's key is emptied when the page is left.
    now = widgets.bound(key, st.session_state["language"], store)
    widgets.segments(t("Language"), LANGUAGES, **now, **more)
