"""The Evaluation page, with questions and their correct passages, evaluation runs, and comparisons of runs."""

from collections.abc import Sequence

import streamlit as st
from streamlit import container, session_state

from core.base.messages import message_table
from core.model import KnowledgeBase, QuestionSet
from pages.ui.evaluation import comparison, questions, runs, sets
from pages.ui.shared import links, welcome
from pages.ui.shared.server import workspace
from pages.ui.shared.text import page_title
from pages.ui.shared.widgets import errors, segments, select_hidden

VIEWS = message_table(
    {
        "questions": "Questions",
        "compare": "Compare",
        "history": "History",
    }
)


def page(bases: Sequence[KnowledgeBase]) -> None:
    """Draw the selectors for the base and the question set, and the chosen view below them."""
    if len(bases) > 1:
        left, right = st.columns([1, 3], gap="medium")
        with left:
            base = choice(bases)
    else:
        base = bases[0]
        right = container()
    with right:
        question_set = sets.bar(base)
    # Use a separate container, so that elements below don't move when the panel appears or disappears.
    with container():
        runs.panel(base, question_set)
    if question_set is None:
        return
    shown = view(question_set)
    with errors():
        if shown == "questions":
            questions.draw(question_set)
        elif shown == "compare":
            runs.draw_start(base, question_set, runs.choose(base))
            comparison.section(base, question_set)
        else:
            runs.draw_runs(base, question_set)


def choice(bases: Sequence[KnowledgeBase]) -> KnowledgeBase:
    """Draw the base selector, and return the chosen base. The default is the first base with a question set."""
    by_name = {base.name: base for base in bases}
    if session_state.get(questions.BASE) not in by_name:
        session_state[questions.BASE] = next((name for name in by_name if workspace.question_sets.all(name)), "")
    links.begin_with("base", questions.BASE, by_name, bases[0].name)
    name = select_hidden("Knowledge base", by_name, questions.BASE)
    links.set_value("base", name)
    return by_name[name]


def view(question_set: QuestionSet) -> str:
    """Draw the view selector, and return the chosen view.

    The default is the comparison, or the questions if none of them has been accepted yet.
    """
    links.begin_with(
        "view", "eval_view", VIEWS, "compare" if question_set.questions > question_set.suggested else "questions"
    )
    chosen = segments("View", VIEWS, "eval_view", persist_state="session")
    links.set_value("view", chosen)
    return chosen


page_title("Evaluation")
bases = workspace.bases.all()
if not bases:
    welcome.no_notes("There is nothing to evaluate yet. Import notes first, then ask questions whose answers you know.")
else:
    with errors():
        page(bases)
