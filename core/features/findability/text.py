"""Lines about checks whether notes can be found."""

from core.base.messages import plural
from core.base.terminal import _, say
from core.features.findability.views import CheckView, TrialView

_SHOWN = 20
"""Lines of a list."""


def format_check(check: CheckView) -> list[str]:
    questions = plural("{n} question", "{n} questions", n=check.questions)
    shares = {"share": f"{check.first:.0%}", "reached": f"{check.reached:.0%}"}
    lines = [
        _("{questions} from the notes of {base}:", questions=questions, base=check.base),
        "  " + _("{share} lead to their note first, {reached} among the first ten", **shares),
    ]
    if check.left_out:
        lines.append(
            "  " + say(plural("no time for {n} more question", "no time for {n} more questions", n=check.left_out))
        )
    lines += _list([f"{finding.title}: {say(finding.message)}" for finding in check.findings])
    if not check.findings:
        lines.append(_("Every note is reached by a question."))
    if since := check.since:
        lines += ["", say(since.message), *_list([say(item.message) for item in since.vanished])]
    return lines


def format_trial(trial: TrialView) -> list[str]:
    lines = [say(trial.comparison.message)]
    if trial.loses:
        lines.append(_("With these settings your notes are found worse, by more than chance explains."))
    return lines


def _list(lines: list[str]) -> list[str]:
    more = len(lines) - _SHOWN
    rest = [f"  {_('and {n} more', n=more)}"] if more > 0 else []
    return [f"  - {line}" for line in lines[:_SHOWN]] + rest
