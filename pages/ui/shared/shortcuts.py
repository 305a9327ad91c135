"""Keyboard shortcuts that work on every page, and the dialog that lists all shortcuts."""

import streamlit as st

from core.base.frozen import AnyValues, Texts
from core.base.messages import Message, in_context, message, message_table
from pages.ui.shared.safe import html
from pages.ui.shared.text import t
from pages.ui.shared.widgets import Dialog, component, small

# Keys that work on every page. They are handled by an invisible component.

KEYS = component("keys", __file__, before="scrolling.js")


def listen(*, searches: bool, language: str) -> str:
    """Listen for keyboard shortcuts and arrow keys.

    Return the action of the shortcut just pressed, a key of EVERYWHERE, or "" if none was pressed. `searches` is
    True on the Search page, and `language` is the page's language for screen readers.
    """
    wishes: AnyValues = {f"on_{wish}_change": lambda: None for wish in EVERYWHERE}
    with st.container(key="keys"):
        wants = KEYS(
            key="keys_component",
            data={"searches": searches, "language": language.replace("_", "-"), "keys": EVERYWHERE},
            **wishes,
        )
    return next((wish for wish in EVERYWHERE if wants[wish] is not None), "")


# Keys for actions that are available on every page, keyed by action.
#
# They are handled by `keys.js`. A key without Ctrl or Alt works only outside text fields.
EVERYWHERE = {
    "search": ("Ctrl+K", "/"),
    "switch": ("Ctrl+O",),
    "new": ("Alt+N",),
    "today": ("Ctrl+D",),
    "keys": ("?",),
}

# Keys for the actions on the Review page, keyed by action, and the actions' names in the list of shortcuts.
REVIEW = {
    "accept": "A",
    "edit": "E",
    "merge": "M",
    "both": "B",
    "prolong": "K",
    "fine": "F",
    "later": "L",
    "reject": "X",
}
_REVIEWING = message_table(
    {
        "accept": "Accept, keep or archive",
        "edit": "Edit, then accept",
        "merge": "Merge",
        "both": "Keep both",
        "prolong": "Keep for another year",
        "fine": "Fine as it is",
        "later": "Later",
        "reject": "Reject or delete",
    }
)

# The shortcuts, grouped by where they work. Each entry has keys and what they do.
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
            ("Tab", "Shift+Tab"): "Indent or outdent in a list or in code",
            ("Esc, Tab",): "Leave the text field",
        }
    ),
    message("On the Review page"): {(key,): _REVIEWING[action] for action, key in REVIEW.items()},
}
_LIST = Dialog("listing_keys")


def draw_button() -> None:
    """Draw the button that opens the list of shortcuts."""
    about = message("Key: {key}", key=EVERYWHERE["keys"][0])
    small("Keyboard shortcuts", "shortcuts", "keyboard", _LIST.open, True, help=about)


def dialog(*, wanted: bool) -> None:
    """Draw the dialog with the list of shortcuts if it is open. If `wanted` is True, open it first."""
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
