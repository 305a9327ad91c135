"""The component in which a note is written: CodeMirror, with completion of links and tags.

The editor belongs to the window, not to the page: while the page is drawn anew, it keeps the focus. A message to the
server may be lost, so the editor repeats it until the answer confirms it. Until a text is stored as a draft, the
browser's storage holds it (`shelf.js`).
"""

from collections.abc import Callable, Mapping
from typing import Any

import streamlit as st

from core.workspace import Workspace
from pages.ui.notes import bundle, drafting, letters, pasted
from pages.ui.notes.offers import Offers
from pages.ui.notes.written_text import EditorSession
from pages.ui.shared.component import component
from pages.ui.shared.text import session_language, t

WRITE = component(
    "note_editor", __file__, "<p class='notice' role='alert'></p><div class='paper'></div>", before="shelf.js"
)
"""Triggers `typed`: the text, its number, the place of the caret, a typed title, and the last wish with its number.

Numbers of texts and of wishes rise.
"""


def write(
    workspace: Workspace, now: EditorSession, offered: Offers, typed: Callable[[Mapping[str, Any]], None]
) -> None:
    """Draw the editor; `typed` gets its messages before the page is drawn."""
    key = f"editor_{now.token}"

    def take() -> None:
        # The last message of a closed editor comes too late for the page; `letters` takes its text.
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
        "about": letters.about(drafting.draft_of(workspace, now)),
        "place": workspace.name,
        "session": letters.session(),
        "notes": offered.notes,
        "tags": offered.tags,
        "script": bundle.ADDRESS,
        "pictures": pasted.address(now.base, now.note.id if now.note else "", session_language()),
        "words": {
            "label": t("Text of the note"),
            "hint": t("Write in Markdown. [[ offers notes, # offers tags."),
            "adding": t("Storing the picture…"),
            "lost": t("The picture wasn't stored: Tessera doesn't answer."),
        },
    }
    with st.container(key="note_editor"):
        WRITE(key=key, data=data, on_typed_change=take)
