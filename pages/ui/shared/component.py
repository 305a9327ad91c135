"""A component: its script, and its style where it has one, lie in files next to the module that draws it."""

from pathlib import Path

import streamlit as st
from streamlit.components.v2.types import ComponentRenderer


def component(name: str, module: str, html: str | None = None, *, before: str = "") -> ComponentRenderer:
    """Register the component of a module, which is its `__file__`: `tree.py` has `tree.js` and perhaps `tree.css`.

    `before` is a file in the same folder with a script that runs first.
    """
    style, script = Path(module).with_suffix(".css"), Path(module).with_suffix(".js")
    scripts = [script.with_name(before), script] if before else [script]
    return st.components.v2.component(
        name,
        html=html,
        css=style.read_text(encoding="utf-8") if style.exists() else None,
        js="\n".join(path.read_text(encoding="utf-8") for path in scripts),
    )
