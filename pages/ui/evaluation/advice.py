"""Advice: a grid of settings is asked, and what is best on questions that it wasn't chosen by can be made the base's."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.messages import message
from core.model import ENOUGH, METRICS, Advice, KnowledgeBase, Pipeline, Progress, QuestionSet, Run, SearchSettings
from core.workspace import Workspace
from pages.ui.evaluation import figures, running, ways
from pages.ui.shared import jobs, knobs
from pages.ui.shared.safe import html
from pages.ui.shared.text import labels, said, t, t_plural

JOB = "advise"
SIZES = {
    "own": message("current"),
    "smaller": message("smaller"),
    "larger": message("larger"),
}
BY = "mrr@4000chars"


def section(workspace: Workspace, base: KnowledgeBase, kept: QuestionSet) -> None:
    """Draw the choice of a grid, the asking of what is missing of it, and what it advises."""
    about = t(
        "Asks the set with every combination of these settings, and tells which are best on questions that "
        "didn't choose them: the best of many always looks better on the questions that chose it."
    )
    st.html(f'<div class="t-dim t-about">{html(about)}</div>')
    count = kept.questions - kept.suggested
    if count < ENOUGH:
        st.info(
            t(
                "Advice needs {least} questions, and this set has {n}: on so few, the best of several settings is "
                "mostly the luckiest. Add {missing} more.",
                least=ENOUGH,
                n=count,
                missing=ENOUGH - count,
            ),
            icon=":material/quiz:",
        )
    pipelines = _grid(workspace, base)
    there = _there(workspace, base, kept, pipelines)
    missing = [way for way in pipelines if way not in there]
    _ask(workspace, base, kept, pipelines, missing)
    if (job := workspace.jobs.get(JOB)) and job.state == "done":
        workspace.jobs.forget(JOB)
    jobs.panel(workspace, (JOB, "rechunk"))
    if len(pipelines) > 1 and not missing and not workspace.jobs.running(JOB):
        _told(workspace, base, [there[way] for way in pipelines])


def _ask(
    workspace: Workspace,
    base: KnowledgeBase,
    kept: QuestionSet,
    pipelines: Sequence[Pipeline],
    missing: Sequence[Pipeline],
) -> None:
    """Draw the button that asks in the ways that are missing, else in all again, and how long that takes."""
    count, asked = kept.questions - kept.suggested, list(missing or pipelines)
    if not missing:
        label = t("Ask all {n} again", n=len(asked))
    elif len(missing) < len(pipelines):
        label = t_plural("Ask with the {n} that is missing", "Ask with the {n} that are missing", n=len(asked))
    else:
        label = t_plural("Ask with {n} combination", "Ask with all {n} combinations", n=len(asked))
    with st.container(horizontal=True, vertical_alignment="center", key="advise_row"):
        if st.button(
            label,
            key="advise",
            type="primary" if missing else "secondary",
            icon=":material/tips_and_updates:",
            disabled=workspace.readonly
            or count < ENOUGH
            or len(pipelines) < 2
            or workspace.jobs.running(*jobs.EVALUATION),
        ):
            jobs.start(workspace, JOB, lambda progress: workspace.runs.run(kept, asked, progress))
        searches = count * len(asked)
        told = [
            t_plural(
                "{n} search, about {time}",
                "{n} searches, about {time}",
                n=searches,
                time=running.lasts(workspace, base, searches),
            )
        ]
        cuts = len({way.chunking for way in missing} - {None})
        told += (
            [
                t_plural(
                    "{n} other split, which takes minutes the first time",
                    "{n} other splits, which take minutes each the first time",
                    n=cuts,
                )
            ]
            if cuts
            else []
        )
        st.caption(" · ".join(told), width="content")


def _there(
    workspace: Workspace, base: KnowledgeBase, kept: QuestionSet, pipelines: Sequence[Pipeline]
) -> dict[Pipeline, Run]:
    """Return the newest complete run of each way over the questions and the notes as they are now."""
    count = kept.questions - kept.suggested
    found: dict[Pipeline, Run] = {}
    for run in workspace.runs.of(base.name):
        whole = run.set_id == kept.id and run.ended_at and count - kept.flagged <= run.questions <= count
        way = replace(run.pipeline, name="")  # a name says nothing of what is asked
        if whole and way in pipelines and workspace.runs.is_current(run):
            found.setdefault(way, run)
    return found


def _grid(workspace: Workspace, base: KnowledgeBase) -> list[Pipeline]:
    """Draw what is varied and return every combination, the base as it is first."""
    own = workspace.runs.own_pipeline(base.name)
    cuttable = base.chunking.strategy not in ("none", "lines")
    with st.container(border=True, key="grid"):
        first, second, third = st.columns([3, 4, 4], gap="medium")
        sizes = first.pills(
            t("Size of chunks"),
            list(SIZES),
            selection_mode="multi",
            default=list(SIZES) if cuttable else ["own"],
            format_func=labels(SIZES),
            key="grid_sizes",
            wrap=True,
            disabled=not cuttable,
        )
        choices = {
            name: _varied(workspace, column, own.search, name)
            for column, name in zip((third, second), knobs.OF_GRIDS, strict=True)
        }
    cuts = {"own": base.chunking, "smaller": base.chunking.smaller(), "larger": base.chunking.larger()}
    return workspace.runs.grid(
        own,
        chunkings=[cuts[name] for name in SIZES if name in sizes] or [base.chunking],
        choices=choices,
    )


def _varied(workspace: Workspace, column: DeltaGenerator, own: SearchSettings, name: str) -> list[Any]:
    """Draw what a part is tried with, the base's own value among it."""
    offered, usual = knobs.OF_GRIDS[name]
    now = getattr(own, name)
    values = list(dict.fromkeys([*(offered or knobs.values(workspace, name)), now]))
    chosen = column.pills(
        said(knobs.KNOBS[name].label),
        sorted(values) if offered else values,
        selection_mode="multi",
        default=[value for value in values if value in (*usual, now)],
        format_func={value: knobs.shown(name, value) for value in values}.__getitem__,
        key=f"grid_{name}",
        wrap=True,
    )
    return list(chosen) or [now]


