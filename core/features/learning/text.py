"""Output of `tessera learn` for people."""

from dataclasses import replace
from typing import Any

from core.base.messages import message, plural
from core.base.terminal import _, say


def format_report(values: dict[str, Any]) -> list[str]:
    lines = [line for log in values["logs"] for line in _format_log(log)]
    lines += [_("{path} wasn't read: {reason}", **value) for value in values["failed"]]
    if any(log["suggested"] for log in values["logs"]):
        lines.append(_("They wait for you in '{base}': tessera note waiting", base=values["base"]))
    return lines


def _format_log(log: dict[str, Any]) -> list[str]:
    suggested = plural("{n} note suggested", "{n} notes suggested", n=len(log["suggested"]))
    events = plural("{n} event", "{n} events", n=log["events"])
    head = message(
        "{name} ({format}): {events}, {suggested}",
        name=log["name"],
        format=log["format"],
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
        *(f"  {say(_with(text, log[name]))}" for name, text in counts.items() if log[name]),
        *(f"  {_('Dropped: {title} ({reason})', **item)}" for item in log["dropped"]),
    ]


def _with(text: Any, count: int | list[str]) -> Any:
    return replace(text, fields={"n": count if isinstance(count, int) else len(count)})
