"""Asking a question set in several ways: what that takes, the button, the progress, and what is shown when it is over."""

from collections.abc import Sequence
from dataclasses import replace

import streamlit as st

from core.model import KnowledgeBase, Pipeline, QuestionSet
from core.workspace import Workspace
from pages.ui import sizes, work
from pages.ui.evaluation import comparison, pipelines, ways
from pages.ui.text import t

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
            t("eval.run", n=len(chosen)),
            key="run",
            type="primary",
            icon=":material/play_arrow:",
            disabled=workspace.readonly or workspace.jobs.running(*work.EVALUATION) or not count or twice,
        ):
            start(workspace, base, kept, chosen)
        pipelines.add(base)
        told = t("eval.run.takes", n=count, ways=len(chosen), time=lasts(workspace, base, count * len(chosen)))
        st.caption(t("eval.run.none") if not count else told, width="content")
    if twice:
        st.caption(f":material/info: {t('eval.run.twice')}")
    elif beside:
        st.caption(f":material/hourglass_top: {t('eval.run.beside', names=', '.join(beside), n=len(beside))}")


def start(workspace: Workspace, base: KnowledgeBase, kept: QuestionSet, chosen: Sequence[Pipeline]) -> None:
    """Ask the set in these ways, each by the name that tells what is other in it."""
    called = [replace(way, name=ways.named(way, base)) for way in chosen]
    work.start(workspace, JOB, lambda progress: workspace.evaluation.run(kept, called, progress))


def resume(workspace: Workspace, run_id: str) -> None:
    """Ask what a stopped run hasn't asked."""
    work.start(workspace, JOB, lambda progress: [workspace.evaluation.resume(run_id, progress)])


def panel(workspace: Workspace, base: KnowledgeBase) -> None:
    """Draw how far a run is; what has come of one that is over is compared from now on."""
    job = workspace.jobs.get(JOB)
    if job and job.state == "done" and isinstance(job.result, list) and job.result[0].base_id == base.id:
        comparison.compare(workspace, job.result[0].set_id, [run.id for run in job.result])
        workspace.jobs.forget(JOB)
    work.panel(workspace, (JOB,))


def lasts(workspace: Workspace, base: KnowledgeBase, count: int) -> str:
    """Return about how long it takes to ask so many questions, by the last runs on a base."""
    measured = [run.metrics["p50_ms"] / 1000 for run in workspace.evaluation.runs(base.name)[:4] if run.asked]
    return sizes.duration(count * max(measured, default=SECONDS))
