"""The questions of the runs that are compared: a list with the rank in each run, and what was recalled for one."""

from collections.abc import Callable, Mapping, Sequence

import streamlit as st

from core.messages import message
from core.model import DEPTH, KnowledgeBase, Row, SideBySide
from core.workspace import Workspace
from pages.ui.evaluation import recalled, ways
from pages.ui.evaluation.question import kind_called
from pages.ui.shared import links, shell
from pages.ui.shared.safe import plain
from pages.ui.shared.text import said, t

Filter = Callable[[Row], bool]

HEIGHT = 620
FILTERS = {
    "all": message("All"),
    "missed": message("Missed"),
    "gained": message("Gained"),
    "lost": message("Lost"),
    "better": message("Better"),
    "worse": message("Worse"),
    "negative": message("Without an answer"),
}
SIGNS = {"gained": "▲", "lost": "▼", "better": "↑", "worse": "↓", "same": ""}


def section(workspace: Workspace, base: KnowledgeBase, shown: SideBySide) -> None:
    """Draw the list and the chosen question; a click in it draws only this part anew."""
    st.subheader(t("Question by question"))

    @st.fragment
    def part() -> None:
        with shell.errors():
            against = _against(base, shown)
            rows = _filtered(shown, against)
            if not rows:
                st.caption(t("No question passes these filters."))
                return
            left, right = st.columns([5, 8], gap="medium")
            with left, st.container(key="rows_list"):
                row = _listed(shown, rows, against)
            with right:
                recalled.section(workspace, base, shown, row)

    part()


def _against(base: KnowledgeBase, shown: SideBySide) -> int:
    """Return the run whose changes are filtered by: with more than two runs it is chosen."""
    if len(shown.runs) < 3:
        return len(shown.runs) - 1
    names = {number: plain(ways.titled(run, number, base)) for number, run in enumerate(shown.runs) if number}
    return int(
        st.segmented_control(
            t("Compared with A"), list(names), format_func=names.__getitem__, default=1, required=True, key="against"
        )
    )


def filters(against: int, *, several: bool) -> dict[str, Filter]:
    """Return what the list can be narrowed to, by name; `against` is the run that is compared with the first."""

    def changed(name: str) -> Filter:
        return lambda row: row.changes[against - 1] == name

    changes = {name: changed(name) for name in ("gained", "lost", "better", "worse")} if several else {}
    return {
        "all": lambda row: True,
        "missed": lambda row: not row.negative and (row.ranks[against] or DEPTH + 1) > DEPTH,
        **changes,
        "negative": lambda row: row.negative,
    }


def _filtered(shown: SideBySide, against: int) -> list[Row]:
    """Draw the filters, each with how many questions pass it, and return those that pass."""
    offered = filters(against, several=len(shown.runs) > 1)
    counts = {name: sum(map(passes, shown.rows)) for name, passes in offered.items()}
    names = [name for name in offered if counts[name] or name in ("all", "missed")]
    labels = {name: f"{said(FILTERS[name])} {counts[name]:,}" for name in names}
    if st.session_state.get("rows_filter") not in names:
        st.session_state["rows_filter"] = "all"
    with st.container(horizontal=True, vertical_alignment="bottom", key="rows_filters"):
        name = st.pills(
            t("Which questions"),
            names,
            format_func=labels.__getitem__,
            key="rows_filter",
            required=True,
            label_visibility="collapsed",
        )
        kinds = sorted({row.kind for row in shown.rows} - {""})
        kind = ""
        if kinds:
            if st.session_state.get("rows_kind") not in ("", *kinds):
                st.session_state["rows_kind"] = ""
            called = {"": t("All kinds"), **{name: kind_called(name) for name in kinds}}
            kind = st.selectbox(
                t("Kind"),
                list(called),
                format_func=called.__getitem__,
                key="rows_kind",
                label_visibility="collapsed",
                width=170,
            )
        text = st.text_input(
            t("Text of the question"),
            key="rows_text",
            placeholder=t("Text of the question"),
            icon=":material/search:",
            label_visibility="collapsed",
            width=230,
        )
    wanted = text.strip().casefold()
    passes = offered[str(name)]
    return [
        row
        for row in shown.rows
        if passes(row) and (not kind or row.kind == kind) and (not wanted or wanted in row.question.casefold())
    ]


def _listed(shown: SideBySide, rows: Sequence[Row], against: int) -> Row:
    """Draw a line for each question and return the chosen one, at first the one that the address names."""
    if (linked := links.arrived("question")) is not None:
        st.session_state["rows_linked"] = linked
        links.say("question", linked)
    wanted = links.known("question")
    first = next((number for number, row in enumerate(rows) if row.id == wanted), 0)
    # Another list is another table, for what is chosen is the number of a line; so is one that a link leads to.
    told = hash(
        (tuple(run.id for run in shown.runs), tuple(row.id for row in rows), st.session_state.get("rows_linked"))
    )
    letters = {f"rank_{number}": ways.LETTERS[number] for number in range(len(shown.runs))}
    event = st.dataframe(
        [_line(row, against) for row in rows],
        key=f"rows_{told}",
        height=min(HEIGHT, 38 + 35 * len(rows)),
        hide_index=True,
        column_config={
            "change": st.column_config.TextColumn("", width=28),
            "question": st.column_config.TextColumn(t("Question"), width=260),
            **{
                name: st.column_config.TextColumn(letter, width=34, help=t("Rank of the answer"))
                for name, letter in letters.items()
            },
            "kind": st.column_config.TextColumn(t("Kind"), width=80),
        },
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


def _line(row: Row, against: int) -> Mapping[str, str]:
    ranks = {f"rank_{number}": rank(row, number) for number in range(len(row.results))}
    change = SIGNS[row.changes[against - 1]] if against and row.changes else ""
    return {
        "change": change,
        **ranks,
        "question": row.question,
        **({"kind": kind_called(row.kind)} if row.kind else {}),
    }


def rank(row: Row, number: int) -> str:
    """Return the rank by which a run answers a question, as wide as any, so that ranks are sorted as numbers."""
    if row.negative:
        return " ·"
    found = row.ranks[number]
    return f"{found:>2}" if found else " –"
