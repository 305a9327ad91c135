"""Completions for the editor and its fields: notes, tags and folders."""

import posixpath
from collections.abc import Sequence
from dataclasses import dataclass

from core.model import NoteSummary
from pages.ui.shared.server import workspace

_NOT_IN_LINKS = set("[]|#^\n")


@dataclass(frozen=True)
class Offers:
    """Completions: notes as (link name, title, folder), tags as (tag, count), and folders."""

    notes: list[tuple[str, str, str]]
    tags: list[tuple[str, str]]
    folders: dict[str, list[str]]
    """Folders by the base's name."""


def load_offers() -> Offers:
    """Collect the current notes, tags and folders of the workspace."""
    cards = workspace.notes.all()
    folders = {
        base.name: sorted(
            {posixpath.dirname(card.path or "") for card in cards if card.base == base.name} - {""}, key=str.casefold
        )
        for base in workspace.bases.all()
    }
    tags = sorted(workspace.vocabulary.tags().items(), key=lambda tag: (-tag[1], tag[0]))
    return Offers(_links(cards), [(tag, str(count)) for tag, count in tags], folders)


def _links(cards: Sequence[NoteSummary]) -> list[tuple[str, str, str]]:
    """Return the notes by link name, with title and folder if the link name doesn't contain them."""
    offered, links = [], workspace.notes.links()
    for card in cards:
        if card.id not in links.names:  # the note is newer than the links
            continue
        name = links.name(card.id)
        title = card.title if card.title != name else ""
        folder = posixpath.dirname(card.path or "") if "/" not in name else ""
        if not _NOT_IN_LINKS & set(name):
            offered.append((name, title, folder))
    return sorted(offered, key=lambda offer: (offer[1] or offer[0].rpartition("/")[2]).casefold())
