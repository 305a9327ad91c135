"""The questions of a set: a table at the left, one question at the right."""

from collections.abc import Sequence
from functools import partial

import streamlit as st

from core.base.messages import message_table
from core.model import Question, QuestionSet
from core.workspace import Workspace
from pages.ui.evaluation import question, sets
from pages.ui.shared import jobs, links, shell, widgets
from pages.ui.shared.dialogs import Dialog
from pages.ui.shared.text import small_print, t, t_plural, text_of

STATES = message_table(
    {
        "all": "All",
        "suggested": "Suggested",
        "gone": "Passage no longer exists",
        "negative": "No answer in the notes",
    }
)
LONGEST = 300
"""Maximum number of characters of a question in the table."""
WIDTHS = {"state": 96, "kind": 82, "passages": 62}
"""Minimum widths in pixels of the columns that are left out while empty."""
LETTER = 7
"""Pixels per letter in a column."""
BESIDE = 360
"""Minimum width in pixels of the table's columns next to an open question."""

_CHOSEN, _SHOWN, _ADDING = "chosen_questions", "shown_question", "adding_question"
_DELETION = Dialog("deleting_questions")


def draw(workspace: Workspace, base: str, question_set: QuestionSet) -> None:
    """Draw the questions of a set, actions on them, and the open question."""
    with st.container():
        jobs.panel(workspace, jobs.QUESTIONS)
        if (job := workspace.jobs.find("suggest")) and job.state == "done" and not job.result:
            small_print("The notes have no definition or heading that gives a new question.")
    with shell.errors():
        every = workspace.questions.all(question_set)
        if sum(_is(item, "gone") for item in every) != question_set.flagged and not workspace.readonly:
            st.rerun()  # the bar above was drawn before a lost passage was noticed
        _settle(question_set, every)
        _bar(workspace, question_set, every)
        has_side = bool(st.session_state[_SHOWN] or st.session_state.get(_ADDING))
        left, right = st.columns([6, 5], gap="medium") if has_side else (st.container(), None)
        with left:
            if every:
                listed = _filter_questions(every)
                _table(listed, has_side=has_side)
                _actions(workspace, question_set, listed)
            else:
                st.info(
                    t(
                        "This set is empty. Add a question, have some suggested, import a file, or mark right passages on the "
                        "Search page."
                    ),
                    icon=":material/quiz:",
                )
        if right:
            with right, st.container(key="question_side"), shell.errors():
                _side(workspace, base, question_set, every)


def _settle(question_set: QuestionSet, every: Sequence[Question]) -> None:
    """Forget chosen questions of another set and deleted questions; choose the question in a link."""
    ids = {item.id for item in every}
    if st.session_state.get("questions_of") != question_set.id:
        st.session_state.update({"questions_of": question_set.id, _CHOSEN: [], _SHOWN: ""})
    if (linked := links.arrived_value("question")) in ids:
        show(linked)
    st.session_state[_CHOSEN] = [name for name in st.session_state[_CHOSEN] if name in ids]
    if st.session_state[_SHOWN] not in ids:
        st.session_state[_SHOWN] = ""
    links.set_value("question", st.session_state[_SHOWN])


def show(question_id: str) -> None:
    """Choose a question."""
    marked = st.session_state.get("questions_marked", 0) + 1
    st.session_state.update({_CHOSEN: [question_id], _SHOWN: question_id, _ADDING: False, "questions_marked": marked})


def _bar(workspace: Workspace, question_set: QuestionSet, every: Sequence[Question]) -> None:
    suggested = [item.id for item in every if item.suggested]
    shut = workspace.readonly
    with widgets.row("question_bar"):
        widgets.button(
            t("New question"),
            "add_question",
            "add",
            on_click=st.session_state.update,
            kwargs={_ADDING: True},
            disabled=shut,
        )
        sets.popover(workspace, question_set)
        if suggested and widgets.button(
            t_plural("Accept {n} suggested", "Accept all {n} suggested", n=len(suggested)),
            "accept_all",
            "done_all",
            disabled=shut,
        ):
            workspace.questions.accept(question_set, suggested)
            st.rerun()


# the table


