"""Runs of a question set: starting runs with two setups, and the history, in which runs are compared and deleted."""

from collections.abc import Sequence
from dataclasses import replace

import streamlit as st

from core.base.messages import message_table
from core.model import FIGURES, MAIN, MOST_RUNS, KnowledgeBase, Pipeline, QuestionSet, Run, RunList
from core.workspace import Workspace
from pages.ui.evaluation import comparison, pipelines
from pages.ui.shared import jobs, names, widgets
from pages.ui.shared.text import small_print, t, t_plural, text_of

# Runs of a question set with two setups: estimated time, button, progress, and finally the comparison.

JOB = "evaluate"
SECONDS = 0.15
"""Assumed seconds per question if the base has no run yet."""


def draw_start(
    workspace: Workspace, base: KnowledgeBase, question_set: QuestionSet, chosen: Sequence[Pipeline]
) -> None:
    """Draw the button that runs the setups, with the estimated time."""
    count = question_set.questions - question_set.suggested
    first, second = (replace(way, name="") for way in chosen)
    twice = first == second
    copies = [
        letter for letter, way in zip(pipelines.LETTERS, chosen, strict=True) if not workspace.runs.is_own(base, way)
    ]
    with widgets.row("run_row"):
        label, shut = t("Run these 2 setups"), jobs.is_evaluating(workspace) or not count or twice
        if widgets.button(label, "run", "play_arrow", type="primary", disabled=shut):
            jobs.start(
                workspace, JOB, lambda progress: RunList.from_runs(workspace.runs.run(question_set, chosen, progress))
            )
        text = t_plural(
            "{n} question, 2 setups, about {time}",
            "{n} questions, 2 setups, about {time}",
            n=count,
            time=estimate(workspace, base, count * len(chosen)),
        )
        st.caption(text if count else t("None of the questions in this set can be asked yet."), width="content")
        if not count:
            label = t("Go to the questions")
            widgets.small(label, "run_first", "quiz", on_click=show, args=("questions",))
    if workspace.pending.count(base.name):
        unfinished = t("Some notes in this base are not indexed yet: the figures will change when they are.")
        st.caption(f":material/hourglass_top: {unfinished}")
    if twice:
        st.caption(f":material/info: {t('The two setups are the same. Change one to compare them.')}")
    elif copies:
        wait = t(
            "For {names}, the notes are split and indexed again in a separate copy. This takes "
            "minutes the first time and changes nothing in the base.",
            names=copies,
        )
        st.caption(f":material/hourglass_top: {wait}")


def panel(workspace: Workspace, base: KnowledgeBase, question_set: QuestionSet | None) -> None:
    """Draw the progress of a run; at its end, open its question set and its results."""
    job = workspace.jobs.find(JOB)
    if job and job.state == "done" and isinstance(job.result, RunList):
        made = job.result.runs
        if made[0].id in {run.id for run in workspace.runs.all(base.name)}:
            comparison.compare(made[0].set_id, [run.id for run in made])
            workspace.jobs.forget(JOB)
            if question_set is None or made[0].set_id != question_set.id:
                st.query_params.update({"set": made[0].set_name, "view": "compare"})
                st.rerun()
    jobs.panel(workspace, (JOB,))


def estimate(workspace: Workspace, base: KnowledgeBase, count: int) -> str:
    """Return the estimated time for `count` questions, based on the last runs on a base."""
    measured = [run.metrics["p50_ms"] / 1000 for run in workspace.runs.all(base.name)[:4] if run.asked]
    return names.duration(count * max(measured, default=SECONDS))


STATES = message_table(
    {
        "complete": "complete",
        "stopped": "stopped",
        "running": "running",
        "changed": "notes have changed since",
    }
)


