"""Suggestions by rules or by a language model of questions that the notes answer."""

import streamlit as st

from core.model import Progress, QuestionSet
from core.workspace import Workspace
from pages.ui.shared import jobs, widgets
from pages.ui.shared.safe import plain
from pages.ui.shared.text import t

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
