"""What the settings page tells of searches and of the vector index."""

from pathlib import Path

import streamlit as st

from core.workspace import Status, Workspace
from pages.ui import sizes, work
from pages.ui.safe import html, plain
from pages.ui.sentences import said
from pages.ui.text import t

FILE = "tessera.toml"


def search(workspace: Workspace) -> None:
    """Draw what a search begins with, and where that is set."""
    chosen = workspace.settings.search
    rows = []
    for name, value in chosen.model_dump().items():
        tag = "" if name in chosen.model_fields_set else f'<span class="t-tag">{html(t("settings.default"))}</span>'
        rows.append(
            f"<tr><td>{html(t(f'setting.{name}'))}</td><td><b>{html(str(value))}</b> {tag}</td>"
            f"<td><code>{html(name)}</code></td></tr>"
        )
    st.html(f'<table class="t-table">{"".join(rows)}</table>')
    st.caption(plain(t("settings.search.where", file=str(Path(FILE).resolve()))))


def index(workspace: Workspace, status: Status) -> None:
    """Draw whether the vector index is sound, and have it built anew."""
    if status.index_problem:
        problem(status)
    else:
        st.success(t("settings.index.sound"), icon=":material/check_circle:")
    windows = sum(base.windows for base in status.bases)
    st.caption(
        f"{t('settings.windows', n=windows)} · "
        f"{plain(t('home.disk', size=sizes.megabytes(status.bytes_on_disk), folder=str(status.folder)))}"
    )
    rebuild(workspace)
    work.panel(workspace, ("rebuild",))


def problem(status: Status) -> None:
    """Draw what is wrong with the vector index."""
    st.warning(f"**{t('home.index')}** {t('home.index.more')}", icon=":material/healing:")
    st.caption(plain(said(status.index_problem)))


def rebuild(workspace: Workspace) -> None:
    """Draw the button that has the vector index built anew."""
    if st.button(
        t("home.rebuild"),
        key="rebuild",
        icon=":material/restart_alt:",
        disabled=work.writing(workspace) or workspace.jobs.running("switch"),
        help=plain(t("settings.index.help")),
    ):
        work.start(workspace, "rebuild", workspace.rebuild)
