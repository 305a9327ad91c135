"""The choice of a folder on this machine: by the system's dialog, else among the folders that are listed here."""

from pathlib import Path

import streamlit as st

from core.desktop import dialogs
from pages.ui.shared import widgets
from pages.ui.shared.safe import plain
from pages.ui.shared.text import t

_LISTED = "folders_listed"


def choose(key: str) -> None:
    """Draw the button that lets a person choose a folder, which becomes the text of the widget of a key."""
    if dialogs.command():
        if widgets.button(t("Choose a folder…"), f"{key}_choose", "folder_open"):
            with st.spinner(t("Choose the folder in the dialog that opened.")):
                folder = dialogs.choose()
            if folder:
                st.session_state[f"{key}_chosen"] = str(folder)
                st.rerun()
        return
    with st.popover(t("Choose a folder…"), icon=":material/folder_open:", key=f"{key}_browse"):
        _browse(key)


def take(key: str) -> None:
    """Give the widget of a key the folder that was chosen; before it is drawn."""
    if chosen := st.session_state.pop(f"{key}_chosen", ""):
        st.session_state[key] = chosen


@st.fragment
def _browse(key: str) -> None:
    """Draw the folder that is looked at, its folders, and the button that takes it."""
    now = Path(st.session_state.get(_LISTED, "") or Path.home())

    def go(folder: Path) -> None:
        st.session_state[_LISTED] = str(folder)

    st.caption(plain(str(now)))
    with st.container(horizontal=True):
        parent = {"on_click": go, "args": (now.parent,), "disabled": now == now.parent}
        widgets.small(t("Up"), f"{key}_up", "arrow_upward", **parent)
        if widgets.button(t("Take this folder"), f"{key}_take", "check", type="primary"):
            st.session_state[f"{key}_chosen"] = str(now)
            st.rerun()
    with st.container(height=260, border=False):
        for number, folder in enumerate(dialogs.inside(now)):
            widgets.small(plain(folder.name), f"{key}_in_{number}", "folder", on_click=go, args=(folder,))
