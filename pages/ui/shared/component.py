"""A component: its script, and its style where it has one, are files of its name next to the module that draws it."""

from pathlib import Path

import streamlit as st
from streamlit.components.v2.types import ComponentRenderer


def component(name: str, module: str, html: str | None = None, *, before: str = "") -> ComponentRenderer:
    """Register a component of a module, which is its `__file__`: `note_tree` has `note_tree.js` and perhaps `note_tree.css`.

    `before` is a file in the same folder with a script that runs first.
    """
    style, script = (Path(module).with_name(f"{name}{suffix}") for suffix in (".css", ".js"))
    scripts = [script.with_name(before), script] if before else [script]
    return st.components.v2.component(
        name,
        html=html,
        css=style.read_text(encoding="utf-8") if style.exists() else None,
        js="\n".join(path.read_text(encoding="utf-8") for path in scripts),
    )
