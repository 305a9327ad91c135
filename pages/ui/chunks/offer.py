"""Notes to choose from where none is chosen: the latest, or those whose title or path has a text."""

import streamlit as st

from core.model import CALENDAR_BEGINS, Filters, NoteCard
from core.workspace import Workspace
from pages.ui.chunks import picker
from pages.ui.shared import jobs, widgets
from pages.ui.shared.safe import html, plain
from pages.ui.shared.text import t, t_plural

SHOWN = 12
COLUMNS = 3


def notes(workspace: Workspace) -> None:
    """Draw the notes, each with a button that opens it."""
    if not workspace.notes.all():
        st.caption(t("The notes are being imported.") if jobs.importing(workspace) else t("There are no notes yet."))
        return
    st.html(f'<p class="t-lead">{html(t("Choose a note to see how it is split, and to change that."))}</p>')
    text = widgets.text_box(t("Title or path"), "offer_text", icon=":material/filter_alt:").strip()
    cards = sorted(
        workspace.notes.all(Filters(), text=text), key=lambda card: card.updated_at or CALENDAR_BEGINS, reverse=True
    )
    if not cards:
        st.caption(t("No note passes these filters."))
    for column, card in widgets.in_columns(cards[:SHOWN], COLUMNS):
        with column:
            _note(card)
    if len(cards) > SHOWN:
        st.caption(t("and {n} more", n=len(cards) - SHOWN))


def _note(card: NoteCard) -> None:
    chunks = t_plural("{n} chunk", "{n} chunks", n=card.chunks)
    label = f"{plain(card.title)}  \n:gray[{plain(card.base)} · {chunks}]"
    st.button(label, key=f"offer_{card.id}", width="stretch", on_click=picker.choose, args=(card.id,))
