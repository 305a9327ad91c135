"""What the operations on packs return in addition to the nouns."""

from collections.abc import Iterable
from typing import Self

from core.base.codec import assemble
from core.base.frozen import frozen
from core.doors.operations.views.bases import PackInstallation
from core.model import Pack, PackCard, PackReport


@frozen
class PackDetails:
    """A pack, as `PackCard` explains it."""

    found: Pack | None
    installed: PackInstallation | None
    newer: bool
    name: str

    @classmethod
    def from_card(cls, card: PackCard) -> Self:
        return assemble(cls, card, installed=PackInstallation.from_pack(card.installed) if card.installed else None)


@frozen
class PackList:
    """The packs there are."""

    packs: tuple[PackDetails, ...]

    @classmethod
    def from_cards(cls, cards: Iterable[PackCard]) -> Self:
        return cls(tuple(map(PackDetails.from_card, cards)))


@frozen
class PackReports:
    """The upgrades of several packs."""

    packs: tuple[PackReport, ...]


@frozen
class RemovedPack:
    """A pack that is gone; so many of its notes stay, because the user changed them."""

    name: str
    stay: int
