"""The completions of the editor and its fields: notes, tags and folders."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from core.model import NoteSummary
from core.workspace import Workspace

_NOT_IN_LINKS = set("[]|#^\n")


@dataclass(frozen=True)
class Offers:
    """Completions: notes by the name in a link, each with a detail (title, folder); tags, each with its count; folders."""

    notes: list[tuple[str, str]]
    tags: list[tuple[str, str]]
    folders: dict[str, list[str]]
    """Folders by the name of their base."""


def load_offers(workspace: Workspace) -> Offers:
    """Return the present notes, tags and folders of the workspace."""
    cards = workspace.notes.all()
    folders = {
        base.name: _sorted(str(PurePosixPath(card.path or "").parent) for card in cards if card.base == base.name)
        for base in workspace.bases.all()
    }
    tags = sorted(workspace.notes.tags().items(), key=lambda tag: (-tag[1], tag[0]))
    return Offers(_links(cards), [(tag, str(count)) for tag, count in tags], folders)


def _links(cards: Sequence[NoteSummary]) -> list[tuple[str, str]]:
    """Return the notes by file name, or by path where several have the name, with title and folder."""
    stems = {card.id: PurePosixPath(card.path or card.title).stem for card in cards}
    counted = Counter(stem.casefold() for stem in stems.values())
    links = []
    for card in sorted(cards, key=lambda card: stems[card.id].casefold()):
        path = PurePosixPath(card.path or card.title)
        alone = counted[stems[card.id].casefold()] == 1
        label = stems[card.id] if alone else str(path.with_suffix(""))
        title = card.title if card.title != label else ""
        folder = str(path.parent) if alone and str(path.parent) != "." else ""
        if not _NOT_IN_LINKS & set(label):
            links.append((label, " · ".join(filter(None, (title, folder)))))
    return links


def _sorted(words: Iterable[str]) -> list[str]:
    return sorted({word for word in words if word and word != "."}, key=str.casefold)
