"""Rules for failures: repeated errors and what ended them, deprecations, tests, and fixed commands."""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace

from core.base.messages import message, plural
from core.base.text import query_keywords
from core.features.learning.rules.common import (
    abbreviate,
    fact,
    first_line,
    generalise,
    generalise_source,
    normalise_exact,
    request_of,
)
from core.features.learning.rules.requests import headers_in, is_slow
from core.model import Fact, LogEvent, LogText

_CAUSED = re.compile(r"(?m)^\s*Caused by: (?P<cause>.+)$")
_STATED = re.compile(
    r"(?:\b(?:cause|reason)=(?P<pair>\"[^\"\n]{1,300}\"|[^\s]{1,200})|(?:原因|because(?: of)?)[：:"
    r" ]+(?P<said>[^\n]{2,300}))"
)
_RAISED = re.compile(
    r"(?m)^(?P<cause>[A-Za-z_][\w.]{2,100}(?:Error|Exception|Timeout|Interrupt|Exit|Failure|Warning)?: .+)$"
)
_FAILING = re.compile(
    r"(?i)\b(?:fail(?:ed|ure|s|ing)?|error|timed? ?out|refused|unavailable|unreachable|rejected|HTTP"
    r" [45]\d\d)\b|失败|超时|错误|拒绝"
)
_ENDED = re.compile(
    r"(?i)\b(?:recovered|restored|resolved|reconnected|resumed|succeeded|successful(?:ly)?|healthy again"
    r"|back online|fixed|connected to|connection established)\b"
    r"|已恢复|恢复正常|已解决|重新连接成功|已连接|成功"
)
_MENDS = re.compile(
    r"(?i)\b(?:re(?:start|load|boot|deploy|creat)(?:ed|ing)|roll(?:ed|ing)[ -]back|replac(?:ed|ing)|renew(?:ed|ing)"
    r"|rotat(?:ed|ing)|upgrad(?:ed|ing)|downgrad(?:ed|ing)|increas(?:ed|ing)|rais(?:ed|ing)|clear(?:ed|ing)|free(?:d|ing))\b"
    r"|重启|重新加载|重新部署|回滚|清理|扩容|更换|升级"
)
"""Actions that may end an error."""
_ROUTINE = re.compile(r"(?i)\b(?:created|done|health|put back|queued)\b|创建成功")
_PROCESS = re.compile(r"^\d+#\d+: (?:\*\d+ )?")
_CONTEXT = re.compile(r"(?s), (?:client|server|request|upstream|host): .*")
_DEPRECATED = re.compile(r"(?i)\b(?:is|are|was|were|been) (?:now )?deprecated\b|已(?:弃用|废弃)")
_INSTEAD = re.compile(
    r"(?i)\b(?:use|replaced by|in favou?r of|switch to)\b(?: the)?\s+(?P<new>.+)|(?:请使用|改用|使用)\s*(?P<neu>.+)"
)
_QUOTED = re.compile(r"[\"'`“‘](?P<name>[^\"'`“”‘’\n]{2,100})[\"'`”’]")
_WORDS_BEFORE = re.compile(r"(?i)^(?:the\s+)?(?:(?:parameter|property|option|setting|function)\s+|接口\s*)?")
_NEAR = 160
"""Maximum distance in characters between *deprecated* and the names of the old thing and its replacement."""
_MOST_AFTER = 400
"""Number of events after the last error in which to search for its end."""
_FEW = 2

_KIND = ("test_experience", "common_issue")

_FAILED = re.compile(
    r"(?im)^(?:\W{0,3}(?:error|fatal|npm ERR!|panic|abort)|.{0,200}\b(?:command not found|no such file"
    r"|permission denied|cannot find"
    r"|could not|can't|not found|is not recognized|exited with code [1-9]|exit (?:code|status) [1-9]"
    r"|\[rejected\]|failed to|failed[:,]"
    r"|Traceback \(most recent call last\))|.{0,40}\"error\" ?:)|错误[：:]|失败|未找到|找不到|无法"
)
_LOOKING = re.compile(r"(?:ls|cd|pwd|cat|date|echo|clear|history|less|head|tail|whoami|which|exit)\b")
"""Commands that change nothing, and so can't fix anything."""
_BEFORE = re.compile(r"^(?:(?:sudo|time|env|nohup) |[A-Z_][A-Z0-9_]*=\S* )+")
_MOST_LATER = 8
"""Number of commands after a failed one among which to search for the one that worked."""


