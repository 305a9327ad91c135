"""Packs as JSON."""

from collections.abc import Sequence

from typing_extensions import TypedDict

from core import model
from core.json_forms.forms import formed


class Installed(TypedDict):
    """A pack of the workspace."""

    name: str
    version: str
    base: str
    notes: int
    chunks: int
    initialized_at: str
    last_check: str


class Found(TypedDict):
    """A pack that can be installed."""

    version: str
    base: str
    language: str
    description: str
    folder: str


class Card(TypedDict):
    """A pack as it is found, as it is installed, or both."""

    name: str
    found: Found | None
    installed: Installed | None


class Cards(TypedDict):
    """All packs, by name."""

    packs: list[Card]


class Edited(TypedDict):
    """A note of a pack that a person changed, and the pack's text, null if the pack has it no more."""

    note_id: str
    path: str
    title: str
    own: str
    offered: str | None


class Report(TypedDict):
    """Result of an installation or an upgrade, in notes; `edited` stay as the person has them."""

    name: str
    version: str
    added: int
    changed: int
    removed: int
    unchanged: int
    edited: list[Edited]


def of_installed(pack: model.InstalledPack) -> Installed:
    return formed(Installed, pack, last_check=pack.checked_at.isoformat())


def of_card(card: model.PackCard) -> Card:
    found, installed = card.found, card.installed
    return {
        "name": card.name,
        "found": formed(Found, found) if found else None,
        "installed": of_installed(installed) if installed else None,
    }


def of_cards(cards: Sequence[model.PackCard]) -> Cards:
    return {"packs": [*map(of_card, cards)]}


def of_edited(note: model.EditedNote) -> Edited:
    return formed(Edited, note)


def of_report(report: model.PackReport) -> Report:
    return formed(Report, report, edited=[*map(of_edited, report.edited)])
