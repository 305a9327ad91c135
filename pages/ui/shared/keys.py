"""Keys that work on every page: a component without a look of its own."""

import streamlit as st

from pages.ui.shared.component import component

KEYS = component("keys", __file__)


def listen(*, searches: bool) -> str:
    """Listen to `/`, Ctrl+K, Ctrl+O and the arrows; return "search" or "switch" after the key for it, else ""."""
    with st.container(key="keys"):
        wants = KEYS(
            key="keys_component",
            data={"searches": searches},
            on_search_change=lambda: None,
            on_switch_change=lambda: None,
        )
    return "search" if wants.search is not None else "switch" if wants.switch is not None else ""
