"""The watched folders of a base: their problems, and syncs that need a person's consent."""

from pathlib import Path

import streamlit as st

from core.model import KnowledgeBase, WatchedFolder
from core.workspace import Workspace
from pages.ui.shared import plans, units, widgets
from pages.ui.shared.safe import plain
from pages.ui.shared.text import t, t_plural, text_of


def problems(workspace: Workspace, base: KnowledgeBase) -> None:
    """Draw the files that couldn't be read, why watched folders couldn't be synced, and syncs that wait for a person."""
    failures = workspace.bases.failures(base)
    plans.unread(base.name, failures)
    plans.of_other_kinds(base.name, [one for one in workspace.documents.unread(base.name) if one not in failures])
    if not base.watch:
        return
    seen = workspace.watching.folders(base)
    last = max((one.at for one in seen), default=None)
    text = t("Watched; last look at {at}", at=units.local(last)) if last else t("Watched")
    st.caption(f":material/visibility: {plain(text)}")
    for number, one in enumerate(seen):
        if one.problem:
            st.warning(f"{plain(one.folder)}: {plain(text_of(one.problem))}", icon=":material/folder_off:")
        elif one.removals:
            _wait(workspace, base, one, f"{base.id}_{number}")


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
