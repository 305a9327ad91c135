"""The quick switcher: from every page to a note by its title, an alias or its path."""

import streamlit as st

from core.workspace import Workspace
from pages.ui.shared import widgets
from pages.ui.shared.safe import plain
from pages.ui.shared.text import t

SHOWN = 10
_OPEN = "switching"


def dialog(workspace: Workspace, *, wanted: bool) -> None:
    """Draw the switcher if it is `wanted` now, or open."""
    if wanted:
        st.session_state[_OPEN] = True
    if not st.session_state.get(_OPEN):
        return

    @st.dialog(t("Open a note"), width="medium", on_dismiss=_close)
    def switch() -> None:
        text = widgets.text_box(t("Title, alias or path"), "switch_text", icon=":material/search:", live="120ms")
        cards = workspace.notes.switch(text, SHOWN)
        with st.container(key="switcher", gap="xxsmall"):
            for card in cards:
                place = " / ".join(filter(None, [card.base, card.path]))
                label = f"{plain(card.title)} :gray[{plain(place)}]"
                if widgets.button(label, f"switch_to_{card.id}", type="tertiary", width="stretch"):
                    _close()
                    st.switch_page("notes.py", query_params={"note": card.id})
        if not cards:
            st.caption(t("No note has this name."))

    switch()


def _close() -> None:
    st.session_state.pop(_OPEN, None)
