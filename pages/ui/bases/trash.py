"""The trash of bases: deleted ones, to be restored or deleted for good."""

import streamlit as st

from core.model import TrashedBase
from core.workspace import Workspace
from pages.ui.bases import arrival
from pages.ui.shared import jobs, shell, widgets
from pages.ui.shared.dialogs import Dialog
from pages.ui.shared.names import local
from pages.ui.shared.safe import plain
from pages.ui.shared.text import t, t_plural, text_of

_DIALOG = Dialog("emptying_bases")
_TITLES = 5


def draw_trash(workspace: Workspace) -> None:
    """Draw the deleted bases, the last deleted first; nothing where there is none."""
    trashed = workspace.archives.trash()
    if not trashed:
        return
    label = t_plural("{n} deleted base in the trash", "{n} deleted bases in the trash", n=len(trashed))
    with st.expander(label, icon=":material/delete:", key="bases_trash"):
        days = workspace.archives.trash_stays.days
        stays = t_plural("A deleted base stays here for {n} day.", "A deleted base stays here for {n} days.", n=days)
        st.caption(stays)
        st.caption(t("It comes back with its notes, their history and your edits of passages."))
        names = {base.name for base in workspace.bases.all()}
        for trashed_base in trashed:
            _draw_trashed(workspace, trashed_base, names)
        if len(trashed) > 1:
            _deleting(workspace, t("Empty the trash"), "bases_trash_empty", trashed)
    _draw_emptying(workspace)


def _draw_trashed(workspace: Workspace, trashed_base: TrashedBase, names: set[str]) -> None:
    with st.container(horizontal=True, vertical_alignment="center", key=f"trashed_{trashed_base.key}"):
        st.markdown(
            f"**{plain(trashed_base.name)}**  \n:small[:gray[{plain(_describe(trashed_base))}]]", width="stretch"
        )
        if not trashed_base.problem:
            _restoring(workspace, trashed_base, _free_name(trashed_base.name, names))
        _deleting(workspace, t("Delete for good"), f"forget_base_{trashed_base.key}", [trashed_base])


def _describe(trashed_base: TrashedBase) -> str:
    if trashed_base.problem:
        return t("This can't be restored: {problem}", problem=text_of(trashed_base.problem))
    if trashed_base.titles:
        titles = ", ".join(trashed_base.titles[:_TITLES]) + ("…" if len(trashed_base.titles) > _TITLES else "")
        return t(
            "notes that left the trash {at}, here for one more week: {titles}", at=local(trashed_base.at), titles=titles
        )
    if trashed_base.expired:
        return t("deleted {at}, here for one more week", at=local(trashed_base.at))
    return t("deleted {at}", at=local(trashed_base.at))


def _restoring(workspace: Workspace, trashed_base: TrashedBase, free: str) -> None:
    label = t("Restore") if free == trashed_base.name else t("Restore as '{name}'", name=plain(free))
    if widgets.small(label, f"restore_base_{trashed_base.key}", "restore_from_trash", disabled=jobs.shut(workspace)):
        with shell.errors():
            with st.spinner(t("Restoring…")):
                restored = workspace.archives.restore_deleted(trashed_base.key, free)
            workspace.start_indexing()
            arrival.open_restored(restored, trashed=True)
            st.rerun()


def _free_name(name: str, names: set[str]) -> str:
    """Return a name that no base has: this one, or one with a number after it."""
    free, number = name, 1
    while free in names:
        number += 1
        free = f"{name} {number}"
    return free


def _deleting(workspace: Workspace, label: str, key: str, trashed: list[TrashedBase]) -> None:
    widgets.small(label, key, "delete_forever", on_click=_DIALOG.open, args=(trashed,), disabled=jobs.shut(workspace))


def _draw_emptying(workspace: Workspace) -> None:
    trashed: list[TrashedBase] = _DIALOG.subject or []
    if not trashed:
        return

    def delete() -> None:
        for trashed_base in trashed:
            workspace.archives.delete_for_good(trashed_base.key)

    title = t_plural("Delete {n} base for good", "Delete {n} bases for good", n=len(trashed))
    named = ", ".join(plain(trashed_base.name) for trashed_base in trashed)
    text = t("Its notes, their history and your edits can't be brought back. Files on disk stay.")
    _DIALOG.confirm(title, f"{named}\n\n{text}", "forget_bases", delete)
