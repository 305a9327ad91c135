"""Checks whether notes can be found, as JSON."""

from typing import Any

from core import model
from core.doors.operations.forms import Form

_RESULT = Form("Probe", model.ProbeResult, "note_id kind text rank by_meaning first_id=first")
_FINDING = Form("Finding", model.Finding, "note_id title reason other_id=other other_title explanation=message")
_VANISHED = Form("Vanished", model.Vanished, "note_id title kind text explanation=message")


def comparison_form(comparison: model.Comparison) -> dict[str, Any]:
    return {
        "questions": comparison.questions,
        "difference": comparison.difference,
        "settled": comparison.settled,
        "explanation": comparison.message,
    }


_SINCE = Form(
    "SinceLastCheck",
    model.CheckDiff,
    "at explanation=message settings",
    vanished=([_VANISHED], "vanished"),
    lost=([_RESULT], "lost"),
    comparison=(dict[str, Any], lambda since: comparison_form(since.comparison)),
    by_meaning=(dict[str, Any], lambda since: comparison_form(since.by_meaning)),
)
CHECK = Form(
    "FindabilityCheck",
    model.Findability,
    "base at=check.at first=check.first reached=check.reached first_by_meaning=check.first_by_meaning",
    notes=(int, lambda item: len(item.check.titles)),
    questions=(int, lambda item: len(item.check.results)),
    left_out=(int, lambda item: item.check.left_out),
    findings=([_FINDING], "check.findings"),
    since=(_SINCE | None, "since"),
)
TRIAL = Form(
    "SettingsTrial",
    model.SettingsTrial,
    "loses",
    comparison=(dict[str, Any], lambda trial: comparison_form(trial.comparison)),
    lost=([_RESULT], "lost"),
)
