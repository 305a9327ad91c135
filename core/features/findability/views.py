"""What the operations on checks return in addition to the nouns."""

from dataclasses import dataclass
from datetime import datetime
from typing import Self

from core.base.codec import assemble
from core.model import CheckDiff, Findability, Finding


@dataclass(frozen=True, slots=True)
class CheckView:
    """The newest check of a base: how many notes and questions it had, and which share of them was found."""

    base: str
    at: datetime
    first: float
    reached: float
    first_by_meaning: float | None
    notes: int
    questions: int
    left_out: int
    findings: tuple[Finding, ...]
    since: CheckDiff | None

    @classmethod
    def from_findability(cls, findability: Findability) -> Self:
        check = findability.check
        return assemble(cls, findability, check, notes=len(check.titles), questions=len(check.results))
