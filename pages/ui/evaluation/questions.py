"""The questions of a set: a table on the left, one question on the right."""

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
SHOWN = {False: ("question", "state", "kind", "passages"), True: ("question", "state")}
"""Columns of the table that aren't empty, without and with an open question next to it."""

_CHOSEN, _ADDING = "chosen_questions", "adding_question"
_DELETION = Dialog("deleting_questions")


def draw(workspace: Workspace, base: str, question_set: QuestionSet) -> None:
    """Draw the questions of a set, actions on them, and the question that was chosen last."""
    with st.container():
        jobs.panel(workspace, jobs.QUESTIONS)
        if (job := workspace.jobs.find("suggest")) and job.state == "done" and not job.result:
            small_print("No definition or heading in the notes gives a new question.")
    with shell.errors():
        every = workspace.questions.all(question_set)
        if sum("gone" in states(item) for item in every) != question_set.flagged and not workspace.readonly:
            st.rerun()  # the bar above was drawn before a lost passage was noticed
        chosen = _settle(question_set, every)
        _bar(workspace, question_set, every)
        has_side = bool(chosen or st.session_state.get(_ADDING))
        left, right = st.columns([6, 5], gap="medium") if has_side else (st.container(), None)
        with left:
            if every:
                listed = question.narrow(every, STATES, states, lambda item: f"{item.text}\n{item.id}", "questions")
                _table(listed, chosen, has_side=has_side)
                _actions(workspace, question_set, [item for item in listed if item.id in chosen])
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


def _settle(question_set: QuestionSet, every: Sequence[Question]) -> list[str]:
    """Return the ids of the chosen questions; those of another set and deleted ones are forgotten."""
    ids = {item.id for item in every}
    if st.session_state.get("questions_of") != question_set.id:
        st.session_state.update({"questions_of": question_set.id, _CHOSEN: []})
    if (linked := links.arrived_value("question")) in ids:
        show(linked)
    chosen = [name for name in st.session_state[_CHOSEN] if name in ids]
    st.session_state[_CHOSEN] = chosen
    links.set_value("question", "".join(chosen[-1:]))
    return chosen


def show(question_id: str) -> None:
    """Open a question."""
    marked = st.session_state.get("questions_marked", 0) + 1
    st.session_state.update({_CHOSEN: [question_id], _ADDING: False, "questions_marked": marked})


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
            t_plural("Accept {n} suggestion", "Accept all {n} suggestions", n=len(suggested)),
            "accept_all",
            "done_all",
            disabled=shut,
        ):
            workspace.questions.accept(question_set, suggested)
            st.rerun()


# the table


def states(item: Question) -> set[str]:
    """Return the states of a question, with the names of STATES."""
    gone = any(gold.flagged for gold in item.spans)
    conditions = {"all": True, "suggested": item.suggested, "gone": gone, "negative": not item.gold}
    return {name for name, applies in conditions.items() if applies}


def _table(listed: Sequence[Question], chosen: Sequence[str], *, has_side: bool) -> None:
    """Draw the table of questions; `has_side` means that a question is open next to it."""
    if not listed:
        st.info(t("No question matches these filters."))
        return
    # Rows are marked by position: another listing is another widget, to which the choice is carried over.
    key = f"questions_{hash((tuple(item.id for item in listed), st.session_state.get('questions_marked')))}"

    def picked() -> None:
        now = [listed[row].id for row in st.session_state[key]["selection"]["rows"] if row < len(listed)]
        # The question that was chosen last is shown.
        st.session_state.update({_CHOSEN: sorted(now, key=lambda name: name not in chosen), _ADDING: False})

    rows: list[dict[str, object]] = [
        {
            "question": item.text[:LONGEST],
            "state": " · ".join(text_of(STATES[name]) for name in STATES if name != "all" and name in states(item)),
            "kind": question.kind_name(item.kind),
            "passages": len(item.gold),
        }
        for item in listed
    ]
    widgets.table(
        rows,
        {
            "question": widgets.text_column("Question", width="large"),
            "state": widgets.text_column("State"),
            "kind": widgets.text_column("Kind"),
            "passages": widgets.count_column(t("Passages")),
        },
        key,
        most=560,
        column_order=[name for name in rows[0] if name in SHOWN[has_side] and any(row[name] for row in rows)],
        on_select=picked,
        selection_mode="multi-row",
        selection_default={"selection": {"rows": [row for row, item in enumerate(listed) if item.id in chosen]}},
    )


def _actions(workspace: Workspace, question_set: QuestionSet, items: Sequence[Question]) -> None:
    """Draw the actions on questions; a dialog confirms a deletion."""
    chosen, suggested = [item.id for item in items], [item.id for item in items if item.suggested]
    questions = workspace.questions
    button = partial(widgets.count_button, disabled=workspace.readonly)
    with st.container(horizontal=True, key="question_actions"):
        for label, key, icon, act in (
            (t("Accept"), "questions_accept", "check", questions.accept),
            (t("Reject"), "questions_reject", "close", questions.reject),
        ):
            if button(label, len(suggested), key, icon):
                act(question_set, suggested)
                st.rerun()
        if button(t("Delete"), len(chosen), "questions_delete", "delete"):
            _DELETION.open(chosen)
    small_print(
        "Tick the box on the left of a row to see the question; tick several boxes to change several questions."
    )
    if _DELETION.subject and chosen:
        title = t_plural("Delete {n} question", "Delete {n} questions", n=len(chosen))
        text = t("Runs that used these questions keep their results.")
        _DELETION.confirm(title, text, "questions_delete", lambda: questions.delete_for_good(question_set, chosen))


# The question next to the table.


def _side(workspace: Workspace, base: str, question_set: QuestionSet, every: Sequence[Question]) -> None:
    kinds = list(dict.fromkeys(item.kind for item in every if item.kind))
    if st.session_state.get(_ADDING):
        widgets.heading(t("New question"))
        small_print(
            "Next, choose its right passage. A question without one counts as a question that your notes don't answer."
        )
        added = question.draw_form(workspace, question_set, Question("", "", ()), kinds, "new")
        if widgets.button(t("Cancel"), "cancel_question"):
            st.session_state[_ADDING] = False
            st.rerun()
        if added is not None:
            show(added.id)
            st.rerun()
        return
    for item in every:
        if item.id == st.session_state[_CHOSEN][-1]:
            question.draw(workspace, base, question_set, item, kinds)
