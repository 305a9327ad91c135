"""Questions that the notes answer, suggested by rules or by a language model, for a person to accept."""

import streamlit as st

from core.model import Progress, QuestionSet
from core.workspace import Workspace
from pages.ui.shared import jobs
from pages.ui.shared.safe import plain
from pages.ui.shared.text import t

COUNTS = (5, 10, 20, 50, 100)
USUAL = 20


def popover(workspace: Workspace, kept: QuestionSet) -> None:
    """Draw how many questions shall be suggested and by what, and the beginning of that."""
    box = st.popover(
        t("Suggest"),
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
    ways = {"rules": t("Rules, from definitions and headings")}
    if llm.base_url and llm.model:
        ways["model"] = plain(t("The language model {name}", name=llm.model))
    st.caption(t("Questions that the notes answer, each with its passage. They wait for you to accept or reject them."))
    count = st.select_slider(t("Questions at most"), COUNTS, USUAL, key="suggest_count")
    way = st.radio(t("By"), list(ways), format_func=ways.__getitem__, key="suggest_by")
    if "model" not in ways:
        st.caption(t("A language model, set in [llm] of tessera.toml, can ask in other words than the notes'."))

    def asked() -> None:
        st.session_state["suggest"] = False
        start(workspace, kept, count, by_model=way == "model")

    st.button(
        t("Suggest questions"),
        key="suggest_yes",
        type="primary",
        icon=":material/auto_awesome:",
        on_click=asked,
        disabled=workspace.readonly or workspace.jobs.running("suggest"),
    )


def start(workspace: Workspace, kept: QuestionSet, count: int = USUAL, *, by_model: bool = False) -> None:
    """Suggest questions in a job; for callbacks, after which the page is drawn: at its end where that is soon."""

    def job(progress: Progress) -> int:
        return len(workspace.questions.suggest(kept, count, by_model=by_model, progress=progress))

    workspace.jobs.start("suggest", job)
    workspace.jobs.wait("suggest", jobs.SOON)
