"""The questions of a set: the table on the left, the one that is looked at on the right."""

from collections.abc import Sequence

import streamlit as st

from core.messages import message
from core.model import Question, QuestionSet
from core.workspace import Workspace
from pages.ui.evaluation import question, setmenu, suggesting
from pages.ui.shared import jobs, links, shell
from pages.ui.shared.text import said, t, t_plural

STATES = {
    "all": message("All"),
    "suggested": message("Suggested"),
    "gone": message("Passage gone"),
    "negative": message("No answer in the notes"),
}
LONGEST = 300
"""Characters of a question in the table."""
WIDTHS = {"state": 96, "kind": 82, "passages": 62}
"""Pixels of the columns that are drawn where a row has something in them."""

_CHOSEN, _SHOWN, _ADDING, _DELETING = "chosen_questions", "shown_question", "adding_question", "deleting_questions"


def draw(workspace: Workspace, base: str, kept: QuestionSet) -> None:
    """Draw a set's questions, what can be done with them, and one of them in full."""
    with st.container():
        jobs.panel(workspace, jobs.QUESTIONS)
        if (job := workspace.jobs.get("suggest")) and job.state == "done" and not job.result:
            st.caption(t("The notes have no definition or heading that gives a new question."))
    with shell.errors():
        asked = workspace.questions.of(kept)
        if sum(_is(one, "gone") for one in asked) != kept.flagged and not workspace.readonly:
            st.rerun()  # what was found just now isn't in what the bar above says
        _settle(kept, asked)
        _bar(workspace, kept, asked)
        left, right = st.columns([6, 5], gap="medium")
        with left:
            if asked:
                found = _narrowed(asked)
                _table(found)
                _actions(workspace, kept, asked)
            else:
                st.info(
                    t(
                        "This set is empty. Add a question, have some suggested, import a file, or mark right passages on the "
                        "Search page."
                    ),
                    icon=":material/quiz:",
                )
        with right, st.container(key="question_side"), shell.errors():
            _side(workspace, base, kept, asked)


def _settle(kept: QuestionSet, asked: Sequence[Question]) -> None:
    """Forget what was chosen in another set, or is gone; a link's question comes chosen."""
    ids = {one.id for one in asked}
    if st.session_state.get("questions_of") != kept.id:
        st.session_state.update({"questions_of": kept.id, _CHOSEN: [], _SHOWN: ""})
    if (linked := links.arrived("question")) in ids:
        show(linked)
    st.session_state[_CHOSEN] = [name for name in st.session_state[_CHOSEN] if name in ids]
    if st.session_state[_SHOWN] not in ids:
        st.session_state[_SHOWN] = ""
    links.say("question", st.session_state[_SHOWN])


def show(question_id: str) -> None:
    """Let a question be the chosen one."""
    marked = st.session_state.get("questions_marked", 0) + 1
    st.session_state.update({_CHOSEN: [question_id], _SHOWN: question_id, _ADDING: False, "questions_marked": marked})


def _bar(workspace: Workspace, kept: QuestionSet, asked: Sequence[Question]) -> None:
    def add() -> None:
        st.session_state[_ADDING] = True

    suggested = [one.id for one in asked if one.suggested]
    with st.container(horizontal=True, vertical_alignment="center", key="question_bar"):
        st.button(
            t("New question"), key="add_question", icon=":material/add:", on_click=add, disabled=workspace.readonly
        )
        suggesting.popover(workspace, kept)
        if suggested and st.button(
            t_plural("Accept {n} suggested", "Accept all {n} suggested", n=len(suggested)),
            key="accept_all",
            icon=":material/done_all:",
            disabled=workspace.readonly,
        ):
            workspace.questions.accept(kept, suggested)
            st.rerun()


# the table


def _narrowed(asked: Sequence[Question]) -> list[Question]:
    """Draw the filters and return the questions that pass them."""
    counts = {state: sum(_is(one, state) for one in asked) for state in STATES}
    states = [state for state in STATES if state == "all" or counts[state]]
    kinds = sorted({one.kind for one in asked if one.kind})
    for key, there, first in (("questions_state", states, "all"), ("questions_kind", ["", *kinds], "")):
        if st.session_state.get(key) not in there:
            st.session_state[key] = first
    labels = {state: f"{said(STATES[state])} · {counts[state]:,}" for state in states}
    state = st.segmented_control(
        t("State"),
        states,
        format_func=labels.__getitem__,
        key="questions_state",
        required=True,
        label_visibility="collapsed",
        persist_state="session",
    )
    left, right = st.columns([3, 2])
    text = left.text_input(
        t("Text of the question"),
        key="questions_text",
        icon=":material/filter_alt:",
        placeholder=t("Text of the question"),
        label_visibility="collapsed",
        persist_state="session",
    )
    called = {name: question.kind_called(name) if name else t("All kinds") for name in ("", *kinds)}
    kind = right.selectbox(
        t("Kind"),
        list(called),
        format_func=called.__getitem__,
        key="questions_kind",
        label_visibility="collapsed",
        persist_state="session",
    )
    wanted = (text or "").casefold().strip()
    return [
        one
        for one in asked
        if _is(one, state) and kind in ("", one.kind) and wanted in f"{one.text}\n{one.id}".casefold()
    ]


