"""The Map page, which shows the notes in one or all bases as points. Notes with similar meanings are close together."""

from collections.abc import Sequence

import streamlit as st

from pages.ui import map as note_map
from pages.ui.shared import welcome
from pages.ui.shared.names import base_names
from pages.ui.shared.safe import html, t_html
from pages.ui.shared.server import workspace
from pages.ui.shared.text import busy, page_title, small_print, t, t_plural
from pages.ui.shared.widgets import base_filter, begin_with, caption, errors, row, select


def page(bases: Sequence[str]) -> None:
    """Draw the options and the map, and say which notes aren't on the map."""
    with row(vertical_alignment="bottom"):
        base = base_filter(bases, "map_base") if len(bases) > 1 else bases[0]
        begin_with("map_by", note_map.BY, "base" if len(bases) > 1 else "folder")
        by = select("Colour by", note_map.BY, "map_by", persist_state="session")
        links = st.toggle(t("Links as lines"), value=True, key="map_links")
    with busy("Drawing the map…"):
        mapped = workspace.maps.build_map(base)
    if not mapped.notes:
        st.info(
            t("There is nothing to map yet, because no notes here are indexed for search by meaning."),
            icon=":material/map:",
        )
        return
    cards = {card.id: card for card in workspace.notes.all()}
    names: list[str] = []
    if by == "findable":
        numbers = note_map.findable(mapped.notes, [base] if base else bases)
        if set(numbers) == {-1}:
            small_print("First check on the Evaluation page whether your notes can be found.")
        else:
            small_print(
                "A red note is never the first hit for questions about it, and a green note always is. Grey notes "
                "haven't been checked."
            )
    else:
        numbers, names = note_map.groups([cards.get(note) for note in mapped.notes], by)
    note_map.draw(mapped, cards, numbers, ramp=by == "findable", links=links, key="note_map")
    dots = "".join(
        f'<span><i class="t-dot t-map-{number}"></i> {html(name)}</span>' for number, name in enumerate(names)
    )
    if names and (-1 in numbers):
        dots += f'<span><i class="t-dot t-map-none"></i> {t_html("others")}</span>'
    if dots:
        st.html(f'<div class="t-facts">{dots}</div>')
    if mapped.left_out:
        counts = workspace.notes.counts(base)
        others = max(0, mapped.left_out - counts.to_review - counts.archived)
        waiting = min(others, counts.by_words)
        reasons = {
            t("{n} waiting for approval", n=counts.to_review): counts.to_review,
            t("{n} archived", n=counts.archived): counts.archived,
            t("{n} not indexed yet", n=waiting): waiting,
            t("{n} searched by keyword or with another model", n=others - waiting): others - waiting,
        }
        small_print(
            "{left}: {reasons}",
            left=t_plural("{n} note isn't on the map", "{n} notes aren't on the map", n=mapped.left_out),
            reasons=[reason for reason, n in reasons.items() if n],
        )
    caption(t("Drag to move, scroll to zoom, click a point to open its note."))


page_title("Map")
bases = base_names()
if not bases:
    welcome.no_notes("There are no notes to map yet.")
else:
    with errors():
        page(bases)
