"""Comparison of two runs: the verdict with its certainty, figures, and differing settings."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial

import streamlit as st

from core.base.messages import Message, message_table
from core.model import (
    ANSWER_METRICS,
    FIGURES,
    MAIN,
    METRICS,
    MOST_RUNS,
    KnowledgeBase,
    Pipeline,
    QuestionSet,
    Run,
    SideBySide,
)
from core.workspace import Workspace
from pages.ui.evaluation import pipelines, ranks
from pages.ui.shared import jobs, links, widgets
from pages.ui.shared.safe import folded, html, plain
from pages.ui.shared.text import busy, session_language, small_print, t, t_plural, text_of

ABOUT = message_table(
    {
        "hit@1": "Share of questions whose first hit contains a right passage (hit@1)",
        "hit@5": "Share of questions whose right passage is in the first 5 hits (hit@5)",
        "hit@10": "Share of questions whose right passage is in the first 10 hits (hit@10)",
        "mrr@10": (
            "Average score: 1 if the first hit is right, 1/2 for the second, 1/3 for the third … "
            "and 0 after the tenth (mrr@10)"
        ),
        "hit@4000chars": "Share of questions whose right passage is in the first 4,000 characters of the hits (hit@4000chars)",
        "mrr@4000chars": "The same 1, 1/2, 1/3 …, but only within the first 4,000 characters of the hits (mrr@4000chars)",
        "recall@10": "Share of all right passages that are among the first 10 hits (recall@10)",
        "precision@10": (
            "Share of the first 10 hits that contain a right passage. It is low for questions "
            "with only one, so use it only for comparing (precision@10)"
        ),
        "ndcg@10": "How close the order of the first 10 hits comes to the best possible order, which is 1 (ndcg@10)",
        "map@10": "Share of right hits among the hits up to each right passage, on average (map@10)",
        "span_recall": "Share of the right passages' characters in the first 4,000 characters of the hits (span_recall)",
        "span_precision": "Share of the first 4,000 characters of the hits that belong to a right passage (span_precision)",
        "span_iou": "How much text the hits and the right passages share: 1 if they are exactly the same (span_iou)",
        "answered": "Share of questions with an answer in the notes that are answered, not refused (answered)",
        "cited_recall": (
            "Share of right passages that the answer quotes, with an overlap of at least half of the "
            "shorter text (cited_recall)"
        ),
        "cited_precision": "Share of quotes that come from a right passage (cited_precision)",
        "quoted": "Share of the answer's sentences whose source appears word for word in the notes (quoted)",
        "facts": "Share of the figures and names in your expected answers that the answers contain (facts)",
        "refused": "Share of questions without an answer in the notes that are refused (refused)",
        "agreed": (
            "How well the answers agree with the expected ones, as judged by the language model: 1 "
            "for each that agrees, 0.5 for each that agrees in part; the reason is shown with the "
            "question (agreed)"
        ),
        "p50_ms": "Half of the questions take less time than this (p50_ms)",
        "p95_ms": "95% of the questions take less time than this (p95_ms)",
    }
)

SHORT = (*MAIN, "p50_ms")
"""Metrics that are always visible."""


def section(workspace: Workspace, base: KnowledgeBase, question_set: QuestionSet) -> None:
    """Draw the comparison of the chosen runs, by default of the set's last runs."""
    runs = chosen_runs(workspace, base, question_set)
    if not runs:
        small_print(
            "There are no runs yet. The button above asks every question with both setups and shows what each finds."
        )
        return
    with busy("Comparing…"):
        shown = _compare(workspace, [(run.id, run.asked, run.ended_at) for run in runs])
    shown = replace(shown, metric=st.session_state.get("judged", shown.metric))
    _head(workspace, base, shown)
    for notice in shown.notices:
        st.caption(f":material/info: {plain(notice)}")
    if shown.comparisons:
        _verdict(shown)
    if shown.is_better and replace(shown.runs[0].pipeline, name="") == Pipeline():
        _adopt(workspace, base, shown.runs[1].pipeline)
    _draw_tables(workspace, shown)
    ranks.draw_questions(workspace, base, shown)


def chosen_runs(workspace: Workspace, base: KnowledgeBase, question_set: QuestionSet) -> list[Run]:
    """Return the runs in the address, else those chosen in this session, else the set's last runs."""
    key = _key(question_set.id)
    if (linked := links.arrived_value("runs")) is not None:
        st.session_state[key] = linked
    runs = {run.id: run for run in workspace.runs.all(base.name)}
    named = [runs[run_id] for run_id in st.session_state.get(key, "").split(",") if run_id in runs]
    if not named:
        last = {run.pipeline: run for run in reversed(runs.values()) if run.set_id == question_set.id and run.ended_at}
        usual = [run for way, run in last.items() if replace(way, name="") == Pipeline()][-1:]
        others = [run for run in last.values() if run not in usual]
        named = [*usual, *others[len(usual) - 2 :]]
    named = named[:MOST_RUNS]
    links.set_value("runs", ",".join(run.id for run in named))
    return named