def _is(one: Question, state: str) -> bool:
    return {
        "all": True,
        "suggested": one.suggested,
        "gone": any(gold.flagged for gold in one.spans),
        "negative": not one.gold,
    }[state]


def _table(found: Sequence[Question]) -> None:
    """Draw the questions, a row for each; the last one that is marked is shown beside them."""
    if not found:
        st.info(t("No question passes these filters."))
        return
    chosen = st.session_state[_CHOSEN]
    # Rows are marked by position: another listing is another widget, to which the choice is carried over.
    key = f"questions_{hash((tuple(one.id for one in found), st.session_state.get('questions_marked')))}"

    def picked() -> None:
        now = [found[row].id for row in st.session_state[key]["selection"]["rows"] if row < len(found)]
        new = [name for name in now if name not in chosen]
        st.session_state.update({_CHOSEN: now, _SHOWN: (new or now or [""])[-1], _ADDING: False})

    rows = [_row(one) for one in found]
    widths = {name: WIDTHS[name] for name in WIDTHS if any(row[name] for row in rows)}
    st.dataframe(
        rows,
        key=key,
        height=min(560, 38 + 35 * len(found)),
        hide_index=True,
        column_order=["question", *widths],
        column_config={
            "question": st.column_config.TextColumn(t("Question"), width=510 - sum(widths.values())),
            "state": st.column_config.TextColumn(t("State"), width=WIDTHS["state"]),
            "kind": st.column_config.TextColumn(t("Kind"), width=WIDTHS["kind"]),
            "passages": st.column_config.NumberColumn(t("Passages"), width=WIDTHS["passages"]),
        },
        on_select=picked,
        selection_mode="multi-row",
        selection_default={"selection": {"rows": [row for row, one in enumerate(found) if one.id in chosen]}},
    )


def _row(one: Question) -> dict[str, object]:
    return {
        "question": one.text[:LONGEST],
        "state": " · ".join(said(label) for name, label in STATES.items() if name != "all" and _is(one, name)),
        "kind": question.kind_called(one.kind),
        "passages": len(one.gold),
    }


def _actions(workspace: Workspace, kept: QuestionSet, asked: Sequence[Question]) -> None:
    """Draw what can be done with the chosen questions, shown or not; a deletion asks for a second yes."""
    chosen: list[str] = st.session_state[_CHOSEN]
    suggested = [one.id for one in asked if one.suggested and one.id in chosen]
    question_sets = workspace.questions
    with st.container(horizontal=True, key="question_actions"):
        if _button(workspace, "accept", t("Accept"), len(suggested), "check"):
            question_sets.accept(kept, suggested)
            st.rerun()
        if _button(workspace, "reject", t("Reject"), len(suggested), "close"):
            question_sets.reject(kept, suggested)
            st.rerun()
        if _button(workspace, "delete", t("Delete"), len(chosen), "delete"):
            st.session_state[_DELETING] = True
    st.caption(t("Click the box at the left of a row to see a question; choose several to act on them."))

    def closed() -> None:
        st.session_state.pop(_DELETING, None)

    if st.session_state.get(_DELETING) and chosen:
        setmenu.confirmed(
            t_plural("Delete {n} question", "Delete {n} questions", n=len(chosen)),
            t("Runs that asked them keep their results."),
            lambda: question_sets.delete(kept, chosen),
            closed=closed,
        )


def _button(workspace: Workspace, name: str, label: str, count: int, icon: str) -> bool:
    return st.button(
        f"{label} · {count:,}" if count > 1 else label,
        key=f"questions_{name}",
        icon=f":material/{icon}:",
        disabled=workspace.readonly or not count,
    )


# beside the table


def _side(workspace: Workspace, base: str, kept: QuestionSet, asked: Sequence[Question]) -> None:
    kinds = list(dict.fromkeys(one.kind for one in asked if one.kind))
    if st.session_state.get(_ADDING):
        added = question.new(workspace, kept, kinds, cancelled=lambda: st.session_state.update({_ADDING: False}))
        if added is not None:
            show(added.id)
            st.rerun()
        return
    one = next((one for one in asked if one.id == st.session_state[_SHOWN]), None)
    if one is not None:
        question.draw(workspace, base, kept, one, kinds)
    elif asked:
        st.caption(t("Choose a question to see and change it."))
