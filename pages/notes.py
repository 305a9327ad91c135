"""Notes: import and sync, list, read, delete."""

import streamlit as st

from pages.ui.notes import imports, listing, reader
from pages.ui.shared import empty, jobs, shell
from pages.ui.shared.text import t

workspace = shell.workspace()
if passage := reader.passage(workspace):
    reader.opened(*passage)
    st.stop()
st.title(t("Notes"))

bases = [base.name for base in workspace.bases.all()]
with shell.errors():
    imports.section(workspace, bases)
jobs.panel(workspace)
if not bases:
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(t("There are no notes yet. Import a folder above, or"), width="content")
        empty.samples(workspace)
    st.stop()

chosen = listing.chosen()
base, tags, text = listing.filters(workspace, bases)
with shell.errors():
    cards = workspace.notes.cards(workspace.searching.filters(bases=[base] if base else [], tags=tags), text=text)
    listed, reading = st.columns([5, 6], gap="medium") if len(chosen) == 1 else (st.container(), None)
    with listed:
        listing.table(cards, chosen, several_bases=len(bases) > 1 and not base)
        listing.actions(workspace, chosen, base)
        if not chosen:
            st.caption(t("Click the box at the left of a row to read a note; mark several to delete them."))
    if reading:
        with reading:
            reader.note(workspace, workspace.notes.get(chosen[0]))
