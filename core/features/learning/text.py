"""Output of `tessera learn` for people."""

from core.base.messages import message, plural
from core.base.terminal import _, say
from core.model import LearningReport, LearntLog, learnt_lines


def format_report(report: LearningReport) -> list[str]:
    lines = [line for log in report.logs for line in _format_log(log)]
    lines += [_("{path} wasn't read: {reason}", path=file.path, reason=file.reason) for file in report.failed]
    if any(log.suggested for log in report.logs):
        lines.append(_("They wait for you in '{base}': tessera note waiting", base=report.base))
    return lines


def _format_log(log: LearntLog) -> list[str]:
    suggested, *counts = learnt_lines([log], without=["dropped"])
    events = plural("{n} event", "{n} events", n=log.events)
    head = message(
        "{name} ({format}): {events}, {suggested}",
        name=log.name,
        format=log.format,
        events=events,
        suggested=suggested,
    )
    return [
        say(head),
        *(f"  {say(count)}" for count in counts),
        *(f"  {_('Dropped: {title} ({reason})', title=item.title, reason=item.reason)}" for item in log.dropped),
    ]
