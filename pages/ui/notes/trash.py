"""The trash: deleted notes, to be restored or deleted for good."""

from collections.abc import Sequence

import streamlit as st

from core.base.messages import Message, message
from core.model import AUTHORS, Trashed
from core.workspace import Workspace
from pages.ui.notes import opened, undo
from pages.ui.shared import shell, widgets
from pages.ui.shared.dialogs import Dialog
from pages.ui.shared.safe import plain
from pages.ui.shared.text import t, t_plural, text_of
from pages.ui.shared.units import local

_SHOWN = 50
_DIALOG = Dialog("emptying")
BY: dict[str, Message] = {
    "person": message("deleted by you, {at}"),
    "program": message("deleted by a program, {at}"),
    "pack": message("deleted by a pack, {at}"),
    "sync": message("its file is gone since the update of {at}"),
}
assert BY.keys() == AUTHORS.keys()


def draw(workspace: Workspace, base: str, text: str) -> None:
    """Draw the deleted notes of a base, or of all, that have a text in their title or path."""
    days = workspace.notes.trash_stays.days
    st.caption(t_plural("A deleted note stays here for {n} day.", "A deleted note stays here for {n} days.", n=days))
    if any(trashed_base.titles for trashed_base in workspace.archives.trash()):
        st.caption(t("Notes that left the trash can be restored for a week more, on the page Bases."))
    look = text.casefold()
    found = [
        trashed
        for trashed in workspace.notes.trash(base or None)
        if look in trashed.version.title.casefold() or look in (trashed.path or "").casefold()
    ]
    if not found:
        st.caption(t("The trash is empty."))
    for trashed in found[:_SHOWN]:
        _row(workspace, trashed)
    widgets.more(len(found) - _SHOWN)
    if found:
        ids = [trashed.version.note_id for trashed in found]
        with st.container(horizontal=True):
            label = t_plural("Restore {n} note", "Restore all {n} notes", n=len(ids))
            _restoring(workspace, label, "trash_restore_all", ids)
            label = t("Empty the trash") if not look else t_plural("Delete {n} note", "Delete {n} notes", n=len(ids))
            _deleting(workspace, label, "trash_empty", ids)
    _dialog(workspace)


def _row(workspace: Workspace, trashed: Trashed) -> None:
    note_id = trashed.version.note_id
    with st.container(border=True, key=f"trash_{note_id}", gap="small"):
        st.markdown(f"**{plain(trashed.version.title)}**")
        base = workspace.bases.by_id(trashed.base_id).name
        about = text_of(BY[trashed.version.author], at=local(trashed.version.at))
        st.caption(" · ".join([plain(base), plain(trashed.path or ""), about]))
        with st.container(horizontal=True):
            _restoring(workspace, t("Restore"), f"restore_{note_id}", [note_id])
            _deleting(workspace, t("Delete for good"), f"forget_{note_id}", [note_id])


def _restoring(workspace: Workspace, label: str, key: str, note_ids: Sequence[str]) -> None:
    act = shell.guarded(_restore)
    widgets.small(
        label, key, "restore_from_trash", on_click=act, args=(workspace, note_ids), disabled=workspace.readonly
    )


def _restore(workspace: Workspace, note_ids: Sequence[str]) -> None:
    workspace.notes.restore(note_ids)
    undo.clear()
    if len(note_ids) == 1:
        opened.choose(note_ids[0])


def _deleting(workspace: Workspace, label: str, key: str, note_ids: Sequence[str]) -> None:
    widgets.small(label, key, "delete_forever", on_click=_DIALOG.open, args=(note_ids,), disabled=workspace.readonly)


def _dialog(workspace: Workspace) -> None:
    note_ids = _DIALOG.subject
    if not note_ids:
        return
    title = t_plural("Delete {n} note for good", "Delete {n} notes for good", n=len(note_ids))
    text = t("Its text, its history and your edits of its passages can't be brought back. Files on disk stay.")
    _DIALOG.confirm(title, text, "forget", lambda: _delete(workspace, note_ids))


def _delete(workspace: Workspace, note_ids: Sequence[str]) -> None:
    workspace.notes.delete_for_good(note_ids)
    undo.clear()
