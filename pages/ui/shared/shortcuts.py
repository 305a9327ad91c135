"""Keyboard shortcuts on every page, and the dialog that lists them."""

import streamlit as st

from core.base.frozen import AnyValues, Texts
from core.base.messages import Message, in_context, message, message_table
from pages.ui.shared.safe import html
from pages.ui.shared.text import t
from pages.ui.shared.widgets import Dialog, component, small

# Keys that work on every page, handled by a component with no visible part.

KEYS = component("keys", __file__, before="scrolling.js")


def listen(*, searches: bool, language: str) -> str:
    """Listen for the shortcut and arrow keys. Return the pressed key's action in `EVERYWHERE`, or "" if there is none.

    `language` is the page's language for screen readers.
    """
    wishes: AnyValues = {f"on_{wish}_change": lambda: None for wish in EVERYWHERE}
    with st.container(key="keys"):
        wants = KEYS(
            key="keys_component",
            data={"searches": searches, "language": language.replace("_", "-"), "keys": EVERYWHERE},
            **wishes,
        )
    return next((wish for wish in EVERYWHERE if wants[wish] is not None), "")


EVERYWHERE = {
    "search": ("Ctrl+K", "/"),
    "switch": ("Ctrl+O",),
    "new": ("Alt+N",),
    "today": ("Ctrl+D",),
    "keys": ("?",),
}
"""Action -> keys on every page, handled by `keys.js`. Keys without Ctrl or Alt work only outside text fields."""

REVIEW = {
    "accept": ("A", message("Accept, keep or archive")),
    "edit": ("E", message("Edit, then accept")),
    "merge": ("M", message("Merge")),
    "both": ("B", message("Keep both")),
    "prolong": ("K", message("Keep for another year")),
    "fine": ("F", message("Fine as it is")),
    "later": ("L", message("Later")),
    "reject": ("X", message("Reject or delete")),
}
"""Action -> its key on the Review page, and its name in the list of shortcuts."""

SHORTCUTS: dict[Message, dict[Texts, Message]] = {
    message("Everywhere"): message_table(
        {
            EVERYWHERE["search"]: "Search",
            EVERYWHERE["switch"]: "Open a note or a page",
            EVERYWHERE["new"]: "New note",
            EVERYWHERE["today"]: "Today's note",
            EVERYWHERE["keys"]: "Show keyboard shortcuts",
            ("Esc",): "Close a panel",
        }
    ),
    message("In the list of hits"): message_table(
        {("↓", "↑"): "Next or previous hit", ("Enter",): "Open the hit", ("Esc",): "Back to the search box"}
    ),
    message("On the Notes page"): message_table({("E",): "Edit the note"}),
    message("While you write"): message_table(
        {
            ("Ctrl+S", "Ctrl+Enter"): "Save",
            ("Ctrl+F",): "Find and replace in the text",
            ("Ctrl+B",): "Bold",
            ("Ctrl+I",): "Italic",
        }
    )
    | {("Ctrl+E",): in_context("format of text", "Code")}
    | message_table(
        {
            ("Ctrl+K",): "Link",
            ("Alt+P",): "Live preview or source",
            ("/",): "Heading, list, table and more (at the start of a line)",
            ("Tab", "Shift+Tab"): "Indent or unindent in a list or in code",
            ("Esc, Tab",): "Leave the text field",
        }
    ),
    message("On the Review page"): {(key,): what for key, what in REVIEW.values()},
}
"""Keys and their actions, grouped by where they work."""
_LIST = Dialog("listing_keys")


def draw_button(key: str) -> None:
    """Draw the button that opens the list of shortcuts."""
    small(
        "Keyboard shortcuts",
        key,
        "keyboard",
        on_click=_LIST.open,
        args=(True,),
        help=t("Key: {key}", key=EVERYWHERE["keys"][0]),
    )


def dialog(*, wanted: bool) -> None:
    """Draw the list of shortcuts if it is already open or is `wanted` now."""
    if wanted:
        _LIST.open(True)
    if _LIST.subject:
        _LIST.draw(t("Keyboard shortcuts"), _content, width="medium")


def _content() -> None:
    parts = []
    for title, keys in SHORTCUTS.items():
        rows = "".join(
            f"<tr><td>{html(what)}</td><td>{' '.join(f'<kbd>{html(name)}</kbd>' for name in names)}</td></tr>"
            for names, what in keys.items()
        )
        parts.append(f'<section><div class="t-caption">{html(title)}</div><table>{rows}</table></section>')
    st.html(f'<div class="t-shortcuts">{"".join(parts)}</div>')
