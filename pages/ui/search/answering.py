"""The written answer of the Search page: its button, the answer with its thread, or the offer of a model."""

import streamlit as st

from core.base.errors import UnknownChoice
from core.model import SearchOptions, Thread
from core.workspace import Workspace
from pages.ui.search import offer, threads, written
from pages.ui.shared import widgets
from pages.ui.shared.text import t


def section(workspace: Workspace, text: str, options: SearchOptions, *, quoted: bool) -> None:
    """Draw the written answer to a question, else the button that starts it.

    Without a language model, draw the offer of one for a question whose hits have no quotes.
    """
    if workspace.readonly:
        return
    if not workspace.settings.llm.is_set_up:
        if not quoted:
            offer.draw(workspace, text, options)
    elif thread := _thread(workspace, text):
        threads.in_place(workspace, thread, text)
    else:
        own, busy = written.is_for(workspace, text), workspace.jobs.running("answer")
        if own:  # it is being written, or it failed
            written.live(workspace)
        if not (own and busy):
            _button(workspace, text, options, busy=busy, again=own)


def _button(workspace: Workspace, text: str, options: SearchOptions, *, busy: bool, again: bool) -> None:
    label = t("Try again") if again else t("Write an answer")
    about = t("Another answer is being written.") if busy else t("Your language model writes it from these hits.")
    if widgets.small(label, "write_answer", "edit_note", help=about, disabled=busy):
        written.begin(workspace, text, text, **options)


def _thread(workspace: Workspace, text: str) -> Thread | None:
    """Return the thread that an answer to a question started in this session."""
    known: dict[str, str] = st.session_state.setdefault("thread_of_question", {})
    latest = workspace.threads.latest_thread
    if latest and written.is_for(workspace, text) and not workspace.jobs.running("answer"):
        known[text] = latest
    if text not in known:
        return None
    try:
        return workspace.threads.get(known[text])
    except UnknownChoice:  # it was deleted
        del known[text]
        return None
