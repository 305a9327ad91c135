"""Charts of the runs that are compared: their figures, ranks against each other, thresholds, and what was before."""

from collections import Counter
from collections.abc import Callable

import streamlit as st

from core.messages import message
from core.model import DEPTH, ENOUGH, MAIN, METRICS, KnowledgeBase, SideBySide
from core.workspace import Workspace
from pages.ui.evaluation import chartparts, figures, ways
from pages.ui.shared import style
from pages.ui.shared.safe import plain
from pages.ui.shared.text import labels, said, t

MISSED = DEPTH + 1
"""Where a question that isn't answered stands on the axis of ranks."""
HEIGHT = 280

CHARTS = {
    "metrics": (message("Figures"), message("The main figures of each run, from 0 to 1.")),
    "shifts": (
        message("Differences"),
        message(
            "How far each run is from A, with the interval of 95 %. If the interval holds 0, the difference may "
            "be chance."
        ),
    ),
    "ranks": (
        message("Ranks"),
        message(
            "Each dot stands for the questions with one rank in A and one in the other run; above the line the "
            "other is better."
        ),
    ),
    "thresholds": (
        message("Minimum similarity"),
        message("Which questions still get a hit when hits must be at least this similar in meaning."),
    ),
    "history": (message("History"), message("A figure over all runs of this set.")),
}
"""The charts, each with its name and what it shows."""
SIDES = {
    "better": message("better than A"),
    "same": message("the same"),
    "worse": message("worse than A"),
}


def section(workspace: Workspace, base: KnowledgeBase, shown: SideBySide) -> None:
    """Draw the charts; they are drawn when this is opened."""

    @st.fragment
    def part() -> None:
        box = st.expander(t("Charts"), icon=":material/bar_chart:", key="charts", on_change="rerun")
        if box.open:
            with box:
                _charts(workspace, base, shown)

    part()


def _charts(workspace: Workspace, base: KnowledgeBase, shown: SideBySide) -> None:
    offered: dict[str, Callable[[], None]] = {"metrics": lambda: metrics(base, shown)}
    if shown.comparisons:
        offered["shifts"] = lambda: shifts(base, shown)
        offered["ranks"] = lambda: ranks(base, shown)
    if any(row.negative for row in shown.rows) and any(one.points for one in shown.false_positives):
        offered["thresholds"] = lambda: thresholds(base, shown)
    offered["history"] = lambda: history(workspace, base, shown)
    name = st.segmented_control(
        t("Chart"),
        list(offered),
        format_func={name: said(title) for name, (title, _) in CHARTS.items()}.__getitem__,
        default="metrics",
        required=True,
        key="chart",
        label_visibility="collapsed",
    )
    st.caption(said(CHARTS[str(name)][1]))
    offered.get(str(name), offered["metrics"])()


def metrics(base: KnowledgeBase, shown: SideBySide) -> None:
    """Draw the main figures, a group of bars for each."""
    import altair as alt

    names = chartparts.names(base, shown)
    rows: list[chartparts.Row] = [
        {"metric": figures.metric_name(metric), "run": name, "value": shown.figures[metric][number]}
        for metric in MAIN
        for number, name in enumerate(names)
    ]
    chart = (
        alt.Chart(alt.Data(values=rows))
        .mark_bar(cornerRadiusEnd=3)
        .encode(
            x=alt.X(
                "metric:N",
                sort=[figures.metric_name(metric) for metric in MAIN],
                title=None,
                axis=alt.Axis(labelAngle=0, labelLimit=220),
            ),
            xOffset=alt.XOffset("run:N", sort=names),
            y=alt.Y("value:Q", scale=alt.Scale(domain=[0, 1]), title=None),
            color=chartparts.colour(names),
            tooltip=[chartparts.tip("run", "N"), chartparts.tip("metric", "N"), chartparts.tip("value", "Q")],
        )
    )
    st.altair_chart(chart, height=HEIGHT, key="chart_metrics")


def shifts(base: KnowledgeBase, shown: SideBySide) -> None:
    """Draw how far each run is from the first, with the interval."""
    import altair as alt

    if shown.answerable < ENOUGH:
        st.caption(t("Intervals need at least {n} questions with an answer.", n=ENOUGH))
        return
    names = chartparts.names(base, shown)
    rows: list[chartparts.Row] = [
        {
            "metric": figures.metric_name(metric),
            "run": names[number],
            "difference": found[metric].difference,
            "low": found[metric].low,
            "high": found[metric].high,
        }
        for number, found in enumerate(shown.comparisons, start=1)
        for metric in METRICS
    ]
    order = [figures.metric_name(metric) for metric in METRICS]
    start = alt.Chart(alt.Data(values=rows)).encode(
        y=alt.Y("metric:N", sort=order, title=None, axis=alt.Axis(labelLimit=260)),
        yOffset=alt.YOffset("run:N", sort=names),
        color=chartparts.colour(names),
        tooltip=[
            chartparts.tip("run", "N"),
            chartparts.tip("metric", "N"),
            *(chartparts.tip(name, "Q") for name in ("difference", "low", "high")),
        ],
    )
    zero = alt.Chart(alt.Data(values=[{"at": 0}])).mark_rule(strokeDash=[4, 4], opacity=0.6).encode(x="at:Q")
    lines = start.mark_rule(strokeWidth=3).encode(
        x=alt.X("low:Q", scale=alt.Scale(padding=16), title=said(chartparts.TIPS["difference"])), x2="high:Q"
    )
    points = start.mark_point(filled=True, size=70, opacity=1).encode(x="difference:Q")
    st.altair_chart(
        zero + lines + points, height=60 + len(METRICS) * (16 + 14 * len(shown.comparisons)), key="chart_shifts"
    )


