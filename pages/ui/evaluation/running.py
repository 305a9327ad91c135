"""Asking a question set in several ways: what that takes, the button, the progress, and what is shown when it is over."""

from collections.abc import Sequence
from dataclasses import replace

import streamlit as st

from core.model import KnowledgeBase, Pipeline, QuestionSet
from core.workspace import Workspace
from pages.ui.evaluation import comparison, pipelines, ways
from pages.ui.shared import jobs, sizes
from pages.ui.shared.text import t, t_plural

JOB = "evaluate"
SECONDS = 0.15
"""A question takes about this long where nothing was measured yet."""


def section(workspace: Workspace, base: KnowledgeBase, kept: QuestionSet, chosen: Sequence[Pipeline]) -> None:
    """Draw what a run of the ways takes, and the button that begins it."""
    count = kept.questions - kept.suggested
    twice = len({replace(way, name="") for way in chosen}) < len(chosen)
    beside = [letter for letter, way in zip(ways.LETTERS, chosen, strict=False) if ways.beside(way, base)]
    with st.container(horizontal=True, vertical_alignment="center", key="run_row"):
        if st.button(
            t("Run these {n} setups", n=len(chosen)),
            key="run",
            type="primary",
            icon=":material/play_arrow:",
            disabled=workspace.readonly or workspace.jobs.running(*jobs.EVALUATION) or not count or twice,
        ):
            start(workspace, kept, chosen)
        pipelines.add(base)
        told = t_plural(
            "{n} question, {ways} setups, about {time}",
            "{n} questions, {ways} setups, about {time}",
            n=count,
            ways=len(chosen),
            time=lasts(workspace, base, count * len(chosen)),
        )
        st.caption(t("The set has no question that can be asked yet.") if not count else told, width="content")
    if twice:
        st.caption(f":material/info: {t('Two of these setups are the same. Change one to compare them.')}")
    elif beside:
        wait = t(
            "For {names} the notes are split and indexed once more, beside the base. This takes minutes the first "
            "time and changes nothing in the base.",
            names=beside,
        )
        st.caption(f":material/hourglass_top: {wait}")


def start(workspace: Workspace, kept: QuestionSet, chosen: Sequence[Pipeline]) -> None:
    """Ask the set in these ways."""
    jobs.start(workspace, JOB, lambda progress: workspace.runs.run(kept, chosen, progress))


def resume(workspace: Workspace, run_id: str) -> None:
    """Ask what a stopped run hasn't asked."""
    jobs.start(workspace, JOB, lambda progress: [workspace.runs.resume(run_id, progress)])


def panel(workspace: Workspace, base: KnowledgeBase) -> None:
    """Draw how far a run is; what has come of one that is over is compared from now on."""
    job = workspace.jobs.get(JOB)
    if job and job.state == "done" and isinstance(job.result, list) and job.result[0].base_id == base.id:
        comparison.compare(workspace, job.result[0].set_id, [run.id for run in job.result])
        workspace.jobs.forget(JOB)
    jobs.panel(workspace, (JOB,))


def lasts(workspace: Workspace, base: KnowledgeBase, count: int) -> str:
    """Return about how long it takes to ask so many questions, by the last runs on a base."""
    measured = [run.metrics["p50_ms"] / 1000 for run in workspace.runs.of(base.name)[:4] if run.asked]
    return sizes.duration(count * max(measured, default=SECONDS))
