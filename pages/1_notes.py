"""Notes: import and sync, list, read, delete."""

import streamlit as st

from core.workspace import filters_of
from pages.ui import imports, notes, reader, shell, work
from pages.ui.text import t

workspace = shell.start("notes")
st.title(t("menu.notes"))

bases = [base.name for base in workspace.bases()]
with shell.errors():
    imports.section(workspace, bases)
work.panel(workspace)
if not bases:
    st.info(t("notes.none"), icon=":material/description:")
    st.stop()

chosen = notes.chosen()
base, tags, text = notes.filters(workspace, bases)
with shell.errors():
    cards = workspace.notes(filters_of(bases=[base] if base else [], tags=tags), text=text)
    listed, reading = st.columns([5, 6], gap="medium") if len(chosen) == 1 else (st.container(), None)
    with listed:
        notes.table(cards, chosen, several_bases=len(bases) > 1 and not base)
        notes.actions(workspace, chosen, base)
        if not chosen:
            st.caption(t("notes.pick"))
    if reading:
        with reading:
            reader.note(workspace, workspace.note(chosen[0]))
