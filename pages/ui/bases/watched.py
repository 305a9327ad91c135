"""The watched folders of a base: their problems, and syncs that need the user's consent."""

from pathlib import Path

import streamlit as st

from core.model import BaseStatus, KnowledgeBase, WatchedFolder
from core.workspace import Workspace
from pages.ui.shared import jobs, plans, shell, units, widgets
from pages.ui.shared.safe import html, plain
from pages.ui.shared.text import t, t_plural, text_of


def problems(workspace: Workspace, base: KnowledgeBase) -> None:
    """Draw the files that couldn't be read, why watched folders couldn't be synced, and syncs that wait for the user."""
    failures = workspace.bases.failures(base)
    plans.unread(base.name, failures)
    away = workspace.bases.not_downloaded(base)
    plans.not_downloaded(base.name, away)
    shown = {*failures, *away}
    plans.not_read(base.name, [failed for failed in workspace.documents.unread(base.name) if failed not in shown])
    plans.lacking(workspace.documents.incomplete(base.name))
    if not base.watch:
        return
    seen = workspace.watching.folders(base)
    last = max((watched_folder.at for watched_folder in seen), default=None)
    text = t("Watched; last check {at}", at=units.local(last)) if last else t("Watched")
    st.caption(f":material/visibility: {plain(text)}")
    for number, watched_folder in enumerate(seen):
        if watched_folder.problem:
            st.warning(
                f"{plain(watched_folder.folder)}: {plain(text_of(watched_folder.problem))}",
                icon=":material/folder_off:",
            )
        elif watched_folder.removals:
            _wait(workspace, base, watched_folder, f"{base.id}_{number}")


def state(workspace: Workspace, status: BaseStatus) -> str:
    """Return whether the notes of a base match its folders, and the last sync, as HTML."""
    base = status.base
    folders = workspace.watching.folders(base)
    if (
        status.refused
        or workspace.bases.failures(base)
        or any(watched_folder.problem or watched_folder.removals for watched_folder in folders)
    ):
        name = "attention"
    else:
        name = "working" if status.pending else "current"
    dot, title = shell.FRESHNESS[name]
    synced = t("Last update {at}", at=units.local(base.synced_at)) if base.synced_at else t("Never updated")
    text = f'{html(text_of(title))} <span class="t-dim">· {html(synced)}</span>'
    return f'<div class="t-state"><span class="t-dot {dot}"></span><div>{text}</div></div>'


def sync(workspace: Workspace, base: KnowledgeBase, folder: str) -> None:
    """Bring a base up to date with a folder; what would remove many notes is shown to the user first."""
    with shell.errors():
        with st.spinner(t("Reading the folder…")):
            plan = workspace.notes.plan_folder(Path(folder), base.name)
        if plan.needs_confirmation:
            st.session_state["plan"] = plan
            st.switch_page("notes.py")
        if jobs.start_import(workspace, lambda: plan, base.name):
            st.rerun()


def text_folders(workspace: Workspace) -> None:
    """Draw the bases that were made for text folders since the start, and the folders for which none can be made."""
    if made := workspace.watching.made:
        names = ", ".join(map(plain, made))
        st.info(t("Made for folders with text files: {names}", names=names), icon=":material/folder:")
    for name, why in workspace.watching.refused.items():
        st.warning(f"{plain(name)}: {plain(text_of(why))}", icon=":material/folder_off:")


def _wait(workspace: Workspace, base: KnowledgeBase, seen: WatchedFolder, key: str) -> None:
    text = t_plural(
        "{n} note is no longer in {folder}. Look at the changes before they are made.",
        "{n} notes are no longer in {folder}. Look at the changes before they are made.",
        n=seen.removals,
        folder=seen.folder,
    )
    st.warning(plain(text), icon=":material/warning:")
    if widgets.button(t("Look at the changes"), f"look_{key}", "difference", disabled=workspace.readonly):
        st.session_state["plan"] = workspace.notes.plan_folder(Path(seen.folder), base.name)
        st.switch_page("notes.py")