def draw_runs(workspace: Workspace, base: KnowledgeBase, question_set: QuestionSet) -> None:
    """Draw the runs of the set, or of all sets of the base, and the actions on selected runs."""
    every = workspace.runs.all(base.name)
    scopes = {"set": t("This set"), "base": t("All sets in the base")}
    scope = widgets.segments(t("Which runs"), scopes, "history_scope", default="set")
    runs = [run for run in every if scope == "base" or run.set_id == question_set.id]
    if runs:
        _actions(workspace, question_set, _marked(workspace, base, runs, sets=scope == "base"))
    else:
        small_print("There are no runs yet. Compare two setups first.")
        widgets.button(t("Compare two setups"), "history_first", "compare_arrows", on_click=show, args=("compare",))
    _places(workspace)


def _places(workspace: Workspace) -> None:
    """Draw the size of the note copies that other setups use, and a button that deletes them."""
    size = workspace.runs.scratch.bytes()
    if not size:
        return
    with widgets.row("eval_places"):
        small_print(
            "Copies of the notes for other setups take up {size} MB. If you delete them, running "
            "such a setup takes minutes again.",
            size=f"{size / 1e6:,.0f}",
        )
        drop = workspace.runs.scratch.drop
        widgets.small(
            t("Delete"), "eval_places_delete", "delete", on_click=drop, disabled=jobs.is_evaluating(workspace)
        )


def _marked(workspace: Workspace, base: KnowledgeBase, runs: Sequence[Run], *, sets: bool) -> list[Run]:
    metrics = {
        name: st.column_config.NumberColumn(
            text_of(FIGURES[name]), format="%.3f", width=150, help=text_of(comparison.ABOUT[name])
        )
        for name in MAIN
    }
    event = widgets.table(
        [
            {
                "when": names.local(run.started_at),
                **({"set": run.set_name} if sets else {}),
                "way": pipelines.pipeline_name(run.pipeline, base),
                "state": text_of(STATES[state(workspace, run)]),
                "asked": run.progress,
                **{name: run.metrics.get(name) for name in MAIN},
            }
            for run in runs
        ],
        {
            "when": widgets.text_column("When", width=120),
            "set": widgets.text_column("Set", width=110),
            "way": widgets.text_column("Setup", width=190),
            "state": widgets.text_column("State", width=110),
            "asked": widgets.text_column("Asked", width=64),
            **metrics,
        },
        f"history_{hash(tuple((run.id, run.asked) for run in runs))}",
        most=560,
        on_select="rerun",
        selection_mode="multi-row",
    )
    return [runs[row] for row in sorted(event.selection.rows) if row < len(runs)]


def state(workspace: Workspace, run: Run) -> str:
    """Return a run's state: "running", "stopped", "changed" if notes have changed since, else "complete"."""
    if run.ended_at is None:
        return "running" if workspace.runs.is_under_way(run) else "stopped"
    return "complete" if workspace.runs.is_current(run) else "changed"


def _actions(workspace: Workspace, question_set: QuestionSet, marked: Sequence[Run]) -> None:
    shut = jobs.is_evaluating(workspace)
    ready = [run for run in marked if run.asked]

    def compare() -> None:
        # The newer is compared with the older: the table has the newest first.
        comparison.compare(question_set.id, [run.id for run in reversed(ready)])
        show("compare")

    with widgets.row("history_actions"):
        several = len(ready) > 1
        widgets.button(
            t("Compare 2 runs") if several else t("View"),
            "history_compare",
            "compare_arrows" if several else "visibility",
            type="primary",
            disabled=not 0 < len(ready) <= MOST_RUNS,
            on_click=compare,
        )
        resumable = len(marked) == 1 and marked[0].ended_at is None
        if widgets.button(t("Resume"), "history_resume", "play_arrow", disabled=shut or not resumable):
            jobs.start(
                workspace, JOB, lambda progress: RunList.from_runs([workspace.runs.resume(marked[0].id, progress)])
            )
        label = t_plural("Delete {n} run", "Delete {n} runs", n=len(marked)) if len(marked) > 1 else t("Delete")
        if widgets.button(label, "history_delete", "delete", disabled=shut or not marked):
            workspace.runs.delete_for_good([run.id for run in marked])
            st.rerun()
    small_print("Select one run to look at it, or two runs to compare the newer with the older.")


def show(view: str) -> None:
    """Open another view in the next run; for callbacks."""
    st.session_state["eval_view"] = view
