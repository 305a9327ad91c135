"""Advice: runs of a grid of settings, the best of them on other questions, and its use as the base's settings."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.base.messages import message
from core.model import (
    ENOUGH,
    METRICS,
    Advice,
    KnowledgeBase,
    Pipeline,
    Progress,
    QuestionSet,
    Run,
    RunList,
    SearchSettings,
    embedder_name,
)
from core.workspace import Workspace
from pages.ui.evaluation import figures, pipelines, runs
from pages.ui.evaluation.pipelines import embedders
from pages.ui.shared import jobs, knobs, widgets
from pages.ui.shared.safe import html, plain
from pages.ui.shared.text import labels, t, t_plural, text_of

JOB = "advise"
SIZES = {"own": message("current"), "smaller": message("smaller"), "larger": message("larger")}
BY = "mrr@4000chars"


def section(workspace: Workspace, base: KnowledgeBase, question_set: QuestionSet) -> None:
    """Draw the choice of a grid, the button for its missing runs, and the advice."""
    about = t(
        "Tries every combination of these settings on the question set. Each is tested on "
        "questions that weren't used for choosing it: on those that were, the best of many "
        "always looks better than it is."
    )
    st.html(f'<div class="t-dim t-about">{html(about)}</div>')
    count = question_set.questions - question_set.suggested
    if count < ENOUGH:
        text = t(
            "Advice needs {least} questions, and this set has {n}: with so few, the best of several settings is "
            "mostly luck. Add {missing} more.",
            least=ENOUGH,
            n=count,
            missing=ENOUGH - count,
        )
        st.info(text, icon=":material/quiz:")
        label = t("Add or suggest questions")
        widgets.button(label, "advice_first", "add", on_click=runs.show, args=("questions",))
    pipelines = _grid(workspace, base)
    complete = _complete_runs(workspace, base, question_set, pipelines)
    missing = [way for way in pipelines if way not in complete]
    _ask(workspace, base, question_set, pipelines, missing)
    if (job := workspace.jobs.find(JOB)) and job.state == "done":
        workspace.jobs.forget(JOB)
    jobs.panel(workspace, (JOB, "rechunk"))
    if len(pipelines) > 1 and not missing and not workspace.jobs.running(JOB):
        _verdict(workspace, base, [complete[way] for way in pipelines])


def _ask(
    workspace: Workspace,
    base: KnowledgeBase,
    question_set: QuestionSet,
    pipelines: Sequence[Pipeline],
    missing: Sequence[Pipeline],
) -> None:
    """Draw the button that runs the missing setups, else all again, and the time that takes."""
    count, setups = question_set.questions - question_set.suggested, list(missing or pipelines)
    if not missing:
        label = t("Run all {n} again", n=len(setups))
    elif len(missing) < len(pipelines):
        label = t_plural("Run the remaining {n}", "Run the {n} remaining", n=len(setups))
    else:
        label = t_plural("Run {n} combination", "Run all {n} combinations", n=len(setups))
    searches = count * len(setups)
    time = runs.estimate(workspace, base, searches)
    texts = [t_plural("{n} search, about {time}", "{n} searches, about {time}", n=searches, time=time)]
    if copies := len({(way.chunking, way.embedder) for way in missing} - {(None, "")}):
        copied = t_plural(
            "{n} copy of the notes to index, which takes minutes the first time",
            "{n} copies of the notes to index, which take minutes each the first time",
            n=copies,
        )
        texts.append(copied)
    tone = "primary" if missing else "secondary"
    shut = jobs.is_evaluating(workspace) or count < ENOUGH or len(pipelines) < 2
    with st.container(horizontal=True, vertical_alignment="center", key="advise_row"):
        if widgets.button(label, "advise", "tips_and_updates", type=tone, disabled=shut):
            jobs.start(
                workspace, JOB, lambda progress: RunList.from_runs(workspace.runs.run(question_set, setups, progress))
            )
        st.caption(" · ".join(texts), width="content")


def _complete_runs(
    workspace: Workspace, base: KnowledgeBase, question_set: QuestionSet, pipelines: Sequence[Pipeline]
) -> dict[Pipeline, Run]:
    """Return the newest complete run of each setup over the present questions and notes."""
    count = question_set.questions - question_set.suggested
    newest: dict[Pipeline, Run] = {}
    for run in workspace.runs.all(base.name):
        whole = run.ended_at and count - question_set.flagged <= run.questions <= count
        way = replace(run.pipeline, name="")  # the same setup, with or without a name
        if run.set_id == question_set.id and whole and way in pipelines and workspace.runs.is_current(run):
            newest.setdefault(way, run)
    return newest


def _grid(workspace: Workspace, base: KnowledgeBase) -> list[Pipeline]:
    """Draw the settings to vary and return every combination, first the base as it is."""
    own = workspace.runs.own_pipeline(base.name)
    cuttable = base.chunking.strategy not in ("none", "lines")
    with st.container(border=True, key="grid"):
        first, second, third = st.columns([3, 4, 4], gap="medium")
        usual = list(SIZES) if cuttable else ["own"]
        sizes = _pills(first, t("Chunk size"), labels(SIZES), "grid_sizes", usual, disabled=not cuttable)
        if not cuttable:
            first.caption(knobs.without_effect(base.chunking.strategy))
        choices = {
            name: _choose_values(workspace, column, own.search, name)
            for column, name in zip((third, second), knobs.fitting([*knobs.OF_GRIDS], base), strict=False)
        }
        models = _models(workspace, base.embedder) if base.has_vectors else [""]
    cuts = {"own": base.chunking, "smaller": base.chunking.smaller(), "larger": base.chunking.larger()}
    chunkings = [cuts[name] for name in SIZES if name in sizes] or [base.chunking]
    return workspace.runs.grid(own, chunkings=chunkings, embedders=models, choices=choices)


def _models(workspace: Workspace, own: str) -> list[str]:
    """Draw the models of this machine where there are others than the base's own, and return the chosen ones.

    The base's own is "", as in its pipeline.
    """
    names = dict.fromkeys([own, *embedders(workspace)])
    texts = {name: plain(text_of(embedder_name(name))) for name in names}
    if len(texts) < 2:
        return [""]
    chosen = _pills(st, t("Model for meaning"), texts, "grid_embedder", [own]) or [own]
    return ["" if name == own else name for name in chosen]


def _choose_values(workspace: Workspace, column: DeltaGenerator, own: SearchSettings, name: str) -> list[Any]:
    """Draw the values to try for a setting, the base's own among them, and return the chosen ones."""
    offered, usual = knobs.OF_GRIDS[name]
    now = getattr(own, name)
    values = list(dict.fromkeys([*(offered or knobs.values(workspace, name)), now]))
    texts = {value: knobs.value_label(name, value) for value in (sorted(values) if offered else values)}
    first = [value for value in values if value in (*usual, now)]
    return _pills(column, knobs.setting_label(name), texts, f"grid_{name}", first) or [now]


