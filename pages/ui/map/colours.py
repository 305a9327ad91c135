"""The colours of the points of a map, and the legend."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from core.base.messages import message
from core.model import NoteSummary
from core.workspace import Workspace

BY = {
    "folder": message("Folder"),
    "tag": message("Tag"),
    "base": message("Base"),
    "findable": message("How well it is found"),
}
MOST = 8
"""Colours in addition to that of all others."""
RAMP = 10
"""Steps from a note that comes first for none of its questions to one that does for all."""
_GROUPS: Mapping[str, Callable[[NoteSummary], str]] = {
    "folder": lambda card: (card.path or "").rpartition("/")[0],
    "tag": lambda card: card.tags[0] if card.tags else "",
    "base": lambda card: card.base,
}


def groups(cards: Sequence[NoteSummary | None], by: str) -> tuple[list[int], list[str]]:
    """Return the number of each note's group, -1 outside of the largest groups, and the groups' names."""
    names = [_GROUPS[by](card) if card else "" for card in cards]
    largest = [name for name, _ in Counter(name for name in names if name).most_common(MOST)]
    return [largest.index(name) if name in largest else -1 for name in names], largest


def findable(workspace: Workspace, notes: Sequence[str], bases: Sequence[str]) -> list[int]:
    """Return for each note the share, in tenths, of its questions with it as first hit in the last check; -1: not checked."""
    checks = [last.check for base in bases if (last := workspace.findability.last(base))]
    shares = {note: check.findable(note) for check in checks for note in check.by_note}
    return [-1 if (share := shares.get(note)) is None else round(RAMP * share) for note in notes]
