"""The right side of the Notes page when no note is open, with the most recently changed notes, and concepts."""

from collections.abc import Sequence

import streamlit as st
from streamlit import container, session_state

from core.model import Concept, day_of
from pages.ui.notes import opened
from pages.ui.shared.names import base_name
from pages.ui.shared.safe import plain
from pages.ui.shared.server import workspace
from pages.ui.shared.text import busy, join_facts, small_print, small_title, t, t_plural, text_of
from pages.ui.shared.widgets import (
    caption,
    group_title,
    more,
    note_link,
    on_demand,
    page_link,
    paragraph,
    pills,
    row,
    small,
    text_box,
)

# Concepts, which are key phrases found in the notes, and paths from one note to another.

_CONCEPTS = 60
_NOTES = 20


def _draw(base: str) -> None:
    with busy("Reading the notes…"):
        concepts = workspace.related.concepts.all(base, _CONCEPTS)
    if hidden := session_state.get("concept_hidden"):

        def show() -> None:
            workspace.related.concepts.decide(hidden, "undo")
            session_state.pop("concept_hidden", None)

        small(t("Show '{name}' again", name=plain(hidden)), "concept_show", "visibility", show)
    if not concepts:
        small_print("No phrase appears more than once in several notes yet.")
        return
    small_print(
        "Phrases that several of your notes use more than once. The number says how many notes do so. Choose one or "
        "more phrases to see the notes that use all of them."
    )
    labels = {
        concept.name: f"{':material/keep: ' if concept.pinned else ''}{plain(concept.name)} · {concept.notes:,}"
        for concept in concepts
    }
    session_state["concept_names"] = [name for name in session_state.get("concept_names") or () if name in labels]
    chosen = pills("Concepts", labels, "concept_names", selection_mode="multi")
    if chosen:
        _decisions(concepts, chosen)
        _notes(chosen, base)
    _way()


def _decisions(concepts: Sequence[Concept], chosen: Sequence[str]) -> None:
    """Draw buttons that pin or hide the chosen concept, or a button that merges several into the first."""
    first = chosen[0]
    concept = next(concept for concept in concepts if concept.name == first)
    decide = workspace.related.concepts.decide

    def hide() -> None:
        decide(first, "hide")
        session_state["concept_hidden"] = first

    def merge() -> None:
        for name in chosen[1:]:
            decide(name, "merge", first)

    with row():
        if len(chosen) == 1:
            if concept.pinned or concept.merged:
                small("Undo pinning and merging", "concept_undo", "undo", decide, first, "undo", writes=True)
            else:
                small("Pin", "concept_pin", "keep", decide, first, "pin", writes=True)
            small("Hide", "concept_hide", "visibility_off", hide, writes=True)
        else:
            small(t("Merge into one concept: {name}", name=plain(first)), "concept_merge", "merge", merge, writes=True)


def _notes(names: Sequence[str], base: str) -> None:
    notes = workspace.related.concepts.notes(names, base)
    if not notes:
        small_print("No note uses all of these phrases more than once.")
    with container(gap=None):
        for note in notes[:_NOTES]:
            with row():
                opened.button(note.note, f"concept_note_{note.note.id}")
                st.caption(t_plural("mentioned {n} time", "mentioned {n} times", n=note.times), width="content")
    more(len(notes) - _NOTES)


def _way() -> None:
    """Draw inputs for the titles of two notes, and show the links and concepts that connect these notes."""
    small_title("Path from one note to another")
    left, right = st.columns(2)
    with left:
        first = text_box("From: note title", "way_from")
    with right:
        last = text_box("To: note title", "way_to")
    if not (first.strip() and last.strip()):
        return
    ends = [note for text in (first, last) for note in workspace.notes.switch(text, 1)]
    if len(ends) < 2:
        small_print("No note was found for at least one of these titles.")
        return
    steps = workspace.related.concepts.way(ends[0].id, ends[1].id)
    if not steps:
        small_print("No path leads from one note to the other.")
    with container(gap=None):
        for number, step in enumerate(steps):
            opened.button(step.note, f"way_{number}")
            if step.way:
                caption(f"↓ {text_of(step.way)}")


_SHOWN = 10


def draw(base: str) -> None:
    """Draw a hint on how to open a note, links to the most recently changed notes, and the concepts.

    If `base` is "", the notes of all bases are included, each with its base if there are several.
    """
    with container(key="beginning"):
        paragraph(t("Choose a note to read, or press Ctrl+O to open one by its title."), "t-lead", "p")
        latest = workspace.notes.switch("", _SHOWN, base)
        if not latest:
            if waiting := workspace.notes.counts(base).to_review:
                label = t_plural(
                    "{n} new note waits for your approval", "{n} new notes wait for your approval", n=waiting
                )
                page_link("review.py", label, "rule")
            else:
                small_print("There are no notes yet. Write one, or import a folder.")
            return
        group_title("Last changed")
        for card in latest:
            with row(f"latest_{card.id}"):
                note_link(card.id, card.title)
                about = ["" if base else base_name(card.base), day_of(card.updated_at) if card.updated_at else ""]
                caption(join_facts(about), width="content")
    if workspace.has("related"):
        on_demand("Concepts", "concepts", "category", lambda: _draw(base))