def _filter_questions(every: Sequence[Question]) -> list[Question]:
    """Draw the filters and return the matching questions."""
    counts = {state: sum(_is(item, state) for item in every) for state in STATES}
    texts = {name: f"{text_of(STATES[name])} · {n:,}" for name, n in counts.items() if name == "all" or n}
    widgets.begin_with("questions_state", texts, "all")
    state = widgets.segments(t("State"), texts, "questions_state", persist_state="session")
    left, right = st.columns([3, 2])
    with left:
        icon = ":material/filter_alt:"
        text = widgets.text_box(t("Text of the question"), "questions_text", icon=icon, persist_state="session")
    kinds = sorted({item.kind for item in every} - {""})
    kind = question.kind_filter(kinds, "questions_kind", right, persist_state="session")
    wanted = (text or "").casefold().strip()
    return [
        item
        for item in every
        if _is(item, state) and kind in ("", item.kind) and wanted in f"{item.text}\n{item.id}".casefold()
    ]


def _is(item: Question, state: str) -> bool:
    return {
        "all": True,
        "suggested": item.suggested,
        "gone": any(gold.flagged for gold in item.spans),
        "negative": not item.gold,
    }[state]


def _table(listed: Sequence[Question], *, has_side: bool) -> None:
    """Draw the table of questions; with `has_side`, there is an open question next to it."""
    if not listed:
        st.info(t("No question matches these filters."))
        return
    chosen = st.session_state[_CHOSEN]
    # Rows are marked by position: another listing is another widget, to which the choice is carried over.
    key = f"questions_{hash((tuple(item.id for item in listed), st.session_state.get('questions_marked')))}"

    def picked() -> None:
        now = [listed[row].id for row in st.session_state[key]["selection"]["rows"] if row < len(listed)]
        new = [name for name in now if name not in chosen]
        st.session_state.update({_CHOSEN: now, _SHOWN: (new or now or [""])[-1], _ADDING: False})

    rows: list[dict[str, object]] = [
        {
            "question": item.text[:LONGEST],
            "state": " · ".join(text_of(label) for name, label in STATES.items() if name != "all" and _is(item, name)),
            "kind": question.kind_name(item.kind),
            "passages": len(item.gold),
        }
        for item in listed
    ]
    others = ["state"] if has_side else list(WIDTHS)
    longest = {name: max(len(str(row[name] or "")) for row in rows) for name in others}
    widths = {name: max(WIDTHS[name], LETTER * letters) for name, letters in longest.items() if letters}
    widgets.table(
        rows,
        {
            "question": widgets.text_column("Question", width=BESIDE - sum(widths.values()) if has_side else None),
            "state": widgets.text_column("State", width=widths.get("state")),
            "kind": widgets.text_column("Kind", width=widths.get("kind")),
            "passages": widgets.count_column(t("Passages"), width=widths.get("passages")),
        },
        key,
        most=560,
        column_order=["question", *widths],
        on_select=picked,
        selection_mode="multi-row",
        selection_default={"selection": {"rows": [row for row, item in enumerate(listed) if item.id in chosen]}},
    )


def _actions(workspace: Workspace, question_set: QuestionSet, listed: Sequence[Question]) -> None:
    """Draw the actions on the chosen questions among the listed ones; a dialog confirms a deletion."""
    items = [item for item in listed if item.id in st.session_state[_CHOSEN]]
    chosen, suggested = [item.id for item in items], [item.id for item in items if item.suggested]
    questions = workspace.questions
    button = partial(widgets.count_button, disabled=workspace.readonly)
    with st.container(horizontal=True, key="question_actions"):
        if button(t("Accept"), len(suggested), "questions_accept", "check"):
            questions.accept(question_set, suggested)
            st.rerun()
        if button(t("Reject"), len(suggested), "questions_reject", "close"):
            questions.reject(question_set, suggested)
            st.rerun()
        if button(t("Delete"), len(chosen), "questions_delete", "delete"):
            _DELETION.open(chosen)
    small_print("Click the box at the left of a row to see a question; choose several to act on them.")
    if _DELETION.subject and chosen:
        title = t_plural("Delete {n} question", "Delete {n} questions", n=len(chosen))
        text = t("Runs that asked them keep their results.")
        _DELETION.confirm(title, text, "questions_delete", lambda: questions.delete_for_good(question_set, chosen))


# The question next to the table.


def _side(workspace: Workspace, base: str, question_set: QuestionSet, every: Sequence[Question]) -> None:
    kinds = list(dict.fromkeys(item.kind for item in every if item.kind))
    if st.session_state.get(_ADDING):
        added = question.new(
            workspace, question_set, kinds, cancelled=partial(st.session_state.update, {_ADDING: False})
        )
        if added is not None:
            show(added.id)
            st.rerun()
        return
    item = next((item for item in every if item.id == st.session_state[_SHOWN]), None)
    if item is not None:
        question.draw(workspace, base, question_set, item, kinds)