def repeated_errors(log: LogText) -> Iterator[Fact]:
    """Yield errors that appear at least twice with the same cause, with the event that ended them."""
    groups: dict[tuple[str, str, str], list[int]] = defaultdict(list)
    for number, event in enumerate(log.events):
        if _is_error(event):
            what, cause = _what(event), _cause(event)
            groups[generalise_source(event.source), generalise(what), generalise(cause)].append(number)
    for key, numbers in groups.items():
        events = [log.events[number] for number in numbers]
        count = sum(event.count for event in events)
        if count < _FEW:
            continue
        what, cause = _what(events[-1]), _cause(events[-1])
        before, end = _end(log.events, numbers[-1], what, cause)
        about = abbreviate(cause if cause and cause not in what else what, 300)
        error = abbreviate(what, 200)
        source = events[0].source
        where = message("{source}: {what}", source=source, what=error) if source else message("{what}", what=error)
        title = message("{what}, because of: {cause}", what=where, cause=about) if about != error else where
        first = plural("It appears {n} time in the log.", "It appears {n} times in the log.", n=count)
        parts = [title, first]
        if end:
            parts.append(message("It ended with: {end}.", end=abbreviate(first_line(end), 300)))
        if before:
            step = abbreviate(first_line(before), 300)
            parts.append(
                message("Before that: {step}.", step=step)
                if end
                else message("It didn't appear again after this: {step}.", step=step)
            )
        text = message("{what}. {count}", what=title, count=first)
        for part in parts[2:]:
            text = message("{text} {more}", text=text, more=part)
        rests = [*events, *filter(None, (before, end))]
        repeated = fact("repeated_error", key, title, text, rests, ("test_experience", "common_issue"))
        yield replace(repeated, priority=1)


def deprecations(log: LogText) -> Iterator[Fact]:
    """Yield deprecated things with their replacements."""
    for event in log.events:
        names = _deprecated(first_line(event)) if event.kind in ("log", "command") else None
        if names:
            old, new = names
            title = message("{old} is deprecated; {new} replaces it", old=abbreviate(old), new=abbreviate(new))
            kind = ("project_config", "dependency")
            yield fact("deprecation", [normalise_exact(old), normalise_exact(new)], title, title, [event], kind)


def _deprecated(line: str) -> tuple[str, str] | None:
    """Return the deprecated thing in a line and its replacement, None without both."""
    match = _DEPRECATED.search(line[:1_000])
    if match is None:
        return None
    before, after = line[max(0, match.start() - _NEAR) : match.start()], line[match.end() : match.end() + _NEAR]
    instead = _INSTEAD.search(after)
    if instead is None:
        return None
    rest = instead["new"] or instead["neu"]
    quoted = [item["name"] for item in _QUOTED.finditer(before)]
    clause = re.split(r"[;,，；。]\s*|:\s+|\.\s+", _PROCESS.sub("", before).strip())[-1]
    old = quoted[-1] if quoted else _WORDS_BEFORE.sub("", clause)
    named = _QUOTED.match(rest)
    new = named["name"] if named else re.split(r"\s+instead\b|[;,，；。]|\.(?:\s|$)", rest)[0]
    return (old.strip(), new.strip()) if old.strip() and new.strip() else None


def _is_error(event: LogEvent) -> bool:
    if event.kind not in ("log", "request") or (
        event.kind == "request" and "seconds" in event.fields and is_slow(event)
    ):
        return False
    warns = event.level == "warning" and event.kind == "log" and _FAILING.search(first_line(event))
    if not (event.level == "error" or warns) or headers_in(event.text):
        return False
    if event.kind == "request" and "method" in event.fields and "host" not in event.fields and _is_access(event):
        return False
    return not (_deprecated(first_line(event)) or (event.level != "error" and is_slow(event)))


def _is_access(event: LogEvent) -> bool:
    """Return whether an event is from an access log, which another rule reads."""
    return event.text.startswith(f"{event.fields.get('method')} {event.fields.get('path')} ")


def _what(event: LogEvent) -> str:
    """Return the text of an error, without process numbers before it and details of the request after it."""
    what = _CONTEXT.sub("", _PROCESS.sub("", first_line(event)))
    if match := re.match(r"(?P<text>.{3,300}?) (?:[\w.-]{1,60}=)", what):
        pair = _STATED.search(what)
        what = match["text"] if pair and pair["pair"] else what
    request = request_of(event) if ", request: " in event.text else ""
    return f"{what} ({request})" if request else what


