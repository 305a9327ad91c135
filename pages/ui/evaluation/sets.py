"""The question sets of a base: which one is looked at, and how a base gets its first."""

from pathlib import Path

import streamlit as st

from core.model import QuestionSet
from core.workspace import Workspace
from pages.ui.evaluation import files, marking, setmenu, suggesting
from pages.ui.shared import jobs, links, shell
from pages.ui.shared.safe import plain
from pages.ui.shared.text import t, t_plural

QUESTIONS = jobs.SAMPLES.parent / "questions"
"""Where the questions on the sample notes are."""


def bar(workspace: Workspace, base: str) -> QuestionSet | None:
    """Draw the choice of a question set and what can be done with it; return it, None where the base has none."""
    sets = workspace.questions.sets(base)
    kept = None
    if sets:
        with st.container(horizontal=True, vertical_alignment="bottom", key="question_sets"):
            kept = _choice(workspace, base, sets)
            setmenu.menu(workspace, kept)
            files.export(workspace, kept)
        st.caption(" · ".join(facts(kept)))
    else:
        _none(workspace, base)
    if setmenu.asked() == "import":
        files.importing(workspace, base)
    else:
        setmenu.dialogs(workspace, base, kept)
    return kept


def facts(kept: QuestionSet) -> list[str]:
    """Return how many questions a set has, and what waits for a person."""
    told = [t_plural("{n} question", "{n} questions", n=kept.questions)]
    told += [t("{n} suggested", n=kept.suggested)] if kept.suggested else []
    told += [t("{n} whose passage is gone", n=kept.flagged)] if kept.flagged else []
    return told


def _choice(workspace: Workspace, base: str, sets: list[QuestionSet]) -> QuestionSet:
    by_name = {kept.name: kept for kept in sets}
    key = f"question_set_{sets[0].base_id}"
    if (linked := links.arrived("set")) in by_name:
        st.session_state[key] = linked
    elif st.session_state.get(key) not in by_name:
        used = marking.last_used(workspace, base)
        st.session_state[key] = used.name if used else sets[0].name
    name = st.selectbox(
        t("Question set"), list(by_name), key=key, label_visibility="collapsed", width=360, persist_state="session"
    )
    links.say("set", name)
    marking.use(workspace, by_name[name])
    return by_name[name]


def _none(workspace: Workspace, base: str) -> None:
    """Say what a question set is for, and offer the ways to a first one."""
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
        if base == "sample":
            samples = st.button(
                t("Use the twenty sample questions"),
                key="sample_questions",
                type="primary",
                icon=":material/quiz:",
                disabled=shut,
            )
            if samples:
                with shell.errors():
                    _add_samples(workspace, base, QUESTIONS / "sample.jsonl")
        if st.button(
            t("Suggest questions from my notes"), key="suggest_first", icon=":material/auto_awesome:", disabled=shut
        ):
            suggesting.start(workspace, _first(workspace, base))
            st.rerun()
        st.button(
            t("Import a file"),
            key="import_first",
            icon=":material/upload_file:",
            on_click=setmenu.ask,
            args=("import",),
            disabled=shut,
        )
        if st.button(t("Write one myself"), key="type_first", icon=":material/edit:", disabled=shut):
            _first(workspace, base)
            st.session_state["adding_question"] = True
            st.rerun()


def _first(workspace: Workspace, base: str) -> QuestionSet:
    """Make a base's first set, and let its questions be what is looked at, as if a link had been followed."""
    st.query_params["view"] = "questions"
    return workspace.questions.add_set(base, t("My questions"))


def _add_samples(workspace: Workspace, base: str, file: Path) -> None:
    kept = workspace.questions.add_file(base, t("Sample questions"), file.read_bytes(), file.name)
    st.toast(
        plain(
            t_plural("'{set}' has {n} question now", "'{set}' has {n} questions now", n=kept.questions, set=kept.name)
        ),
        icon=":material/quiz:",
    )
    st.rerun()