def ranks(base: KnowledgeBase, shown: SideBySide) -> None:
    """Draw how many questions have which rank in the first run and which in another."""
    import altair as alt

    names = chartparts.names(base, shown)
    other = 1
    if len(names) > 2:
        chosen = st.selectbox(
            t("Compared with A"), names[1:], key="ranks_against", label_visibility="collapsed", width=320
        )
        other = names.index(chosen)
    places = [(_place(row.ranks[0]), _place(row.ranks[other])) for row in shown.rows if not row.negative]
    order = [*map(str, range(1, MISSED)), t("missed")]
    rows: list[chartparts.Row] = [
        {"first": order[first - 1], "second": order[second - 1], "questions": count, "side": _side(first, second)}
        for (first, second), count in Counter(places).items()
    ]
    sides = {"better": style.RUNS[0], "same": style.TILES[3], "worse": style.TILES[2]}
    scale = alt.Scale(domain=order)
    x = {"scale": scale, "axis": alt.Axis(labelAngle=0, grid=True), "title": names[0]}
    y = {"scale": scale, "axis": alt.Axis(grid=True), "title": names[other]}
    dots = (
        alt.Chart(alt.Data(values=rows))
        .mark_circle(opacity=0.9)
        .encode(
            x=alt.X("first:O", **x),
            y=alt.Y("second:O", **y),
            size=alt.Size("questions:Q", scale=alt.Scale(range=[60, 900]), legend=None),
            color=alt.Color(
                "side:N",
                scale=alt.Scale(domain=[said(SIDES[side]) for side in sides], range=list(sides.values())),
                legend=alt.Legend(title=None, orient="top"),
            ),
            tooltip=[
                chartparts.tip("first", "O"),
                chartparts.tip("second", "O"),
                alt.Tooltip("questions:Q", title=said(chartparts.TIPS["questions"])),
            ],
        )
    )
    equal = (
        alt.Chart(alt.Data(values=[{"first": rank} for rank in order]))
        .mark_line(strokeDash=[4, 4], opacity=0.5, color="gray")
        .encode(x=alt.X("first:O", **x), y=alt.Y("first:O", **y))
    )
    st.altair_chart(equal + dots, height=440, width=620, key="chart_ranks")


def _place(rank: int | None) -> int:
    return MISSED if rank is None else min(rank, MISSED)


def _side(first: int, second: int) -> str:
    return said(SIDES["better" if second < first else "worse" if second > first else "same"])


def thresholds(base: KnowledgeBase, shown: SideBySide) -> None:
    """Draw how many questions keep a hit at each threshold, with an answer and without one."""
    import altair as alt

    names = chartparts.names(base, shown)
    kinds = {"true_positives": t("with an answer"), "false_positives": t("without an answer")}
    rows: list[chartparts.Row] = [
        {"run": names[number], "threshold": point.threshold, "share": getattr(point, kind), "questions": called}
        for number, found in enumerate(shown.false_positives)
        for point in found.points
        for kind, called in kinds.items()
    ]
    chart = (
        alt.Chart(alt.Data(values=rows))
        .mark_line(interpolate="step-before", strokeWidth=2.5)
        .encode(
            x=alt.X("threshold:Q", scale=alt.Scale(zero=False), title=t("Minimum similarity")),
            y=alt.Y("share:Q", axis=alt.Axis(format="%"), title=None),
            color=chartparts.colour(names),
            strokeDash=alt.StrokeDash(
                "questions:N",
                scale=alt.Scale(domain=list(kinds.values()), range=[[1, 0], [5, 4]]),
                legend=alt.Legend(title=None, orient="top", labelLimit=400),
            ),
            tooltip=[
                chartparts.tip("run", "N"),
                chartparts.tip("questions", "N"),
                chartparts.tip("threshold", "Q"),
                chartparts.tip("share", "Q"),
            ],
        )
    )
    st.altair_chart(chart, height=HEIGHT + 40, key="chart_thresholds")
    for number, found in enumerate(shown.false_positives):
        st.caption(f"**{ways.LETTERS[number]}** {plain(said(found.message))}")


def history(workspace: Workspace, base: KnowledgeBase, shown: SideBySide) -> None:
    """Draw a figure over the runs of the sets that are compared."""
    import altair as alt

    sets = {run.set_id for run in shown.runs}
    runs = [run for run in workspace.runs.of(base.name) if run.set_id in sets and run.ended_at]
    metric = st.selectbox(
        t("Judge by"),
        METRICS,
        index=METRICS.index(shown.metric),
        format_func=labels(figures.NAMES),
        key="history_metric",
        label_visibility="collapsed",
        width=260,
    )
    rows: list[chartparts.Row] = [
        {"run": ways.called(run.pipeline, base), "when": run.started_at.isoformat(), "value": run.metrics[metric]}
        for run in runs
    ]
    chart = (
        alt.Chart(alt.Data(values=rows))
        .mark_line(point=alt.OverlayMarkDef(size=60, filled=True), strokeWidth=2)
        .encode(
            x=alt.X(
                "when:T", scale=alt.Scale(padding=16), axis=alt.Axis(format="%m-%d %H:%M", tickCount=6), title=None
            ),
            y=alt.Y("value:Q", scale=alt.Scale(zero=False, padding=12), title=figures.metric_name(metric)),
            color=alt.Color("run:N", legend=alt.Legend(title=None, orient="top", labelLimit=400, columns=4)),
            tooltip=[
                chartparts.tip("run", "N"),
                alt.Tooltip("when:T", title=t("When"), format="%Y-%m-%d %H:%M"),
                chartparts.tip("value", "Q"),
            ],
        )
    )
    st.altair_chart(chart, height=HEIGHT + 20, key="chart_history")
