"""The drawings of the charts of runs. It loads altair, which takes a while: the page imports it on demand."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import altair as alt
import streamlit as st

from core.base.messages import message
from core.model import DEPTH, ENOUGH, MAIN, METRICS, KnowledgeBase, SideBySide
from core.workspace import Workspace
from pages.ui.evaluation import figures, pipelines
from pages.ui.shared import style
from pages.ui.shared.safe import plain
from pages.ui.shared.text import t, text_of

MISSED = DEPTH + 1
"""The rank of an unanswered question on the axis."""
HEIGHT = 280
SIDES = {"better": message("better than A"), "same": message("the same"), "worse": message("worse than A")}
TIPS = {
    "run": message("Run"),
    "metric": message("Figure"),
    "value": message("Value"),
    "difference": message("Difference"),
    "low": message("at least"),
    "high": message("at most"),
    "first": message("Rank in A"),
    "second": message("Rank in the other"),
    "questions": message("Questions"),
    "threshold": message("Minimum similarity"),
    "share": message("Share"),
}
"""The names of the values of a point."""


def _chart(rows: Sequence[dict[str, Any]]) -> alt.Chart:
    return alt.Chart(alt.Data(values=rows))


def _names(base: KnowledgeBase, shown: SideBySide) -> list[str]:
    return [pipelines.pipeline_title(run, number, base) for number, run in enumerate(shown.runs)]


def _colour(names: Sequence[str]) -> alt.Color:
    colours = [style.RUNS[number % len(style.RUNS)] for number in range(len(names))]
    return alt.Color("run:N", scale=alt.Scale(domain=list(names), range=colours), legend=_legend())


def _legend(**more: Any) -> alt.Legend:
    """Return a legend without a title above the chart."""
    return alt.Legend(title=None, orient="top", labelLimit=400, **more)


def _tips(*fields: str) -> list[alt.Tooltip]:
    """Return tooltips for fields such as `run:N` (a name) or `value:Q` (a number)."""
    parted = [(field, *field.split(":")) for field in fields]
    return [
        alt.Tooltip(field, title=text_of(TIPS[name]), format=".3f" if kind == "Q" else "")
        for field, name, kind in parted
    ]


def metrics(base: KnowledgeBase, shown: SideBySide) -> None:
    """Draw the main figures, a group of bars for each."""
    names = _names(base, shown)
    order = [figures.metric_name(metric) for metric in MAIN]
    rows = [
        {"metric": figures.metric_name(metric), "run": name, "value": shown.figures[metric][number]}
        for metric in MAIN
        for number, name in enumerate(names)
    ]
    bars = _chart(rows).mark_bar(cornerRadiusEnd=3)
    chart = bars.encode(
        x=alt.X("metric:N", sort=order, title=None, axis=alt.Axis(labelAngle=0, labelLimit=220)),
        xOffset=alt.XOffset("run:N", sort=names),
        y=alt.Y("value:Q", scale=alt.Scale(domain=[0, 1]), title=None),
        color=_colour(names),
        tooltip=_tips("run:N", "metric:N", "value:Q"),
    )
    st.altair_chart(chart, height=HEIGHT, key="chart_metrics")


def shifts(base: KnowledgeBase, shown: SideBySide) -> None:
    """Draw the difference of each run from the first, with the interval."""
    if shown.answerable < ENOUGH:
        st.caption(t("A range needs at least {n} questions with an answer.", n=ENOUGH))
        return
    names = _names(base, shown)
    rows = [
        {
            "metric": figures.metric_name(metric),
            "run": names[number],
            **{end: getattr(by_metric[metric], end) for end in ("difference", "low", "high")},
        }
        for number, by_metric in enumerate(shown.comparisons, start=1)
        for metric in METRICS
    ]
    order = [figures.metric_name(metric) for metric in METRICS]
    start = _chart(rows).encode(
        y=alt.Y("metric:N", sort=order, title=None, axis=alt.Axis(labelLimit=260)),
        yOffset=alt.YOffset("run:N", sort=names),
        color=_colour(names),
        tooltip=_tips("run:N", "metric:N", "difference:Q", "low:Q", "high:Q"),
    )
    zero = _chart([{"at": 0}]).mark_rule(strokeDash=[4, 4], opacity=0.6).encode(x="at:Q")
    low = alt.X("low:Q", scale=alt.Scale(padding=16), title=text_of(TIPS["difference"]))
    lines = start.mark_rule(strokeWidth=3).encode(x=low, x2="high:Q")
    points = start.mark_point(filled=True, size=70, opacity=1).encode(x="difference:Q")
    height = 60 + len(METRICS) * (16 + 14 * len(shown.comparisons))
    st.altair_chart(zero + lines + points, height=height, key="chart_shifts")


def ranks(base: KnowledgeBase, shown: SideBySide) -> None:
    """Draw the counts of questions by their rank in the first run and in another."""
    names = _names(base, shown)
    other = 1
    if len(names) > 2:
        chosen = st.selectbox(
            t("Compared with A"), names[1:], key="ranks_against", label_visibility="collapsed", width=320
        )
        other = names.index(chosen)
    places = [(_place(row.ranks[0]), _place(row.ranks[other])) for row in shown.rows if not row.negative]
    order = [*map(str, range(1, MISSED)), t("missed")]
    rows = [
        {"first": order[first - 1], "second": order[second - 1], "questions": count, "side": _side(first, second)}
        for (first, second), count in Counter(places).items()
    ]
    sides = {"better": style.RUNS[0], "same": style.TILES[3], "worse": style.TILES[2]}
    scale = alt.Scale(domain=order)
    x = alt.X("first:O", scale=scale, axis=alt.Axis(labelAngle=0, grid=True), title=names[0])
    y = alt.Y("second:O", scale=scale, axis=alt.Axis(grid=True), title=names[other])
    colours = alt.Scale(domain=[text_of(SIDES[side]) for side in sides], range=list(sides.values()))
    count = alt.Tooltip("questions:Q", title=text_of(TIPS["questions"]))
    circles = _chart(rows).mark_circle(opacity=0.9)
    dots = circles.encode(
        x=x,
        y=y,
        size=alt.Size("questions:Q", scale=alt.Scale(range=[60, 900]), legend=None),
        color=alt.Color("side:N", scale=colours, legend=alt.Legend(title=None, orient="top")),
        tooltip=[*_tips("first:O", "second:O"), count],
    )
    line = _chart([{"first": rank, "second": rank} for rank in order])
    equal = line.mark_line(strokeDash=[4, 4], opacity=0.5, color="gray").encode(x=x, y=y)
    st.altair_chart(equal + dots, height=440, width=620, key="chart_ranks")


def _place(rank: int | None) -> int:
    return MISSED if rank is None else min(rank, MISSED)


def _side(first: int, second: int) -> str:
    return text_of(SIDES["better" if second < first else "worse" if second > first else "same"])


def thresholds(base: KnowledgeBase, shown: SideBySide) -> None:
    """Draw the share of questions that keep a hit at each threshold, with an answer and without one."""
    names = _names(base, shown)
    kinds = {"true_positives": t("with an answer"), "false_positives": t("without an answer")}
    rows = [
        {"run": names[number], "threshold": point.threshold, "share": getattr(point, kind), "questions": name}
        for number, curve in enumerate(shown.false_positives)
        for point in curve.points
        for kind, name in kinds.items()
    ]
    dashes = alt.Scale(domain=list(kinds.values()), range=[[1, 0], [5, 4]])
    lines = _chart(rows).mark_line(interpolate="step-before", strokeWidth=2.5)
    chart = lines.encode(
        x=alt.X("threshold:Q", scale=alt.Scale(zero=False), title=t("Minimum similarity")),
        y=alt.Y("share:Q", axis=alt.Axis(format="%"), title=None),
        color=_colour(names),
        strokeDash=alt.StrokeDash("questions:N", scale=dashes, legend=_legend()),
        tooltip=_tips("run:N", "questions:N", "threshold:Q", "share:Q"),
    )
    st.altair_chart(chart, height=HEIGHT + 40, key="chart_thresholds")
    for number, curve in enumerate(shown.false_positives):
        st.caption(f"**{pipelines.LETTERS[number]}** {plain(text_of(curve.message))}")


def history(workspace: Workspace, base: KnowledgeBase, shown: SideBySide) -> None:
    """Draw a figure over all runs of the compared sets."""
    sets = {run.set_id for run in shown.runs}
    runs = [run for run in workspace.runs.all(base.name) if run.set_id in sets and run.ended_at]
    first = METRICS.index(shown.metric)
    metric = figures.judge_by("history_metric", index=first, label_visibility="collapsed")
    rows = [
        {
            "run": pipelines.pipeline_name(run.pipeline, base),
            "when": run.started_at.isoformat(),
            "value": run.metrics[metric],
        }
        for run in runs
    ]
    ticks = alt.Axis(format="%m-%d %H:%M", tickCount=6)
    when = alt.Tooltip("when:T", title=t("When"), format="%Y-%m-%d %H:%M")
    run, value = _tips("run:N", "value:Q")
    lines = _chart(rows).mark_line(point=alt.OverlayMarkDef(size=60, filled=True), strokeWidth=2)
    chart = lines.encode(
        x=alt.X("when:T", scale=alt.Scale(padding=16), axis=ticks, title=None),
        y=alt.Y("value:Q", scale=alt.Scale(zero=False, padding=12), title=figures.metric_name(metric)),
        color=alt.Color("run:N", legend=_legend(columns=4)),
        tooltip=[run, when, value],
    )
    st.altair_chart(chart, height=HEIGHT + 20, key="chart_history")
