"""What the operations on checks return in addition to the nouns."""

from dataclasses import dataclass
from datetime import datetime
from typing import Self

from core.base.codec import assemble
from core.base.messages import Message
from core.model import (
    CheckDiff,
    Comparison,
    Findability,
    Finding,
    FindingReason,
    ProbeKind,
    ProbeResult,
    SettingsTrial,
    Vanished,
)


@dataclass(frozen=True, slots=True)
class ProbeView:
    """What a question from a note reached; `first_id` is the note that came first."""

    note_id: str
    kind: ProbeKind
    text: str
    rank: int | None
    by_meaning: int | None
    first_id: str

    @classmethod
    def from_result(cls, result: ProbeResult) -> Self:
        return assemble(cls, result, first_id=result.first)


@dataclass(frozen=True, slots=True)
class FindingView:
    """A note that no question reaches, or a copy of the other one, and what to do."""

    note_id: str
    title: str
    reason: FindingReason
    other_id: str
    other_title: str
    message: Message

    @classmethod
    def from_finding(cls, finding: Finding) -> Self:
        return assemble(cls, finding, other_id=finding.other)


@dataclass(frozen=True, slots=True)
class CheckDiffView:
    """What changed since the check before; `lost` are questions that no longer reach their note."""

    at: datetime
    message: Message
    settings: tuple[str, ...]
    vanished: tuple[Vanished, ...]
    lost: tuple[ProbeView, ...]
    comparison: Comparison
    by_meaning: Comparison

    @classmethod
    def from_diff(cls, diff: CheckDiff) -> Self:
        return assemble(cls, diff, lost=tuple(map(ProbeView.from_result, diff.lost)))


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
    findings: tuple[FindingView, ...]
    since: CheckDiffView | None

    @classmethod
    def from_findability(cls, findability: Findability) -> Self:
        check = findability.check
        return assemble(
            cls,
            findability,
            check,
            notes=len(check.titles),
            questions=len(check.results),
            findings=tuple(map(FindingView.from_finding, check.findings)),
            since=CheckDiffView.from_diff(findability.since) if findability.since else None,
        )


@dataclass(frozen=True, slots=True)
class TrialView:
    """Other settings on the questions of the last check; `loses` says whether by more than chance explains."""

    loses: bool
    comparison: Comparison
    lost: tuple[ProbeView, ...]

    @classmethod
    def from_trial(cls, trial: SettingsTrial) -> Self:
        return assemble(cls, trial, lost=tuple(map(ProbeView.from_result, trial.lost)))
