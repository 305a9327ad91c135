"""The state of the Notes page, with the open notes, the passage to show, and previously opened notes."""

import posixpath
from collections.abc import Sequence
from dataclasses import replace
from itertools import islice
from pathlib import PurePosixPath

import streamlit as st
from streamlit import query_params, rerun, session_state

from core.base.messages import verbatim
from core.model import Chunk, Note, NoteSummary
from pages.ui.notes import composer, places
from pages.ui.shared import links, widgets
from pages.ui.shared.links import arrived_value
from pages.ui.shared.names import base_name
from pages.ui.shared.safe import plain
from pages.ui.shared.server import workspace
from pages.ui.shared.text import t
from pages.ui.shared.widgets import Dialog, bound, close, distinct, menu, row, segments, small

# A chunk, and the question that found the chunk or "".
Passage = tuple[Chunk, str]

_NOTE = "open_note"
_PLACE = "open_place"
_ARRIVAL = "notes_opened"
_TRAIL = "notes_trail"
_TABS = "notes_tabs"
_SECOND = "open_note_second"
_DRAWER = "notes_drawer"
# Maximum number of notes to remember for the back button.
FAR = 50
# Maximum number of tabs for the most recently opened notes.
MOST_TABS = 6
# Maximum number of linked notes in the menu that opens a second note.
MOST_LINKED = 20


def note_id() -> str:
    """Return the id of the open note, or "" if there is none. A note in the URL is opened first."""
    linked = arrived_value("note")
    if linked is not None:
        _open(linked)
    note_id = str(session_state.get(_NOTE, ""))
    links.set_value("note", note_id)
    return note_id


def second_id() -> str:
    """Return the id of the second open note, or "" if there is none. A URL with only one note closes the second note.

    Call this before `note_id`, which adds the open note to the URL.
    """
    linked = arrived_value("second")
    if linked is None:
        is_closed = "note" in query_params and "second" not in query_params
        linked = "" if is_closed else str(session_state.get(_SECOND, ""))
    choose_second(linked)
    return linked


def choose_second(note_id: str, _place: str = "") -> None:
    """Open a second note on the next rerun, or close it if `note_id` is "". Use this in callbacks."""
    session_state[_SECOND] = note_id
    links.set_value("second", note_id)


def swap(note_id: str) -> None:
    """Swap the first and second notes. `note_id` is the second note's id. Use this in callbacks."""
    first = session_state[_NOTE]
    links.set_values({"note": note_id, "second": first})
    choose_second(first)
    choose(note_id)


def choose(note_id: str, place: str = "", came: str = "") -> None:
    """Open a note on the next rerun. If `note_id` is "", close the open note.

    `place` is a heading or block to scroll to, or "" for the start of the note. `came` is the page to return to.
    """
    _open(note_id)
    session_state[_PLACE] = place
    links.set_values({"note": note_id, "came": came})
    for name in ("chunk", "at", "q", "import"):
        query_params.pop(name, None)


def button(card: NoteSummary, key: str) -> None:
    """Draw a button that opens a note. Its label is the note's title."""
    if small(verbatim(plain(card.title)), key, "description"):
        choose(card.id)
        rerun()


def place() -> str:
    """Return the heading or block that the note was opened at, or "" for the start of the note."""
    return str(session_state.get(_PLACE, ""))


def arrival() -> str:
    """Return a counter, as a string, that changes whenever a note is opened."""
    return str(session_state.get(_ARRIVAL, 0))


def trail() -> list[str]:
    """Return the ids of previously opened notes, most recent last."""
    return list(session_state.get(_TRAIL, []))


def back(way: Sequence[str]) -> None:
    """Open the last note of a trail on the next rerun. The notes before it become the new trail."""
    choose(way[-1])
    session_state[_TRAIL] = list(way[:-1])


def forget(note_ids: Sequence[str] | None = None) -> None:
    """Close and deselect deleted notes, or all notes by default.

    The notes are also removed from the trail and the tabs.
    """
    session_state["chosen"] = []
    for name in (_TRAIL, _TABS):
        session_state[name] = [
            item for item in session_state.get(name, []) if note_ids is not None and item not in note_ids
        ]
    if note_ids is None or session_state.get(_NOTE) in note_ids:
        session_state[_NOTE] = ""
        links.set_value("note", "")
    if note_ids is None or session_state.get(_SECOND) in note_ids:
        choose_second("")


