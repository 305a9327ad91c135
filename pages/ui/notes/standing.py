"""Where a person stands: the base and the folder where a new note goes if nothing else is chosen."""

import posixpath
from collections.abc import Iterable

import streamlit as st

from core.model import NoteSummary
from core.workspace import Workspace
from pages.ui.shared.text import t

_LATEST = 20
"""Notes that changed last, among which one of a base of notes is looked for."""


def place(workspace: Workspace) -> tuple[str, str]:
    """Return the base and the folder of the open note, else the base that the list shows, else that of the last change.

    A base of text files is none, for it is written elsewhere. Without any base it is one that the note makes.
    """
    bases = [base.name for base in workspace.bases.all() if not base.plain]
    note_id, listed = st.session_state.get("open_note", ""), st.session_state.get("notes_base", "")
    for card in _in(bases, workspace.notes.cards_of([note_id]).values()):
        if listed in ("", card.base):
            return card.base, posixpath.dirname(card.path or "")
    if listed in bases:
        return listed, ""
    latest = (card.base for card in _in(bases, workspace.notes.switch("", _LATEST)))
    return next(latest, bases[0] if bases else t("notes")), ""


def _in(bases: Iterable[str], cards: Iterable[NoteSummary]) -> Iterable[NoteSummary]:
    return (card for card in cards if card.base in bases)
