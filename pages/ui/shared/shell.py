"""What every page is drawn in: set-up, language, menu, the one workspace, the model's state, the error box."""

from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st

from core.errors import NewerSchema, TesseraError, WorkspaceLocked
from core.messages import message
from core.workspace import Workspace
from pages.ui.shared import jobs, language, style
from pages.ui.shared.safe import html, plain
from pages.ui.shared.text import said, t

WARM_AFTER = 1.5
"""Seconds in which the first page is drawn; with the model's libraries loading beside it takes twice as long."""

TITLES = {
    "home": message("Home"),
    "notes": message("Notes"),
    "chunks": message("Chunks"),
    "search": message("Search"),
    "evaluation": message("Evaluation"),
    "settings": message("Settings"),
}

READONLY = message("Open for reading only: you can search and read, but not import or delete.")

MODEL = {
    "ready": message("Model ready"),
    "loading": message("Loading the model…"),
    "failed": message("The model can't be used"),
}
MEANWHILE = {
    "loading": message("You can search by words meanwhile."),
    "failed": message("You can still search by words."),
}
"""What the model's state means for a search."""

PAGES = {
    "home": ("home.py", ":material/home:"),
    "notes": ("notes.py", ":material/description:"),
    "chunks": ("chunks.py", ":material/splitscreen:"),
    "search": ("search.py", ":material/search:"),
    "evaluation": ("evaluation.py", ":material/query_stats:"),
    "settings": ("settings.py", ":material/settings:"),
}


def start() -> st.Page:
    """Draw the frame and return the page to run in it; where the workspace can't be opened, say why and end."""
    try:
        workspace, holder = _opened()
    except TesseraError as error:
        _frame(None)
        _unusable(error)
        st.stop()
    page = _frame(workspace)
    if holder is not None:
        _reading_only(holder)
    return page


def workspace() -> Workspace:
    """Return the one workspace of this server."""
    return _opened()[0]


@contextmanager
def errors() -> Iterator[None]:
    """Show what a person can act on as a box; anything else is a bug and keeps its traceback."""
    try:
        yield
    except TesseraError as error:
        st.error(plain(said(error)), icon=":material/error:")


@st.cache_resource(show_spinner=False, on_release=lambda opened: opened[0].close())
def _opened() -> tuple[Workspace, WorkspaceLocked | None]:
    """Return the workspace of this server, and who else writes to it where that makes it readonly."""
    holder = None
    try:
        workspace = Workspace()
    except WorkspaceLocked as error:
        workspace, holder = Workspace(readonly=True), error
    workspace.models.start_warming(after=WARM_AFTER)
    return workspace, holder


def _frame(workspace: Workspace | None) -> st.Page:
    language.settle(workspace)
    pages = {
        name: st.Page(path, title=f"{said(TITLES[name])} · Tessera", url_path=name, default=name == "home")
        for name, (path, _) in PAGES.items()
    }
    page = st.navigation(list(pages.values()), position="hidden")
    # The icon of the tab is set here: one of a page's own would be fetched from Google.
    st.set_page_config(page_icon="🧩", layout="wide")
    st.session_state["page"] = page.url_path or "home"
    style.put_on()
    with st.sidebar:
        st.html(style.LOGO)
        for name, (_, icon) in PAGES.items():
            st.page_link(pages[name], label=said(TITLES[name]), icon=icon, width="stretch")
        st.space("small")
        if workspace:
            jobs.follow(workspace, lambda: _model_state(workspace))
        language.switch(workspace)
    return page


def _model_state(workspace: Workspace) -> None:
    job = workspace.jobs.get("warm")
    state = "ready" if job is None or job.state == "done" else "loading" if job.state == "running" else "failed"
    more = f'<div class="t-dim">{html(said(MEANWHILE[state]))}</div>' if state in MEANWHILE else ""
    st.html(
        f'<div class="t-state"><span class="t-dot {state}"></span><div>{html(said(MODEL[state]))}{more}</div></div>'
    )
    if state == "failed" and job is not None:
        st.html(f'<div class="t-list t-dim">{html(said(job.error))}</div>')
        st.button(t("Try again"), key="warm_again", on_click=workspace.models.start_warming)
    for name in (*jobs.IMPORTS, *jobs.CHUNKS, *jobs.BASES, *jobs.MODELS, *jobs.EVALUATION, *jobs.QUESTIONS):
        if (running := workspace.jobs.get(name)) and running.state == "running":
            st.progress(running.share, text=f"{said(jobs.DOING[name])} {running.share:.0%}")


def _reading_only(holder: WorkspaceLocked) -> None:
    st.warning(
        f"**{said(READONLY)}** {plain(said(holder))}",
        icon=":material/lock:",
    )
    if st.button(t("Open for writing"), key="reopen"):
        _opened.clear()
        st.rerun()


def _unusable(error: TesseraError) -> None:
    st.title(t("This workspace can't be opened"))
    st.error(plain(said(error)), icon=":material/error:")
    if isinstance(error, NewerSchema):
        st.caption(t("Your notes are untouched. Update Tessera, or point TESSERA_WORKSPACE at another folder."))
    st.button(t("Try again"), key="open_again")
