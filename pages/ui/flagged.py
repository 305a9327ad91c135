"""Edits that lost their place and wait for a person to decide."""

import streamlit as st

from core.workspace import Decision, Flagged, Workspace
from pages.ui import work
from pages.ui.safe import html, plain
from pages.ui.text import t

SHOWN = 20
LENGTH = 600
"""Characters of an edit that are shown."""


def section(workspace: Workspace) -> None:
    """Draw the flagged edits, each with what it held and what can be done; nothing where there are none."""
    waiting = workspace.flagged()
    if not waiting:
        return
    with st.expander(t("flagged", n=len(waiting)), icon=":material/flag:", key="flagged"):
        st.caption(t("flagged.more"))
        for item in waiting[:SHOWN]:
            with st.container(border=True, key=f"flagged_{item.edit.id}"):
                _edit(workspace, item)
        if len(waiting) > SHOWN:
            st.caption(t("more", n=len(waiting) - SHOWN))


def _edit(workspace: Workspace, item: Flagged) -> None:
    edit, note = item.edit, item.note
    title = html(note.title) if note else html(t("flagged.no_note"))
    text = edit.text or edit.anchor
    more = " …" if len(text) > LENGTH else ""
    st.html(
        f'<div class="t-head"><b>{title}</b><span class="t-tag">{html(t(f"change.{edit.kind}"))}</span></div>'
        f'<div class="t-text t-small">{html(text[:LENGTH])}{more}</div>'
    )
    shut = work.writing(workspace)

    def decide(decision: Decision) -> None:
        work.start(workspace, "edits", lambda _: workspace.resolve_edit(edit.id, decision))

    with st.container(horizontal=True):
        if st.button(
            t("flagged.keep"),
            key=f"keep_{edit.id}",
            icon=":material/check:",
            disabled=shut or note is None or edit.kind == "delete",
            help=plain(t("flagged.keep.help")),
        ):
            decide("keep")
        if st.button(t("flagged.drop"), key=f"drop_{edit.id}", icon=":material/close:", disabled=shut):
            decide("drop")
