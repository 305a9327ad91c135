"""Operations that check whether the notes of a base can be found: what they return, and its output for people."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any, Self, TypeVar

from core.base.codec import assemble
from core.base.errors import ConfigError
from core.base.messages import Message, message, plural
from core.base.terminal import _, say
from core.doors.operations.declaring import About, operation
from core.doors.operations.parameters import SEARCH, Base, check_base
from core.model import (
    CheckDiff,
    Comparison,
    Findability,
    Finding,
    FindingReason,
    ProbeKind,
    ProbeResult,
    Progress,
    SearchSettings,
    SettingsTrial,
    Vanished,
)

if TYPE_CHECKING:
    from core.workspace import Workspace


# What the operations return.


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


# Output for people.

_SHOWN = 20
"""Lines of a list."""


def format_check(check: CheckView) -> list[str]:
    questions = plural("{n} question", "{n} questions", n=check.questions)
    shares = {"share": f"{check.first:.0%}", "reached": f"{check.reached:.0%}"}
    lines = [
        _("{questions} from the notes of {base}:", questions=questions, base=check.base),
        "  " + _("{share} found their note first, {reached} in the first ten", **shares),
    ]
    if check.left_out:
        lines.append(
            "  " + say(plural("no time for {n} more question", "no time for {n} more questions", n=check.left_out))
        )
    lines += _list([f"{finding.title}: {say(finding.message)}" for finding in check.findings])
    if not check.findings:
        lines.append(_("Every note is found by a question."))
    if since := check.since:
        lines += ["", say(since.message), *_list([say(item.message) for item in since.vanished])]
    return lines


def format_trial(trial: TrialView) -> list[str]:
    lines = [say(trial.comparison.message)]
    if trial.loses:
        lines.append(_("With these settings your notes are found less well, by more than chance explains."))
    return lines


def _list(lines: list[str]) -> list[str]:
    more = len(lines) - _SHOWN
    rest = [f"  {_('and {n} more', n=more)}"] if more > 0 else []
    return [f"  - {line}" for line in lines[:_SHOWN]] + rest


# The operations.

T = TypeVar("T")


@operation(
    "findability.check",
    message("Check whether the notes of a base can be found, with questions made from them; takes at most a minute."),
    http="POST /bases/{base:path}/findability",
    cli="check notes",
    writes=True,
    job="findable",
    check=check_base,
    lacks={"tool": "it takes a minute; a tool shows the last check"},
    lines=format_check,
)
def check(workspace: "Workspace", progress: Progress, base: Base) -> CheckView:
    return CheckView.from_findability(workspace.findability.check(base, progress))


@operation(
    "findability.last",
    message("Show the last check whether the notes of a base can be found: which no question reaches, and why."),
    http="GET /bases/{base:path}/findability",
    cli="check last",
    tool="knowledge_check",
    lines=format_check,
)
def last(workspace: "Workspace", base: Base) -> CheckView:
    return CheckView.from_findability(_known(base, workspace.findability.last(base)))


@operation(
    "findability.try",
    message("Try other search settings on the questions of the last check: which notes would be found less well."),
    http="POST /bases/{base:path}/findability/trial",
    cli="check settings",
    takes={"search": {"limit": 5}},
    lacks={"tool": "how a base is searched is the person's choice"},
    lines=format_trial,
)
def try_(
    workspace: "Workspace",
    progress: Progress,
    base: Base,
    search: Annotated[Mapping[str, Any] | None, About(message("The settings to try."), parts=SEARCH)] = None,
) -> TrialView:
    settings = SearchSettings.from_values(search or {}).over(workspace.bases.get(base).search)
    return TrialView.from_trial(_known(base, workspace.findability.try_settings(base, settings, progress)))


def _known(base: str, value: T | None) -> T:
    """Return a value that needs a check of the base; raises ConfigError without one."""
    if value is None:
        raise ConfigError(
            "The base '{base}' has no check with enough questions yet. Check it first: {command}",
            base=base,
            command=f"tessera check notes --base '{base}'",
        )
    return value
