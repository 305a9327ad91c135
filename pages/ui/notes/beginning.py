"""The right side while no note is open: how to open one, and the notes that changed last."""

import streamlit as st

from core.model import NoteSummary, day_of
from core.workspace import Workspace
from pages.ui.notes import concepts
from pages.ui.shared.safe import html, plain
from pages.ui.shared.text import t

_SHOWN = 10


def draw(workspace: Workspace, base: str, *, several: bool) -> None:
    """Draw how to open or write a note, links to the notes that changed last, and the concepts of a base or of all.

    `several` names the bases of the notes.
    """
    with st.container(key="beginning"):
        about = t("Choose a note to read it, or press Ctrl+O to go to one by its title.")
        st.html(f'<p class="t-lead">{html(about)}</p>')
        latest = workspace.notes.switch("", _SHOWN)
        if not latest:
            st.caption(t("There is no note yet. Write one, or import a folder."))
            return
        st.html(f'<div class="t-caption">{html(t("Changed last"))}</div>')
        for card in latest:
            _row(card, several=several)
    concepts.draw_concepts(workspace, base)


def _row(card: NoteSummary, *, several: bool) -> None:
    with st.container(horizontal=True, vertical_alignment="center", key=f"latest_{card.id}"):
        address = {"note": card.id}
        st.page_link("notes.py", label=plain(card.title), icon=":material/description:", query_params=address)
        day = day_of(card.updated_at) if card.updated_at else ""
        about = [card.base if several else "", day]
        st.caption(plain(" · ".join(text for text in about if text)), width="content")
