"""Figures of runs side by side, as tables: how good they are, what differs between them, what kinds they answer."""

from collections.abc import Callable, Sequence

import streamlit as st

from core.messages import message
from core.model import ENOUGH, MAIN, METRICS, TIMES, Comparison, KnowledgeBase, SideBySide
from pages.ui.evaluation import ways
from pages.ui.evaluation.question import kind_called
from pages.ui.shared.safe import html
from pages.ui.shared.text import said, t

NAMES = {
    "hit@1": message("First hit is right"),
    "hit@5": message("Found in the first 5"),
    "hit@10": message("Found in the first 10"),
    "mrr@10": message("Rank of the right passage (MRR)"),
    "hit@4000chars": message("Found in the first 4,000 characters"),
    "mrr@4000chars": message("Rank within 4,000 characters (MRR)"),
    "recall@10": message("Right passages in the first 10"),
    "precision@10": message("Right hits among 10"),
    "ndcg@10": message("Order of the first 10 (nDCG)"),
    "map@10": message("Average precision of 10 (MAP)"),
    "span_recall": message("Right characters found"),
    "span_precision": message("Found characters that are right"),
    "span_iou": message("Overlap with the right passage"),
    "p50_ms": message("Typical time"),
    "p95_ms": message("Time of slow ones"),
}

ABOUT = {
    "hit@1": message("Share of questions that the first hit answers (hit@1)"),
    "hit@5": message("Share of questions answered within 5 hits (hit@5)"),
    "hit@10": message("Share of questions answered within 10 hits (hit@10)"),
    "mrr@10": message("Mean of 1 / rank of the answer within 10 hits (mrr@10)"),
    "hit@4000chars": message("Share of questions answered by the first 4,000 characters of the hits (hit@4000chars)"),
    "mrr@4000chars": message("Mean of 1 / rank of the answer within 4,000 characters (mrr@4000chars)"),
    "recall@10": message("Share of the right passages that are within 10 hits (recall@10)"),
    "precision@10": message("Share of 10 hits that are right; only to compare runs (precision@10)"),
    "ndcg@10": message("How near the order comes to the best one (ndcg@10)"),
    "map@10": message("Mean of the precision at each right passage (map@10)"),
    "span_recall": message("Share of the right characters within 4,000 retrieved ones (span_recall)"),
    "span_precision": message("Share of the retrieved characters that are right (span_precision)"),
    "span_iou": message("Shared characters by all characters of both (span_iou)"),
    "p50_ms": message("Half of the questions are answered in less"),
    "p95_ms": message("95 % of the questions are answered in less"),
}

JUDGING = message(
    "Within 4,000 characters, only what fits a prompt counts, however long the chunks are. Among 10 hits, "
    "long chunks have an advantage."
)
"""Which figure to judge by."""

SHORT = (*MAIN, "p50_ms")
"""Figures that are in sight; the others are unfolded."""


def badge(number: int) -> str:
    """Return a run's letter as HTML, in its colour."""
    return f'<span class="t-run t-run-{number % 4}">{ways.LETTERS[number]}</span>'


def metric_name(name: str) -> str:
    """Return what a figure is called."""
    return said(NAMES[name])


def tone(found: Comparison) -> str:
    """Return how a difference is coloured: only what is more than chance is."""
    if not found.settled:
        return ""
    return "good" if found.difference > 0 else "bad"


def table(base: KnowledgeBase, shown: SideBySide) -> str:
    """Return the runs' figures as HTML, the main ones in sight."""
    others = [name for name in (*METRICS, *TIMES) if name not in SHORT]
    return (
        f"{_figure_table(base, shown, SHORT)}"
        f"<details class='t-more'><summary>{html(t('All figures'))}</summary>{_figure_table(base, shown, others)}</details>"
    )


