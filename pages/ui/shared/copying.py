"""A button that copies a text to the clipboard."""

from collections.abc import Callable

from pages.ui.shared.component import component
from pages.ui.shared.text import t

COPY = component("copying", __file__, "<button></button>")


def copy_button(label: str, text: str, key: str, copied: Callable[[], None] | None = None) -> None:
    """Draw the button; it says so once the text is copied, and calls `copied`."""
    data = {"label": label, "done": t("Copied"), "text": text, "tells": copied is not None}
    COPY(key=key, data=data, width="content", height="content", on_copied_change=copied or _nothing)


def _nothing() -> None:
    pass
