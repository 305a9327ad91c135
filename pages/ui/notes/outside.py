"""A note's file in another program: Obsidian through its address, or what the system opens such files with."""

from pathlib import Path
from urllib.parse import quote

import streamlit as st

from core.model import Note

_LOOPBACK = ("127.0.0.1", "::1", "localhost")

OBSIDIAN = st.components.v2.component(
    "obsidian",
    html="<button type='button'></button>",
    css="""
button { all: unset; box-sizing: border-box; font: .9rem/1.5 var(--st-font); color: var(--st-text-color); cursor: pointer; padding: .3rem .5rem;
  border-radius: .4rem; white-space: nowrap; }
button:hover { background: color-mix(in srgb, currentColor 8%, transparent); }
button:focus-visible { outline: 2px solid var(--st-primary-color); }
""",
    js="""
export default function({ parentElement, data }) {
  const button = parentElement.querySelector('button');
  button.textContent = data.label;
  button.onclick = () => {
    if (data.address.startsWith('obsidian://open?path=')) window.location.assign(data.address);
  };
}
""",
)


def obsidian(note: Note, label: str) -> None:
    """Draw the button that opens a note's file in Obsidian."""
    address = f"obsidian://open?path={quote(str(Path(note.source_ref) / str(note.path)), safe='')}"
    with st.container(key="obsidian", width="content"):
        OBSIDIAN(key=f"obsidian_{note.id}", data={"label": label, "address": address})


def is_here() -> bool:
    """Return whether the person sits at the machine of the app, where its programs can be opened."""
    return st.context.ip_address is None and st.get_option("server.address") in _LOOPBACK