def _figure_table(base: KnowledgeBase, shown: SideBySide, names: Sequence[str]) -> str:
    head = "".join(
        f'<th title="{html(ways.called(run.pipeline, base))}">{badge(number)}</th>'
        for number, run in enumerate(shown.runs)
    )
    compared = [one[name] for one in shown.comparisons for name in names if name in METRICS]
    widest = max((abs(end) for found in compared for end in (found.low, found.high)), default=0.0) or 1.0
    lines = []
    for name in names:
        figures = shown.figures[name]
        best = min(figures) if name in TIMES else max(figures)
        form: Callable[[float], str] = "{:,.0f} ms".format if name in TIMES else "{:.3f}".format
        cells = []
        for number, figure in enumerate(figures):
            beaten = len(figures) > 1 and len(set(map(form, figures))) > 1 and form(figure) == form(best)
            shift = ""
            if number and name in METRICS:
                shift = _shift(shown.comparisons[number - 1][name], widest)
            elif number:
                shift = f'<span class="t-shift">{f"{figure - figures[0]:+,.0f}".replace("-", "−")} ms</span>'
            cells.append(f'<td><span class="{"t-best" if beaten else ""}">{form(figure)}</span>{shift}</td>')
        about = html(said(ABOUT[name]))
        lines.append(f'<tr><th scope="row" title="{about}">{html(metric_name(name))}</th>{"".join(cells)}</tr>')
    return f'<table class="t-figures"><thead><tr><th></th>{head}</tr></thead><tbody>{"".join(lines)}</tbody></table>'


def signed(number: float) -> str:
    """Return a difference with its sign, which is as wide as the other."""
    return f"{number:+.3f}".replace("-", "−")


def _shift(found: Comparison, widest: float) -> str:
    """A difference with its interval, drawn to a scale whose middle is 0."""
    told = f"<span>{signed(found.difference)}</span>"
    if found.questions < ENOUGH:
        return f'<span class="t-shift">{told}</span>'
    left, right = (50 + 50 * end / widest for end in (found.low, found.high))
    return (
        f'<span class="t-shift {tone(found)}" title="{signed(found.low)} … {signed(found.high)}">{told}'
        f'<span class="t-interval"><i style="left: {left:.1f}%; width: {max(2.0, right - left):.1f}%"></i></span></span>'
    )


def differ(shown: SideBySide) -> None:
    """Draw the settings that differ, or, of one run, all."""
    several = len(shown.runs) > 1
    if not shown.settings:
        return
    head = "".join(f"<th>{badge(number)}</th>" for number in range(len(shown.runs)))
    lines = []
    for name in shown.settings:
        cells = "".join(f"<td>{html(ways.value(run.settings, name))}</td>" for run in shown.runs)
        lines.append(f'<tr><th scope="row">{html(ways.setting(name))}</th>{cells}</tr>')
    table = f'<table class="t-figures t-small"><thead><tr><th></th>{head}</tr></thead><tbody>{"".join(lines)}</tbody></table>'
    title = html(t("What differs") if several else t("Settings of this run"))
    if several:
        st.html(f'<div class="t-caption">{title}</div>{table}')
    else:
        st.html(f'<details class="t-more"><summary>{title}</summary>{table}</details>')


def kinds(shown: SideBySide) -> None:
    """Draw how many questions of each kind are answered."""
    if not any(kind.kind for kind in shown.kinds):
        return
    head = "".join(f"<th>{badge(number)}</th>" for number in range(len(shown.runs)))
    lines = []
    for kind in shown.kinds:
        cells = "".join(
            f'<td><span class="t-number">{answered}</span><span class="t-share"><i class="t-run-{number % 4}" style="width: '
            f'{100 * answered / kind.questions:.0f}%"></i></span></td>'
            for number, answered in enumerate(kind.answered)
        )
        name = html(kind_called(kind.kind) if kind.kind else t("without a kind"))
        lines.append(f'<tr><th scope="row">{name} <span class="t-dim">{kind.questions}</span></th>{cells}</tr>')
    st.html(
        f'<div class="t-caption">{html(t("Answered, by kind of question"))}</div><table class="t-figures t-small t-kinds"><thead><tr><th></th>{head}'
        f"</tr></thead><tbody>{''.join(lines)}</tbody></table>"
    )
