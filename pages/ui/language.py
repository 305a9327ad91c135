"""The language of the screens: the person's choice, else the browser's."""

import streamlit as st

from core.workspace import Workspace
from pages.ui.text import LANGUAGES, t


def settle(workspace: Workspace | None) -> None:
    """Decide the language of a session that has none yet."""
    if "language" not in st.session_state:
        chosen = workspace.preference("language") if workspace else ""
        browser = "zh" if (st.context.locale or "").lower().startswith("zh") else "en"
        st.session_state["language"] = chosen if chosen in LANGUAGES else browser


def switch(workspace: Workspace | None) -> None:
    """Draw the switch; what is chosen is remembered for the next session."""

    def choose() -> None:
        st.session_state["language"] = st.session_state["language_switch"]
        if workspace:
            workspace.prefer("language", st.session_state["language"])

    # The switch has a key of its own: a widget's key is emptied when the page is left.
    st.session_state["language_switch"] = st.session_state["language"]
    st.segmented_control(
        t("language"),
        list(LANGUAGES),
        format_func=LANGUAGES.__getitem__,
        key="language_switch",
        required=True,
        label_visibility="collapsed",
        on_change=choose,
    )