def compare(set_id: str, run_ids: Sequence[str]) -> None:
    """Draw the run selectors, and the comparison of the chosen runs or a single run."""
    st.session_state[_key(set_id)] = ",".join(run_ids)
    links.set_values({"runs": st.session_state[_key(set_id)], "question": ""})


def _key(set_id: str) -> str:
    return f"compared_{set_id}"


@st.cache_resource(max_entries=12, show_spinner=False)
def _compare(_workspace: Workspace, state: Sequence[tuple[str, int, datetime | None]]) -> SideBySide:
    """Compare runs in some state; results are cached, because computing confidence intervals takes time."""
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
                {name: text_of(FIGURES[name]) for name in METRICS},
                width=320,
                **widgets.bound("judged_by", shown.metric, partial(st.session_state.__setitem__, "judged")),
            )
        _report(workspace, base, shown)


def _verdict(shown: SideBySide) -> None:
    """Draw a sentence that tells whether the second run is better than the first."""
    comparison = shown.comparisons[shown.metric]
    tone = ("good" if comparison.difference > 0 else "bad") if comparison.settled else ""
    pair = f'{pipelines.badge(1)} <span class="t-dim">{html(t("against"))}</span> {pipelines.badge(0)}'
    st.html(
        f'<div class="t-verdict {tone}"><div>{pair}</div><div><b>{html(comparison.message)}</b>'
        f'<div class="t-facts"><span>{html(FIGURES[shown.metric])}</span></div></div></div>'
    )


def _report(workspace: Workspace, base: KnowledgeBase, shown: SideBySide) -> None:
    """Draw a button for each report format; the report is written on demand."""
    forms = {
        "html": (t("Web page (HTML)"), "text/html"),
        "md": (t("Markdown"), "text/markdown"),
        "csv": (t("Table of questions (CSV)"), "text/csv"),
    }
    with st.popover(t("Report"), icon=":material/download:", key="export_runs"):
        for form, (label, mime) in forms.items():
            written = partial(workspace.runs.report, shown, form, base.name, session_language())
            file = f"{t('comparison')}.{form}"
            widgets.download(label, written, file, mime, f"export_runs_{form}", "description", width="stretch")


def _adopt(workspace: Workspace, base: KnowledgeBase, way: Pipeline) -> None:
    """Draw the button that gives the base the setup's settings, unless it already has them."""
    recut = way.chunking is not None and way.chunking != base.chunking
    if not recut and not way.embedder and way.search.over(base.search) == base.search:
        return
    if way.embedder:
        st.page_link("settings.py", label=t("Change the model in Settings"), icon=":material/settings:")
        small_print(
            "The whole base is then indexed with the other model; until that is finished, searches "
            "use the current model."
        )
        return
    with widgets.row():
        shut = jobs.is_writing(workspace, base.name) or jobs.is_evaluating(workspace)
        if widgets.button(t("Use these settings"), "adopt", "check", type="primary", disabled=shut):
            if recut:
                jobs.start(
                    workspace, "rechunk", lambda progress: workspace.bases.adopt(base.name, way, progress=progress)
                )
            workspace.bases.adopt(base.name, way)
            st.toast(t("The base now uses these settings."), icon=":material/check:")
        st.caption(
            t("Makes these the settings of the base, and splits and indexes its notes again. Your edits are kept.")
            if recut
            else t("Makes these the settings of the base for every search that doesn't set its own."),
            width="content",
        )


def _draw_tables(workspace: Workspace, shown: SideBySide) -> None:
    """Draw the runs' metrics, the differing settings (all of a single run), and the results by kind of question."""
    runs = workspace.runs
    lettered = replace(shown, labels=tuple(pipelines.LETTERS[: len(shown.runs)]))
    answers = [name for name in shown.figures if name in ANSWER_METRICS]
    others = [name for name in shown.figures if name not in (*SHORT, *answers)]
    left, right = st.columns([7, 4], gap="large")
    with left:
        st.html(_table(runs.figures(lettered, (*SHORT, *answers)).table))
        st.html(folded(t("All figures"), _table(runs.figures(lettered, others).table), css="t-more"))
    with right, st.container(key="figures_side"):
        for section in runs.settings_table(lettered):
            if len(shown.runs) > 1:
                _titled(section.title, section.table)
            else:
                st.html(folded(t("Settings used in this run"), _table(section.table), css="t-more"))
        for section in runs.kinds_table(lettered):
            _titled(section.title, section.table)


def _titled(title: str | Message, rows: Sequence[Sequence[str | Message]]) -> None:
    st.html(f'<div class="t-caption">{html(title)}</div>{_table(rows)}')


def _table(rows: Sequence[Sequence[str | Message]]) -> str:
    """Return a table as HTML; the first row and column are headers, and metrics have explanations."""
    head = "".join(f"<th>{html(cell)}</th>" for cell in rows[0])
    about = {FIGURES[name]: text for name, text in ABOUT.items()}
    body = ""
    for first, *cells in rows[1:]:
        title = about[first] if isinstance(first, Message) and first in about else ""
        line = "".join(f"<td>{html(cell)}</td>" for cell in cells)
        body += f'<tr><th scope="row" title="{html(title)}">{html(first)}</th>{line}</tr>'
    return f'<table class="t-figures"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'
