"""The component for writing a note: CodeMirror, with completion of links and tags.

The editor belongs to the window, not to the page, so it keeps the focus while the page is redrawn. A message to the
server may be lost, so the editor repeats it until the response confirms it. Until a text is stored as a draft, the
browser's storage holds it (`shelf.js`).
"""

from collections.abc import Callable
from typing import Required, TypedDict

import streamlit as st

from core.base.messages import Message, in_context, message
from pages.ui.notes import composer, drafts, routes
from pages.ui.notes.offers import Offers
from pages.ui.notes.session import Action, EditorSession
from pages.ui.shared.server import workspace
from pages.ui.shared.text import session_language, t, text_of
from pages.ui.shared.widgets import component

FORMATS: dict[str, Message] = {
    "heading": message("Heading"),
    "bold": message("Bold"),
    "italic": message("Italic"),
    "list": message("List"),
    "box": message("Checkbox"),
    "quote": message("Quote"),
    "code": in_context("format of text", "Code"),
    "link": message("Link"),
    "table": message("Table"),
    "picture": message("Picture"),
}
"""Names of the formats in `codemirror/formats.js`."""

PHRASES: dict[str, Message] = {
    "Find": message("Find"),
    "Replace": message("Replace with"),
    "next": in_context("search in a text", "Next"),
    "previous": message("Previous"),
    "all": message("Select all"),
    "match case": message("Match case"),
    "regexp": message("Regular expression"),
    "by word": message("Whole words"),
    "replace": in_context("search in a text", "Replace"),
    "replace all": message("Replace all"),
    "close": message("Close"),
    "current match": message("Found"),
    "on line": message("in line"),
    "replaced match on line $": message("Replaced in line {n}", n="$"),
    "replaced $ matches": message("Replaced: {n}", n="$"),
    "Go to line": message("Go to line"),
    "go": message("Go"),
}
"""CodeMirror's phrases, by its own keys; `$` is replaced by a number."""

WRITE = component(
    "note_editor", __file__, "<p class='notice' role='alert'></p><div class='paper'></div>", before="shelf.js"
)
"""Component; triggers `typed` with the text, its number, the caret, a typed title, the last action and its number.

Both numbers only increase.
"""


class Typed(TypedDict, total=False):
    """What the editor sends."""

    text: Required[str]
    number: Required[int]
    at: Required[int]
    action: Action | None
    actions: int
    title: str | None


def write(session: EditorSession, offered: Offers, typed: Callable[[Typed], None]) -> None:
    """Draw the editor; `typed` receives its messages before the page is drawn."""
    key = f"editor_{session.token}"

    def take() -> None:
        # The last message of a closed editor comes too late for the page; `drafts` takes its text.
        if sent := (st.session_state.get(key) or {}).get("typed"):
            typed(sent)

    data = {
        "token": session.token,
        "predecessor": session.predecessor,
        "text": session.body,
        "at": session.caret,
        "number": session.number,
        "taken": session.number,
        "stored": session.stored,
        "saved": not session.changed,
        "actions": session.actions,
        "about": drafts.about(composer.draft_of(session)),
        "place": workspace.name,
        "session": drafts.session_id(),
        "notes": offered.notes,
        "tags": offered.tags,
        "script": routes.SCRIPT_ADDRESS,
        "pictures": routes.picture_address(session.base, session.note.id if session.note else "", session_language()),
        "words": {
            "label": t("Text of the note"),
            "hint": t("Write in Markdown. Type [[ for notes, # for tags, / for formats."),
            "bar": t("Formats"),
            **{name: text_of(label) for name, label in FORMATS.items()},
            "live": t("Live preview"),
            "count": t("Words: {n}", n="{n}"),
            "selected": t("Words: {n}, selected: {chosen}", n="{n}", chosen="{chosen}"),
            "phrases": {name: text_of(text) for name, text in PHRASES.items()},
            "adding": t("Saving the picture…"),
            "lost": t("The picture wasn't saved: Tessera isn't responding."),
        },
    }
    with st.container(key="note_editor"):
        WRITE(key=key, data=data, on_typed_change=take)