def _cause(event: LogEvent) -> str:
    if causes := _CAUSED.findall(event.text):
        return str(causes[-1]).strip()
    if "\n" in event.text and (raised := _RAISED.findall(event.text.partition("\n")[2])):
        return str(raised[-1]).strip()
    if statement := _STATED.search(event.text):
        return (statement["pair"] or statement["said"]).strip(' "')
    return ""


def _end(events: Sequence[LogEvent], last: int, what: str, cause: str) -> tuple[LogEvent | None, LogEvent | None]:
    """Return the step that may have ended an error, and the event that reports the end; each may be None.

    The end must share words with the error, and the step with the error or the end: events that only come next may be
    unrelated. Without an end, the step must be a fixing action, and the log must continue after it.
    """
    subject = _subject(f"{what} {cause}")
    between: list[LogEvent] = []
    after = events[last + 1 : last + 1 + _MOST_AFTER]
    for event in after:
        if event.level == "error" or event.kind != "log":
            continue
        line = first_line(event)
        if _ENDED.search(line) and not _ROUTINE.search(line) and subject & (ending := _subject(line)):
            related = (step for step in reversed(between) if _subject(first_line(step)) & (subject | ending))
            return next(related, None), event
        if event.level in ("info", "") and not _ROUTINE.search(line):
            between.append(event)
    mending = (step for step in between if step is not after[-1] and _MENDS.search(first_line(step)))
    return next((step for step in mending if subject & _subject(first_line(step))), None), None


def _subject(text: str) -> set[str]:
    """Return the keywords of a line without words that mean failure."""
    return {*query_keywords(text)} - {"failed", "error", "失败"}


def unsteady_tests(log: LogText) -> Iterator[Fact]:
    """Yield tests that failed and passed later in the same log."""
    for name, events in _tests(log).items():
        failed = [number for number, event in enumerate(events) if event.fields["outcome"] == "failed"]
        passed = [number for number, event in enumerate(events) if event.fields["outcome"] == "passed"]
        if not (failed and passed and passed[-1] > failed[0]):
            continue
        cause = _first_cause([events[number] for number in failed])
        title = message("The test {test} fails and passes again", test=abbreviate(name))
        text = message("{title}. It failed with: {cause}", title=title, cause=abbreviate(cause, 300))
        rests = [events[number] for number in (*failed[:3], passed[-1])]
        yield fact("unsteady_test", [generalise(name)], title, text if cause else title, rests, _KIND)


def failing_tests(log: LogText) -> Iterator[Fact]:
    """Yield tests that failed in at least two runs with the same cause, and never passed."""
    for name, events in _tests(log).items():
        failed = [event for event in events if event.fields["outcome"] == "failed"]
        if any(event.fields["outcome"] == "passed" for event in events):
            continue
        detailed = [event for event in failed if event.fields.get("detail")]
        runs = max(sum("\n" in event.text for event in failed), sum("\n" not in event.text for event in detailed))
        if runs < _FEW:
            continue
        cause = _first_cause(failed)
        title = message("The test {test} keeps failing: {cause}", test=abbreviate(name), cause=abbreviate(cause))
        times = plural("It failed in {n} run.", "It failed in {n} runs.", n=runs)
        text = message("{what}. {count}", what=title, count=times)
        failing = fact("failing_test", [generalise(name), generalise(cause)], title, text, detailed[:3], _KIND)
        yield replace(failing, priority=1)


def _tests(log: LogText) -> dict[str, list[LogEvent]]:
    """Return the events of each test. The header of a failure lacks the test's file, so it is matched by name."""
    events = [event for event in log.events if event.kind == "test" and "outcome" in event.fields]
    full = {
        _last_part(event.fields.get("test", "")): event.fields["test"]
        for event in events
        if "::" in event.fields["test"]
    }
    groups: dict[str, list[LogEvent]] = defaultdict(list)
    for event in events:
        name = event.fields["test"]
        groups[name if "::" in name else full.get(_last_part(name), name)].append(event)
    return groups


def _last_part(name: str) -> str:
    return re.split(r"::|\.(?=test)", name)[-1]


def _first_cause(failed: list[LogEvent]) -> str:
    return next((event.fields["detail"].partition("\n")[0] for event in failed if event.fields.get("detail")), "")


def mended_commands(log: LogText) -> Iterator[Fact]:
    """Yield failed commands, each with the commands that made it work, or with the command that worked instead."""
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
    """Return the commands that fix a failed command.

    These are the commands up to its next success; if it has none, the next successful command of the same program.
    """
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
