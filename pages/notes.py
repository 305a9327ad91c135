"""The Notes page, which has a tree with the open note on its right, or a list that takes up the whole width."""

import streamlit as st
from streamlit import columns, container, session_state

from core.base.errors import NoteNotFound
from core.model import Note
from pages.ui.notes import (
    actions,
    beginning,
    composer,
    editing,
    history,
    imports,
    listing,
    opened,
    reader,
    today,
    trash,
)
from pages.ui.review import items
from pages.ui.shared import shell, welcome
from pages.ui.shared.jobs import is_importing, job_panel
from pages.ui.shared.names import base_names
from pages.ui.shared.server import workspace
from pages.ui.shared.text import page_title, small_print, t
from pages.ui.shared.widgets import button, errors, row


def page(bases: list[str]) -> bool:
    """Show the notes and the open note, or the import form if the chosen base is empty. Return whether it is empty."""
    second = opened.second_id()
    note_id = opened.note_id()
    if listing.is_list():
        left, right = (None, container()) if note_id else (container(), None)
    else:
        left, right = columns([3, 7], gap="medium")
    vacant = False
    base = session_state.get("notes_base", "")
    if left:
        with left, container(key="notes_side"), errors():
            base, vacant = _notes(bases, note_id)
    if right or vacant:
        with right or container(), container(key="notes_reader"), errors():
            if not (note_id or listing.is_list()):
                history.draw_undo()
            if vacant:
                if "plan" not in session_state:  # a plan awaiting confirmation is shown above
                    imports.adding(base, opened=True)
            elif note_id:
                _two_notes(note_id, second)
            else:
                beginning.draw(base)
    return vacant


def _notes(bases: list[str], note_id: str) -> tuple[str, bool]:
    """Show the filtered notes. Return the chosen base ("" for all), and whether it has no notes."""
    with row("notes_views"):
        view = listing.view()
        if note_id:
            opened.drawer_close()
    narrowed = listing.narrowing(bases)
    base = narrowed.base or (bases[0] if len(bases) == 1 else "")
    if view == "trash":
        trash.draw(base, " ".join(narrowed.words))
        return base, False
    cards = narrowed.cards()
    if view == "list":
        history.draw_undo()
        if cards:
            actions.marked(listing.marked_notes())
    if not cards and is_importing(base):
        small_print("The notes are being imported.")
    else:
        listing.notes(cards, view, note_id, narrowed, several=len(bases) > 1 and not base)
    return base, bool(base) and not (cards or any(narrowed.parts[1:]))


def _two_notes(note_id: str, second: str) -> None:
    """Show a note. If a second note is open, show it next to the first."""
    try:
        note = workspace.notes.get(note_id)
    except NoteNotFound:
        trash.gone(note_id)
        return
    shell.remember_opened(note_id)
    opened.tabs(note)
    if second in ("", note_id) or not workspace.notes.cards_of([second]):
        _note(note)
        return
    left, right = columns(2, gap="medium")
    with left, errors():
        _note(note)
    with right, errors():
        reader.second_note(workspace.notes.get(second))


def _note(note: Note) -> None:
    with container():  # one block, even if it is empty, so that the browser keeps the elements below
        history.offer_text_undo(note)
        composer.draw_drafts(note.id)
        actions.draw_retitled(note)
        items.box(note.id)
    reader.note(note, opened.passage(note))
    history.draw_undo()


opened.draw_begin_dialog()
today.draw()
if wanted := session_state.pop(shell.NEW, None):
    title, comes = wanted
    composer.leave()
    composer.begin_here(title, at_top=comes)
if editing.is_open():
    editing.page()
else:
    with row("notes_head"):
        page_title("Notes")
        importing = container(width="content")
        today.button()
        button("New note", "new_note", "edit_square", composer.begin_here, writes=True)
    bases = base_names()
    with container():  # as in `_note`
        composer.draw_drafts()
        with errors():
            imports.section()
        job_panel()
    if bases:
        vacant = page(bases)
        actions.draw_dialogs()
        with importing:
            imports.popover(vacant=vacant)
    elif not is_importing() and "plan" not in session_state:  # an import's plan and progress are shown above
        with row():
            st.caption(t("There are no notes yet. Import a folder above, or use the sample notes:"), width="content")
            welcome.samples()
