"""Output of `tessera learn` for people."""

from dataclasses import replace

from core.base.messages import Message, message, plural
from core.base.terminal import _, say
from core.model import LearningReport, LearntLog


def format_report(report: LearningReport) -> list[str]:
    lines = [line for log in report.logs for line in _format_log(log)]
    lines += [_("{path} wasn't read: {reason}", path=file.path, reason=file.reason) for file in report.failed]
    if any(log.suggested for log in report.logs):
        lines.append(_("They wait for you in '{base}': tessera note waiting", base=report.base))
    return lines


def _format_log(log: LearntLog) -> list[str]:
    suggested = plural("{n} note suggested", "{n} notes suggested", n=len(log.suggested))
    events = plural("{n} event", "{n} events", n=log.events)
    head = message(
        "{name} ({format}): {events}, {suggested}",
        name=log.name,
        format=log.format,
        events=events,
        suggested=suggested,
    )
    counts = {
        "by_model": plural("{n} of them by the language model", "{n} of them by the language model"),
        "known": plural("{n} was suggested before", "{n} were suggested before"),
        "rejected": plural("{n} was rejected before, and stays away", "{n} were rejected before, and stay away"),
        "secrets": plural("{n} secret is masked", "{n} secrets are masked"),
        "cut": plural("{n} line is too long: its end wasn't read", "{n} lines are too long: their ends weren't read"),
        "left_out": plural(
            "{n} event is left out, for the log is too long", "{n} events are left out, for the log is too long"
        ),
        "unsent": plural(
            "{n} event wasn't sent to the language model, for the log is too long",
            "{n} events weren't sent to the language model, for the log is too long",
        ),
    }
    return [
        say(head),
        *(f"  {say(_with(text, count))}" for name, text in counts.items() if (count := getattr(log, name))),
        *(f"  {_('Dropped: {title} ({reason})', title=item.title, reason=item.reason)}" for item in log.dropped),
    ]


def _with(text: Message, count: int | tuple[str, ...]) -> Message:
    return replace(text, fields={"n": count if isinstance(count, int) else len(count)})
