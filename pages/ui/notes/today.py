"""Opening today's note, and adding to it. On first use, a dialog asks for its base and folder."""

from datetime import datetime
from functools import partial

import streamlit as st
from streamlit import session_state

from core.base.datetimes import local_now
from core.base.messages import message
from pages.ui.notes import composer, note_fields, opened, places
from pages.ui.notes.history import offer_undo, undo_edit
from pages.ui.notes.places import base_of
from pages.ui.notes.session import load_offers, units
from pages.ui.shared import shell, shortcuts, widgets
from pages.ui.shared.names import browser_zone
from pages.ui.shared.safe import plain
from pages.ui.shared.server import workspace
from pages.ui.shared.text import small_print, t
from pages.ui.shared.widgets import Dialog, errors, guarded

_DIALOG = Dialog("choosing_today")
# Session key that is set after a text was saved, until the box that it was typed in has been emptied.
_ADDED = "jotted"


def now() -> datetime:
    """Return the current time in the browser's time zone, or in this machine's if the browser's is unknown."""
    zone = browser_zone()
    return datetime.now(zone) if zone else local_now()


def button() -> None:
    """Draw the button that opens today's note."""
    widgets.button(
        "Today's note", "today", "today", _begin, help=message("Key: {key}", key=shortcuts.EVERYWHERE["today"][0])
    )


def draw() -> None:
    """Open today's note if its shortcut was pressed, and draw the dialog if it is open."""
    if session_state.pop(shell.TODAY, False):
        guarded(_begin)()
    if _DIALOG.subject:
        _DIALOG.draw(t("Today's note"), partial(_choose, *_DIALOG.subject))


def jot() -> None:
    """Draw a box for text to add to today's note. The box is emptied only after the text has been saved."""
    if session_state.pop(_ADDED, False):
        session_state["jot"] = ""
    with widgets.form("jotting"), widgets.row(vertical_alignment="bottom"):
        text = widgets.text_box("Write something down", "jot")
        submitted = widgets.submit("Add to today's note", "jot_go", "today", writes=True)
    if submitted and text.strip():
        with errors():
            _begin(text)
            st.rerun()
    draw()


def _begin(text: str = "") -> None:
    if workspace.daily.problem and not workspace.readonly:
        _DIALOG.open((text,))
    else:
        _open(text)


def _open(text: str) -> None:
    """Add text to today's note, or open the note if there is no text."""
    day = now(), session_state["language"]
    if text:
        base = workspace.bases.find(workspace.daily.chosen.base)
        existed = workspace.daily.exists(*day)
        note = workspace.daily.add(text, *day)
        before = workspace.versions.get(note.id, note.version - 1)

        def undo() -> None:
            undo_edit(before, note)
            if not existed and workspace.notes.get(note.id).body == before.body:
                workspace.trash.put(note.id)
            made = base_of(note)
            if base is None and not workspace.notes.counts(made).notes:
                workspace.bases.delete(made)
            session_state["jot"] = f"{text} {session_state.get('jot', '')}".strip()

        offer_undo(t("Added to '{title}'.", title=note.title), undo)
        session_state[_ADDED] = True
        return
    note = workspace.daily.open(*day)
    composer.leave()
    if workspace.readonly:
        opened.choose(note.id)
    else:
        composer.edit(note.id, caret=units(note.body))


def _choose(text: str) -> None:
    """Show the dialog's selectors for the base and folder, which are saved in the settings."""
    if problem := workspace.daily.problem:
        st.write(plain(problem))
    chosen = workspace.settings.daily
    base = places.choose_base("today_base", chosen.base)
    folder = note_fields.word_box(
        st, t("Folder"), "today_folder", load_offers().folders.get(base, []), chosen.folder, placeholder=t("No folder")
    )
    small_print("You can change this in Settings and choose a template there.")
    label = "Add to today's note" if text else "Open today's note"
    if widgets.button(label, "today_yes", "today", type="primary"):
        with errors():
            workspace.settings_file.write("daily.base", base)
            workspace.settings_file.write("daily.folder", folder or None)
            if workspace.daily.problem:  # the note is the template itself
                workspace.settings_file.write("daily.template", None)
            _open(text)
            _DIALOG.finish()