def _pills(
    column: Any, label: str, texts: dict[Any, str], key: str, first: Sequence[Any], *, disabled: bool = False
) -> list[Any]:
    more = {"selection_mode": "multi", "default": first, "wrap": True, "disabled": disabled}
    return list(column.pills(label, list(texts), format_func=texts.__getitem__, key=key, **more))


def _verdict(workspace: Workspace, base: KnowledgeBase, runs: Sequence[Run]) -> None:
    """Draw the advice, the button that uses it, and the candidates."""
    metric = figures.judge_by("advised_by", index=METRICS.index(BY), help=text_of(figures.JUDGING))
    advice = _advice(workspace, tuple(run.id for run in runs), metric)
    by_id = {run.id: run for run in runs}
    best = by_id[advice.best].pipeline
    advised = not advice.keep and not advice.refused
    name = gain = ""
    if advised:
        gained, low, high = map(figures.with_sign, (advice.gain, advice.comparison.low, advice.comparison.high))
        name = f'<div class="t-name">{html(pipelines.pipeline_name(best, base))}</div>'
        gain = (
            f'<div class="t-facts"><span>{html(t("Gain on other questions"))} <b>{gained}</b> ({low} … {high})</span>'
            f"<span>{html(t('best in {share} of the trials', share=f'{advice.chosen:.0%}'))}</span></div>"
        )
    tone = "good" if advice.firm else ""
    st.html(f'<div class="t-verdict {tone}"><div>{name}<b>{html(text_of(advice.message))}</b>{gain}</div></div>')
    if advice.firm:
        _adopt(workspace, base, best)
    _candidates(base, advice, by_id)


@st.cache_resource(max_entries=12, show_spinner=False)
def _advice(_workspace: Workspace, run_ids: tuple[str, ...], metric: str) -> Advice:
    return _workspace.runs.advise(_workspace.runs.measured(run_ids), metric)


def _adopt(workspace: Workspace, base: KnowledgeBase, way: Pipeline) -> None:
    """Draw the button that makes a setup's settings the base's own."""
    recut = way.chunking is not None and way.chunking != base.chunking

    def job(progress: Progress) -> None:
        workspace.bases.adopt(base.name, way, progress=progress)

    if way.embedder:
        st.page_link("settings.py", label=t("Change the model in the Settings"), icon=":material/settings:")
        st.caption(
            t("The whole base is then indexed with the other model; until that is done, the present one answers.")
        )
        return
    with st.container(horizontal=True, vertical_alignment="center"):
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


def _candidates(base: KnowledgeBase, advice: Advice, runs: dict[str, Run]) -> None:
    """Draw the candidates, the best first."""
    current = next(iter(runs))
    widgets.table(
        [
            {
                "place": place,
                "way": pipelines.pipeline_name(runs[run_id].pipeline, base),
                "mean": mean,
                "difference": mean - advice.current_mean,
                "time": runs[run_id].metrics["p50_ms"],
                "note": t("current") if run_id == current else t("advised") if run_id == advice.best else "",
            }
            for place, (run_id, mean) in enumerate(advice.ranking, start=1)
        ],
        {
            "place": st.column_config.NumberColumn("#", width=40),
            "way": st.column_config.TextColumn(t("Setup"), width=380),
            "mean": st.column_config.ProgressColumn(
                t("Average"), format="%.3f", min_value=0.0, max_value=1.0, width=150
            ),
            "difference": st.column_config.NumberColumn(t("Difference"), format="%+.3f", width=90),
            "time": st.column_config.NumberColumn(t("Time"), format="%.0f ms", width=90),
            "note": st.column_config.TextColumn("", width=130),
        },
        "candidates",
        most=460,
    )
