"""Commands that worked after one that failed."""

import re
from collections.abc import Iterator

from core.base.messages import message
from core.features.learning.rules.common import abbreviate, fact, normalise_exact
from core.model import Fact, LogEvent, LogText

_FAILED = re.compile(
    r"(?im)^(?:\W{0,3}(?:error|fatal|npm ERR!|panic|abort)|.{0,200}\b(?:command not found|no such file"
    r"|permission denied|cannot find"
    r"|could not|can't|not found|is not recognized|exited with code [1-9]|exit (?:code|status) [1-9]"
    r"|\[rejected\]|failed to|failed[:,]"
    r"|Traceback \(most recent call last\))|.{0,40}\"error\" ?:)|错误[：:]|失败|未找到|找不到|无法"
)
_LOOKING = re.compile(r"(?:ls|cd|pwd|cat|date|echo|clear|history|less|head|tail|whoami|which|exit)\b")
"""Commands that change nothing, and mend nothing."""
_BEFORE = re.compile(r"^(?:(?:sudo|time|env|nohup) |[A-Z_][A-Z0-9_]*=\S* )+")
_MOST_LATER = 8
"""Commands after a failed one among which the one that worked is looked for."""


def mended_commands(log: LogText) -> Iterator[Fact]:
    """Yield commands that failed, with the commands after which they worked, or the one that worked in their place."""
    commands = [event for event in log.events if event.kind == "command"]
    for number, event in enumerate(commands):
        if not _fails(event):
            continue
        steps = _mending(event, commands[number + 1 : number + 1 + _MOST_LATER])
        if not steps:
            continue
        failed = event.fields["command"]
        if failed == steps[-1].fields["command"] and not steps[:-1]:
            continue
        worked = " && ".join(step.fields["command"] for step in steps)
        reason = abbreviate(next((line for line in event.text.split("\n")[1:] if _FAILED.search(line)), ""), 300)
        title = message(
            "Where {failed} fails, {worked} works", failed=abbreviate(failed, 80), worked=abbreviate(worked, 160)
        )
        text = message("{title}. It failed with: {cause}", title=title, cause=reason)
        key = [normalise_exact(failed), normalise_exact(worked)]
        yield fact("mended_command", key, title, text, [event, *steps], ("test_experience", "best_practice"))


def _fails(event: LogEvent) -> bool:
    output = event.text.partition("\n")[2]
    return bool(output and _FAILED.search(output))


def _mending(failed: LogEvent, later: list[LogEvent]) -> list[LogEvent]:
    """Return the commands that mend a failed one: those up to it where it works, else the first of its program."""
    command, program = failed.fields["command"], _program(failed)
    worked = [event for event in later if not _fails(event)]
    for number, event in enumerate(worked):
        if command in event.fields["command"]:
            return [log_event for log_event in worked[:number] if not _LOOKING.match(log_event.fields["command"])] + [
                event
            ]
    return next(([event] for event in worked if _program(event) == program and not _LOOKING.match(program)), [])


def _program(event: LogEvent) -> str:
    words = _BEFORE.sub("", event.fields["command"]).split()
    return words[0] if words else ""