def _told(workspace: Workspace, base: KnowledgeBase, runs: Sequence[Run]) -> None:
    """Draw the advice, the button that takes it, and the candidates."""
    metric = st.selectbox(
        t("Judge by"),
        METRICS,
        index=METRICS.index(BY),
        format_func=labels(figures.NAMES),
        key="advised_by",
        help=said(figures.JUDGING),
        width=260,
    )
    found = _advice(workspace, tuple(run.id for run in runs), metric)
    by_id = {run.id: run for run in runs}
    best = by_id[found.best]
    tone = "good" if found.firm else ""
    gain = ""
    if not found.refused and not found.keep:
        gain = (
            f'<div class="t-facts"><span>{html(t("Gain on other questions"))} <b>{figures.signed(found.gain)}</b> '
            f"({figures.signed(found.comparison.low)} … {figures.signed(found.comparison.high)})</span>"
            f"<span>{html(t('best in {share} of the trials', share=f'{found.chosen:.0%}'))}</span></div>"
        )
    name = "" if found.keep or found.refused else f'<div class="t-name">{html(ways.called(best.pipeline, base))}</div>'
    st.html(f'<div class="t-verdict {tone}"><div>{name}<b>{html(said(found.message))}</b>{gain}</div></div>')
    if not found.keep and not found.refused:
        _take(workspace, base, best.pipeline, firm=found.firm)
    _candidates(base, found, by_id)


@st.cache_resource(max_entries=12, show_spinner=False)
def _advice(_workspace: Workspace, run_ids: tuple[str, ...], metric: str) -> Advice:
    return _workspace.runs.advise(_workspace.runs.measured(run_ids), metric)


def _take(workspace: Workspace, base: KnowledgeBase, way: Pipeline, *, firm: bool) -> None:
    """Draw the button that makes a way's settings the base's own."""
    recut = way.chunking is not None and way.chunking != base.chunking

    def job(progress: Progress) -> None:
        workspace.bases.adopt(base.name, way, progress=progress)

    with st.container(horizontal=True, vertical_alignment="center"):
        if st.button(
            t("Use these settings"),
            key="adopt",
            type="primary" if firm else "secondary",
            icon=":material/check:",
            disabled=jobs.writing(workspace) or workspace.jobs.running(*jobs.EVALUATION),
        ):
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


def _candidates(base: KnowledgeBase, found: Advice, runs: dict[str, Run]) -> None:
    """Draw the candidates, the best first."""
    current = next(iter(runs))
    places = {run_id: place for place, (run_id, _) in enumerate(found.ranking, start=1)}
    st.dataframe(
        [
            {
                "place": places[run_id],
                "way": ways.called(runs[run_id].pipeline, base),
                "mean": mean,
                "difference": mean - found.current_mean,
                "time": runs[run_id].metrics["p50_ms"],
                "note": t("current") if run_id == current else t("advised") if run_id == found.best else "",
            }
            for run_id, mean in found.ranking
        ],
        key="candidates",
        height=min(460, 38 + 35 * len(found.ranking)),
        hide_index=True,
        column_config={
            "place": st.column_config.NumberColumn("#", width=40),
            "way": st.column_config.TextColumn(t("Setup"), width=380),
            "mean": st.column_config.ProgressColumn(t("Mean"), format="%.3f", min_value=0.0, max_value=1.0, width=150),
            "difference": st.column_config.NumberColumn(t("Difference"), format="%+.3f", width=90),
            "time": st.column_config.NumberColumn(t("Time"), format="%.0f ms", width=90),
            "note": st.column_config.TextColumn("", width=130),
        },
    )
