"""A component: its script, and its style where it has one, lie in files beside the module that draws it."""

from pathlib import Path

import streamlit as st
from streamlit.components.v2.types import ComponentRenderer


def component(name: str, module: str, html: str | None = None) -> ComponentRenderer:
    """Register the component of a module, which is its `__file__`: `tree.py` has `tree.js` and perhaps `tree.css`."""
    style = Path(module).with_suffix(".css")
    return st.components.v2.component(
        name,
        html=html,
        css=style.read_text(encoding="utf-8") if style.exists() else None,
        js=Path(module).with_suffix(".js").read_text(encoding="utf-8"),
    )
