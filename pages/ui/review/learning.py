"""Logs that are dropped on the page Review: what rules find in them waits there then."""

import re
import tempfile
from collections.abc import Sequence
from pathlib import Path

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from core.model import LearningReport
from core.workspace import Workspace
from pages.ui.shared import jobs, shell, widgets
from pages.ui.shared.safe import plain
from pages.ui.shared.text import t, t_plural, text_of

_UNSAFE = re.compile(r"[^\w. -]")
_LEARNT = "learnt"
"""The key of the session under which what was learnt last stands until it is drawn."""


def told() -> None:
    """Draw once what came of the logs that were dropped last."""
    if report := st.session_state.pop(_LEARNT, None):
        st.info(" · ".join(_lines(report)), icon=":material/school:")


def section(workspace: Workspace) -> None:
    """Draw the drop of logs, folded."""
    shell.on_demand(t("Learn from logs"), "learning", "school", lambda: _drop(workspace))


def _drop(workspace: Workspace) -> None:
    st.caption(
        t(
            "Errors that come again, settings and fixes in logs, test reports and chats become notes that wait here for "
            "you. It goes by rules and stays on this machine; passwords, keys and addresses are masked first."
        )
    )
    if not workspace.learning.enabled:
        if workspace.settings.enable_learning is None:
            turn_on = {"on_click": workspace.learning.enable, "args": (True,), "disabled": workspace.readonly}
            widgets.button(t("Turn on"), "learning_on", "toggle_on", **turn_on)
        else:
            st.caption(t("It is off by enable_learning in tessera.toml."))
        return
    bases = {name: name for name in dict.fromkeys(("learnt", *(base.name for base in workspace.bases.all())))}
    base = widgets.select(t("Base"), bases, "learning_base")
    dropped = st.file_uploader(t("Drop the files here"), accept_multiple_files=True, key="learning_files")
    if widgets.button(t("Suggest notes"), "learning_go", "school", disabled=not dropped or jobs.shut(workspace)):
        st.session_state[_LEARNT] = _learnt(workspace, base, dropped)
        st.rerun()


def _learnt(workspace: Workspace, base: str, dropped: Sequence[UploadedFile]) -> LearningReport:
    with tempfile.TemporaryDirectory(prefix="tessera-learn") as folder, st.spinner(t("Reading…")):
        files = []
        for number, one in enumerate(dropped):
            place = Path(folder, str(number))
            place.mkdir()
            file = place / _file_name(one.name)
            file.write_bytes(one.getbuffer())
            files.append(file)
        return workspace.learning.learn(base, files=files)


def _file_name(name: str) -> str:
    """Return a name of a dropped file that any file system takes."""
    return _UNSAFE.sub("_", name)[-60:].lstrip(".") or "log"


def _lines(report: LearningReport) -> list[str]:
    """Return what came of some logs: what is suggested, what was known, what was masked, what wasn't read."""
    suggested = sum(len(log.note_ids) for log in report.logs)
    lines = [t_plural("{n} note suggested", "{n} notes suggested", n=suggested)]
    if known := sum(log.known for log in report.logs):
        lines.append(t_plural("{n} was suggested before", "{n} were suggested before", n=known))
    if rejected := sum(log.rejected for log in report.logs):
        away = t_plural(
            "{n} was rejected before, and stays away", "{n} were rejected before, and stay away", n=rejected
        )
        lines.append(away)
    if secrets := sum(log.secrets for log in report.logs):
        lines.append(t_plural("{n} secret is masked", "{n} secrets are masked", n=secrets))
    return lines + [
        plain(t("{path} wasn't read: {reason}", path=one.path, reason=text_of(one.error))) for one in report.failed
    ]
