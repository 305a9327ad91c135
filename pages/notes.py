"""Notes: a tree or a list at the left, at the right the note that is open."""

import streamlit as st

from core.workspace import Workspace
from pages.ui.notes import (
    actions,
    beginning,
    drafts,
    editing,
    imports,
    inbox,
    listing,
    opened,
    reader,
    trash,
    undo,
)
from pages.ui.shared import empty, jobs, shell
from pages.ui.shared.text import t


def page(workspace: Workspace, bases: list[str]) -> None:
    note_id = opened.note_id()
    left, right = st.columns([3, 7], gap="medium")
    with left, st.container(key="notes_side"), shell.errors():
        view = listing.view()
        base, tags, text = listing.filters(workspace, bases)
        if view == "trash":
            trash.draw(workspace, base, text)
        else:
            narrowed = workspace.searching.filters(bases=[base] if base else [], tags=tags)
            cards = workspace.notes.all(narrowed, text=text)
            several = len(bases) > 1 and not base
            listing.notes(cards, view, note_id, [base, tags, text], several=several)
            actions.marked(workspace, listing.marked() if view == "list" else [], base)
    with right, st.container(key="notes_reader"), shell.errors():
        undo.draw()
        if note_id:
            drafts.of_note(workspace, note_id)
            inbox.box(workspace, note_id)
            reader.note(workspace, workspace.notes.get(note_id), opened.passage(workspace, note_id))
        else:
            beginning.draw(workspace, several=len(bases) > 1)


workspace = shell.workspace()
if editing.is_open():
    editing.page(workspace)
    st.stop()
with st.container(horizontal=True, vertical_alignment="center", key="notes_head"):
    st.title(t("Notes"), width="stretch")
    imports.popover(workspace)
    actions.new(workspace)
bases = [base.name for base in workspace.bases.all()]
drafts.of_new(workspace)
with shell.errors():
    imports.section(workspace)
jobs.panel(workspace)
if not bases:
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(t("There are no notes yet. Import a folder above, or"), width="content")
        empty.samples(workspace)
    st.stop()
page(workspace, bases)
