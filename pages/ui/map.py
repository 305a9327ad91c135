"""Draw the note map, with notes as coloured points, links as lines, and the names of regions."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial

import streamlit as st
from streamlit import session_state

from core.base.messages import message_table
from core.model import NoteMap, NoteSummary
from pages.ui.shared.server import workspace
from pages.ui.shared.text import t, t_plural
from pages.ui.shared.widgets import component, on_trigger, stamp

# The colours of the points on the map, and the legend.

BY = message_table(
    {
        "folder": "Folder",
        "tag": "Tag",
        "base": "Base",
        "findable": "How well notes can be found",
    }
)
# Maximum number of colours, not counting the colour for notes outside the largest groups.
MOST = 8
# Number of colour steps between notes that are never the first hit and notes that always are.
RAMP = 10
_GROUPS: Mapping[str, Callable[[NoteSummary], str]] = {
    "folder": lambda card: (card.path or "").rpartition("/")[0],
    "tag": lambda card: card.tags[0] if card.tags else "",
    "base": lambda card: card.base,
}


def groups(cards: Sequence[NoteSummary | None], by: str) -> tuple[list[int], list[str]]:
    """Group notes by folder, first tag or base (`by`). Return each note's group index, and the group names.

    Only the MOST largest groups are kept. The index of any other note is -1.
    """
    names = [_GROUPS[by](card) if card else "" for card in cards]
    largest = [name for name, _ in Counter(name for name in names if name).most_common(MOST)]
    return [largest.index(name) if name in largest else -1 for name in names], largest


def findable(notes: Sequence[str], bases: Sequence[str]) -> list[int]:
    """Return how often each note was the first hit for the questions generated from it, in the last check.

    The values range from 0 (never) to RAMP (always). The value is -1 if the note hasn't been checked.
    """
    shares = {
        note: sum(hit.note_id == note for result in results for hit in result.hits[:1]) / len(results)
        for base in bases
        for note, results in workspace.findability.results(workspace.bases.get(base).id)[1].items()
    }
    return [round(RAMP * shares[note]) if note in shares else -1 for note in notes]


# Component that draws the map.
#
# Clicking a point triggers `open` with the note's id. Pressing Enter opens the note at the point in the middle.
VIEW = component("note_map", __file__, "<div class='map'><canvas tabindex='0'></canvas><div class='title'></div></div>")


def draw(
    mapped: NoteMap, cards: Mapping[str, NoteSummary], colours: Sequence[int], ramp: bool, *, links: bool, key: str
) -> None:
    """Draw a map. Clicking a point opens the note.

    `colours` has each note's colour index, or -1 for no colour. If `ramp` is True, the indexes range from 0 (worst) to
    RAMP (best).
    """
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
    data["stamp"] = stamp((data["ids"], data["points"], links, ramp))

    VIEW(
        key=key, data=data, on_open_change=on_trigger(key, "open", partial(session_state.__setitem__, f"{key}_opened"))
    )
    if (note := session_state.pop(f"{key}_opened", None)) is not None:
        st.switch_page("notes.py", query_params={"note": note})
