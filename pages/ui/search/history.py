"""The questions that were asked before: saved ones by their names, and the last ones."""

from collections.abc import Sequence

import streamlit as st

from core.model import PastSearch
from core.workspace import Workspace
from pages.ui.shared import shell, times
from pages.ui.shared.safe import plain
from pages.ui.shared.text import t, t_plural

SHOWN = 12
LONGEST = 70
"""Characters of a question in the list."""


def popover(workspace: Workspace, text: str) -> None:
    """Draw the history; what is in it is read when it is opened."""

    @st.fragment
    def part() -> None:
        box = st.popover(t("History"), icon=":material/history:", key="past", on_change="rerun")
        if box.open:
            with box, st.container(key="past_body"), shell.errors():
                _inside(workspace, text)

    with st.container(width="content"):
        part()


def _inside(workspace: Workspace, text: str) -> None:
    past = workspace.history.past()
    saved = [search for search in past if search.name]
    last = [search for search in past if not search.name]
    if text and all(search.query != text for search in saved):
        _save(workspace, text)
    _listed(workspace, t("Saved"), saved)
    _listed(workspace, t("Asked last"), last[:SHOWN])
    if not past:
        st.caption(t("Questions that you ask are listed here."))


def _save(workspace: Workspace, text: str) -> None:
    def save() -> None:
        if name := st.session_state["past_name"].strip():
            workspace.history.save(text, name)
            st.session_state["past_name"] = ""

    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.text_input(
            t("Save this question as"),
            key="past_name",
            placeholder=_short(text),
            max_chars=80,
            disabled=workspace.readonly,
        )
        st.button(
            t("Save"), key="past_save", icon=":material/bookmark_add:", on_click=save, disabled=workspace.readonly
        )


def _listed(workspace: Workspace, title: str, searches: Sequence[PastSearch]) -> None:
    if not searches:
        return
    with st.container(gap="xxsmall", key=f"past_rows_{bool(searches[0].name)}"):
        st.caption(title)
        for number, search in enumerate(searches):
            with st.container(horizontal=True, vertical_alignment="center", gap="small"):
                _row(workspace, search, f"forget_{bool(search.name)}_{number}")


def _row(workspace: Workspace, search: PastSearch, key: str) -> None:
    st.page_link(
        "search.py",
        label=plain(search.name or _short(search.query)),
        icon=":material/bookmark:" if search.name else ":material/history:",
        query_params={"q": search.query},
        help=plain(
            t_plural(
                "{query} ({at}, asked {n} time)",
                "{query} ({at}, asked {n} times)",
                query=search.query,
                at=times.local(search.at),
                n=search.times,
            )
        ),
        width="stretch",
    )
    st.button(
        "",
        key=key,
        icon=":material/close:",
        type="tertiary",
        help=t("Forget it"),
        on_click=workspace.history.forget,
        args=(search.query,),
        disabled=workspace.readonly,
    )


def _short(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"
