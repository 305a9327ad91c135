"""Keys that work on every page: a component without a look of its own."""

from typing import Any

import streamlit as st

from pages.ui.shared import help
from pages.ui.shared.component import component

KEYS = component("keys", __file__)


def listen(*, searches: bool, language: str) -> str:
    """Listen to the keys of every page and to the arrows; return what a key asks for (`help.EVERYWHERE`), else "".

    The browser reads the page aloud in the `language`.
    """
    wishes: dict[str, Any] = {f"on_{wish}_change": lambda: None for wish in help.EVERYWHERE}
    with st.container(key="keys"):
        wants = KEYS(
            key="keys_component",
            data={"searches": searches, "language": language.replace("_", "-"), "keys": help.EVERYWHERE},
            **wishes,
        )
    return next((wish for wish in help.EVERYWHERE if wants[wish] is not None), "")
