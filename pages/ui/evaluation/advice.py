"""Advice: a grid of settings is asked, and what is best on questions that it wasn't chosen by can be made the base's."""

from collections.abc import Sequence
from dataclasses import replace

import streamlit as st

from core.model import KnowledgeBase, Pipeline, Progress, QuestionSet, Run
from core.workspace import ENOUGH, METRICS, Advice, Workspace, grid, larger, smaller
from pages.ui import rerankers, work
from pages.ui.evaluation import figures, running, ways
from pages.ui.safe import html
from pages.ui.sentences import said
from pages.ui.text import t

JOB = "advise"
SIZES = ("own", "smaller", "larger")
WEIGHTS = (0.2, 0.4, 0.5, 0.6, 0.7, 0.8)
USUAL = (0.4, 0.6, 0.8)
BY = "mrr@4000chars"


def section(workspace: Workspace, base: KnowledgeBase, kept: QuestionSet) -> None:
    """Draw the choice of a grid, the asking of what is missing of it, and what it advises."""
    st.html(f'<div class="t-dim t-about">{html(t("eval.advice.more"))}</div>')
    count = kept.questions - kept.suggested
    if count < ENOUGH:
        st.info(t("eval.advice.few", least=ENOUGH, n=count, missing=ENOUGH - count), icon=":material/quiz:")
    pipelines = _grid(workspace, base)
    there = _there(workspace, base, kept, pipelines)
    missing = [way for way in pipelines if way not in there]
    _ask(workspace, base, kept, pipelines, missing)
    if (job := workspace.jobs.get(JOB)) and job.state == "done":
        workspace.jobs.forget(JOB)
    work.panel(workspace, (JOB, "rechunk"))
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
    which = "again" if not missing else "rest" if len(missing) < len(pipelines) else "all"
    with st.container(horizontal=True, vertical_alignment="center", key="advise_row"):
        if st.button(
            t(f"eval.advice.ask.{which}", n=len(asked)),
            key="advise",
            type="primary" if missing else "secondary",
            icon=":material/tips_and_updates:",
            disabled=workspace.readonly
            or count < ENOUGH
            or len(pipelines) < 2
            or workspace.jobs.running(*work.EVALUATION),
        ):
            work.start(workspace, JOB, lambda progress: workspace.evaluation.run(kept, asked, progress))
        searches = count * len(asked)
        told = [t("eval.advice.takes", n=searches, time=running.lasts(workspace, base, searches))]
        cuts = len({way.chunking for way in missing} - {None})
        told += [t("eval.advice.cuts", n=cuts)] if cuts else []
        st.caption(" · ".join(told), width="content")


def _there(
    workspace: Workspace, base: KnowledgeBase, kept: QuestionSet, pipelines: Sequence[Pipeline]
) -> dict[Pipeline, Run]:
    """Return the newest complete run of each way over the questions and the notes as they are now."""
    count = kept.questions - kept.suggested
    found: dict[Pipeline, Run] = {}
    for run in workspace.evaluation.runs(base.name):
        whole = run.set_id == kept.id and run.ended_at and count - kept.flagged <= run.questions <= count
        if whole and run.pipeline in pipelines and workspace.evaluation.is_current(run):
            found.setdefault(run.pipeline, run)
    return found


def _grid(workspace: Workspace, base: KnowledgeBase) -> list[Pipeline]:
    """Draw what is varied and return every combination, the base as it is first."""
    own = workspace.evaluation.as_it_is(base.name)
    cuttable = base.chunking.strategy not in ("none", "lines")
    with st.container(border=True, key="grid"):
        first, second, third = st.columns([3, 4, 4], gap="medium")
        sizes = first.pills(
            t("eval.advice.sizes"),
            SIZES,
            selection_mode="multi",
            default=SIZES if cuttable else SIZES[:1],
            format_func=lambda name: t(f"eval.advice.size.{name}"),
            key="grid_sizes",
            wrap=True,
            disabled=not cuttable,
        )
        now = own.semantic_weight
        weights = second.pills(
            t("search.weight"),
            sorted({*WEIGHTS, *([now] if now is not None else [])}),
            selection_mode="multi",
            default=sorted({*USUAL, *([now] if now is not None else [])}),
            format_func="{:g}".format,
            key="grid_weights",
            wrap=True,
        )
        known = list(dict.fromkeys([rerankers.NONE, "late-interaction", own.reranker or "", *workspace.rerankers()]))
        names = [
            name
            for name in known
            if name and (name == rerankers.NONE or name in (own.reranker, *workspace.rerankers()))
        ]
        chosen = third.pills(
            t("search.rerank"),
            names,
            selection_mode="multi",
            default=[name for name in names if name in (*rerankers.QUICK, own.reranker)],
            format_func=rerankers.called,
            key="grid_rerankers",
            wrap=True,
        )
    cuts = {"own": base.chunking, "smaller": smaller(base.chunking), "larger": larger(base.chunking)}
    made = grid(
        own,
        chunkings=[cuts[name] for name in SIZES if name in sizes] or [base.chunking],
        semantic_weights=list(weights) or [own.semantic_weight or 0.0],
        rerankers=list(chosen) or [own.reranker or rerankers.NONE],
    )
    return [replace(way, name=ways.named(replace(way, name=""), base)) for way in made]


