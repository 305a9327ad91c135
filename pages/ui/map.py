"""Drawing the note map: coloured points, links as lines, and region names."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from zlib import crc32

import streamlit as st
from streamlit import session_state

from core.base.messages import message_table
from core.model import NoteMap, NoteSummary
from pages.ui.shared.server import workspace
from pages.ui.shared.text import t, t_plural
from pages.ui.shared.widgets import component, on_trigger

# The colours of the points on a map, and the legend.

BY = message_table(
    {
        "folder": "Folder",
        "tag": "Tag",
        "base": "Base",
        "findable": "How well notes can be found",
    }
)
MOST = 8
"""Maximum number of colours, not counting the one for all remaining notes."""
RAMP = 10
"""Number of colour steps, from notes that are never the first hit to notes that always are."""
_GROUPS: Mapping[str, Callable[[NoteSummary], str]] = {
    "folder": lambda card: (card.path or "").rpartition("/")[0],
    "tag": lambda card: card.tags[0] if card.tags else "",
    "base": lambda card: card.base,
}


def groups(cards: Sequence[NoteSummary | None], by: str) -> tuple[list[int], list[str]]:
    """Return the number of each note's group, or -1 for notes in small groups, and the names of the largest groups."""
    names = [_GROUPS[by](card) if card else "" for card in cards]
    largest = [name for name, _ in Counter(name for name in names if name).most_common(MOST)]
    return [largest.index(name) if name in largest else -1 for name in names], largest


def findable(notes: Sequence[str], bases: Sequence[str]) -> list[int]:
    """Return how many tenths of each note's questions found that note first in the last check, or -1 if unchecked."""
    shares = {
        note: sum(hit.note_id == note for result in results for hit in result.hits[:1]) / len(results)
        for base in bases
        for note, results in workspace.findability.results(workspace.bases.get(base).id)[1].items()
    }
    return [round(RAMP * shares[note]) if note in shares else -1 for note in notes]


VIEW = component("note_map", __file__, "<div class='map'><canvas tabindex='0'></canvas><div class='title'></div></div>")
"""Component. A click, or Enter on the point in the middle, triggers `open` with a note's id."""


def draw(
    mapped: NoteMap, cards: Mapping[str, NoteSummary], colours: Sequence[int], ramp: bool, *, links: bool, key: str
) -> None:
    """Draw a map. `colours` are colour indexes, or -1 for none; with `ramp`, they range from 0 (worst) to 10 (best)."""
    data = {
        "points": [[x, y, colour] for (x, y), colour in zip(mapped.places, colours, strict=True)],
        "ids": list(mapped.notes),
        "titles": [cards[note].title if note in cards else "" for note in mapped.notes],
        "links": [list(pair) for pair in mapped.links] if links else [],
        "regions": [[region.x, region.y, " · ".join(region.words), region.notes] for region in mapped.regions],
        "ramp": ramp,
        "about": t_plural("A map of {n} note", "A map of {n} notes", n=len(mapped.notes)),
        "help": t("Drag to move, scroll to zoom, click a point to open its note."),
    }
    data["stamp"] = crc32(repr((data["ids"], data["points"], links, ramp)).encode())

    opened = partial(session_state.__setitem__, f"{key}_opened")
    VIEW(key=key, data=data, on_open_change=on_trigger(key, "open", opened))
    if (note := session_state.pop(f"{key}_opened", None)) is not None:
        st.switch_page("notes.py", query_params={"note": note})