def tabs(note: Note) -> None:
    """Draw tabs for the notes most recently opened in this session, if there are several.

    Also draw a menu for opening a second note next to the open note. It lists the tabs' notes, and notes linked to or
    from the open note.
    """
    place = st.container()  # even if it is empty, so that the browser keeps the elements of the reader below
    to = (link.note_id for link in workspace.notes.links().resolve(note, note.links) if link.note_id)
    linked = dict.fromkeys([*to, *workspace.notes.linking(note.id)])
    open_ids = session_state.get(_TABS, [])
    cards = workspace.notes.cards_of([*open_ids, *islice(linked, MOST_LINKED)])
    titles = {note_id: plain(cards[note_id].title) for note_id in (*open_ids, *linked) if note_id in cards}
    others = {note_id: title for note_id, title in titles.items() if note_id != note.id}
    if not others:
        return
    with place, row("reader_tabs"):
        tabs = {note_id: titles[note_id] for note_id in open_ids if note_id in titles}
        if len(tabs) > 1:
            segments("Notes that are open", distinct(tabs), **bound("open_notes", note.id, choose))
        menu("Open side by side", others, "open_second", "splitscreen_right", choose_second, type="tertiary")


def drawer() -> None:
    """Draw the checkbox that shows the list of notes as a drawer over the open note.

    The drawer is for narrow windows.
    """
    st.checkbox(t("All notes"), key=f"{_DRAWER}_{arrival()}_{session_state.get(_DRAWER, 0)}")


def drawer_close() -> None:
    """Draw the button that closes the drawer with the list of notes."""
    close("notes_drawer_close", "Close", session_state.update, {_DRAWER: session_state.get(_DRAWER, 0) + 1})


def passage(note: Note) -> Passage | None:
    """Return the chunk in the URL and the question that led to it, or None if the URL has no chunk.

    If the URL has a span `at=START-END`, the chunk is narrowed to that span.
    """
    chunk = query_params.get("chunk", "")
    if not chunk.isdecimal():
        return None
    place = next((item for item in workspace.chunks.all(note.id) if item.index == int(chunk)), None)
    if place is None:
        return None
    start, _, end = query_params.get("at", "").partition("-")
    if start.isdecimal() and end.isdecimal() and place.start <= int(start) < int(end) <= place.end:
        place = replace(place, start=int(start), end=int(end), page=place.page_at(note.document, int(start)))
    return place, query_params.get("q", "")


def _open(note_id: str) -> None:
    now = session_state.get(_NOTE, "")
    if now and note_id != now:
        session_state[_TRAIL] = [*trail(), now][-FAR:]
    tabs = session_state.setdefault(_TABS, [])
    if note_id and note_id not in tabs:
        session_state[_TABS] = [*tabs, note_id][-MOST_TABS:]
    session_state[_NOTE] = note_id
    session_state[_PLACE] = ""
    session_state[_ARRIVAL] = session_state.get(_ARRIVAL, 0) + 1


# The dialog that creates the missing target of a broken link.

# Dialog for creating a linked note. Its subject is a base and the note's path in that base.
_BEGIN_DIALOG = Dialog("linked_note")


def ask_to_begin(base: str, path: str) -> None:
    """Open a dialog that asks whether to create the note at `path` in a base. Use this in callbacks.

    If the base isn't writable, the note is created in the default base, where the link finds it too.
    """
    if base not in places.writable_bases():
        base, _ = places.current_place()
    _BEGIN_DIALOG.open((base, path))


def draw_begin_dialog() -> None:
    """Draw the dialog for creating a linked note, if it is open."""
    if not _BEGIN_DIALOG.subject:
        return
    base, path = _BEGIN_DIALOG.subject

    def content() -> None:
        place = " › ".join(filter(None, [base_name(base), *PurePosixPath(path).parts[:-1]])) or t("My notes")
        st.write(
            t("There is no note with this name yet. The new note would be created in {place}.", place=plain(place))
        )
        with row():
            is_begun = widgets.button("New note", "linked_yes", "edit_square", type="primary")
            if is_begun:
                composer.leave()
                composer.begin(base, title=composer.title_of(path), folder=posixpath.dirname(path))
            if is_begun or widgets.button("Cancel", "linked_no"):
                _BEGIN_DIALOG.finish()

    _BEGIN_DIALOG.draw(plain(composer.title_of(path)), content)
