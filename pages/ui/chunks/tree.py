"""The notes as a tree of folders in the sidebar, where a person chooses the note of the page."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import PurePosixPath
from typing import Any
from zlib import crc32

import streamlit as st

from core.errors import NoteNotFound
from core.model import Filters, NoteCard
from core.workspace import Workspace
from pages.ui.chunks.treeview import VIEW
from pages.ui.shared import links, widgets
from pages.ui.shared.text import t

DEEPEST = 12
"""Levels of folders; deeper ones share a line."""
OPEN = 60
"""Results of a search up to which all folders are unfolded."""
WHOLE = 500
"""Notes up to which the whole tree is sent with every run of the page; of more, only the unfolded folders."""
STEP = 200
"""Notes of a folder that are sent when it is unfolded, and again when a person wants more of them."""

_LAST = "chunks_note"

Path = tuple[str, ...]


def picker(workspace: Workspace, bases: list[str]) -> str | None:
    """Draw base, search and tree, and return the id of the chosen note; a link chooses one too."""
    if linked := links.arrived("note"):
        st.session_state.update(cut_note=linked, cut_base="", cut_text="")
    with st.sidebar, st.container(key="picker"):
        base = widgets.base_filter(bases, "cut_base")
        text = st.text_input(t("Title or path"), key="cut_text", icon=":material/filter_alt:", persist_state="session")
        text = text.strip()
        cards = workspace.notes.cards(Filters(bases=(base,) if base else ()), text=text)
        chosen = _chosen(workspace)
        if cards:
            _draw(cards, chosen, base, text, several=len(bases) > 1 and not base)
        else:
            st.caption(t("No note passes these filters."))
    links.say("note", chosen or "")
    if chosen and chosen not in {card.id for card in cards}:
        try:
            workspace.notes.get(chosen)
        except NoteNotFound:
            st.session_state.pop("cut_note")
            raise
    if chosen and workspace.preferences.get(_LAST) != chosen:
        workspace.preferences.set(_LAST, chosen)
    return chosen


def choose(note_id: str) -> None:
    """Choose a note for the next run."""
    st.session_state["cut_note"] = note_id
    links.say("note", note_id)
    links.say("chunk", "")


def _chosen(workspace: Workspace) -> str | None:
    """Return the chosen note, at first the one that was open last."""
    chosen: str | None = st.session_state.get("cut_note")
    last = workspace.preferences.get(_LAST)
    if chosen is None and last:
        with suppress(NoteNotFound):
            chosen = workspace.notes.get(last).id
            st.session_state["cut_note"] = chosen
    return chosen


@st.fragment
def _draw(cards: Sequence[NoteCard], chosen: str | None, base: str, text: str, *, several: bool) -> None:
    """Draw the tree; a folder that a person unfolds is sent without a run of the page."""
    card = next((card for card in cards if card.id == chosen), None)
    above = _above(card, several=several) if card else ()
    opened: dict[Path, int] = st.session_state.setdefault("tree_opened", {})
    tree = folders(cards, several=several)
    if len(cards) > WHOLE:
        tree = unfolded(tree, opened, above, chosen)

    def picked() -> None:
        if (note := st.session_state["tree"].pick) is not None:
            choose(note)
            st.rerun()

    def unfold() -> None:
        if (folder := st.session_state["tree"].open) is not None:
            opened[tuple(folder["path"])] = folder["shown"] + STEP

    everything = bool(text) and len(cards) <= OPEN
    data = {
        "tree": tree,
        "chosen": chosen if card else None,
        "path": list(above),
        "all": everything,
        "listing": [base, text],
        "stamp": str(crc32(repr((tree, everything)).encode("utf-8", "surrogatepass"))),
    }
    VIEW(key="tree", data=data, on_pick_change=picked, on_open_change=unfold)


def folders(cards: Sequence[NoteCard], *, several: bool) -> dict[str, Any]:
    """Return notes as nested folders, each with its name, the count of its notes, its folders and its notes."""
    root: dict[str, Any] = {"name": "", "count": 0, "folders": {}, "notes": []}
    for card in sorted(cards, key=lambda card: (card.path or card.title).casefold()):
        folder = root
        for name in _above(card, several=several):
            folder = folder["folders"].setdefault(name, {"name": name, "count": 0, "folders": {}, "notes": []})
            folder["count"] += 1
        folder["notes"].append([card.id, card.title, card.chunks, card.pending > 0])
    return _listed(root)


def _listed(folder: dict[str, Any]) -> dict[str, Any]:
    return folder | {"folders": [_listed(inner) for inner in folder["folders"].values()]}


def _above(card: NoteCard, *, several: bool) -> Path:
    parts = PurePosixPath(card.path or "").parts[:-1]
    if len(parts) > DEEPEST:
        parts = (*parts[:DEEPEST], "/".join(parts[DEEPEST:]))
    return (card.base, *parts) if several else parts


def unfolded(
    folder: dict[str, Any], opened: Mapping[Path, int], above: Path, chosen: str | None, path: Path = ()
) -> dict[str, Any]:
    """Return the part of a folder that is sent: name and count, and the content of unfolded folders.

    `opened` has the number of notes to send by folder. The folders `above` the chosen note are unfolded too,
    and the chosen note is always sent.
    """
    on_the_way = path == above[: len(path)]
    if path and path not in opened and not on_the_way:
        return {"name": folder["name"], "count": folder["count"]}
    limit = opened.get(path, STEP)
    notes = [note for number, note in enumerate(folder["notes"]) if number < limit or note[0] == chosen]
    left = len(folder["notes"]) - len(notes)
    return folder | {
        "folders": [unfolded(inner, opened, above, chosen, (*path, inner["name"])) for inner in folder["folders"]],
        "notes": notes,
        "rest": t("Show more ({n} left)", n=left) if left else "",
    }
