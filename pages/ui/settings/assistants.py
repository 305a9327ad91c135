"""Assistants on the settings page: the configuration of each."""

import streamlit as st

from core.base.messages import message
from core.workspace import Workspace
from pages.ui.shared import widgets
from pages.ui.shared.safe import html, plain
from pages.ui.shared.text import t, text_of

WAYS = {
    "stdio": message("The assistant starts Tessera itself"),
    "http": message("The assistant uses this app while it is open"),
}


def draw_assistants(workspace: Workspace) -> None:
    """Draw what assistants can do, and the configuration of the chosen one."""
    about = t(
        "An assistant such as Claude can search and read your notes, and write new ones, which wait until you accept "
        "them on the page Review. What it reads goes to whoever runs its model."
    )
    st.html(f'<div class="t-about t-dim">{html(about)}</div>')
    run = workspace.access.run
    snippets = workspace.snippets(run.address if run else f"http://127.0.0.1:{st.get_option('server.port')}")
    programs = {snippet.program: snippet.program for snippet in snippets}
    program = widgets.segments(t("Assistant"), programs, "assistant", default=next(iter(programs)))
    mine = {snippet.way: snippet for snippet in snippets if snippet.program == program}
    ways = {way: text_of(WAYS[way]) for way in mine}
    way = next(iter(ways))
    if len(ways) > 1:
        way = st.radio(t("How it gets to your notes"), list(ways), format_func=ways.__getitem__, key=f"way_{program}")
    chosen = mine[way]
    if chosen.file:
        st.caption(plain(t("Put this into {file}, beside what is there:", file=chosen.file)))
    else:
        st.caption(t("Run this in a terminal:"))
    st.code(chosen.text, language="json" if chosen.file else "bash", wrap_lines=True)
    if chosen.way == "http":
        st.caption(t("It holds your token, which lets a program read all notes: keep it to yourself."))
    st.caption(t("Then restart the assistant, and ask it what it finds in your notes."))
