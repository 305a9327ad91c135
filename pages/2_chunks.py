"""Chunks: a note's text in bands, the table of its chunks, and how other parameters would cut it."""

from collections.abc import Sequence

import streamlit as st

from core.model import Chunk, ChunkingOptions, KnowledgeBase, Note
from core.workspace import Workspace
from pages.ui import bands, chunktable, cutting, editor, flagged, links, shell, tree, trying, waiting, work
from pages.ui.text import t


def stored(
    workspace: Workspace, note: Note, base: KnowledgeBase, chunks: Sequence[Chunk], now: ChunkingOptions
) -> None:
    """Draw the note as it is cut now."""
    if not chunks:
        st.info(t("chunks.none"), icon=":material/edit_note:")
        with shell.errors():
            editor.first(workspace, note)
        return
    edits = bands.placed(workspace, note)
    shown = cutting.asked_for(chunks)
    left, right = st.columns(2, gap="medium")
    with right:
        cutting.figures(chunks)
        marked = chunktable.table(note, chunks, shown, edits)
        chunktable.actions(workspace, note, chunks, marked, set(edits))
        waiting.section(workspace, base, note, chunks)
        cut = cutting.cut(workspace, note, now, base.embedder)
        if [(chunk.start, chunk.end) for chunk in cut.chunks] != [(chunk.start, chunk.end) for chunk in chunks]:
            st.info(t("chunks.older"))
        cutting.why(cut)
    with left:
        bands.text(
            note,
            chunks,
            shown,
            key=f"bands_{note.id}",
            edits=edits,
            on_pick=lambda index: links.say("chunk", str(index)),
            on_edit=lambda index: editor.asked(chunks[index].id),
        )
    editor.drawer(workspace, note, chunks, edits)


def page(workspace: Workspace, bases: Sequence[KnowledgeBase]) -> None:
    note_id = tree.picker(workspace, [base.name for base in bases])
    # Each in a place that is always there: what comes and goes doesn't move the elements behind it.
    with st.container():
        work.panel(workspace, work.CHUNKS)
    with st.container():
        flagged.section(workspace)
    if note_id is None:
        st.caption(t("chunks.pick"))
        return
    note = workspace.note(note_id)
    base = next(base for base in bases if base.id == note.base_id)
    own = workspace.options(note.id)
    now = own or base.chunking
    view = cutting.head(note, own is not None)
    if view == "preview":
        trying.preview(workspace, note, base, now)
    elif view == "compare":
        trying.compare(workspace, note, base, now)
    else:
        stored(workspace, note, base, workspace.chunks(note.id), now)


workspace = shell.start("chunks")
st.title(t("menu.chunks"))
bases = workspace.bases()
if not bases:
    st.info(t("search.nothing"), icon=":material/splitscreen:")
    st.stop()
with shell.errors():
    page(workspace, bases)
