"""How a base splits its notes: a preview on a note, and the cost of other splitting before it is applied."""

from functools import partial

import streamlit as st

from core.model import CALENDAR_BEGINS, ChangeCost, ChunkingOptions, Cut, Filters, KnowledgeBase, Note, Progress
from core.workspace import Workspace
from pages.ui.chunks import bands, summary
from pages.ui.shared import jobs, knobs, widgets
from pages.ui.shared.text import t

OFFERED = 50


def draw_splitting(workspace: Workspace, base: KnowledgeBase) -> None:
    """Draw the parameters of a base with a preview. Changed ones show their cost before they can be applied."""
    left, right = st.columns([5, 6], gap="large")
    with left:
        tried = knobs.choose(f"base_{base.id}", base.chunking, base.chunking)
        _apply(workspace, base, tried)
    with right:
        preview(workspace, tried, base.embedder, base.name)


def _apply(workspace: Workspace, base: KnowledgeBase, tried: ChunkingOptions) -> None:
    if tried == base.chunking:
        st.caption(t("Move a slider to try another split. Nothing changes until you apply it."))
        return
    why = jobs.hindrance(workspace, base.name)
    button = partial(widgets.button, disabled=bool(why), help=why or None)
    if button(t("How long will it take?"), f"split_cost_{base.id}", "calculate"):
        jobs.start(workspace, "cost", partial(_splitting_cost, workspace, base, tried))
    job = workspace.jobs.find("cost")
    if job and isinstance(job.result, ChangeCost) and job.result.chunking != tried:
        return  # a slider was moved since
    cost = jobs.estimate(workspace, _subject(base))
    if cost and button(t("Split the base this way"), f"split_{base.id}", "done_all", type="primary"):
        workspace.jobs.forget("cost")
        jobs.start(
            workspace, "rechunk", lambda progress: workspace.chunks.rechunk(base.name, options=tried, progress=progress)
        )


def _splitting_cost(
    workspace: Workspace, base: KnowledgeBase, tried: ChunkingOptions, progress: Progress
) -> ChangeCost:
    return workspace.bases.chunking_cost(base.name, tried, progress=jobs.about(_subject(base), progress))


def _subject(base: KnowledgeBase) -> str:
    """Return the subject of the job `cost`, which distinguishes it from an estimate for another model."""
    return f"{base.name} · {t('Splitting')}"


def preview(workspace: Workspace, options: ChunkingOptions, embedder: str, base: str = "") -> None:
    """Draw a note of a base, or of any base, as it would be split; without notes, a sample note of Tessera."""
    drawn = _split(workspace, options, embedder, base)
    if drawn is None:
        return
    note, cut = drawn
    summary.figures(cut.chunks)
    if cut.chunks:
        with st.container(height=420, border=False, key="split_preview"):
            bands.text(note, cut.chunks, None, key="bands_base", edits={}, on_pick=lambda _: None)
    with st.expander(t("Why this split"), key="why_split"):
        summary.why(cut)


def _split(workspace: Workspace, options: ChunkingOptions, embedder: str, base: str) -> tuple[Note, Cut] | None:
    cards = workspace.notes.all(Filters(bases=(base,)) if base else None)
    if not cards:
        files = sorted(jobs.SAMPLES.rglob("*.md"), key=lambda file: file.stat().st_size)
        return workspace.notes.preview(files[-1], options, embedder)
    latest = sorted(cards, key=lambda card: card.updated_at or CALENDAR_BEGINS, reverse=True)[:OFFERED]
    titles = {card.id: card.title for card in latest}
    note_id = widgets.select(t("Preview on"), titles, f"split_note_{base}")
    note = workspace.notes.get(note_id)
    return note, summary.cut(workspace, note, options, embedder)
