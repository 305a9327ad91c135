"""Other parameters on a note: what they would cut, beside what is cut now, and making them its or its base's own."""

from collections.abc import Collection, Sequence
from dataclasses import replace

import streamlit as st

from core.model import Chunk, ChunkingOptions, Cut, KnowledgeBase, Note
from core.workspace import Workspace, difference
from pages.ui import bands, cutting, parameters, work
from pages.ui.text import t


def preview(workspace: Workspace, note: Note, base: KnowledgeBase, current: ChunkingOptions) -> None:
    """Draw the note as other parameters would cut it, and what that would change."""
    left, right = st.columns(2, gap="medium")
    with right:
        tried = parameters.choose("preview", current)
        cut = cutting.cut(workspace, note, tried, base.embedder)
        _apply(workspace, note, base, tried, current, "preview")
        cutting.figures(cut.chunks)
        stored = workspace.chunks(note.id)
        only = _only(stored, cut.chunks)
        _differ("preview", difference(stored, cut.chunks).both, *only)
        cutting.why(cut)
    with left:
        _text(workspace, note, cut.chunks, "preview", only=only[1])


def compare(workspace: Workspace, note: Note, base: KnowledgeBase, current: ChunkingOptions) -> None:
    """Draw two cuts of the note side by side, marked where only one of them cuts."""
    columns = st.columns(2, gap="medium")
    cuts: list[Cut] = []
    for column, side in zip(columns, ("first", "second"), strict=True):
        with column:
            begin = current if side == "first" else replace(current, strategy=_other(cuts[0].strategy))
            tried = parameters.choose(side, begin)
            cuts.append(cutting.cut(workspace, note, tried, base.embedder))
            _apply(workspace, note, base, tried, current, side)
            cutting.figures(cuts[-1].chunks)
    ours, theirs = cuts[0].chunks, cuts[1].chunks
    only = _only(ours, theirs)
    _differ("compare", difference(ours, theirs).both, *only)
    for column, side, cut, alone in zip(st.columns(2, gap="medium"), ("first", "second"), cuts, only, strict=True):
        with column:
            _text(workspace, note, cut.chunks, side, only=alone)


def _other(strategy: str) -> str:
    return "markdown" if strategy == "recursive" else "recursive"


def _only(ours: Sequence[Chunk], theirs: Sequence[Chunk]) -> tuple[set[int], set[int]]:
    """Return the indexes of the chunks that begin where no chunk of the other cut does."""
    found = difference(ours, theirs)
    return _at(ours, found.first), _at(theirs, found.second)


def _at(chunks: Sequence[Chunk], cuts: Collection[int]) -> set[int]:
    wanted, end, found = set(cuts), 0, set()
    for chunk in chunks:
        if (max(chunk.start, end) if chunk.overlap_tokens else chunk.start) in wanted:
            found.add(chunk.index)
        end = chunk.end
    return found


def _differ(kind: str, both: Collection[int], first: Collection[int], second: Collection[int]) -> None:
    told = {"both": both, "first": first, "second": second}
    facts = "".join(f"<span>{t(f'{kind}.{name}')} <b>{len(cuts):,}</b></span>" for name, cuts in told.items())
    st.html(f'<div class="t-facts t-differ">{facts}</div>')


def _text(workspace: Workspace, note: Note, chunks: Sequence[Chunk], side: str, *, only: Collection[int]) -> None:
    """Draw a cut; a click shows the same place in all of them."""

    def picked(index: int) -> None:
        st.session_state["tried_at"] = (note.id, chunks[index].start)

    where, at = st.session_state.get("tried_at", ("", 0))
    shown = None
    if where == note.id and chunks:
        shown = max((chunk.index for chunk in chunks if chunk.start <= at), default=0)
    edits = bands.placed(workspace, note)
    if chunks:
        bands.text(note, chunks, shown, key=f"bands_{side}", edits=edits, on_pick=picked, only=only)


def _apply(
    workspace: Workspace, note: Note, base: KnowledgeBase, tried: ChunkingOptions, current: ChunkingOptions, side: str
) -> None:
    shut = work.writing(workspace)
    with st.container(horizontal=True, vertical_alignment="center"):
        if st.button(
            t("try.note"),
            key=f"apply_note_{side}",
            icon=":material/check:",
            disabled=shut or tried == current,
            help=t("try.note.help"),
        ):
            work.start(
                workspace,
                "rechunk",
                lambda progress: workspace.rechunk(note_ids=[note.id], options=tried, progress=progress),
            )
        if st.button(
            t("try.base"),
            key=f"apply_base_{side}",
            icon=":material/done_all:",
            disabled=shut or tried == base.chunking,
            help=t("try.base.help"),
        ):
            work.start(
                workspace,
                "rechunk",
                lambda progress: workspace.rechunk(base.name, options=tried, progress=progress),
            )
