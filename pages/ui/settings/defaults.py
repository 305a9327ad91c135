"""The default settings of a search, and the state of the vector index."""

from pathlib import Path

import streamlit as st

from core.model import Status
from core.workspace import Workspace
from pages.ui.shared import jobs, knobs, units, widgets
from pages.ui.shared.safe import html, plain
from pages.ui.shared.text import t, t_plural, text_of

FILE = "tessera.toml"


def search(workspace: Workspace) -> None:
    """Draw the default settings of a search, and the file that they come from."""
    chosen = workspace.settings.search
    rows = []
    for name, value in chosen.model_dump().items():
        tag = "" if name in chosen.model_fields_set else f'<span class="t-tag">{html(t("default"))}</span>'
        rows.append(
            f"<tr><td>{html(knobs.setting(name))}</td><td><b>{html(knobs.shown(name, value))}</b> {tag}</td>"
            f"<td><code>{html(name)}</code></td></tr>"
        )
    st.html(f'<table class="t-table">{"".join(rows)}</table>')
    source = t(
        "Set in the section [search] of {file}, or by environment variables such as TESSERA_SEARCH__LIMIT; "
        "read when Tessera starts.",
        file=str(Path(FILE).resolve()),
    )
    st.caption(plain(source))


def index(workspace: Workspace, status: Status) -> None:
    """Draw the state of the vector index, and the button that rebuilds it."""
    chosen = workspace.settings.index
    if status.index_problem:
        problem(status)
    elif chosen.kind == "none":
        st.info(t("There is no search index: a search by meaning compares with every passage."))
    else:
        st.success(t("The search index is in order."), icon=":material/check_circle:")
        if chosen.url:
            st.caption(plain(t("It is on the Chroma server at {url}.", url=chosen.url)))
    chunks = t_plural("{n} chunk", "{n} chunks", n=sum(base.chunks for base in status.bases))
    size = units.megabytes(status.bytes_on_disk)
    st.caption(f"{chunks} · {plain(t('{size} on disk in {folder}', size=size, folder=str(status.folder)))}")
    if chosen.kind != "none":
        rebuild(workspace)
    jobs.panel(workspace, ("rebuild",))


def problem(status: Status) -> None:
    """Draw the problem of the vector index."""
    title = t("The search index is out of use")
    more = t("Your notes are safe, and search works without the index, only more slowly.")
    st.warning(f"**{title}** {more}", icon=":material/healing:")
    st.caption(plain(text_of(status.index_problem)))


def rebuild(workspace: Workspace) -> None:
    """Draw the button that rebuilds the vector index."""
    about = plain(t("Builds the search index again from stored data; needs no model and changes no note."))
    shut = jobs.writing(workspace) or workspace.jobs.running("switch")
    if widgets.button(t("Rebuild the index"), "rebuild", "restart_alt", disabled=shut, help=about):
        jobs.rebuild(workspace)
