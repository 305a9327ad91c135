"""Logs that are dropped on the page Review; the findings of the rules then wait there."""

import re
import tempfile
from collections.abc import Sequence
from pathlib import Path

import streamlit as st

from core.model import LearningReport, Progress
from core.workspace import Workspace
from pages.ui.shared import jobs, shell, widgets
from pages.ui.shared.text import t

_UNSAFE = re.compile(r"[^\w. -]")


def section(workspace: Workspace) -> None:
    """Draw the drop of logs, folded, where the program can learn."""
    if not workspace.has("learning"):
        return
    shell.on_demand(t("Learn from logs"), "learning", "school", lambda: _drop(workspace))


def _drop(workspace: Workspace) -> None:
    st.caption(
        t(
            "Repeated errors, settings and fixes in logs, test reports and chats become notes that wait here for "
            "you. Rules find them, on this machine alone; passwords, keys and addresses are masked first."
        )
    )
    if not workspace.learning.enabled:
        if workspace.settings.enable_learning is None:
            turn_on = {"on_click": workspace.learning.enable, "args": (True,), "disabled": workspace.readonly}
            widgets.button(t("Turn on"), "learning_on", "toggle_on", **turn_on)
        else:
            st.caption(t("It is turned off by enable_learning in tessera.toml."))
        return
    bases = {name: name for name in dict.fromkeys(("learnt", *(base.name for base in workspace.bases.all())))}
    base = widgets.select(t("Base"), bases, "learning_base")
    dropped = st.file_uploader(t("Drop the files here"), accept_multiple_files=True, key="learning_files")
    with_model = _with_model(workspace)
    closed = not dropped or jobs.shut(workspace) or workspace.jobs.running(*jobs.LEARNING)
    if widgets.button(t("Suggest notes"), "learning_go", "school", disabled=closed):
        logs = [(_file_name(uploaded_file.name), uploaded_file.getvalue()) for uploaded_file in dropped]
        jobs.start(workspace, "learn", lambda progress: _learn(workspace, base, logs, with_model, progress))


def _with_model(workspace: Workspace) -> bool:
    """Draw the choice whether a language model suggests notes too, where one is set up."""
    llm = workspace.settings.llm
    if not llm.is_set_up:
        return False
    return st.checkbox(
        t("Let the language model suggest notes too"),
        key="learning_with_model",
        help=t(
            "It is sent the log with its secrets masked. A suggestion that doesn't quote the log is dropped; the others "
            "wait here for you."
        ),
    )


def _learn(
    workspace: Workspace, base: str, logs: Sequence[tuple[str, bytes]], with_model: bool, progress: Progress
) -> LearningReport:
    with tempfile.TemporaryDirectory(prefix="tessera-learn") as folder:
        files = []
        for number, (name, data) in enumerate(logs):
            place = Path(folder, str(number))
            place.mkdir()
            file = place / name
            file.write_bytes(data)
            files.append(file)
        return workspace.learning.learn(base, files=files, with_model=with_model, progress=progress)


def _file_name(name: str) -> str:
    """Return a name for a dropped file that is valid on any file system."""
    return _UNSAFE.sub("_", name)[-60:].lstrip(".") or "log"
