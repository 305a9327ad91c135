"""Figures of runs side by side, as tables: quality and time, settings that differ, kinds of answered questions."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import streamlit as st

from core.base.messages import message
from core.model import (
    ANSWER_METRICS,
    COUNTS,
    ENOUGH,
    FIGURES,
    MAIN,
    METRICS,
    TIMES,
    Comparison,
    KnowledgeBase,
    SideBySide,
)
from pages.ui.evaluation import pipelines
from pages.ui.evaluation.question import kind_name
from pages.ui.shared import knobs, widgets
from pages.ui.shared.safe import facts, folded, html
from pages.ui.shared.text import t, text_of

ABOUT = {
    "hit@1": message("Share of questions whose first hit holds a right passage (hit@1)"),
    "hit@5": message("Share of questions whose right passage is in the first 5 hits (hit@5)"),
    "hit@10": message("Share of questions whose right passage is in the first 10 hits (hit@10)"),
    "mrr@10": message(
        "1 where the first hit is right, 1/2 for the second, 1/3 for the third … and 0 after the "
        "tenth, on average (mrr@10)"
    ),
    "hit@4000chars": message(
        "Share of questions whose right passage is in the first 4,000 characters of the hits (hit@4000chars)"
    ),
    "mrr@4000chars": message(
        "The same 1, 1/2, 1/3 …, but only within the first 4,000 characters of the hits (mrr@4000chars)"
    ),
    "recall@10": message("Share of all right passages that the first 10 hits hold (recall@10)"),
    "precision@10": message(
        "Share of the first 10 hits that hold a right passage: low where a question has only "
        "one, so only for comparing (precision@10)"
    ),
    "ndcg@10": message("How near the order of the first 10 comes to the best possible, which is 1 (ndcg@10)"),
    "map@10": message("At each right passage: the share of hits up to it that are right, on average (map@10)"),
    "span_recall": message(
        "Share of the right passages' characters in the first 4,000 characters of the hits (span_recall)"
    ),
    "span_precision": message(
        "Share of the first 4,000 characters of the hits that belong to a right passage (span_precision)"
    ),
    "span_iou": message("How far the hits and the right passages are the same text: 1 for exactly the same (span_iou)"),
    "answered": message("Share of the questions with an answer in the notes that aren't refused (answered)"),
    "cited_recall": message(
        "Share of the right passages that the answer quotes, at least half of the shorter of both (cited_recall)"
    ),
    "cited_precision": message("Share of the quotes that come from a right passage (cited_precision)"),
    "quoted": message("Share of the answer's sentences whose source is in the notes word for word (quoted)"),
    "facts": message("Share of the figures and names in your expected answers that the answers contain (facts)"),
    "refused": message("Share of the questions without an answer in the notes that are refused (refused)"),
    "agreed": message(
        "How far the answers agree with the expected ones, as the language model judges: 1 for each that agrees, a half for one that agrees in part; its reason is shown with the question (agreed)"
    ),
    "p50_ms": message("Half of the questions take less (p50_ms)"),
    "p95_ms": message("95% of the questions take less (p95_ms)"),
}

JUDGING = message(
    "Within 4,000 characters, only what fits a prompt counts, however long the hits are. Among 10 hits, long ones "
    "have an advantage."
)
"""Advice on the choice of a figure."""

JUDGE_WIDTH = 320
"""Width in pixels in which the longest name of a figure is whole."""
SHORT = (*MAIN, "p50_ms")
"""Figures in sight; the others are folded."""


def metric_name(name: str) -> str:
    """Return the name of a figure."""
    return text_of(FIGURES[name])


def judge_by(key: str, **more: Any) -> str:
    """Draw the choice of a figure to judge by, and return it."""
    return widgets.select(t("Judge by"), {name: metric_name(name) for name in METRICS}, key, width=JUDGE_WIDTH, **more)


def tone(comparison: Comparison) -> str:
    """Return the CSS class of a difference, empty if it may be chance."""
    if not comparison.settled:
        return ""
    return "good" if comparison.difference > 0 else "bad"


def table(base: KnowledgeBase, shown: SideBySide) -> str:
    """Return the runs' figures as HTML, the main ones in sight."""
    others = [name for name in (*METRICS, *TIMES) if name not in SHORT]
    answers = [name for name in ANSWER_METRICS if name in shown.figures]
    drawn = _figure_table(base, shown, SHORT)
    if answers:
        drawn += (
            f'<div class="t-caption">{html(t("Answers above the hits"))}</div>{_figure_table(base, shown, answers)}'
        )
    return drawn + folded(t("All figures"), _figure_table(base, shown, others), css="t-more")


def _table(heads: Iterable[str], lines: Iterable[tuple[str, str, Iterable[str]]], css: str = "") -> str:
    """Return a table as HTML; a line is the attributes and the content of its head, and its cells."""
    head = "".join(f"<th{attributes}>{pipelines.badge(number)}</th>" for number, attributes in enumerate(heads))
    body = "".join(
        f'<tr><th scope="row"{attributes}>{name}</th>{"".join(f"<td>{cell}</td>" for cell in cells)}</tr>'
        for attributes, name, cells in lines
    )
    return f'<table class="t-figures {css}"><thead><tr><th></th>{head}</tr></thead><tbody>{body}</tbody></table>'


