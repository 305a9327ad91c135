"""Two notes side by side, with the sentences in which they contradict each other, and buttons for editing them."""

import re
from collections.abc import Callable
from difflib import SequenceMatcher

import streamlit as st
from streamlit import switch_page

from core.base.flow import flow
from core.base.frozen import Texts
from core.model import SIDES, KnowledgeBase, Note, NoteSummary, Side
from pages.ui.notes import actions, composer
from pages.ui.notes.session import units
from pages.ui.shared.jobs import is_shut
from pages.ui.shared.names import base_name, local
from pages.ui.shared.rendered import mark, render_text
from pages.ui.shared.safe import Spans
from pages.ui.shared.server import workspace
from pages.ui.shared.text import join_facts, t
from pages.ui.shared.widgets import button, caption, note_link, page_link, row

# A number or date, or a word.
_WORD = re.compile(r"\d+(?:[.,:/-]\d+)*|[^\W\d_]+")


def draw(pair: tuple[NoteSummary, NoteSummary], quotes: Texts, choose: Callable[[Side], None]) -> None:
    """Draw two notes side by side, with the time of their last changes, and their paths if their titles are equal.

    For each note, show the sentences that contradict the other note, if any, with the differences highlighted, and a
    button that calls `choose` if they are right. Otherwise, show the note's beginning.
    """
    first, second = pair
    notes = [workspace.notes.get(card.id) for card in pair]
    fixed = list(map(actions.fixed_base, notes))
    for number, (column, card, note) in enumerate(zip(st.columns(2), pair, notes, strict=True)):
        with column:
            date = t("changed {at}", at=local(card.updated_at)) if card.updated_at else ""
            path = card.location if first.title == second.title else ""
            read_only = t("read-only file") if fixed[number] else ""
            caption(join_facts((base_name(card.base), date, path, read_only)))
            note_link(card.id, card.title, came="review")
            text = "\n\n".join(quotes[number::2]) or note.body[:600]
            spans = _differences(text, "\n\n".join(quotes[1 - number :: 2])) if quotes else ()
            shown = mark(text, spans) if note.plain else render_text(flow(text, paged=card.is_paged), spans)
            st.html(f'<div class="t-text t-small">{shown}</div>')
            if quotes:
                with row(f"side_{number}"):
                    button(
                        "This is right",
                        f"right_{number}",
                        "check",
                        choose,
                        SIDES[number],
                        disabled=t("The other note's file is read-only.") if fixed[1 - number] else is_shut(),
                    )
                    _edit(note, fixed[number], quotes[number], number)


def _edit(note: Note, fixed: KnowledgeBase | None, at: str, number: int) -> None:
    """Draw the button that edits a note at a sentence.

    If the note's text is read-only, the button edits a copy instead, and a link leads to the settings of its base.
    """
    label = t("Edit a copy") if fixed else t("Edit")
    if button(
        label,
        f"edit_side_{number}",
        "content_copy" if fixed else "edit",
        disabled=is_shut(),
        help=t("Tessera doesn't change this file. Once you change the copy, the original note is archived.")
        if fixed
        else None,
    ):
        composer.leave()
        caret = units(note.body[: max(0, note.body.find(at))])
        if fixed:
            actions.begin_copy(note, caret=caret, back="review.py")
        else:
            composer.edit(note.id, caret=caret, back="review.py")
        switch_page("notes.py")
    if fixed and not (note.plain or note.document):
        page_link("bases.py", "Let Tessera edit these files", "tune", base=fixed.name, came="review")


def _differences(text: str, other: str) -> Spans:
    """Align the words and numbers of two texts. Return the spans in the first text that differ from the second."""
    words = [*_WORD.finditer(text)]
    others = [word.casefold() for word in _WORD.findall(other)]
    matcher = SequenceMatcher(None, [word[0].casefold() for word in words], others, autojunk=False)
    return [
        (words[first].start(), words[last - 1].end())
        for tag, first, last, _, _ in matcher.get_opcodes()
        if tag != "equal" and first < last
    ]
