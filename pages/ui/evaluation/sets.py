"""The question sets of a base: the choice of one, and the ways to a first one."""

from functools import partial

import streamlit as st

from core.model import QuestionSet
from core.workspace import Workspace
from pages.ui.evaluation import files, marking, setmenu, suggesting
from pages.ui.shared import jobs, links, shell, widgets
from pages.ui.shared.text import t, t_plural

QUESTIONS = jobs.SAMPLES.parent / "questions"
"""The folder of the questions on the sample notes."""


def bar(workspace: Workspace, base: str) -> QuestionSet | None:
    """Draw the choice of a question set and its actions; return the set, None if the base has none."""
    sets = workspace.questions.sets(base)
    question_set = None
    if sets:
        with st.container(horizontal=True, vertical_alignment="bottom", key="question_sets"):
            question_set = _choice(workspace, base, sets)
            setmenu.menu(workspace, question_set)
            files.export(workspace, question_set)
        counts = [t_plural("{n} question", "{n} questions", n=question_set.questions)]
        counts += [t("{n} suggested", n=question_set.suggested)] if question_set.suggested else []
        counts += [t("{n} whose passage is gone", n=question_set.flagged)] if question_set.flagged else []
        st.caption(" · ".join(counts))
    else:
        _none(workspace, base)
    if setmenu.dialog_name() == "import":
        files.importing(workspace, base)
    else:
        setmenu.dialogs(workspace, base, question_set)
    return question_set


def _choice(workspace: Workspace, base: str, sets: list[QuestionSet]) -> QuestionSet:
    by_name = {question_set.name: question_set for question_set in sets}
    key = f"question_set_{sets[0].base_id}"
    if (linked := links.arrived("set")) in by_name:
        st.session_state[key] = linked
    elif st.session_state.get(key) not in by_name:
        used = marking.last_used(workspace, base)
        st.session_state[key] = used.name if used else sets[0].name
    name = widgets.select_hidden(t("Question set"), by_name, key, width=360)
    links.say("set", name)
    marking.use(workspace, by_name[name])
    return by_name[name]


def _none(workspace: Workspace, base: str) -> None:
    """Explain question sets, and offer the ways to a first one."""
    importing = jobs.importing(workspace)
    st.info(
        t("The notes are being imported. Questions on them can be added as soon as that is done.")
        if importing
        else t(
            "This base has no questions yet. Questions whose right passages are known show how good the search "
            "is, and what a change does to it."
        ),
        icon=":material/quiz:",
    )
    shut = workspace.readonly or importing
    with st.container(horizontal=True, key="first_questions"):
        button = partial(widgets.button, disabled=shut)
        samples = t("Use the twenty sample questions")
        if base == "sample" and button(samples, "sample_questions", "quiz", type="primary"):
            with shell.errors():
                file = QUESTIONS / "sample.jsonl"
                question_set = workspace.questions.add_file(base, t("Sample questions"), file.read_bytes(), file.name)
                setmenu.toast_added(question_set)
                st.rerun()
        if button(t("Suggest questions from my notes"), "suggest_first", "auto_awesome"):
            suggesting.start(workspace, _first(workspace, base))
            st.rerun()
        button(t("Import a file"), "import_first", "upload_file", on_click=setmenu.open_next, args=("import",))
        if button(t("Write one myself"), "type_first", "edit"):
            _first(workspace, base)
            st.session_state["adding_question"] = True
            st.rerun()


def _first(workspace: Workspace, base: str) -> QuestionSet:
    """Add the first set of a base, and choose the view of its questions, as a link does."""
    st.query_params["view"] = "questions"
    return workspace.questions.add_set(base, t("My questions"))
