"""The question sets of a base: the choice of one, and the ways to a first one."""

from functools import partial

import streamlit as st

from core.model import Progress, QuestionSet
from core.workspace import Workspace
from pages.ui.evaluation import files, question, setmenu
from pages.ui.shared import empty, jobs, links, shell, widgets
from pages.ui.shared.safe import plain
from pages.ui.shared.text import t, t_plural

# Suggestions by rules or by a language model of questions that the notes answer.

COUNTS = (5, 10, 20, 50, 100)
USUAL = 20


def popover(workspace: Workspace, question_set: QuestionSet) -> None:
    """Draw the number of the suggestions, their source, and the button that begins."""
    icon, shut = ":material/auto_awesome:", workspace.readonly
    with st.popover(t("Suggest"), icon=icon, key="suggest", disabled=shut):
        _choices(workspace, question_set)


def _choices(workspace: Workspace, question_set: QuestionSet) -> None:
    llm = workspace.settings.llm
    ways = {"rules": t("Rules, from definitions and headings")}
    if llm.is_set_up:
        ways["model"] = plain(t("The language model {name}", name=llm.model))
    st.caption(t("Questions that the notes answer, each with its passage. They wait for you to accept or reject them."))
    count = st.select_slider(t("Questions at most"), COUNTS, USUAL, key="suggest_count")
    way = st.radio(t("By"), list(ways), format_func=ways.__getitem__, key="suggest_by")
    if "model" not in ways:
        st.caption(t("A language model, set in [llm] of tessera.toml, can ask in other words than the notes'."))

    def begin() -> None:
        start(workspace, question_set, count, by_model=way == "model")

    label, shut = t("Suggest questions"), workspace.readonly or workspace.jobs.running("suggest")
    widgets.button(label, "suggest_yes", "auto_awesome", type="primary", on_click=begin, disabled=shut)


def start(workspace: Workspace, question_set: QuestionSet, count: int = USUAL, *, by_model: bool = False) -> None:
    """Suggest questions in a job, and wait for it for up to `jobs.SOON` seconds; for callbacks."""

    def job(progress: Progress) -> int:
        return len(workspace.questions.suggest(question_set, count, by_model=by_model, progress=progress))

    workspace.jobs.start("suggest", job)
    workspace.jobs.wait("suggest", jobs.SOON)


def bar(workspace: Workspace, base: str) -> QuestionSet | None:
    """Draw the choice of a question set and its actions; return the set, None if the base has none."""
    sets = workspace.question_sets.all(base)
    question_set = None
    if sets:
        with st.container(horizontal=True, vertical_alignment="bottom", key="question_sets"):
            question_set = _choice(workspace, base, sets)
            setmenu.menu(workspace, base, question_set)
            files.export_questions(workspace, question_set)
        counts = [t_plural("{n} question", "{n} questions", n=question_set.questions)]
        counts += [t("{n} suggested", n=question_set.suggested)] if question_set.suggested else []
        counts += [t("{n} whose passage is gone", n=question_set.flagged)] if question_set.flagged else []
        st.caption(" · ".join(counts))
    else:
        _none(workspace, base)
    if setmenu.DIALOG.subject == "import":
        files.import_questions(workspace, base)
    else:
        setmenu.dialogs(workspace, base, question_set)
    return question_set


def _choice(workspace: Workspace, base: str, sets: list[QuestionSet]) -> QuestionSet:
    by_name = {question_set.name: question_set for question_set in sets}
    key = f"question_set_{sets[0].base_id}"
    used = question.last_used(workspace, base)
    links.settle("set", key, by_name, used.name if used else sets[0].name)
    name = widgets.select_hidden(t("Question set"), by_name, key, width=360)
    links.say("set", name)
    question.use(workspace, by_name[name])
    return by_name[name]


def _none(workspace: Workspace, base: str) -> None:
    """Explain question sets, and offer the ways to a first one."""
    importing = jobs.importing(workspace, base)
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
        samples = base == jobs.SAMPLE
        if samples and button(t("Use the twenty sample questions"), "sample_questions", "quiz", type="primary"):
            with shell.errors():
                setmenu.open_samples(workspace)
                st.rerun()
        tone = "secondary" if samples else "primary"
        if button(t("Suggest questions from my notes"), "suggest_first", "auto_awesome", type=tone):
            start(workspace, _first(workspace, base))
            st.rerun()
        button(t("Import a file"), "import_first", "upload_file", on_click=setmenu.DIALOG.open, args=("import",))
        if button(t("Write one myself"), "type_first", "edit"):
            _first(workspace, base)
            st.session_state["adding_question"] = True
            st.rerun()
    if not samples:
        _samples(workspace)
    if importing:
        jobs.panel(workspace)


def _samples(workspace: Workspace) -> None:
    """Draw the way to the sample notes, whose questions show what this page does."""
    if jobs.SAMPLE not in [base.name for base in workspace.bases.all()]:
        empty.samples(workspace, type="tertiary")
    elif widgets.small(t("Look at it with the sample notes"), "to_samples", "play_arrow"):
        st.query_params["base"] = jobs.SAMPLE
        st.rerun()


def _first(workspace: Workspace, base: str) -> QuestionSet:
    """Add the first set of a base, and choose the view of its questions, as a link does."""
    st.query_params["view"] = "questions"
    return workspace.question_sets.add(base, t("My questions"))
