"""Edits that lost their place and wait for the user to decide."""

import streamlit as st

from core.model import Decision, Flagged
from core.workspace import Workspace
from pages.ui.chunks import bands
from pages.ui.shared import jobs, widgets
from pages.ui.shared.safe import html, plain
from pages.ui.shared.text import t, t_plural, text_of

SHOWN = 20
LENGTH = 600
"""Characters of an edit at most."""


def draw_flagged(workspace: Workspace) -> None:
    """Draw the flagged edits, each with its text and the two decisions; nothing if there are none."""
    waiting = workspace.chunks.flagged()
    if not waiting:
        return
    title = t_plural(
        "{n} edit has lost its place: keep or drop it?",
        "{n} edits have lost their place: keep or drop them?",
        n=len(waiting),
    )
    with st.expander(title, icon=":material/flag:", key="flagged"):
        st.caption(t("The text they were made on is no longer in the note. Nothing is lost until you decide."))
        for item in waiting[:SHOWN]:
            with st.container(border=True, key=f"flagged_{item.edit.id}"):
                _draw_flagged(workspace, item)
        widgets.more(len(waiting) - SHOWN)


def _draw_flagged(workspace: Workspace, item: Flagged) -> None:
    edit, note = item.edit, item.note
    title = html(note.title) if note else html(t("Its note is gone"))
    text = edit.text or edit.anchor
    more = " …" if len(text) > LENGTH else ""
    st.html(
        f'<div class="t-head"><b>{title}</b><span class="t-tag">{html(text_of(bands.CHANGES[edit.kind]))}</span></div>'
        f'<div class="t-text t-small">{html(text[:LENGTH])}{more}</div>'
    )
    shut = jobs.writing(workspace, note.base if note else "")

    def decide(decision: Decision) -> None:
        jobs.start(workspace, "edits", lambda _: workspace.chunks.resolve(edit.id, decision))

    with st.container(horizontal=True):
        about = plain(t("Becomes a chunk of its own at the note's end"))
        impossible = shut or note is None or edit.kind == "delete"
        if widgets.button(t("Keep"), f"keep_{edit.id}", "check", disabled=impossible, help=about):
            decide("keep")
        if widgets.button(t("Drop"), f"drop_{edit.id}", "close", disabled=shut):
            decide("drop")
