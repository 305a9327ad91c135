"""A note's file in another program: in Obsidian by an obsidian:// address, or in the system's editor."""

from pathlib import Path
from urllib.parse import quote

import streamlit as st

from core.model import Note
from pages.ui.shared.component import component

_LOOPBACK = ("127.0.0.1", "::1", "localhost")

OBSIDIAN = component("obsidian", __file__, "<button type='button'></button>")


def obsidian(note: Note, label: str) -> None:
    """Draw the button that opens a note's file in Obsidian."""
    address = f"obsidian://open?path={quote(str(Path(note.source_ref) / str(note.path)), safe='')}"
    with st.container(key="obsidian", width="content"):
        OBSIDIAN(key=f"obsidian_{note.id}", data={"label": label, "address": address})


def is_here() -> bool:
    """Return whether the browser runs on the machine of the app, so that the user sees programs that open there."""
    return st.context.ip_address is None and st.get_option("server.address") in _LOOPBACK
