"""What the operations on uses and clicks return in addition to the nouns."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self

from core.base.codec import assemble
from core.model import Click, Use, UseFigures


@dataclass(frozen=True, slots=True)
class NoteUses(UseFigures):
    """The figures of a note, and its uses."""

    uses: tuple[Use, ...] = ()

    @classmethod
    def from_uses(cls, figures: UseFigures, uses: Iterable[Use]) -> Self:
        return assemble(cls, figures, uses=tuple(uses))


@dataclass(frozen=True, slots=True)
class ForgottenUses:
    """The number of uses that were deleted."""

    uses: int


@dataclass(frozen=True, slots=True)
class ClickList:
    """Clicks, the newest first."""

    clicks: tuple[Click, ...]


@dataclass(frozen=True, slots=True)
class ForgottenClicks:
    """The number of clicks that were deleted."""

    clicks: int
