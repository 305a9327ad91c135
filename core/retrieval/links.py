"""Links between the candidates' notes: a hint that both belong to the question."""

from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath

from core.model import NoteSummary
from core.notes.links import plain

STRONG = 3
"""Number of first candidates whose linked notes are raised."""


def linked(cards: Mapping[str, NoteSummary], links: Mapping[str, Sequence[str]], notes: Mapping[int, str]) -> list[int]:
    """Return the candidates whose note links to a strong candidate's note, or is linked from it.

    `notes` maps candidates to their notes, best first. `links` are the targets in each note: a path, or the
    title or file name in a wikilink.
    """
    named = {note_id: _names(card) for note_id, card in cards.items()}
    targets = {note_id: {plain(link) for link in links.get(note_id, ())} for note_id in cards}
    strong = set(list(notes.values())[:STRONG])
    return [
        rowid
        for rowid, note_id in notes.items()
        if any(
            other != note_id and (named[other] & targets[note_id] or named[note_id] & targets[other])
            for other in strong
        )
    ]


def _names(card: NoteSummary) -> set[str]:
    path = card.path or ""
    return {plain(name) for name in (card.title, path, PurePosixPath(path).name) if name}
