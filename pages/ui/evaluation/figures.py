"""Tables of compared runs: quality and time, differing settings, results by kind of question."""

from collections.abc import Sequence
from dataclasses import replace

import streamlit as st

from core.base.messages import Message, message, message_table
from core.model import (
    ANSWER_METRICS,
    FIGURES,
    MAIN,
    METRICS,
    TIMES,
    Comparison,
    SideBySide,
)
from core.workspace import Workspace
from pages.ui.evaluation import pipelines
from pages.ui.shared.safe import folded, html
from pages.ui.shared.text import t, text_of

ABOUT = message_table(
    {
        "hit@1": "Share of questions whose first hit holds a right passage (hit@1)",
        "hit@5": "Share of questions whose right passage is in the first 5 hits (hit@5)",
        "hit@10": "Share of questions whose right passage is in the first 10 hits (hit@10)",
        "mrr@10": (
            "1 where the first hit is right, 1/2 for the second, 1/3 for the third … and 0 after the "
            "tenth, on average (mrr@10)"
        ),
        "hit@4000chars": "Share of questions whose right passage is in the first 4,000 characters of the hits (hit@4000chars)",
        "mrr@4000chars": "The same 1, 1/2, 1/3 …, but only within the first 4,000 characters of the hits (mrr@4000chars)",
        "recall@10": "Share of all right passages that the first 10 hits hold (recall@10)",
        "precision@10": (
            "Share of the first 10 hits that hold a right passage: low where a question has only "
            "one, so only for comparing (precision@10)"
        ),
        "ndcg@10": "How near the order of the first 10 comes to the best possible, which is 1 (ndcg@10)",
        "map@10": "At each right passage: the share of hits up to it that are right, on average (map@10)",
        "span_recall": "Share of the right passages' characters in the first 4,000 characters of the hits (span_recall)",
        "span_precision": "Share of the first 4,000 characters of the hits that belong to a right passage (span_precision)",
        "span_iou": "How far the hits and the right passages are the same text: 1 for exactly the same (span_iou)",
        "answered": "Share of the questions with an answer in the notes that aren't refused (answered)",
        "cited_recall": "Share of the right passages that the answer quotes, at least half of the shorter of both (cited_recall)",
        "cited_precision": "Share of the quotes that come from a right passage (cited_precision)",
        "quoted": "Share of the answer's sentences whose source is in the notes word for word (quoted)",
        "facts": "Share of the figures and names in your expected answers that the answers contain (facts)",
        "refused": "Share of the questions without an answer in the notes that are refused (refused)",
        "agreed": "How far the answers agree with the expected ones, as the language model judges: 1 for each that agrees, a half for one that agrees in part; its reason is shown with the question (agreed)",
        "p50_ms": "Half of the questions take less (p50_ms)",
        "p95_ms": "95% of the questions take less (p95_ms)",
    }
)

JUDGING = message(
    "Within 4,000 characters, only what fits a prompt counts, however long the hits are. Among 10 hits, long ones "
    "have an advantage."
)
"""Advice on the choice of a metric."""

JUDGE_WIDTH = 320
"""Width in pixels that shows the longest name of a metric."""
SHORT = (*MAIN, "p50_ms")
"""Metrics that aren't folded."""


def metric_name(name: str) -> str:
    """Return the display name of a metric."""
    return text_of(FIGURES[name])


def tone(comparison: Comparison) -> str:
    """Return the CSS class of a difference, empty if it may be chance."""
    if not comparison.settled:
        return ""
    return "good" if comparison.difference > 0 else "bad"


def draw_figures(workspace: Workspace, shown: SideBySide) -> None:
    """Draw the runs' metrics, with the less important ones folded; runs are named by letter."""
    answers = [name for name in ANSWER_METRICS if name in shown.figures]
    others = [name for name in (*METRICS, *TIMES) if name not in SHORT]
    short, above, folded_away = (
        _table(workspace.runs.figures(_lettered(shown), names).table) for names in (SHORT, answers, others)
    )
    st.html(short)
    if answers:
        st.html(f'<div class="t-caption">{html(t("Answers above the hits"))}</div>{above}')
    st.html(folded(t("All figures"), folded_away, css="t-more"))


def draw_differences(workspace: Workspace, shown: SideBySide) -> None:
    """Draw the differing settings, or all settings of a single run, and the results by kind of question."""
    for section in workspace.runs.settings_table(_lettered(shown)):
        table = _table(section.table)
        if len(shown.runs) > 1:
            st.html(f'<div class="t-caption">{html(section.title)}</div>{table}')
        else:
            st.html(folded(t("Settings of this run"), table, css="t-more"))
    for section in workspace.runs.kinds_table(_lettered(shown)):
        st.html(f'<div class="t-caption">{html(section.title)}</div>{_table(section.table)}')


def _lettered(shown: SideBySide) -> SideBySide:
    return replace(shown, labels=tuple(pipelines.LETTERS[: len(shown.runs)]))


def _table(rows: Sequence[Sequence[str | Message]]) -> str:
    """Return a table as HTML; its first row and column are headers, with explanations of the metrics."""
    head = "".join(f"<th>{html(cell)}</th>" for cell in rows[0])
    about = {FIGURES[name]: text for name, text in ABOUT.items()}
    body = ""
    for first, *cells in rows[1:]:
        title = about[first] if isinstance(first, Message) and first in about else ""
        line = "".join(f"<td>{html(cell)}</td>" for cell in cells)
        body += f'<tr><th scope="row" title="{html(title)}">{html(first)}</th>{line}</tr>'
    return f'<table class="t-figures"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'
