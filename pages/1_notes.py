"""Notes: import and sync, list, read, delete."""

import streamlit as st

from core.model import Filters
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

base, tags, text = notes.filters(workspace, bases)
with shell.errors():
    cards = workspace.notes(Filters(bases=(base,) if base else (), tags=tuple(tags)), text=text)
    listed, reading = st.columns([5, 6], gap="medium")
    with listed:
        chosen = notes.table(cards, several_bases=len(bases) > 1 and not base)
        notes.actions(workspace, chosen, base)
    with reading:
        if len(chosen) == 1:
            reader.note(workspace.note(chosen[0]))
        else:
            st.caption(t("notes.chosen", n=len(chosen)) if chosen else t("notes.pick"))
