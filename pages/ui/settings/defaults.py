"""What the settings page tells of searches and of the vector index."""

from pathlib import Path

import streamlit as st

from core.model import Status
from core.workspace import Workspace
from pages.ui.shared import jobs, knobs, sizes
from pages.ui.shared.safe import html, plain
from pages.ui.shared.text import said, t, t_plural

FILE = "tessera.toml"


def search(workspace: Workspace) -> None:
    """Draw what a search begins with, and where that is set."""
    chosen = workspace.settings.search
    rows = []
    for name, value in chosen.model_dump().items():
        tag = "" if name in chosen.model_fields_set else f'<span class="t-tag">{html(t("default"))}</span>'
        rows.append(
            f"<tr><td>{html(knobs.setting(name))}</td><td><b>{html(knobs.shown(name, value))}</b> {tag}</td>"
            f"<td><code>{html(name)}</code></td></tr>"
        )
    st.html(f'<table class="t-table">{"".join(rows)}</table>')
    st.caption(
        plain(
            t(
                "Set in the section [search] of {file}, or by environment variables such as TESSERA_SEARCH__LIMIT; "
                "read when Tessera starts.",
                file=str(Path(FILE).resolve()),
            )
        )
    )


def index(workspace: Workspace, status: Status) -> None:
    """Draw whether the vector index is sound, and have it built anew."""
    if status.index_problem:
        problem(status)
    else:
        st.success(t("The search index is in order."), icon=":material/check_circle:")
    chunks = sum(base.chunks for base in status.bases)
    st.caption(
        f"{t_plural('{n} chunk', '{n} chunks', n=chunks)} · "
        f"{plain(t('{size} on disk in {folder}', size=sizes.megabytes(status.bytes_on_disk), folder=str(status.folder)))}"
    )
    rebuild(workspace)
    jobs.panel(workspace, ("rebuild",))


def problem(status: Status) -> None:
    """Draw what is wrong with the vector index."""
    title = t("The search index can't be read")
    st.warning(
        f"**{title}** {t('Your notes are safe, and search works without the index, only more slowly. Rebuild it; no model is needed.')}",
        icon=":material/healing:",
    )
    st.caption(plain(said(status.index_problem)))


def rebuild(workspace: Workspace) -> None:
    """Draw the button that has the vector index built anew."""
    if st.button(
        t("Rebuild the index"),
        key="rebuild",
        icon=":material/restart_alt:",
        disabled=jobs.writing(workspace) or workspace.jobs.running("switch"),
        help=plain(t("Builds the search index again from stored data; needs no model and changes no note.")),
    ):
        jobs.start(workspace, "rebuild", workspace.rebuild)
