"""The runs there were: which to compare, to go on with, to delete."""

from collections.abc import Mapping, Sequence

import streamlit as st

from core.messages import message
from core.model import MAIN, KnowledgeBase, QuestionSet, Run
from core.workspace import Workspace
from pages.ui.evaluation import comparison, figures, running, ways
from pages.ui.shared import jobs, times
from pages.ui.shared.text import said, t, t_plural

STATES = {
    "complete": message("complete"),
    "stopped": message("stopped"),
    "running": message("running"),
    "changed": message("notes changed since"),
}

MOST = 8
"""Runs that are compared at once."""


def section(workspace: Workspace, base: KnowledgeBase, kept: QuestionSet) -> None:
    """Draw the runs of the set, or of all sets of the base, and what can be done with those that are marked."""
    every = workspace.runs.of(base.name)
    scopes = {"set": t("This set"), "base": t("All sets of the base")}
    scope = st.segmented_control(
        t("Which runs"),
        list(scopes),
        format_func=scopes.__getitem__,
        default="set",
        required=True,
        key="history_scope",
        label_visibility="collapsed",
    )
    runs = [run for run in every if scope == "base" or run.set_id == kept.id]
    if runs:
        _actions(workspace, kept, _marked(workspace, base, runs, sets=scope == "base"))
    else:
        st.caption(t("There are no runs yet. Compare two setups first."))
    _places(workspace)


def _places(workspace: Workspace) -> None:
    """Draw what other cuts of the notes take on disk, and the button that deletes them."""
    kept = workspace.runs.scratch.bytes()
    if not kept:
        return
    with st.container(horizontal=True, vertical_alignment="center", key="eval_places"):
        st.caption(
            t(
                "Copies of the notes for other setups take {size} MB. Without them such a setup takes minutes again.",
                size=f"{kept / 1e6:,.0f}",
            )
        )
        st.button(
            t("Delete"),
            key="eval_places_delete",
            type="tertiary",
            icon=":material/delete:",
            on_click=workspace.runs.scratch.drop,
            disabled=workspace.readonly or workspace.jobs.running(*jobs.EVALUATION),
        )


def _marked(workspace: Workspace, base: KnowledgeBase, runs: Sequence[Run], *, sets: bool) -> list[Run]:
    event = st.dataframe(
        [_line(workspace, base, run, sets=sets) for run in runs],
        key=f"history_{hash(tuple((run.id, run.asked) for run in runs))}",
        height=min(560, 38 + 35 * len(runs)),
        hide_index=True,
        column_config={
            "when": st.column_config.TextColumn(t("When"), width=120),
            "set": st.column_config.TextColumn(t("Set"), width=110),
            "way": st.column_config.TextColumn(t("Setup"), width=250),
            "asked": st.column_config.TextColumn(t("Asked"), width=72),
            "state": st.column_config.TextColumn(t("State"), width=150),
            **{
                name: st.column_config.NumberColumn(
                    figures.metric_name(name), format="%.3f", width=110, help=said(figures.ABOUT[name])
                )
                for name in MAIN
            },
        },
        on_select="rerun",
        selection_mode="multi-row",
    )
    return [runs[row] for row in sorted(event.selection.rows) if row < len(runs)]


def _line(workspace: Workspace, base: KnowledgeBase, run: Run, *, sets: bool) -> Mapping[str, object]:
    asked = f"{run.asked}" if run.asked == run.questions else f"{run.asked} / {run.questions}"
    return {
        "when": times.local(run.started_at),
        **({"set": run.set_name} if sets else {}),
        "way": ways.called(run.pipeline, base),
        "asked": asked,
        **{name: run.metrics.get(name) for name in MAIN},
        "state": said(STATES[state(workspace, run)]),
    }


def state(workspace: Workspace, run: Run) -> str:
    """Return how a run stands: running, stopped, changed where the notes were since, else complete."""
    if run.ended_at is None:
        return "running" if workspace.runs.is_under_way(run) else "stopped"
    return "complete" if workspace.runs.is_current(run) else "changed"


def _actions(workspace: Workspace, kept: QuestionSet, marked: Sequence[Run]) -> None:
    shut = workspace.readonly or workspace.jobs.running(*jobs.EVALUATION)
    ready = [run for run in marked if run.asked]
    with st.container(horizontal=True, vertical_alignment="center", key="history_actions"):
        st.button(
            t_plural("Compare {n} run", "Compare {n} runs", n=len(ready)) if len(ready) > 1 else t("Look at it"),
            key="history_compare",
            type="primary",
            icon=":material/compare_arrows:" if len(ready) > 1 else ":material/visibility:",
            disabled=not 0 < len(ready) <= MOST,
            on_click=_compare,
            # The oldest is what the others are compared with: the table has the newest first.
            args=(workspace, kept.id, [run.id for run in reversed(ready)]),
        )
        stopped = [run for run in marked if run.ended_at is None]
        if st.button(
            t("Resume"),
            key="history_resume",
            icon=":material/play_arrow:",
            disabled=shut or len(marked) != 1 or not stopped,
        ):
            running.resume(workspace, stopped[0].id)
        if st.button(
            t_plural("Delete {n} run", "Delete {n} runs", n=len(marked)) if len(marked) > 1 else t("Delete"),
            key="history_delete",
            icon=":material/delete:",
            disabled=shut or not marked,
        ):
            workspace.runs.delete([run.id for run in marked])
            st.rerun()
    st.caption(t("Mark one run to look at it, or several to compare them with the oldest."))


def _compare(workspace: Workspace, set_id: str, run_ids: Sequence[str]) -> None:
    comparison.compare(workspace, set_id, run_ids)
    st.session_state["eval_view"] = "compare"
