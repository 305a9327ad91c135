"""Charts of the compared runs: their figures, differences, ranks, thresholds, and the history."""

from collections.abc import Callable

import streamlit as st

from core.messages import message
from core.model import KnowledgeBase, SideBySide
from core.workspace import Workspace
from pages.ui.shared import shell, widgets
from pages.ui.shared.text import t, text_of

CHARTS = {
    "metrics": (message("Figures"), message("The main figures of each run, from 0 to 1.")),
    "shifts": (
        message("Differences"),
        message(
            "How far each run is from A, and the range that the difference lies in with 95% "
            "certainty. If 0 is in the range, it could be chance."
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
"""The charts, each with its name and its caption."""


def section(workspace: Workspace, base: KnowledgeBase, shown: SideBySide) -> None:
    """Draw the charts, on demand."""
    shell.on_demand(t("Charts"), "charts", "bar_chart", lambda: _charts(workspace, base, shown))


def _charts(workspace: Workspace, base: KnowledgeBase, shown: SideBySide) -> None:
    from pages.ui.evaluation import drawings

    offered: dict[str, Callable[[], None]] = {"metrics": lambda: drawings.metrics(base, shown)}
    if shown.comparisons:
        offered["shifts"] = lambda: drawings.shifts(base, shown)
        offered["ranks"] = lambda: drawings.ranks(base, shown)
    if any(row.negative for row in shown.rows) and any(curve.points for curve in shown.false_positives):
        offered["thresholds"] = lambda: drawings.thresholds(base, shown)
    offered["history"] = lambda: drawings.history(workspace, base, shown)
    texts = {name: text_of(CHARTS[name][0]) for name in offered}
    name = widgets.segments(t("Chart"), texts, "chart", default="metrics")
    st.caption(text_of(CHARTS[name][1]))
    offered.get(name, offered["metrics"])()
