"""The switches of a base, for a new one and for a stored one."""

from collections.abc import Sequence
from typing import Any, cast

import streamlit as st

from core.base.messages import message
from core.model import BaseFields, Chunk, KnowledgeBase, Note
from core.workspace import Workspace
from pages.ui.shared import jobs, shell, widgets
from pages.ui.shared.text import t, text_of

# The chunks that are not indexed yet, and the switch that indexes new ones at once.


def section(workspace: Workspace, base: KnowledgeBase, note: Note, chunks: Sequence[Chunk]) -> None:
    """Draw the switch of the base, and the buttons that index the waiting chunks of the note and of the base."""
    if not base.has_vectors:
        return
    pending = sum(chunk.state == "pending" for chunk in chunks)
    waiting = workspace.chunks.pending(base.name)
    shut = jobs.writing(workspace, base.name) or workspace.jobs.running("embed")
    with st.container(horizontal=True, vertical_alignment="center"):
        draw(workspace, base, "embed_at_once")
        label = t("Index this note ({n})", n=pending)
        if pending and widgets.button(label, "embed_note", "bolt", disabled=shut):
            embed(workspace, note_ids=[note.id])
        if waiting > pending:
            embed_all(workspace, base, waiting)


def embed_all(workspace: Workspace, base: KnowledgeBase, pending: int) -> None:
    """Draw the button that indexes the waiting chunks of a base."""
    label = t("Index the whole base ({n})", n=pending)
    if widgets.button(label, f"embed_base_{base.id}", "bolt", disabled=jobs.writing(workspace, base.name)):
        embed(workspace, base.name)


def embed(workspace: Workspace, base: str | None = None, **which: Any) -> None:
    """Index the waiting chunks of a base, or `which` notes or chunks, in a job."""
    jobs.start(workspace, "embed", lambda progress: workspace.chunks.embed(base, progress=progress, **which))


SWITCHES = {
    "embed_at_once": (
        message("Make new notes searchable by meaning at once"),
        message(
            "On: new notes of this base are indexed as they come in. Off: they wait until you index them; you can "
            "search them by words meanwhile."
        ),
    ),
    "write_files": (
        message("Write edits into the files"),
        message(
            "On: editing a note here changes its file, so that other programs see the edit. Off: files are only "
            "read; a note of a file can be copied and edited here."
        ),
    ),
    "watch": (
        message("Watch the folders"),
        message(
            "On: while Tessera runs, files that change are brought in within seconds. Where many notes would be "
            "removed, it asks you first."
        ),
    ),
    "trusts_programs": (
        message("Accept programs' notes automatically"),
        message(
            "On: what assistants and other programs write here counts at once. Off: it waits on the page Review "
            "until you accept it, because programs make mistakes."
        ),
    ),
    "read_pictures": (
        message("Read text in pictures"),
        message(
            "On: words in screenshots, photos of whiteboards and scans that stand in your notes are found too. They are "
            "read on this computer, one after another, while nothing else runs; that takes a few seconds each. Off: only "
            "the notes' own text is found."
        ),
    ),
}
"""The label and the help of each switch, by its field of a base."""
INSTALL = "pip install 'tessera-notes[ocr]'"
"""The command that installs what reads pictures."""
_ON = ("embed_at_once", "watch")
"""The switches that are on in a new base."""


def draw_new_base_switches(workspace: Workspace, *, indexes: bool, plain: bool) -> dict[str, bool]:
    """Draw the switches of a new base and return them: those that have an effect in a base that `indexes`, or is `plain`.

    Pictures can be read once what reads them is installed.
    """
    first, last = "embed_at_once", "read_pictures"
    left_out = {first: not indexes, last: plain}
    shut = {last: {"disabled": not workspace.pictures.can_read}}
    chosen = {
        name: _toggle(name, f"new_{name}", value=name in _ON, **shut.get(name, {}))
        for name in SWITCHES
        if not left_out.get(name)
    }
    if not plain:
        _what_is_missing(workspace)
    return {first: True} | chosen


def draw(workspace: Workspace, base: KnowledgeBase, name: str) -> None:
    """Draw a switch of a stored base; a click changes the base."""
    on = bool(getattr(base, name))
    # Its state is in its key: a browser that still shows an older one would take it for a choice.
    key = f"{name}_{base.id}_{on}"

    def store() -> None:
        workspace.bases.update(base.name, **cast(BaseFields, {name: bool(st.session_state[key])}))

    more: dict[str, Any] = {"on_change": shell.guarded(store), "disabled": workspace.readonly}
    if name == "read_pictures" and not workspace.pictures.can_read:
        more |= {"disabled": workspace.readonly or not on}
    if name == "embed_at_once" and base.plain and base.name in workspace.text_folders.folders():
        about = t("For the folders with text files, auto_embed in tessera.toml decides this.")
        more |= {"help": about, "disabled": True}
    _toggle(name, key, value=on, **more)
    if name == "read_pictures":
        _what_is_missing(workspace)


def _what_is_missing(workspace: Workspace) -> None:
    """Say how to install what reads pictures, where it isn't there."""
    if not workspace.pictures.can_read:
        st.caption(t("What reads pictures isn't installed yet. Install it, then start Tessera again:"))
        st.code(INSTALL, language="sh")


def _toggle(name: str, key: str, *, value: bool, **more: Any) -> bool:
    label, about = map(text_of, SWITCHES[name])
    return st.toggle(label, value=value, key=key, **{"help": about, **more})
