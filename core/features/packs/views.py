"""What the operations on packs return in addition to the nouns."""

from dataclasses import dataclass

from core.model import PackCard, PackReport


@dataclass(frozen=True, slots=True)
class PackList:
    """The packs there are."""

    packs: tuple[PackCard, ...]


@dataclass(frozen=True, slots=True)
class PackReports:
    """The upgrades of several packs."""

    packs: tuple[PackReport, ...]


@dataclass(frozen=True, slots=True)
class RemovedPack:
    """A pack that is gone; so many of its notes stay, because the user changed them."""

    name: str
    stay: int
