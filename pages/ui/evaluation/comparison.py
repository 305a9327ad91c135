"""Comparison of two runs: the verdict with its certainty, figures, and differing settings."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import streamlit as st

from core.model import METRICS, MOST_RUNS, KnowledgeBase, Pipeline, Progress, QuestionSet, SideBySide
from core.workspace import Workspace
from pages.ui.evaluation import figures, pipelines, ranks
from pages.ui.shared import jobs, links, widgets
from pages.ui.shared.safe import html, plain
from pages.ui.shared.text import busy, session_language, small_print, t, t_plural, text_of


def section(workspace: Workspace, base: KnowledgeBase, question_set: QuestionSet) -> None:
    """Draw the comparison of the chosen runs, else of the set's last runs."""
    run_ids = chosen_runs(workspace, base, question_set)
    if not run_ids:
        small_print(
            "There is no run yet. One click above asks every question with both setups and shows what each finds."
        )
        return
    with busy("Comparing…"):
        shown = compare_runs(workspace, base, run_ids)
    shown = replace(shown, metric=st.session_state.get("judged", shown.metric))
    _head(workspace, base, shown)
    for notice in shown.notices:
        st.caption(f":material/info: {plain(notice)}")
    if shown.comparisons:
        _verdict(shown)
    if shown.is_better and replace(shown.runs[0].pipeline, name="") == Pipeline():
        _adopt(workspace, base, shown.runs[1].pipeline)
    left, right = st.columns([7, 4], gap="large")
    with left:
        figures.draw_figures(workspace, shown)
    with right, st.container(key="figures_side"):
        figures.draw_differences(workspace, shown)
    ranks.draw_questions(workspace, base, shown)


def chosen_runs(workspace: Workspace, base: KnowledgeBase, question_set: QuestionSet) -> list[str]:
    """Return the ids of the runs in the address, else of the runs compared last; deleted runs are left out."""
    key = _key(question_set.id)
    if (linked := links.arrived_value("runs")) is not None:
        st.session_state[key] = linked
    runs = workspace.runs.all(base.name)
    existing = {run.id for run in runs}
    remembered = (st.session_state.get(key, ""), workspace.preferences.get(key))
    named = next(filter(None, ([item for item in ids.split(",") if item in existing] for ids in remembered)), [])
    if not named:
        last = {run.pipeline: run.id for run in reversed(runs) if run.set_id == question_set.id and run.ended_at}
        usual = [way for way in last if replace(way, name="") == Pipeline()][-1:]
        others = [way for way in last if way not in usual]
        named = [last[way] for way in (*usual, *others[len(usual) - 2 :])]
    named = named[:MOST_RUNS]
    links.set_value("runs", ",".join(named))
    return named


def compare(workspace: Workspace, set_id: str, run_ids: Sequence[str]) -> None:
    """Choose the runs to compare, or a single run to show."""
    ids = ",".join(run_ids)
    st.session_state[_key(set_id)] = ids
    workspace.preferences.set(_key(set_id), ids)
    links.set_value("runs", ids)
    links.set_value("question", "")


def _key(set_id: str) -> str:
    return f"compared_{set_id}"


def compare_runs(workspace: Workspace, base: KnowledgeBase, run_ids: Sequence[str]) -> SideBySide:
    """Compare runs; results are cached, because computing confidence intervals takes time."""
    runs = {run.id: run for run in workspace.runs.all(base.name)}
    state = tuple((run_id, runs[run_id].asked, str(runs[run_id].ended_at)) for run_id in run_ids)
    return _compute_comparison(workspace, state)


@st.cache_resource(max_entries=12, show_spinner=False)
def _compute_comparison(_workspace: Workspace, state: Sequence[tuple[str, int, str]]) -> SideBySide:
    return _workspace.runs.side_by_side(_workspace.runs.measured(run_id for run_id, _, _ in state))


def _head(workspace: Workspace, base: KnowledgeBase, shown: SideBySide) -> None:
    with widgets.row("compared_head", vertical_alignment="bottom"):
        names = "".join(
            f'<span class="t-ran">{pipelines.badge(number)}<b>{html(pipelines.pipeline_name(run.pipeline, base))}</b></span>'
            for number, run in enumerate(shown.runs)
        )
        counts = t_plural(
            "{n} question, {answerable} of them with an answer",
            "{n} questions, {answerable} of them with an answer",
            n=len(shown.rows),
            answerable=shown.answerable,
        )
        st.html(f'<div class="t-rans">{names}</div><div class="t-facts">{html(counts)}</div>')
        if shown.comparisons:
            widgets.select(
                t("Judge by"),
                {name: figures.metric_name(name) for name in METRICS},
                help=text_of(figures.JUDGING),
                width=figures.JUDGE_WIDTH,
                **widgets.bound("judged_by", shown.metric, partial(st.session_state.__setitem__, "judged")),
            )
        _report(workspace, base, shown)


def _verdict(shown: SideBySide) -> None:
    """Draw in words whether the second run is better than the first."""
    comparison = shown.comparisons[shown.metric]
    pair = f'{pipelines.badge(1)} <span class="t-dim">{html(t("against"))}</span> {pipelines.badge(0)}'
    st.html(
        f'<div class="t-verdict {figures.tone(comparison)}"><div>{pair}</div><div><b>{html(comparison.message)}</b>'
        f'<div class="t-facts"><span>{html(figures.metric_name(shown.metric))}</span></div></div></div>'
    )


def _report(workspace: Workspace, base: KnowledgeBase, shown: SideBySide) -> None:
    """Draw a button for each format of the report, which is written on demand."""
    forms = {
        "html": (t("As a page (HTML)"), "text/html"),
        "md": (t("In Markdown"), "text/markdown"),
        "csv": (t("As a table of questions (CSV)"), "text/csv"),
    }
    with st.popover(t("Report"), icon=":material/download:", key="export_runs"):
        for form, (label, mime) in forms.items():
            written = partial(workspace.runs.report, shown, form, base.name, session_language())
            file = f"{t('comparison')}.{form}"
            widgets.download(label, written, file, mime, f"export_runs_{form}", "description", width="stretch")


def _adopt(workspace: Workspace, base: KnowledgeBase, way: Pipeline) -> None:
    """Draw the button that makes a setup's settings the base's own, unless they are already."""
    recut = way.chunking is not None and way.chunking != base.chunking
    if not recut and not way.embedder and way.search.over(base.search) == base.search:
        return

    def job(progress: Progress) -> None:
        workspace.bases.adopt(base.name, way, progress=progress)

    if way.embedder:
        st.page_link("settings.py", label=t("Change the model in the Settings"), icon=":material/settings:")
        small_print("The whole base is then indexed with the other model; until that is done, the present one answers.")
        return
    with widgets.row():
        shut = jobs.is_writing(workspace, base.name) or jobs.is_evaluating(workspace)
        if widgets.button(t("Use these settings"), "adopt", "check", type="primary", disabled=shut):
            if recut:
                jobs.start(workspace, "rechunk", job)
            workspace.bases.adopt(base.name, way)
            st.toast(t("The base has these settings now."), icon=":material/check:")
        st.caption(
            t("They become the settings of the base, and its notes are split and indexed again. Your edits stay.")
            if recut
            else t("They become the settings of the base, for every search that doesn't say otherwise."),
            width="content",
        )
