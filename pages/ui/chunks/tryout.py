"""Trials of other parameters on a note: a preview, a comparison of two splits, and buttons to apply them."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import partial

import streamlit as st

from core.base.messages import Message, message
from core.model import Chunk, ChunkingOptions, Cut, Difference, KnowledgeBase, Note
from pages.ui.chunks import bands, summary
from pages.ui.shared import jobs, knobs, widgets
from pages.ui.shared.safe import figures
from pages.ui.shared.server import workspace
from pages.ui.shared.text import t, text_of

PREVIEW = (message("Same splits"), message("removed"), message("new"))
COMPARE = (message("Splits in both"), message("only on the left"), message("only on the right"))
"""Labels for chunk starts in both splits, only in the first, and only in the second."""


def preview(note: Note, base: KnowledgeBase, current: ChunkingOptions) -> None:
    """Draw how the note would be split with other parameters, and the changes."""
    left, right = st.columns(2, gap="medium")
    with right:
        tried = knobs.choose("preview", current, base.chunking)
        cut = summary.cut(note, tried, base.embedder)
        _apply(note, base, tried, current, "preview")
        summary.retained_edits(bands.placed_edits(note).values())
        summary.figures(cut.chunks)
        stored = workspace.chunks.all(note.id)
        only = _unmatched(stored, cut.chunks)
        _differ(PREVIEW, Difference.between(stored, cut.chunks).both, *only)
        summary.why(cut)
    with left:
        _text(note, cut.chunks, "preview", only=only[1])


def compare(note: Note, base: KnowledgeBase, current: ChunkingOptions) -> None:
    """Draw two splits of the note side by side, and mark the chunks that occur in only one of them."""
    summary.retained_edits(bands.placed_edits(note).values())
    columns = st.columns(2, gap="medium")
    cuts: list[Cut] = []
    for column, side in zip(columns, ("first", "second"), strict=True):
        with column:
            other = "markdown" if cuts and cuts[0].strategy == "recursive" else "recursive"
            begin = replace(current, strategy=other) if cuts else current
            tried = knobs.choose(side, begin, base.chunking)
            cuts.append(summary.cut(note, tried, base.embedder))
            _apply(note, base, tried, current, side)
            summary.figures(cuts[-1].chunks)
    ours, theirs = cuts[0].chunks, cuts[1].chunks
    only = _unmatched(ours, theirs)
    _differ(COMPARE, Difference.between(ours, theirs).both, *only)
    for column, side, cut, alone in zip(st.columns(2, gap="medium"), ("first", "second"), cuts, only, strict=True):
        with column:
            _text(note, cut.chunks, side, only=alone)


def _unmatched(ours: Sequence[Chunk], theirs: Sequence[Chunk]) -> tuple[set[int], set[int]]:
    """Return for both splits the indexes of the chunks that start where the other split has no boundary."""
    difference = Difference.between(ours, theirs)
    return _chunks_at(ours, difference.first), _chunks_at(theirs, difference.second)


def _chunks_at(chunks: Sequence[Chunk], cuts: Collection[int]) -> set[int]:
    starts, end, indexes = set(cuts), 0, set()
    for chunk in chunks:
        if (max(chunk.start, end) if chunk.overlap_tokens else chunk.start) in starts:
            indexes.add(chunk.index)
        end = chunk.end
    return indexes


def _differ(labels: Sequence[Message], *cuts: Collection[int]) -> None:
    values = ((text_of(label), f"{len(these):,}") for label, these in zip(labels, cuts, strict=True))
    st.html(f'<div class="t-facts t-differ">{figures(values)}</div>')


def _text(note: Note, chunks: Sequence[Chunk], side: str, *, only: Collection[int]) -> None:
    """Draw a split of the note; a click shows the clicked place in all splits."""

    def picked(index: int) -> None:
        st.session_state["tried_at"] = (note.id, chunks[index].start)

    where, at = st.session_state.get("tried_at", ("", 0))
    shown = None
    if where == note.id and chunks:
        shown = max((chunk.index for chunk in chunks if chunk.start <= at), default=0)
    if chunks:
        bands.draw(
            bands.NoteBands(note, chunks, bands.placed_edits(note), only),
            shown,
            key=f"bands_{side}",
            on_pick=picked,
        )


def _apply(note: Note, base: KnowledgeBase, tried: ChunkingOptions, current: ChunkingOptions, side: str) -> None:
    rechunk = partial(workspace.chunks.rechunk, options=tried)
    why = jobs.hindrance(base.name)
    shut = bool(why)
    with widgets.row():
        label = t("Apply to this note")
        about = t(
            "From now on, this note is split this way. Only chunks whose text changes are indexed "
            "again; your edits are kept."
        )
        if widgets.button(label, f"apply_note_{side}", "check", disabled=shut or tried == current, help=why or about):
            jobs.start("rechunk", lambda progress: rechunk(note_ids=[note.id], progress=progress))
        label = t("Apply to the base")
        about = t("Splits all notes in the base this way, except notes with their own settings. Your edits are kept.")
        if widgets.button(
            label, f"apply_base_{side}", "done_all", disabled=shut or tried == base.chunking, help=why or about
        ):
            jobs.start("rechunk", lambda progress: rechunk(base.name, progress=progress))
