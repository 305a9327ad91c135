"""The questions of the compared runs: a list with the rank in each run, and the hits for one question."""

from collections.abc import Callable, Mapping, Sequence

import streamlit as st

from core.base.messages import message
from core.model import DEPTH, ComparisonRow, KnowledgeBase, SideBySide
from core.workspace import Workspace
from pages.ui.evaluation import pipelines, recalled
from pages.ui.evaluation.question import kind_filter, kind_name
from pages.ui.shared import links, shell, widgets
from pages.ui.shared.safe import plain
from pages.ui.shared.text import t, text_of

Filter = Callable[[ComparisonRow], bool]

FILTERS = {
    "all": message("All"),
    "missed": message("Missed"),
    "gained": message("Newly found"),
    "lost": message("No longer found"),
    "better": message("Better"),
    "worse": message("Worse"),
    "negative": message("Without an answer"),
}
SIGNS = {"gained": "▲", "lost": "▼", "better": "↑", "worse": "↓", "same": ""}


def draw_questions(workspace: Workspace, base: KnowledgeBase, shown: SideBySide) -> None:
    """Draw the list and the chosen question; a click in the list draws only this part anew."""
    st.subheader(t("Question by question"))

    @st.fragment
    def part() -> None:
        with shell.errors():
            against = _compared_run(base, shown)
            rows = _filter_rows(shown, against)
            if not rows:
                st.caption(t("No question matches these filters."))
                return
            left, right = st.columns([5, 8], gap="medium")
            with left, st.container(key="rows_list"):
                row = _draw_rows(shown, rows, against)
            with right:
                recalled.draw_question(workspace, base, shown, row)

    part()


def _compared_run(base: KnowledgeBase, shown: SideBySide) -> int:
    """Return the number of the run that the filters compare with the first; of several, the user chooses it."""
    if len(shown.runs) < 3:
        return len(shown.runs) - 1
    names = {
        number: plain(pipelines.pipeline_title(run, number, base)) for number, run in enumerate(shown.runs) if number
    }
    return widgets.segments(t("Compared with A"), names, "against", default=1, label_visibility="visible")


def filters(against: int, *, several: bool) -> dict[str, Filter]:
    """Return the filters of the list by name; `against` is the number of the run that is compared with the first."""

    def changed(name: str) -> Filter:
        return lambda row: row.changes[against - 1] == name

    return {
        "all": lambda row: True,
        "missed": lambda row: not row.negative and (row.ranks[against] or DEPTH + 1) > DEPTH,
        **({name: changed(name) for name in ("gained", "lost", "better", "worse")} if several else {}),
        "negative": lambda row: row.negative,
    }


def _filter_rows(shown: SideBySide, against: int) -> list[ComparisonRow]:
    """Draw the filters, each with its count of questions, and return the questions that pass."""
    offered = filters(against, several=len(shown.runs) > 1)
    counts = {name: sum(map(passes, shown.rows)) for name, passes in offered.items()}
    labels = {name: f"{text_of(FILTERS[name])} {n:,}" for name, n in counts.items() if n or name in ("all", "missed")}
    widgets.begin_with("rows_filter", labels, "all")
    with st.container(horizontal=True, vertical_alignment="bottom", key="rows_filters"):
        name = widgets.pills(t("Which questions"), labels, "rows_filter", required=True)
        kinds = sorted({row.kind for row in shown.rows} - {""})
        kind = kind_filter(kinds, "rows_kind", width=170) if kinds else ""
        text = widgets.text_box(t("Text of the question"), "rows_text", icon=":material/search:", width=230)
    wanted = text.strip().casefold()
    passes = offered[str(name)]
    return [
        row
        for row in shown.rows
        if passes(row) and (not kind or row.kind == kind) and (not wanted or wanted in row.question.casefold())
    ]


def _draw_rows(shown: SideBySide, rows: Sequence[ComparisonRow], against: int) -> ComparisonRow:
    """Draw a line for each question and return the chosen one, at first the one in the address."""
    if (linked := links.arrived("question")) is not None:
        st.session_state["rows_linked"] = linked
        links.say("question", linked)
    wanted = links.known("question")
    first = next((number for number, row in enumerate(rows) if row.id == wanted), 0)
    # Rows are chosen by number: another list is another table, and so is one that a link leads to.
    linked = st.session_state.get("rows_linked")
    state = hash((tuple(run.id for run in shown.runs), tuple(row.id for row in rows), linked))
    about = t("Rank of the answer")
    ranks = {
        f"rank_{number}": st.column_config.TextColumn(pipelines.LETTERS[number], width=34, help=about)
        for number in range(len(shown.runs))
    }
    event = widgets.table(
        [_line(row, against) for row in rows],
        {
            "change": st.column_config.TextColumn("", width=28),
            "question": st.column_config.TextColumn(t("Question"), width=260),
            **ranks,
            "kind": st.column_config.TextColumn(t("Kind"), width=80),
        },
        f"rows_{state}",
        most=620,
        on_select="rerun",
        selection_mode="single-row-required",
        selection_default={"selection": {"rows": [first]}},
    )
    st.caption(
        t(
            "The rank at which each run answers; – is a miss. Choose a line with a click, or with the arrow keys "
            "and Enter."
        )
    )
    chosen = event.selection.rows
    row = rows[chosen[0] if chosen and chosen[0] < len(rows) else first]
    links.say("question", row.id)
    return row


def _line(row: ComparisonRow, against: int) -> Mapping[str, str]:
    return {
        "change": SIGNS[row.changes[against - 1]] if against and row.changes else "",
        **{f"rank_{number}": rank(row, number) for number in range(len(row.results))},
        "question": row.question,
        **({"kind": kind_name(row.kind)} if row.kind else {}),
    }


def rank(row: ComparisonRow, number: int) -> str:
    """Return the rank at which a run answers a question, padded so that texts sort like numbers."""
    return " ·" if row.negative else f"{row.ranks[number] or '–':>2}"
