"""Shared parts of the charts of runs: names, colours, legends and tooltips."""

from collections.abc import Sequence
from typing import Any

from core.messages import message
from core.model import KnowledgeBase, SideBySide
from pages.ui.evaluation import ways
from pages.ui.shared import style
from pages.ui.shared.text import said

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

Row = dict[str, Any]


def chart(rows: Sequence[Row]) -> Any:
    import altair as alt

    return alt.Chart(alt.Data(values=rows))


def names(base: KnowledgeBase, shown: SideBySide) -> list[str]:
    return [ways.titled(run, number, base) for number, run in enumerate(shown.runs)]


def colour(names: Sequence[str]) -> Any:
    import altair as alt

    colours = [style.RUNS[number % len(style.RUNS)] for number in range(len(names))]
    return alt.Color("run:N", scale=alt.Scale(domain=list(names), range=colours), legend=legend())


def legend(**more: Any) -> Any:
    """Return a legend without a title above the chart."""
    import altair as alt

    return alt.Legend(title=None, orient="top", labelLimit=400, **more)


def tips(*fields: str) -> list[Any]:
    """Return tooltips for fields such as `run:N` (a name) or `value:Q` (a number)."""
    import altair as alt

    parted = [(field, *field.split(":")) for field in fields]
    return [
        alt.Tooltip(field, title=said(TIPS[name]), format=".3f" if kind == "Q" else "") for field, name, kind in parted
    ]
