"""Upload or paste logs on the Review page. Notes suggested from the logs then await review on the same page."""

import streamlit as st
from streamlit import session_state

from core.base.text import make_storable
from pages.ui.notes import places
from pages.ui.shared import jobs
from pages.ui.shared.jobs import is_shut, start_job
from pages.ui.shared.server import workspace
from pages.ui.shared.text import small_print, t
from pages.ui.shared.widgets import button, on_demand, text_area

# Session key that is set when a pasted log was taken, until its box has been emptied.
_TAKEN = "learning_taken"


def draw() -> None:
    """Draw the form for adding logs, initially collapsed, below the progress and reports of earlier logs.

    If the feature for learning from logs is missing, draw nothing.
    """
    if workspace.has("learning"):
        jobs.job_panel(jobs.LEARNING)
        on_demand("Suggest notes from logs", "learning", "school", _drop)


def _drop() -> None:
    small_print(
        "Add a log, a test report or a chat. Tessera looks in it for repeated errors, settings and fixes, and "
        "suggests notes about them, which wait here for your approval. It does so on this computer, and masks "
        "passwords, keys and e-mail addresses first."
    )
    if not workspace.learning.enabled:
        if workspace.settings.enable_learning is None:
            button("Turn on", "learning_on", "toggle_on", workspace.learning.enable, True, writes=True)
        else:
            small_print("Suggestions from logs are turned off by enable_learning in tessera.toml.")
        return
    base = places.choose_base("learning_base")
    dropped = st.file_uploader(t("Drop the files here"), accept_multiple_files=True, key="learning_files")
    if session_state.pop(_TAKEN, False):
        session_state["learning_pasted"] = ""  # what was pasted may contain secrets
    pasted = text_area("Or paste lines here", "learning_pasted")
    with_model = workspace.settings.llm.is_set_up and st.checkbox(
        t("Let the language model suggest notes too"),
        key="learning_with_model",
        help=t(
            "The log is sent to the model with secrets masked. Suggestions that don't quote the log are dropped. "
            "The others wait here for your approval."
        ),
    )
    if not button(
        "Suggest notes",
        "learning_go",
        "school",
        disabled=is_shut() or workspace.jobs.running(*jobs.LEARNING),
    ):
        return
    logs = [(file.name, file.getvalue()) for file in dropped]
    if pasted.strip():
        logs.append((t("pasted text"), make_storable(pasted).encode()))
        session_state[_TAKEN] = True
    if not logs:
        small_print("There is nothing to look in yet. Add a file or paste lines.")
        return
    start_job(
        "learn",
        lambda progress: workspace.learning.learn(base, logs=logs, with_model=with_model, progress=progress),
    )
