"""Unsaved drafts: drafts of a stored note are drawn above it, drafts of new notes above the list."""

import streamlit as st

from core.model import NoteDraft
from core.workspace import Workspace
from pages.ui.notes import composer
from pages.ui.shared import shell, units, widgets
from pages.ui.shared.safe import plain
from pages.ui.shared.text import t


def draw_note_drafts(workspace: Workspace, note_id: str) -> None:
    """Draw the drafts of a note."""
    for draft in workspace.drafts.all():
        if draft.key.startswith(f"{note_id} "):
            at = units.local(draft.at)
            _offer(workspace, draft, t("You changed this note at {at} and didn't save it.", at=at))


def draw_new_drafts(workspace: Workspace) -> None:
    """Draw the drafts of new notes, and of notes that aren't there any more."""
    drafts = workspace.drafts.all()
    there = workspace.notes.cards_of(draft.key.split(" ")[0] for draft in drafts)
    for draft in drafts:
        if draft.key.split(" ")[0] not in there:
            title = plain(draft.title or draft.body.strip().split("\n")[0][:60])
            at = units.local(draft.at)
            _offer(workspace, draft, t("Unsaved draft: {title}, from {at}.", title=title, at=at))


def _offer(workspace: Workspace, draft: NoteDraft, text: str) -> None:
    with st.container(border=True, horizontal=True, vertical_alignment="center", key=f"draft_{draft.key}"):
        st.markdown(f":material/edit_note: {text}", width="stretch")
        resume, discard = shell.guarded(composer.resume), shell.guarded(composer.discard)
        widgets.button(
            t("Go on writing"),
            f"resume_{draft.key}",
            "edit",
            type="primary",
            on_click=resume,
            args=(workspace, draft.key),
        )
        widgets.small(t("Discard"), f"discard_{draft.key}", "delete", on_click=discard, args=(workspace, draft.key))
