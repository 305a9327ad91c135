"""The dialog that deletes notes or a base; it names what it deletes."""

from collections.abc import Sequence

import streamlit as st

from core.workspace import Workspace
from pages.ui.notes import opened, undo
from pages.ui.shared.dialogs import Dialog
from pages.ui.shared.safe import plain
from pages.ui.shared.text import t, t_plural

NAMED = 5
"""Notes that are named; the others are counted."""

DIALOG = Dialog("deleting")


def ask(note_ids: Sequence[str], base: str = "") -> None:
    """Open the dialog for these notes, or for a base, in the next run; for callbacks."""
    DIALOG.open((list(note_ids), base))


def dialog(workspace: Workspace) -> None:
    """Draw the dialog if it is open."""
    note_ids, base = DIALOG.subject or ([], "")
    if base:
        _base(workspace, base)
    elif note_ids:
        _notes(workspace, note_ids)


def _base(workspace: Workspace, base: str) -> None:
    status = next((status for status in workspace.status().bases if status.base.name == base), None)
    if status is None:
        DIALOG.close()
        return

    def delete() -> None:
        with st.spinner(t("Deleting…")):
            workspace.bases.delete(base)
        opened.forget()

    title = plain(
        t_plural("Delete '{base}' with {n} note", "Delete '{base}' with {n} notes", n=status.notes, base=base)
    )
    text = t_plural(
        "The base goes to the trash with its notes, their history, question sets and runs. You can restore it on "
        "the page Bases for {n} day. The files on disk stay.",
        "The base goes to the trash with its notes, their history, question sets and runs. You can restore it on "
        "the page Bases for {n} days. The files on disk stay.",
        n=workspace.archives.trash_stays.days,
    )
    DIALOG.confirm(title, text, "delete", delete)


def _notes(workspace: Workspace, note_ids: Sequence[str]) -> None:
    cards = [card for card in workspace.notes.all() if card.id in note_ids]
    if not cards:
        DIALOG.close()
        return

    def delete() -> None:
        with st.spinner(t("Deleting…")):
            workspace.notes.delete(note_ids)
        opened.forget(note_ids)
        text = t_plural("{n} note is in the trash.", "{n} notes are in the trash.", n=len(cards))
        undo.offer(text, lambda: workspace.notes.restore([card.id for card in cards]))

    names = [f"- {plain(card.title)}" for card in cards[:NAMED]]
    if len(cards) > NAMED:
        names.append(f"- {t('and {n} more', n=len(cards) - NAMED)}")
    days = workspace.notes.trash_stays.days
    goes = t_plural(
        "You can restore them from the trash for {n} day, with their history and your edits of their passages.",
        "You can restore them from the trash for {n} days, with their history and your edits of their passages.",
        n=days,
    )
    files = t("The files on disk stay, and the next update would bring the notes back.")
    text = "\n\n".join(["\n".join(names), goes, *([files] if any(card.in_file for card in cards) else [])])
    DIALOG.confirm(t_plural("Delete {n} note", "Delete {n} notes", n=len(cards)), text, "delete", delete)
