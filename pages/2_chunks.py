"""Chunks: a note's text in bands, the table of its chunks, and why it is cut so."""

import streamlit as st

from pages.ui import bands, cutting, shell
from pages.ui.text import t

workspace = shell.start("chunks")
st.title(t("menu.chunks"))

bases = workspace.bases()
if not bases:
    st.info(t("search.nothing"), icon=":material/splitscreen:")
    st.stop()

with shell.errors():
    note_id = cutting.picker(workspace, [base.name for base in bases])
    if note_id is None:
        st.caption(t("chunks.pick"))
        st.stop()
    note = workspace.note(note_id)
    chunks = workspace.chunks(note_id)
    base = next(base for base in bases if base.id == note.base_id)
    cutting.head(note, chunks)
    if chunks:
        shown = cutting.asked_for(chunks)
        left, right = st.columns(2, gap="medium")
        with right:
            cutting.table(note, chunks, shown)
            cutting.why(workspace, note, base, chunks)
        with left:
            bands.text(note, chunks, shown)
