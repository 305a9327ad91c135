"""What every page begins with: set-up, language, menu, the one workspace, the model's state, the error box."""

import atexit
from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st

from core.errors import NewerSchema, TesseraError, WorkspaceLocked
from core.workspace import Workspace
from pages.ui import language, look, work
from pages.ui.safe import html, plain
from pages.ui.sentences import said
from pages.ui.text import t

WARM_AFTER = 1.5
"""Seconds in which the first page is drawn; with the model's libraries loading beside it takes twice as long."""

PAGES = {
    "home": ("app.py", ":material/home:"),
    "notes": ("pages/1_notes.py", ":material/description:"),
    "chunks": ("pages/2_chunks.py", ":material/splitscreen:"),
    "search": ("pages/3_search.py", ":material/search:"),
    "evaluation": ("pages/4_evaluation.py", ":material/query_stats:"),
    "settings": ("pages/6_settings.py", ":material/settings:"),
}


def start(page: str) -> Workspace:
    """Set up a page and return the workspace; where it can't be opened, say why and end the page."""
    try:
        workspace, holder = _opened()
    except TesseraError as error:
        _frame(page, None)
        _unusable(error)
        st.stop()
    _frame(page, workspace)
    if holder is not None:
        _reading_only(workspace, holder)
    return workspace


@contextmanager
def errors() -> Iterator[None]:
    """Show what a person can act on as a box; anything else is a bug and keeps its traceback."""
    try:
        yield
    except TesseraError as error:
        st.error(plain(said(error)), icon=":material/error:")


@st.cache_resource(show_spinner=False)
def _opened() -> tuple[Workspace, WorkspaceLocked | None]:
    """Return the workspace of this server, and who else writes to it where that makes it readonly."""
    holder = None
    try:
        workspace = Workspace()
    except WorkspaceLocked as error:
        workspace, holder = Workspace(readonly=True), error
    atexit.register(workspace.close)
    workspace.start_warming(after=WARM_AFTER)
    return workspace, holder


def _frame(page: str, workspace: Workspace | None) -> None:
    st.session_state["page"] = page
    language.settle(workspace)
    st.set_page_config(page_title=f"{t(f'menu.{page}')} · Tessera", page_icon="🧩", layout="wide")
    look.put_on()
    with st.sidebar:
        st.html(look.LOGO)
        for name, (path, icon) in PAGES.items():
            st.page_link(path, label=t(f"menu.{name}"), icon=icon, width="stretch")
        st.space("small")
        if workspace:
            work.follow(workspace, lambda: _model_state(workspace))
        language.switch(workspace)


def _model_state(workspace: Workspace) -> None:
    job = workspace.jobs.get("warm")
    state = "ready" if job is None or job.state == "done" else "loading" if job.state == "running" else "failed"
    more = "" if state == "ready" else f'<div class="t-dim">{t(f"model.{state}.more")}</div>'
    st.html(f'<div class="t-state"><span class="t-dot {state}"></span><div>{t(f"model.{state}")}{more}</div></div>')
    if state == "failed" and job is not None:
        st.html(f'<div class="t-list t-dim">{html(said(job.error))}</div>')
        st.button(t("retry"), key="warm_again", on_click=workspace.start_warming)
    for name in (*work.IMPORTS, *work.CHUNKS, *work.BASES, *work.MODELS, *work.EVALUATION, *work.QUESTIONS):
        if (running := workspace.jobs.get(name)) and running.state == "running":
            st.progress(running.share, text=f"{t(f'work.{name}')} {running.share:.0%}")


def _reading_only(workspace: Workspace, holder: WorkspaceLocked) -> None:
    st.warning(f"**{t('readonly')}** {plain(said(holder))}", icon=":material/lock:")
    if st.button(t("readonly.reopen"), key="reopen"):
        _opened.clear()
        workspace.close()
        st.rerun()


def _unusable(error: TesseraError) -> None:
    st.title(t("unusable"))
    st.error(plain(said(error)), icon=":material/error:")
    if isinstance(error, NewerSchema):
        st.caption(t("unusable.newer"))
    st.button(t("retry"), key="open_again")
