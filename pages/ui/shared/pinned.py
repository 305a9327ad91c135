"""Pinned and recently opened notes, which come first in note selectors."""

from core.model import NoteSummary
from pages.ui.shared.server import workspace

MOST = 20
"""Maximum number of pinned notes, and of opened notes, to remember."""
_PINNED, _OPENED = "pinned_notes", "opened_notes"


def pinned() -> list[str]:
    """Return the ids of the pinned notes, most recent first."""
    return workspace.preferences.get(_PINNED).split()


def toggle(note_id: str) -> None:
    """Pin a note, or unpin it."""
    others = [item for item in pinned() if item != note_id]
    now = others if note_id in pinned() else [note_id, *others]
    workspace.preferences.set(_PINNED, " ".join(now[:MOST]))


def remember(note_id: str) -> None:
    """Remember that a note was opened."""
    before = workspace.preferences.get(_OPENED).split()
    if before[:1] != [note_id]:
        others = [item for item in before if item != note_id]
        workspace.preferences.set(_OPENED, " ".join([note_id, *others][:MOST]))


def likely(limit: int, *, opened: bool) -> list[NoteSummary]:
    """Return the notes that the user probably wants: pinned, recently opened (if `opened`), then recently changed."""
    ids = pinned() + (workspace.preferences.get(_OPENED).split() if opened else [])
    cards = workspace.notes.cards_of(ids)
    every = [*(cards[note_id] for note_id in ids if note_id in cards), *workspace.notes.switch("", limit)]
    return [*{card.id: card for card in every}.values()][:limit]
