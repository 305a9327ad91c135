"""The Chunks page, with a note's text in coloured chunks, a table of the chunks, and a preview of other settings."""

from collections.abc import Sequence
from functools import partial

import streamlit as st
from streamlit import columns, container

from core.base.messages import message_table
from core.model import ChunkingOptions, KnowledgeBase, Note, NoteSummary
from pages.ui.chunks import bands, chunktable, editor, summary
from pages.ui.chunks.bands import Chunks
from pages.ui.shared import jobs, knobs, links, welcome
from pages.ui.shared.server import workspace
from pages.ui.shared.text import page_title, small_print, t
from pages.ui.shared.widgets import button, errors, popover, segments


def draw_stored(note: Note, base: KnowledgeBase, chunks: Chunks, now: ChunkingOptions) -> None:
    """Show a note with its stored chunks, and controls for editing them."""
    if not chunks:
        st.info(
            t("This note has no text, so there is nothing to split. You can add a chunk of your own."),
            icon=":material/edit_note:",
        )
        with errors():
            editor.first(base, note)
        return
    with container():
        editor.draw_undo(note, jobs.hindrance(base=base.name))
    edits = bands.placed_edits(note)
    shown = summary.linked_chunk(chunks)
    left, right = columns(2, gap="medium")
    with right:
        summary.figures(chunks)
        marked, shown = chunktable.table(note, chunks, shown, edits)
        chunktable.actions(base, note, chunks, marked, set(edits))
        knobs.draw_embedding(base, note, chunks)
        summary.retained_edits(edits.values())
        cut = summary.cut(note, now, base.embedder)
        if [(chunk.start, chunk.end) for chunk in cut.chunks] != [(chunk.start, chunk.end) for chunk in chunks]:
            small_print("These chunks come from an earlier split.")
            if button("Split this note again", "split_again", "refresh", disabled=jobs.hindrance(base=base.name)):
                again = partial(workspace.chunks.rechunk, note_ids=[note.id])
                jobs.start_job("rechunk", lambda progress: again(progress=progress))
        summary.why(cut)
    with left:
        forms = message_table({"raw": "Source", "rendered": "Formatted"})
        if segments("Text", forms, "bands_view", default="raw", persist_state="session") == "rendered":
            bands.rendered_text(chunks, shown)
        else:
            bands.draw(
                note,
                chunks,
                edits,
                shown,
                key=f"bands_{note.id}",
                on_pick=lambda index: links.set_value("chunk", str(index)),
                on_edit=lambda index: editor.open_next(chunks[index].id),
            )
    editor.drawer(base, note, chunks, edits)


def page(bases: Sequence[KnowledgeBase]) -> None:
    side, main = columns([2, 8], gap="medium")
    with side, container(key="chunks_side"):
        note_id, cards = summary.picker([base.name for base in bases])
    with main:
        _note(note_id, cards)


def _note(note_id: str | None, cards: Sequence[NoteSummary]) -> None:
    """Show the chosen note with its chunks. If no note is chosen, offer the most recent of the filtered notes."""
    # Use separate containers, so that elements below don't move when one appears or disappears.
    with container():
        jobs.job_panel(jobs.CHUNKS)
    with container():
        editor.draw_flagged()
    if note_id is None:
        with container(key="offered"):
            summary.offer(cards)
        return
    # On narrow screens, the note tree is hidden behind the menu button. This button replaces the tree.
    with container(key="another_note"):
        popover("Another note", "another", "description", summary.offer_another)
    note = workspace.notes.get(note_id)
    base = workspace.bases.by_id(note.base_id)
    own = workspace.chunks.options(note.id)
    now = own or base.chunking
    view = summary.head(note, own is not None)
    if view == "preview":
        summary.preview(note, base, now)
    elif view == "compare":
        summary.compare(note, base, now)
    else:
        draw_stored(note, base, workspace.chunks.all(note.id), now)


page_title("Chunks")
bases = workspace.bases.all()
if not bases:
    welcome.no_notes("Here you can see how and why each note is split, and change the split. There are no notes yet.")
else:
    with errors():
        page(bases)
