"""The component in which a note is written: CodeMirror, with links and tags to complete, and what is typed sent on.

An editor lives in the window, not in the page: where the page is drawn anew, it holds the keys until its place is there
again. What it sends may be lost on the way, so it is sent again until the answer shows that it came; until it is stored,
it stays on the shelf.
"""

from collections.abc import Callable, Mapping
from typing import Any

import streamlit as st

from core.workspace import Workspace
from pages.ui.notes import bundle, composer, letters
from pages.ui.notes.composer import Writing
from pages.ui.notes.offers import Offers
from pages.ui.shared.component import component
from pages.ui.shared.text import t

WRITE = component("note_editor", __file__, "<div class='paper'></div>", before="shelf.js")
"""Triggers `typed`: the text, its number, the caret's place, a title that was typed, and the last wish with its number.

A later text, and a later wish, has a higher number.
"""


def write(workspace: Workspace, now: Writing, offered: Offers, typed: Callable[[Mapping[str, Any]], None]) -> None:
    """Draw the editor; `typed` gets what it sends, before the script runs."""
    key = f"editor_{now.token}"

    def take() -> None:
        # Where the editor was left, what it sent last comes too late for the page, and stays on the shelf.
        if sent := (st.session_state.get(key) or {}).get("typed"):
            typed(sent)

    data = {
        "token": now.token,
        "was": now.was,
        "text": now.body,
        "number": now.number,
        "taken": now.number,
        "stored": now.stored,
        "wishes": now.wishes,
        "about": letters.about(composer.draft_of(workspace, now)),
        "place": workspace.name,
        "session": letters.session(),
        "notes": offered.notes,
        "tags": offered.tags,
        "script": bundle.ADDRESS,
        "words": {"label": t("Text of the note"), "hint": t("Write in Markdown. [[ offers notes, # offers tags.")},
    }
    with st.container(key="note_editor"):
        WRITE(key=key, data=data, on_typed_change=take)