def _figure_table(base: KnowledgeBase, shown: SideBySide, names: Sequence[str]) -> str:
    compared = [comparison[name] for comparison in shown.comparisons for name in names if name in comparison]
    widest = max((abs(end) for comparison in compared for end in (comparison.low, comparison.high)), default=0.0) or 1.0
    lines = []
    for name in names:
        figures = shown.figures[name]
        best = min(figures) if name in TIMES else max(figures)
        form: Callable[[float], str] = "{:,.0f} ms".format if name in TIMES else "{:.3f}".format
        cells = []
        for number, figure in enumerate(figures):
            beaten = len(figures) > 1 and len(set(map(form, figures))) > 1 and form(figure) == form(best)
            shift = ""
            if number and name in shown.comparisons[number - 1]:
                shift = _shift(shown.comparisons[number - 1][name], widest)
            elif number and name in TIMES:
                shift = f'<span class="t-shift">{f"{figure - figures[0]:+,.0f}".replace("-", "−")} ms</span>'
            counted = (
                f'<span class="t-dim t-small">{html(counts(shown, name, number))}</span>' if name in COUNTS else ""
            )
            value = f'<span class="{"t-best" if beaten else ""}">{form(figure)}</span>'
            cells.append(" ".join(filter(None, (value, counted, shift))))
        lines.append((f' title="{html(ABOUT[name])}"', html(metric_name(name)), cells))
    return _table([f' title="{html(pipelines.pipeline_name(run.pipeline, base))}"' for run in shown.runs], lines)


def counts(shown: SideBySide, name: str, number: int) -> str:
    """Return the number of questions that a run answered, in words."""
    return t("{n} of {every}", n=shown.count(name, number), every=shown.answerable)


def found_html(shown: SideBySide) -> str:
    """Return as HTML how many questions each run found, and how many of others it would."""
    name = shown.counting
    every = shown.answerable
    lines = []
    for number in range(len(shown.runs)):
        texts = [t("{name}: {text}", name=metric_name(name), text=counts(shown, name, number))]
        if every >= ENOUGH:
            low, high = shown.expected(name, number)
            text = t(
                "On other questions like these, {low} to {high} of {every} on average", low=low, high=high, every=every
            )
            texts += [text, _gain_in_words(shown.comparisons[number - 1][name]) if number else ""]
        lines.append(f'<div class="t-head">{pipelines.badge(number)}{facts(filter(None, texts))}</div>')
    return "".join(lines)


def _gain_in_words(comparison: Comparison) -> str:
    """Return how many more questions than the first run a run would find, in words."""
    low, high = (round(end * comparison.questions) for end in (comparison.low, comparison.high))
    if low == high == 0:
        return t("as many as A")
    if low >= 0:
        return t("{low} to {high} more than A", low=low, high=high)
    if high <= 0:
        return t("{low} to {high} fewer than A", low=-high, high=-low)
    return t("between {low} fewer and {high} more than A", low=-low, high=high)


def with_sign(number: float) -> str:
    """Return a difference with a sign; both signs have the same width."""
    return f"{number:+.3f}".replace("-", "−")


def _shift(comparison: Comparison, widest: float) -> str:
    """Return a difference and its interval as HTML, on a scale with 0 in the middle."""
    number = f"<span>{with_sign(comparison.difference)}</span>"
    if comparison.questions < ENOUGH:
        return f'<span class="t-shift">{number}</span>'
    left, right = (50 + 50 * end / widest for end in (comparison.low, comparison.high))
    interval = f"{with_sign(comparison.low)} … {with_sign(comparison.high)}"
    return (
        f'<span class="t-shift {tone(comparison)}" title="{interval}">{number}'
        f'<span class="t-interval"><i style="left: {left:.1f}%; width: {max(2.0, right - left):.1f}%"></i></span></span>'
    )


def differ(shown: SideBySide) -> None:
    """Draw the settings that differ, or all settings of a single run."""
    if not shown.settings:
        return
    lines = [
        (
            "",
            html(knobs.setting_label(name)),
            [html(knobs.value_label(name, run.settings.get(name))) for run in shown.runs],
        )
        for name in shown.settings
    ]
    settings = _table([""] * len(shown.runs), lines, "t-small")
    if len(shown.runs) > 1:
        st.html(f'<div class="t-caption">{html(t("What differs"))}</div>{settings}')
    else:
        st.html(folded(t("Settings of this run"), settings, css="t-more"))


def kinds(shown: SideBySide) -> None:
    """Draw the count of answered questions of each kind."""
    if not any(kind.kind for kind in shown.kinds):
        return
    lines = []
    for kind in shown.kinds:
        cells = [
            f'<span class="t-number">{answered}</span><span class="t-share"><i class="t-run-{number % 4}" style="width: '
            f'{100 * answered / kind.questions:.0f}%"></i></span>'
            for number, answered in enumerate(kind.answered)
        ]
        name = html(kind_name(kind.kind) if kind.kind else t("without a kind"))
        lines.append(("", f'{name} <span class="t-dim">{kind.questions}</span>', cells))
    title = html(t("Found, by kind of question"))
    st.html(f'<div class="t-caption">{title}</div>{_table([""] * len(shown.runs), lines, "t-small t-kinds")}')
