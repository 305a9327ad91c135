"""A tree of folders and notes. If it is large, a folder's contents are sent only when the folder is expanded."""

from collections.abc import Callable, Mapping, Sequence

import streamlit as st
from streamlit import rerun, session_state

from core.base.frozen import AnyValues, Texts
from core.model import NoteSummary
from pages.ui.shared.names import NOTE_STATES
from pages.ui.shared.text import t, text_of
from pages.ui.shared.widgets import component, on_trigger, stamp

# Maximum depth of folders. Below this depth, the rest of a folder's path becomes a single name.
DEEPEST = 12
# Maximum number of notes in a filtered tree whose folders are all expanded.
OPEN = 60
# Maximum number of notes in a tree that is sent to the browser as a whole.
#
# For a larger tree, only the contents of expanded folders are sent.
WHOLE = 500
# Number of notes to send when a folder is expanded, and each time the user asks for more.
STEP = 200

Path = Texts
# A folder as sent to the component, with its `name`, its `count` of notes, and its `folders` and `notes`.
#
# A note is a list of its id, its title, text in small print, and why the note is marked, or "".
Folder = AnyValues

# Component that draws the tree. Clicking a note triggers `pick` with the note's id.
#
# Expanding a folder whose contents weren't sent, or asking for more, triggers `open` with the folder's path. Dropping
# notes on a folder triggers `move` with the notes' ids and the folder's path.
VIEW = component("note_tree", __file__, "<div class='tree'></div>")


@st.fragment
def draw(
    cards: Sequence[NoteSummary],
    filters: Sequence[object],
    chosen: str | None,
    choose: Callable[[str], None],
    key: str,
    *,
    several: bool,
    counts: bool = True,
    move: Callable[[Sequence[str], Path], None] | None = None,
) -> None:
    """Draw a tree of the notes in `cards`. Clicking a note calls `choose` with its id and reruns the page.

    The tree is a fragment, so that expanding a folder doesn't rerun the page. `filters` are the filters that selected
    the notes, starting with the base. If there are any others, all folders of a small tree are expanded. If `several`
    is True, the notes are from several bases, and each base is a folder. If `counts` is True, each note shows its
    number of chunks. Otherwise, it shows the type of its source document.

    If `move` is given, notes can be dragged onto folders. `move` is then called with the notes' ids and the folder's
    path, and the page is rerun. If `several` is True, the path begins with the base.
    """
    card = next((card for card in cards if card.id == chosen), None)
    above = _above(card, several=several) if card else ()
    opened: dict[Path, int] = session_state.setdefault(f"{key}_opened", {})
    tree = folders(cards, several=several, counts=counts)
    if len(cards) > WHOLE:
        tree = unfolded(tree, opened, above, chosen)

    def picked(note: str) -> None:
        choose(note)
        rerun()

    def unfold(folder: Folder) -> None:
        opened[tuple(folder["path"])] = folder["shown"] + STEP

    def moved(dropped: Folder) -> None:
        if move:
            move([str(note) for note in dropped["notes"]], tuple(map(str, dropped["path"])))
            rerun()

    everything = any(filters[1:]) and len(cards) <= OPEN
    VIEW(
        key=key,
        data={
            "tree": tree,
            "chosen": chosen if card else None,
            "path": list(above),
            "all": everything,
            "movable": move is not None,
            "listing": stamp(filters),
            "stamp": stamp((tree, everything, move is None)),
        },
        on_pick_change=on_trigger(key, "pick", picked),
        on_open_change=on_trigger(key, "open", unfold),
        on_move_change=on_trigger(key, "move", moved),
    )


def folders(cards: Sequence[NoteSummary], *, several: bool, counts: bool = True) -> Folder:
    """Return the notes as nested folders. The parameters are those of `draw`."""
    root: Folder = {"name": "", "count": 0, "folders": {}, "notes": []}
    for card in sorted(cards, key=lambda card: (card.path or card.title).casefold().split("/")):
        folder = root
        for name in _above(card, several=several):
            folder = folder["folders"].setdefault(name, {"name": name, "count": 0, "folders": {}, "notes": []})
            folder["count"] += 1
        about = f"{card.chunks:,}" if counts else card.document.kind if card.document else ""
        mark = text_of(NOTE_STATES["pending"]) if card.pending else ""
        if card.status == "pending":
            mark = t("waiting in Review")
        folder["notes"].append([card.id, card.title, about, mark])
    return _listed(root)


def _listed(folder: Folder) -> Folder:
    return folder | {"folders": [_listed(inner) for inner in folder["folders"].values()]}


def _above(card: NoteSummary, *, several: bool) -> Path:
    parts = tuple((card.path or "").split("/")[:-1])
    if len(parts) > DEEPEST:
        parts = (*parts[:DEEPEST], "/".join(parts[DEEPEST:]))
    return (card.base, *parts) if several else parts


def unfolded(folder: Folder, opened: Mapping[Path, int], above: Path, chosen: str | None, path: Path = ()) -> Folder:
    """Return the part of a folder to send to the browser: its name, its count and, if expanded, its contents.

    `opened` maps the paths of expanded folders to the number of notes to send. The folders `above` the chosen note are
    always expanded, and the chosen note is always sent.
    """
    if path and path not in opened and path != above[: len(path)]:
        return {"name": folder["name"], "count": folder["count"]}
    limit = opened.get(path, STEP)
    notes = [note for number, note in enumerate(folder["notes"]) if number < limit or note[0] == chosen]
    left = len(folder["notes"]) - len(notes)
    return folder | {
        "folders": [unfolded(inner, opened, above, chosen, (*path, inner["name"])) for inner in folder["folders"]],
        "notes": notes,
        "rest": t("Show more ({n} left)", n=left) if left else "",
    }
