"""The history of questions: saved ones by their names, and the last ones."""

from collections.abc import Sequence
from functools import partial

import streamlit as st

from core.model import PastSearch
from core.workspace import Workspace
from pages.ui.search import threads
from pages.ui.shared import shell, units, widgets
from pages.ui.shared.dialogs import Dialog
from pages.ui.shared.safe import plain
from pages.ui.shared.text import t, t_plural

SHOWN = 12
LONGEST = 70
"""Characters of a question in the list."""


DIALOG = Dialog("past")


def button(workspace: Workspace, text: str) -> None:
    """Draw the button for the history."""
    with st.container(width="content"):
        inside = partial(_inside, workspace, text)
        DIALOG.behind(t("History"), "past_open", "history", (text, threads.opened()), inside)


def _inside(workspace: Workspace, text: str) -> None:
    past = workspace.searches.all()
    saved = [search for search in past if search.name]
    last = [search for search in past if not search.name]
    if text and all(search.query != text for search in saved):
        _save(workspace, text)
    _listed(workspace, t("Saved"), saved)
    _listed(workspace, t("Recent questions"), last[:SHOWN])
    if not past:
        st.caption(t("Your recent questions appear here."))
    with st.container(gap="xxsmall", key="past_answers"):
        threads.listed(workspace)


def _save(workspace: Workspace, text: str) -> None:
    def save() -> None:
        if name := st.session_state["past_name"].strip():
            workspace.searches.save(text, name)
            st.session_state["past_name"] = ""

    with st.container(horizontal=True, vertical_alignment="bottom"):
        shut = workspace.readonly
        label = t("Save this question as")
        st.text_input(label, key="past_name", placeholder=_short(text), max_chars=80, disabled=shut)
        widgets.button(t("Save"), "past_save", "bookmark_add", on_click=shell.guarded(save), disabled=shut)


def _listed(workspace: Workspace, title: str, searches: Sequence[PastSearch]) -> None:
    if not searches:
        return
    with st.container(gap="xxsmall", key=f"past_rows_{bool(searches[0].name)}"):
        st.caption(title)
        for number, search in enumerate(searches):
            with st.container(horizontal=True, vertical_alignment="center", gap="small"):
                _row(workspace, search, f"forget_{bool(search.name)}_{number}")


def _row(workspace: Workspace, search: PastSearch, key: str) -> None:
    about = t_plural(
        "{query} ({at}, asked {n} time)",
        "{query} ({at}, asked {n} times)",
        query=search.query,
        at=units.local(search.at),
        n=search.times,
    )
    st.page_link(
        "search.py",
        label=plain(search.name or _short(search.query)),
        icon=":material/bookmark:" if search.name else ":material/history:",
        query_params={"q": search.query},
        help=plain(about),
        width="stretch",
    )
    forget = shell.guarded(workspace.searches.delete_for_good)
    widgets.close(key, t("Forget it"), on_click=forget, args=(search.query,), disabled=workspace.readonly)


def _short(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"
