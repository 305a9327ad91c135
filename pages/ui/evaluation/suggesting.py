"""Questions that the notes answer, suggested by rules or by a language model, for a person to accept."""

import streamlit as st

from core.model import Progress, QuestionSet
from core.workspace import Workspace
from pages.ui import work
from pages.ui.safe import plain
from pages.ui.text import t

COUNTS = (5, 10, 20, 50, 100)
USUAL = 20


def popover(workspace: Workspace, kept: QuestionSet) -> None:
    """Draw how many questions shall be suggested and by what, and the beginning of that."""
    box = st.popover(
        t("questions.suggest"),
        icon=":material/auto_awesome:",
        key="suggest",
        disabled=workspace.readonly,
        on_change="rerun",
    )
    if box.open:
        with box:
            _choices(workspace, kept)


def _choices(workspace: Workspace, kept: QuestionSet) -> None:
    llm = workspace.settings.llm
    ways = {"rules": t("questions.suggest.rules")}
    if llm.base_url and llm.model:
        ways["model"] = plain(t("questions.suggest.model", name=llm.model))
    st.caption(t("questions.suggest.more"))
    count = st.select_slider(t("questions.suggest.count"), COUNTS, USUAL, key="suggest_count")
    way = st.radio(t("questions.suggest.by"), list(ways), format_func=ways.__getitem__, key="suggest_by")
    if "model" not in ways:
        st.caption(t("questions.suggest.no_model"))

    def asked() -> None:
        st.session_state["suggest"] = False
        start(workspace, kept, count, by_model=way == "model")

    st.button(
        t("questions.suggest.yes"),
        key="suggest_yes",
        type="primary",
        icon=":material/auto_awesome:",
        on_click=asked,
        disabled=workspace.readonly or workspace.jobs.running("suggest"),
    )


def start(workspace: Workspace, kept: QuestionSet, count: int = USUAL, *, by_model: bool = False) -> None:
    """Suggest questions in a job; for callbacks, after which the page is drawn: at its end where that is soon."""

    def job(progress: Progress) -> int:
        return len(workspace.question_sets.suggest(kept, count, by_model=by_model, progress=progress))

    workspace.jobs.start("suggest", job)
    workspace.jobs.wait("suggest", work.SOON)
