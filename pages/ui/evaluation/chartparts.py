"""What the charts of runs share: names, colours and tips of their points."""

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
"""What the values of a point are called."""

Row = dict[str, Any]


def names(base: KnowledgeBase, shown: SideBySide) -> list[str]:
    return [ways.titled(run, number, base) for number, run in enumerate(shown.runs)]


def colour(names: Sequence[str]) -> Any:
    import altair as alt

    colours = [style.RUNS[number % len(style.RUNS)] for number in range(len(names))]
    return alt.Color(
        "run:N",
        scale=alt.Scale(domain=list(names), range=colours),
        legend=alt.Legend(title=None, orient="top", labelLimit=400),
    )


def tip(name: str, kind: str) -> Any:
    import altair as alt

    return alt.Tooltip(f"{name}:{kind}", title=said(TIPS[name]), format=".3f" if kind == "Q" else "")
