"""The map of notes as a drawing: points by their place, links as lines, names of regions; a click opens a note."""

from collections.abc import Mapping, Sequence
from zlib import crc32

import streamlit as st

from core.model import NoteMap, NoteSummary
from pages.ui.shared.component import component
from pages.ui.shared.text import t, t_plural

VIEW = component("note_map", __file__, "<div class='map'><canvas tabindex='0'></canvas><div class='title'></div></div>")
"""A click, or Enter on the point in the middle, triggers `open` with a note's id."""


def draw(
    mapped: NoteMap, cards: Mapping[str, NoteSummary], colours: Sequence[int], ramp: bool, *, links: bool, key: str
) -> None:
    """Draw a map; `colours` are the numbers of the notes' colours, -1 for none, on a `ramp` from 0 (bad) to 10 (good)."""
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

    def opened() -> None:
        if (note := st.session_state[key].open) is not None:
            st.session_state[f"{key}_opened"] = note

    VIEW(key=key, data=data, on_open_change=opened)
    if (note := st.session_state.pop(f"{key}_opened", None)) is not None:
        st.switch_page("notes.py", query_params={"note": note})
