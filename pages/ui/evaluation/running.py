"""A run of a question set with several setups: its time, the button, the progress, and the comparison at its end."""

from collections.abc import Sequence
from dataclasses import replace

import streamlit as st

from core.model import KnowledgeBase, Pipeline, QuestionSet
from core.workspace import Workspace
from pages.ui.evaluation import comparison, pipelines
from pages.ui.shared import jobs, names, widgets
from pages.ui.shared.text import t, t_plural

JOB = "evaluate"
SECONDS = 0.15
"""Time of a question before the first measurement."""


def draw_start(
    workspace: Workspace, base: KnowledgeBase, question_set: QuestionSet, chosen: Sequence[Pipeline]
) -> None:
    """Draw the time that a run of the setups takes, and the button that begins it."""
    count = question_set.questions - question_set.suggested
    twice = len({replace(way, name="") for way in chosen}) < len(chosen)
    copies = [letter for letter, way in zip(pipelines.LETTERS, chosen, strict=False) if pipelines.needs_copy(way, base)]
    with st.container(horizontal=True, vertical_alignment="center", key="run_row"):
        label, shut = t("Run these {n} setups", n=len(chosen)), jobs.evaluating(workspace) or not count or twice
        if widgets.button(label, "run", "play_arrow", type="primary", disabled=shut):
            jobs.start(workspace, JOB, lambda progress: workspace.runs.run(question_set, chosen, progress))
        pipelines.add(base)
        text = t_plural(
            "{n} question, {ways} setups, about {time}",
            "{n} questions, {ways} setups, about {time}",
            n=count,
            ways=len(chosen),
            time=estimate(workspace, base, count * len(chosen)),
        )
        st.caption(text if count else t("The set has no question that can be asked yet."), width="content")
        if not count:
            label = t("Go to the questions")
            widgets.small(
                label, "run_first", "quiz", on_click=st.session_state.update, kwargs={"eval_view": "questions"}
            )
    if workspace.chunks.pending(base.name):
        unfinished = t("Some notes of this base are not indexed yet: the figures will change when they are.")
        st.caption(f":material/hourglass_top: {unfinished}")
    if twice:
        st.caption(f":material/info: {t('Two of these setups are the same. Change one to compare them.')}")
    elif copies:
        wait = t(
            "For {names} the notes are split and indexed once more, beside the base. This takes minutes the first "
            "time and changes nothing in the base.",
            names=copies,
        )
        st.caption(f":material/hourglass_top: {wait}")


def panel(workspace: Workspace, base: KnowledgeBase) -> None:
    """Draw the progress of a run; at its end, the comparison shows its results."""
    job = workspace.jobs.find(JOB)
    if job and job.state == "done" and isinstance(job.result, list) and job.result[0].base_id == base.id:
        comparison.compare(workspace, job.result[0].set_id, [run.id for run in job.result])
        workspace.jobs.forget(JOB)
    jobs.panel(workspace, (JOB,))


def estimate(workspace: Workspace, base: KnowledgeBase, count: int) -> str:
    """Return the estimated time for `count` questions, by the last runs on a base."""
    measured = [run.metrics["p50_ms"] / 1000 for run in workspace.runs.all(base.name)[:4] if run.asked]
    return names.duration(count * max(measured, default=SECONDS))
