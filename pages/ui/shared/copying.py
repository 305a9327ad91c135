"""A button that copies a text to the clipboard."""

from pages.ui.shared.component import component
from pages.ui.shared.text import t

COPY = component("copying", __file__, "<button></button>")


def button(label: str, text: str, key: str) -> None:
    """Draw the button; it says so once the text is copied."""
    COPY(key=key, data={"label": label, "done": t("Copied"), "text": text}, width="content", height="content")
