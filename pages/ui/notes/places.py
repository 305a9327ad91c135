"""The base and folder of a note, and the bases and folders to suggest for a new note."""

import posixpath
from pathlib import Path

from streamlit import session_state

from core.model import KnowledgeBase, Note
from pages.ui.shared.server import workspace
from pages.ui.shared.text import t
from pages.ui.shared.widgets import begin_with, select

# Number of recently changed notes to search for a writable base.
_LATEST = 20


def base_of(note: Note) -> str:
    """Return the name of a note's base."""
    return workspace.bases.by_id(note.base_id).name


def disk_folders(base: KnowledgeBase) -> list[str]:
    """Return the folders on disk that a base is synced with. Other sources, such as uploads, aren't included."""
    return [folder for folder, _ in workspace.folders.all(base) if Path(folder).is_absolute()]


def has_read_only_files(name: str) -> bool:
    """Return whether a base has folders whose files Tessera doesn't change, so that new notes don't become files."""
    base = workspace.bases.find(name)
    return base is not None and not base.write_files and bool(disk_folders(base))


def writable_bases() -> list[str]:
    """Return the user's own bases except those with read-only files. If all of them have such files, return all."""
    own = workspace.daily.own_bases()
    return [name for name in own if not has_read_only_files(name)] or own


def current_place() -> tuple[str, str]:
    """Return the default base and folder for a new note.

    These are the open note's base and folder, or the listed base, or else the base of the most recently changed note.
    Bases that aren't writable are skipped. If there is no base, return the name for a new one.
    """
    bases = writable_bases()
    note_id = session_state.get("open_note", "")
    listed = session_state.get("notes_base", "")
    card = workspace.notes.cards_of([note_id]).get(note_id)
    if card and card.base in bases and listed in ("", card.base):
        return card.base, posixpath.dirname(card.path or "")
    if listed in bases:
        return listed, ""
    latest = (card.base for card in workspace.notes.switch("", _LATEST) if card.base in bases)
    return next(latest, bases[0] if bases else t("My notes")), ""


def choose_base(key: str, first: str = "") -> str:
    """Return the base that notes are to be added to. If the user has several, draw a selector that starts with `first`.

    If `first` isn't one of the user's own bases, the selector starts with the default base for a new note.
    """
    own = workspace.daily.own_bases()
    if first not in own:
        first, _ = current_place()
    if len(own) < 2:
        return first
    begin_with(key, own, first)
    return select("Knowledge base", {name: name for name in own}, key)