def _told(workspace: Workspace, base: KnowledgeBase, runs: Sequence[Run]) -> None:
    """Draw the advice, the button that takes it, and the candidates."""
    metric = st.selectbox(
        t("eval.judge"),
        METRICS,
        index=METRICS.index(BY),
        format_func=figures.metric_name,
        key="advised_by",
        help=t("eval.judge.help"),
        width=260,
    )
    found = _advice(workspace, tuple(run.id for run in runs), metric)
    by_id = {run.id: run for run in runs}
    best = by_id[found.best]
    tone = "good" if found.firm else ""
    gain = ""
    if not found.refused and not found.keep:
        gain = (
            f'<div class="t-facts"><span>{html(t("eval.advice.gain"))} <b>{figures.signed(found.gain)}</b> '
            f"({figures.signed(found.comparison.low)} … {figures.signed(found.comparison.high)})</span>"
            f"<span>{html(t('eval.advice.chosen', share=f'{found.chosen:.0%}'))}</span></div>"
        )
    name = "" if found.keep or found.refused else f'<div class="t-name">{html(ways.called(best.pipeline, base))}</div>'
    st.html(f'<div class="t-verdict {tone}"><div>{name}<b>{html(said(found.told))}</b>{gain}</div></div>')
    if not found.keep and not found.refused:
        _take(workspace, base, best.pipeline, firm=found.firm)
    _candidates(base, found, by_id)


@st.cache_resource(max_entries=12, show_spinner=False)
def _advice(_workspace: Workspace, run_ids: tuple[str, ...], metric: str) -> Advice[str]:
    return _workspace.evaluation.advise(run_ids, metric)


def _take(workspace: Workspace, base: KnowledgeBase, way: Pipeline, *, firm: bool) -> None:
    """Draw the button that makes a way's settings the base's own."""
    recut = way.chunking is not None and way.chunking != base.chunking

    def job(progress: Progress) -> None:
        workspace.adopt(base.name, way, progress=progress)

    with st.container(horizontal=True, vertical_alignment="center"):
        if st.button(
            t("eval.advice.use"),
            key="adopt",
            type="primary" if firm else "secondary",
            icon=":material/check:",
            disabled=work.writing(workspace) or workspace.jobs.running(*work.EVALUATION),
        ):
            if recut:
                work.start(workspace, "rechunk", job)
            workspace.adopt(base.name, way)
            st.toast(t("eval.advice.used"), icon=":material/check:")
        st.caption(t("eval.advice.use.recut" if recut else "eval.advice.use.more"), width="content")


def _candidates(base: KnowledgeBase, found: Advice[str], runs: dict[str, Run]) -> None:
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
                "note": t("eval.advice.now")
                if run_id == current
                else t("eval.advice.best")
                if run_id == found.best
                else "",
            }
            for run_id, mean in found.ranking
        ],
        key="candidates",
        height=min(460, 38 + 35 * len(found.ranking)),
        hide_index=True,
        column_config={
            "place": st.column_config.NumberColumn("#", width=40),
            "way": st.column_config.TextColumn(t("eval.column.way"), width=380),
            "mean": st.column_config.ProgressColumn(
                t("eval.column.mean"), format="%.3f", min_value=0.0, max_value=1.0, width=150
            ),
            "difference": st.column_config.NumberColumn(t("eval.tip.difference"), format="%+.3f", width=90),
            "time": st.column_config.NumberColumn(t("eval.column.time"), format="%.0f ms", width=90),
            "note": st.column_config.TextColumn("", width=130),
        },
    )
