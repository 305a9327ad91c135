"""The one question whether edits may change a person's files; it comes with the first import of a folder into a base."""

import os
from pathlib import Path

import streamlit as st

from core.model import NOTE_SUFFIXES, SyncPlan
from core.workspace import Workspace
from pages.ui.shared.text import t


def question(workspace: Workspace, plan: SyncPlan) -> bool | None:
    """Draw the question and return whether files may be written, None where it isn't open."""
    if not _is_open(workspace, plan):
        return None
    texts = {True: t("Into its file"), False: t("Nowhere: the files are only read")}
    about = [
        t("A file changes only when you edit its note here, and never over a change of another program."),
        t("A note can be copied, and the copy edited."),
    ]
    label = t("Where does an edit of a note go?")
    return st.radio(label, list(texts), format_func=texts.__getitem__, captions=about, key="plan_writes")


def _is_open(workspace: Workspace, plan: SyncPlan) -> bool:
    """Return whether the plan is the first of a base with a folder of notes that can be written."""
    folder, base = Path(plan.source_ref), workspace.bases.find(plan.base)
    decided = base is not None and (base.plain or base.write_files or bool(workspace.bases.folders(base)))
    texts = any(file.path.lower().endswith(NOTE_SUFFIXES) for file in plan.added)
    return folder.is_absolute() and texts and not decided and os.access(folder, os.W_OK)
