"""Evaluation: questions with their right passages, asked in several ways, and what that tells."""

from collections.abc import Sequence

import streamlit as st

from core.messages import message
from core.model import KnowledgeBase, QuestionSet
from core.workspace import Workspace
from pages.ui.evaluation import advice, comparison, history, pipelines, questions, running, sets
from pages.ui.shared import links, shell
from pages.ui.shared.text import labels, t

VIEWS = {
    "questions": message("Questions"),
    "compare": message("Compare"),
    "history": message("History"),
    "advice": message("Advice"),
}


def page(workspace: Workspace, bases: Sequence[KnowledgeBase]) -> None:
    """Draw the choice of a base and of a set, and below what the chosen view shows of them."""
    if len(bases) > 1:
        left, right = st.columns([1, 3], gap="medium")
        with left:
            base = choice(bases)
    else:
        base, right = bases[0], st.container()
    with right:
        kept = sets.bar(workspace, base.name)
    if kept is None:
        return
    shown = view(kept)
    # In a place that is always there: what comes and goes doesn't move the elements behind it.
    with st.container():
        running.panel(workspace, base)
    with shell.errors():
        if shown == "questions":
            questions.draw(workspace, base.name, kept)
        elif shown == "compare":
            chosen = pipelines.choose(workspace, base)
            running.section(workspace, base, kept, chosen)
            comparison.section(workspace, base, kept)
        elif shown == "history":
            history.section(workspace, base, kept)
        else:
            advice.section(workspace, base, kept)


def choice(bases: Sequence[KnowledgeBase]) -> KnowledgeBase:
    by_name = {base.name: base for base in bases}
    if (linked := links.arrived("base")) in by_name:
        st.session_state["eval_base"] = linked
    elif st.session_state.get("eval_base") not in by_name:
        st.session_state["eval_base"] = next(iter(by_name))
    name = st.selectbox(
        t("Knowledge base"), list(by_name), key="eval_base", label_visibility="collapsed", persist_state="session"
    )
    links.say("base", name)
    return by_name[name]


def view(kept: QuestionSet) -> str:
    """Draw the choice of a view and return it; a set that can't be asked yet begins with its questions."""
    if (linked := links.arrived("view")) in VIEWS:
        st.session_state["eval_view"] = linked
    elif st.session_state.get("eval_view") not in VIEWS:
        st.session_state["eval_view"] = "compare" if kept.questions > kept.suggested else "questions"
    chosen = st.segmented_control(
        t("View"),
        list(VIEWS),
        format_func=labels(VIEWS),
        key="eval_view",
        required=True,
        label_visibility="collapsed",
        persist_state="session",
    )
    links.say("view", str(chosen))
    return str(chosen)


workspace = shell.workspace()
st.title(t("Evaluation"))
bases = workspace.bases.all()
if not bases:
    st.info(
        t("There is nothing to evaluate yet. Import notes first; then ask them questions whose answers you know."),
        icon=":material/query_stats:",
    )
    with st.container(horizontal=True):
        st.page_link("home.py", label=t("Try it with sample notes"), icon=":material/play_arrow:")
        st.page_link("notes.py", label=t("Import my notes"), icon=":material/folder_open:")
    st.stop()
with shell.errors():
    page(workspace, bases)
