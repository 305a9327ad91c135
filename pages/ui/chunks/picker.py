"""The choice of the note of the page: the tree at its left, and where none is chosen, the latest notes."""

from contextlib import suppress

import streamlit as st

from core.base.errors import NoteNotFound
from core.model import CALENDAR_BEGINS, Filters, NoteSummary
from core.workspace import Workspace
from pages.ui.shared import jobs, links, tree, widgets
from pages.ui.shared.safe import html, plain
from pages.ui.shared.text import t, t_plural

_LAST = "chunks_note"
SHOWN = 12
COLUMNS = 3


def picker(workspace: Workspace, bases: list[str]) -> str | None:
    """Draw base, search and tree, and return the id of the chosen note; a link chooses one too."""
    if linked := links.arrived("note"):
        st.session_state.update(cut_note=linked, cut_base="", cut_text="")
    base = widgets.base_filter(bases, "cut_base")
    text = st.text_input(t("Title or path"), key="cut_text", icon=":material/filter_alt:", persist_state="session")
    text = text.strip()
    cards = workspace.notes.all(Filters(bases=(base,) if base else ()), text=text)
    chosen = _chosen_note(workspace)
    if cards:
        several = len(bases) > 1 and not base
        tree.draw(cards, chosen, choose, [base, text], "tree", several=several, searched=bool(text))
    else:
        st.caption(t("No note matches these filters."))
    links.say("note", chosen or "")
    if chosen and chosen not in {card.id for card in cards}:
        try:
            workspace.notes.get(chosen)
        except NoteNotFound:
            st.session_state.pop("cut_note")
            raise
    if chosen and workspace.preferences.get(_LAST) != chosen:
        workspace.preferences.set(_LAST, chosen)
    return chosen


def choose(note_id: str) -> None:
    """Choose a note for the next run."""
    st.session_state["cut_note"] = note_id
    links.say("note", note_id)
    links.say("chunk", "")


def _chosen_note(workspace: Workspace) -> str | None:
    """Return the chosen note, at first the one that was open last."""
    chosen: str | None = st.session_state.get("cut_note")
    last = workspace.preferences.get(_LAST)
    if chosen is None and last:
        with suppress(NoteNotFound):
            chosen = workspace.notes.get(last).id
            st.session_state["cut_note"] = chosen
    return chosen


def offer(workspace: Workspace) -> None:
    """Draw the latest notes, or those whose title or path has a text, each with a button that opens it."""
    if not workspace.notes.all():
        st.caption(t("The notes are being imported.") if jobs.importing(workspace) else t("There are no notes yet."))
        return
    st.html(f'<p class="t-lead">{html(t("Choose a note to see how it is split, and to change that."))}</p>')
    text = widgets.text_box(t("Title or path"), "offer_text", icon=":material/filter_alt:").strip()
    cards = sorted(
        workspace.notes.all(Filters(), text=text), key=lambda card: card.updated_at or CALENDAR_BEGINS, reverse=True
    )
    if not cards:
        st.caption(t("No note matches these filters."))
    for column, card in widgets.in_columns(cards[:SHOWN], COLUMNS):
        with column:
            _draw_offer(card)
    widgets.more(len(cards) - SHOWN)


def _draw_offer(card: NoteSummary) -> None:
    chunks = t_plural("{n} chunk", "{n} chunks", n=card.chunks)
    label = f"{plain(card.title)}  \n:gray[{plain(card.base)} · {chunks}]"
    st.button(label, key=f"offer_{card.id}", width="stretch", on_click=choose, args=(card.id,))
