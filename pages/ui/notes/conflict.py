"""The choice between a text and what is stored, where a note was changed while a person wrote."""

from difflib import unified_diff

import streamlit as st

from core.workspace import Workspace
from pages.ui.notes import writing
from pages.ui.notes.writing import Writing
from pages.ui.shared import shell, widgets
from pages.ui.shared.safe import plain
from pages.ui.shared.text import t


def draw(workspace: Workspace, now: Writing) -> None:
    """Draw what differs, and the three ways on; nothing is lost in any of them."""
    stored = now.opposed
    assert stored is not None
    with st.container(border=True, key="conflict"):
        st.warning(
            t("'{title}' was changed while you wrote. Which text shall it have?", title=plain(stored.title)),
            icon=":material/call_split:",
        )
        lines = unified_diff(stored.body.splitlines(), now.body.splitlines(), t("stored"), t("yours"), lineterm="")
        st.code("\n".join(lines), language="diff", wrap_lines=True, height=320)
        with st.container(horizontal=True):
            widgets.button(
                t("Save mine over it"),
                "conflict_mine",
                "check",
                type="primary",
                help=t("The other text stays in the history."),
                on_click=shell.guarded(_mine),
                args=(workspace, now),
            )
            widgets.button(
                t("Take the other one"),
                "conflict_theirs",
                "undo",
                help=t("Yours stays as a draft until you discard it."),
                on_click=writing.leave,
            )
            widgets.small(t("Go on writing"), "conflict_on", "edit", on_click=_on, args=(now,))


def _mine(workspace: Workspace, now: Writing) -> None:
    writing.save(workspace, now, over=now.opposed)


def _on(now: Writing) -> None:
    now.opposed = None
