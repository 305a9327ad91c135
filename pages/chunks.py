"""The Chunks page: a note's text with coloured chunks, the table of its chunks, and trials of other parameters."""

from collections.abc import Sequence

import streamlit as st

from core.model import Chunk, ChunkingOptions, KnowledgeBase, Note, NoteSummary
from core.workspace import Workspace
from pages.ui.chunks import bands, chunktable, editor, summary, tryout, undo
from pages.ui.shared import jobs, knobs, links, shell, welcome, widgets
from pages.ui.shared.text import page_title, t


def draw_stored(
    workspace: Workspace, note: Note, base: KnowledgeBase, chunks: Sequence[Chunk], now: ChunkingOptions
) -> None:
    """Draw the note with its stored chunks."""
    if not chunks:
        st.info(
            t("This note has no text, so there is nothing to split. You can add a chunk of your own."),
            icon=":material/edit_note:",
        )
        with shell.errors():
            editor.first(workspace, base, note)
        return
    with st.container():
        undo.draw(workspace, note, shut=bool(jobs.hindrance(workspace, base.name)))
    edits = bands.placed_edits(workspace, note)
    shown = summary.linked_chunk(chunks)
    left, right = st.columns(2, gap="medium")
    with right:
        summary.figures(chunks)
        marked, shown = chunktable.table(note, chunks, shown, edits)
        chunktable.actions(workspace, base, note, chunks, marked, set(edits))
        knobs.draw_embedding(workspace, base, note, chunks)
        summary.retained_edits(edits.values())
        cut = summary.cut(workspace, note, now, base.embedder)
        if [(chunk.start, chunk.end) for chunk in cut.chunks] != [(chunk.start, chunk.end) for chunk in chunks]:
            st.info(t("These chunks come from an earlier split. To update them, open Preview and apply the settings."))
        summary.why(cut)
    with left:
        forms = {"raw": t("Source"), "rendered": t("Formatted")}
        if widgets.segments(t("Text"), forms, "bands_view", default="raw", persist_state="session") == "rendered":
            bands.rendered_text(chunks, shown)
        else:
            bands.draw(
                bands.NoteBands(note, chunks, edits),
                shown,
                key=f"bands_{note.id}",
                on_pick=lambda index: links.set_value("chunk", str(index)),
                on_edit=lambda index: editor.open_next(chunks[index].id),
            )
    editor.drawer(workspace, base, note, chunks, edits)


def page(workspace: Workspace, bases: Sequence[KnowledgeBase]) -> None:
    side, main = st.columns([2, 8], gap="medium")
    with side, st.container(key="chunks_side"):
        note_id, cards = summary.picker(workspace, [base.name for base in bases])
    with main:
        _note(workspace, note_id, cards)


def _note(workspace: Workspace, note_id: str | None, cards: Sequence[NoteSummary]) -> None:
    """Draw the chosen note with its chunks; if none is chosen, offer the latest of the filtered notes."""
    # Separate containers, so that an element that comes or goes doesn't move the elements after it.
    with st.container():
        jobs.panel(workspace, jobs.CHUNKS)
    with st.container():
        editor.draw_flagged(workspace)
    if note_id is None:
        with st.container(key="offered"):
            summary.offer(workspace, cards)
        return
    # On narrow screens the menu button hides the tree; this button replaces it there.
    with st.container(key="another_note"):
        shell.popover(t("Another note"), "another", "description", lambda: summary.offer_another(workspace))
    note = workspace.notes.get(note_id)
    base = workspace.bases.by_id(note.base_id)
    own = workspace.chunks.options(note.id)
    now = own or base.chunking
    view = summary.head(note, own is not None)
    if view == "preview":
        tryout.preview(workspace, note, base, now)
    elif view == "compare":
        tryout.compare(workspace, note, base, now)
    else:
        draw_stored(workspace, note, base, workspace.chunks.all(note.id), now)


workspace = shell.workspace()
page_title("Chunks")
bases = workspace.bases.all()
if not bases:
    welcome.no_notes(
        workspace, t("Here you can see how and why each note is split, and change it. There are no notes yet.")
    )
    st.stop()
with shell.errors():
    page(workspace, bases)
