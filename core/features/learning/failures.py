"""Find failures in logs: failed or slow requests, repeated errors, deprecations, failing tests and commands."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import takewhile
from statistics import median
from typing import TypeVar

from core.base.frozen import Pair
from core.base.messages import Message, message, plural
from core.base.text import query_keywords
from core.features.learning.facts import (
    abbreviate,
    fact,
    first_line,
    generalise,
    generalise_source,
    normalise_exact,
    request_of,
)
from core.features.learning.lines import SOLVED
from core.model import Fact, LogEvent, LogText

Key = TypeVar("Key")
Events = list[LogEvent]
Facts = Iterator[Fact]

_HEADER = (
    r"[\"'`“]?\b([A-Za-z][A-Za-z0-9]*(?:-[A-Za-z0-9]+)+|[A-Z][A-Z0-9_]{2,}"
    r"|Authorization|Cookie|Origin|Accept|Host)\b[\"'`”]?"
)
_HEADERS = re.compile(
    r"(?:(?i:missing|requires?|required|lacks|needs?|without|must (?:send|have|carry))(?i: (?:the|a|an"
    r"|required|request|http))*"
    rf"(?i: headers?)[ :：]*{_HEADER}"
    rf"|(?i:headers?)[ :：]*{_HEADER}[^\n]{{0,60}}?(?i:missing|required|mandatory|must|absent)"
    rf"|{_HEADER} (?i:header) (?i:is )?(?i:missing|required|mandatory|absent)"
    r"|(?:缺少|需要|必须(?:携带|带上|有)?|未携带)[^\n]{0,10}?(?:请求头|头部|header)[ :：]*"
    rf"{_HEADER})"
)
_REFUSED = re.compile(r"\b(?:GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS) \S+(?: HTTP/[\d.]+)?\W{1,4}([45]\d\d)\b")
_DURATION = re.compile(
    r"(?<![\w.])(?P<value>\d{1,9}(?:\.\d{1,6})?) ?(?:(?P<milli>ms|millis(?:econds)?|毫秒)"
    r"|(?P<minutes>min|minutes?|分钟)|s|secs?|seconds?|秒)(?![A-Za-z])"
)
_SLOW = re.compile(r"(?i)\b(?:slow|took|elapsed|duration|latency|completed in|finished in|done in)\b|耗时|用时|慢")
_OPERATION = re.compile(
    r"(?i)\s*\(?(?:took|elapsed|duration|latency|completed in|finished in|done in|耗时|用时)\b.*|\s*耗时.*|\s*用时.*"
)
_LEAST_SECONDS = 1.0
_LEAST_OF_TEST = 5.0
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
# Actions that may resolve an error.
_MENDS = re.compile(
    r"(?i)\b(?:re(?:start|load|boot|deploy|creat)(?:ed|ing)|roll(?:ed|ing)[ -]back|replac(?:ed|ing)|renew(?:ed|ing)"
    r"|rotat(?:ed|ing)|upgrad(?:ed|ing)|downgrad(?:ed|ing)|increas(?:ed|ing)|rais(?:ed|ing)|clear(?:ed|ing)|free(?:d|ing))\b"
    r"|重启|重新加载|重新部署|回滚|清理|扩容|更换|升级"
)
# The beginning of a line that says what a person did. A request, or a line about what a program with such a name is
# doing, doesn't match.
_OPERATOR = re.compile(
    r"\W{0,3}(?:(?i:admin(?:istrator)?|operator|ops|on-?call|sre|dba|sysadmin)(?![-.\w])|运维|管理员|值班)[^:：\n]{0,40}[:：]"
    r"\s*(?![A-Z]{3,8} /|\w+ing\b)[^\W\d]"
)
_ROUTINE = re.compile(r"(?i)\b(?:created|done|health|put back|queued)\b|创建成功")
_PROCESS = re.compile(r"^\d+#\d+: (?:\*\d+ )?")
# How often something was tried so far, such as (2/3).
_COUNTER = re.compile(
    r"(?i)(?<=\S)\s*[(（\[]\s*(?:(?:retry|attempt|try|第)\s*)?\d+\s*+(?:/|of|次?，?共)\s*\d+\s*次?\s*[)）\]]"
    r"|(?<=\S)(?:, ?| )(?:retry|attempt|try) #?\d+ ?(?:/|of) ?\d+\b"
)
_RETRIES = re.compile(r"(?i)\bretr(?:y|ies|ying)\b|\battempt\b|重试")
# Number of events after a retry in which to look for the error that ended the retries.
_NEXT = 20
_INSTEAD = re.compile(
    r"(?i)\b(?:use|replaced by|in favou?r of|switch to)\b(?: the)?\s+(?P<new>.+)|(?:请使用|改用|使用)\s*(?P<neu>.+)"
)
_QUOTED = re.compile(r"[\"'`“‘](?P<name>[^\"'`“”‘’\n]{2,100})[\"'`”’]")
_WORDS_BEFORE = re.compile(r"(?i)^(?:the\s+)?(?:(?:parameter|property|option|setting|function)\s+|接口\s*)?")
# Maximum distance, in characters, from "deprecated" to the name of the deprecated item or its replacement.
_NEAR = 160
# Number of events to search for the end of an error after its last occurrence.
_MOST_AFTER = 400
_FEW = 2
_COMMON = ("test_experience", "common_issue")
_COMPLAINS = re.compile(
    r"(?im)^(?:\W{0,3}(?:error|fatal|npm ERR!|panic|abort)|.{0,200}\b(?:command not found|no such file"
    r"|permission denied|cannot find"
    r"|could not|can't|not found|is not recognized|exited with code [1-9]|exit (?:code|status) [1-9]"
    r"|\[rejected\]|failed to|failed[:,]"
    r"|Traceback \(most recent call last\))|.{0,40}\"error\" ?:)|错误[：:]|失败|未找到|找不到|无法"
)
# Commands that only show something. They change nothing, so they can't fix anything.
_LOOKING = re.compile(r"(?:ls|cd|pwd|cat|date|echo|clear|history|less|head|tail|whoami|which|exit)\b")
# Number of commands to search, after a failed command, for one that worked.
_MOST_LATER = 8


def _grouped(events: Iterable[LogEvent], key: Callable[[LogEvent], Key | None]) -> Iterable[tuple[Key, Events]]:
    """Group events by key, and return pairs of a key and its events. Events with an empty key are left out."""
    groups = defaultdict(list)
    for event in events:
        if found := key(event):
            groups[found].append(event)
    return groups.items()


def _appears(events: Sequence[LogEvent]) -> Message:
    return plural(
        "It appears {n} time in the log.", "It appears {n} times in the log.", n=sum(event.count for event in events)
    )


# Requests


def required_headers(log: LogText) -> Facts:
    """Yield a fact for each request that failed because of a missing header."""
    for (request, header), events in _grouped(log.events, _lacking):
        title = message("{request} needs the header {header}", request=request, header=header)
        text = message("{title}.", title=title)
        if status := next(filter(None, map(_status, events)), ""):
            text = message("{title}. Requests without it are answered with {status}.", title=title, status=status)
        key = [normalise_exact(request), header.lower()]
        yield replace(fact("required_header", key, title, text, events, ("project_config", "auth")), tags=("http",))


def _lacking(event: LogEvent) -> Pair | None:
    """Return the request and the first missing header in an event, or None unless the event mentions both."""
    header = _header_in(event.text)
    request = request_of(event)
    return (request, header) if header and request else None


def _header_in(text: str) -> str:
    """Return the name of the first header that the text describes as missing or required, or "" if there is none."""
    if "eader" not in text and "HEADER" not in text and "头" not in text:
        return ""
    match = _HEADERS.search(text)
    return match[match.lastindex or 0] if match else ""


def failing_requests(log: LogText) -> Facts:
    """Yield a fact for each request that failed twice or more with the same status, unless a header was missing."""
    for (request, status), events in _grouped(log.events, _failure):
        if sum(event.count for event in events) < _FEW:
            continue
        title = message("{request} is answered with {status}", request=request, status=status)
        yield fact(
            "failing_request",
            [request, status],
            title,
            message("{what}. {count}", what=title, count=_appears(events)),
            events,
            _COMMON,
        )


def _failure(event: LogEvent) -> Pair | None:
    """Return the request and status in an event, or None if no request failed or a header was missing."""
    status = _status(event)
    if status.isdigit() and int(status) >= 400 and not _header_in(event.text):
        return request_of(event), status
    return None


def _status(event: LogEvent) -> str:
    """Return the HTTP status in an event, or "" if there is none."""
    said = _REFUSED.search(first_line(event))
    return event.fields.get("status", "") or (said[1] if said else "")


def slow_calls(log: LogText) -> Facts:
    """Yield a fact for each slow operation. It has at least two calls and a median of one second or longer.

    A test is slow if it takes five seconds or longer, even if it ran only once.
    """
    for operation, events in _grouped(log.events, _operation):
        times = [_seconds(event) for event in events]
        middle = median(times)
        is_test = events[0].kind == "test"
        if middle < (_LEAST_OF_TEST if is_test else _LEAST_SECONDS) or (len(times) < _FEW and not is_test):
            continue
        title = message("{operation} is slow: {seconds} s", operation=abbreviate(operation), seconds=f"{middle:.1f}")
        text = message(
            "{title} (median), {most} s at most. {count}.",
            title=title,
            most=f"{max(times):.1f}",
            count=plural("Measured {n} time", "Measured {n} times", n=len(times)),
        )
        yield fact("slow_call", [generalise(operation)], title, text, events, _COMMON)


def _seconds(event: LogEvent) -> float:
    """Return the duration stated in an event, in seconds.

    The duration is -1 if none is stated, if the server failed, or if the event is a message or a command."""
    if event.kind in ("message", "command") or event.fields.get("status", "") >= "500":
        return -1.0
    if re.fullmatch(r"\d+(?:\.\d+)?", event.fields.get("seconds", "")):
        return float(event.fields["seconds"])
    line = first_line(event)
    found = _DURATION.finditer(line) if event.kind == "log" and _SLOW.search(line) else ()
    return max(
        ((0.001 if match["milli"] else 60.0 if match["minutes"] else 1.0) * float(match["value"]) for match in found),
        default=-1.0,
    )


def _operation(event: LogEvent) -> str:
    """Return the name of the operation whose duration an event states, or "" if the event states none."""
    if _seconds(event) < 0:
        return ""
    if event.kind == "test":
        return event.fields.get("test", "")
    if request := request_of(event):
        return request
    line = first_line(event)
    if match := re.match(r"(?i)slow [\w ]{2,30} ?\([^)\n]{1,40}\)[: ]+(?P<rest>.+)", line):
        return match["rest"]
    return _OPERATION.sub("", line).strip(" :-：") or line


# Errors and deprecations


def repeated_errors(log: LogText) -> Facts:
    """Yield a fact for each error that occurred twice or more with the same cause.

    The event that ended the error is included.
    """
    places = {id(event): number for number, event in enumerate(log.events, 1)}
    groups = dict(_grouped(log.events, _error_key))
    for key, events in groups.items():
        if sum(event.count for event in events) < _FEW:
            continue
        last = events[-1]
        if _RETRIES.search(first_line(last)):
            # Retries are announced by warnings. If an error that occurs only once ends them, it says what happened.
            after = places[id(last)]
            later = log.events[after : after + _NEXT]
            final = next((event for event in later if (event.level, event.source) == ("error", last.source)), None)
            if final and (ended := _error_key(final)) and len(groups[ended]) == 1:
                last = final
                events = [*events, final]
        what = _what(last)
        cause = _cause(last)
        error = abbreviate(what, 400).rstrip(".。!！")
        source = events[0].source
        title = message("{source}: {what}", source=source, what=error) if source else message("{what}", what=error)
        if cause and cause not in what:
            title = message("{what}, because of: {cause}", what=title, cause=abbreviate(cause, 300))
        text = title
        after = places[id(last)]
        step, end = _end(log.events[after : after + _MOST_AFTER], _subject(f"{what} {cause}"))
        if step:
            text = message("{what} (not seen again after this step: {step})", what=text, step=_brief(step))
        if end:
            text = message("{what} (ended with: {end})", what=text, end=_brief(end))
        # What ended the error is in its sentence, so that an answer that quotes the error includes it.
        text = message("{what}. {count}", what=text, count=_appears(events))
        yield replace(
            fact("repeated_error", key, title, text, [*events, *filter(None, (step, end))], _COMMON), priority=1
        )


def _brief(event: LogEvent) -> str:
    return abbreviate(first_line(event), 300).rstrip(".。")


def _error_key(event: LogEvent) -> tuple[str, str, str] | None:
    """Return an error's generalized source, text and cause, or None for an event that isn't such an error."""
    is_request = event.kind == "request"
    if event.kind not in ("log", "request") or (
        _seconds(event) >= _LEAST_SECONDS and (is_request or event.level != "error")
    ):
        return None
    warns = event.level == "warning" and not is_request and _FAILING.search(first_line(event))
    if not (event.level == "error" or warns) or _header_in(event.text) or _deprecated(event):
        return None
    # `failing_requests` covers access logs.
    accessed = f"{event.fields.get('method')} {event.fields.get('path')} "
    if is_request and "host" not in event.fields and event.text.startswith(accessed):
        return None
    return generalise_source(event.source), generalise(_what(event)), generalise(_cause(event))


def _what(event: LogEvent) -> str:
    """Return an error's text. The process number in front and the request details at the end are removed."""
    what = _PROCESS.sub("", first_line(event))
    what = re.sub(r", (?:client|server|request|upstream|host): .*", "", what)
    if _RETRIES.search(what):
        what = _COUNTER.sub("", what)
    if (match := re.match(r"(.{3,300}?) [\w.-]{1,60}=", what)) and (pair := _STATED.search(what)) and pair["pair"]:
        what = match[1]
    request = request_of(event) if ", request: " in event.text else ""
    return f"{what} ({request})" if request else what


def _cause(event: LogEvent) -> str:
    causes = re.findall(r"(?m)^\s*Caused by: (.+)$", event.text) or _RAISED.findall(event.text.partition("\n")[2])
    if not causes and (statement := _STATED.search(event.text)):
        return (statement["pair"] or statement["said"]).strip(' "')
    return "".join(causes[-1:]).strip()


_COMMITS = re.compile(r"(?i)\bcommits?\b|\brelease|\bchangelog\b|\bdeploy")


def _end(after: Sequence[LogEvent], subject: set[str]) -> tuple[LogEvent | None, LogEvent | None]:
    """Return the step that may have ended an error, and the event that reports the error's end. Either may be None.

    The next event may be unrelated. Therefore, the end must have words in common with the error, and the step must have
    words in common with the error or the end, or else be an action of the same source that may fix errors. A line that
    states the fix is an end without any common words, and has no step. If no end is reported, the step must be an
    action that may fix errors or the first thing that an operator did before any other error, and the log must continue
    after the step.
    """
    between: Events = []
    for event in after:
        line = first_line(event)
        # In a list of commits, a line such as `fix: typo` is a commit's title.
        is_commit = line.lower().startswith("fix:") and any(_COMMITS.search(first_line(item)) for item in between)
        if not is_commit and (SOLVED.match(line) or SOLVED.match(f"{event.source}: {line}")):
            return None, event
        if event.level == "error" or event.kind != "log" or _ROUTINE.search(line):
            continue
        if _ENDED.search(line) and subject & (ending := _subject(line)):
            related = (
                step
                for step in reversed(between)
                if _subject(first_line(step)) & (subject | ending)
                or (step.source == event.source and _MENDS.search(first_line(step)))
            )
            return next(related, None), event
        if event.level in ("info", ""):
            between.append(event)
    for step in between:
        if step is not after[-1] and _MENDS.search(first_line(step)) and subject & _subject(first_line(step)):
            return step, None
    undisturbed = takewhile(lambda event: event.level != "error", after[:-1])
    by_hand = (event for event in undisturbed if _OPERATOR.match(f"{event.source}: {first_line(event)}"))
    return next(by_hand, None), None


def _subject(text: str) -> set[str]:
    """Return a line's keywords, except words that mean failure."""
    return {*query_keywords(text)} - {"failed", "error", "失败"}


def deprecations(log: LogText) -> Facts:
    """Yield a fact for each deprecated item and its replacement."""
    for event in log.events:
        if event.kind in ("log", "command") and (names := _deprecated(event)):
            old, new = map(abbreviate, names)
            title = message("{old} is deprecated and replaced by {new}", old=old, new=new)
            yield fact(
                "deprecation", map(normalise_exact, names), title, title, [event], ("project_config", "dependency")
            )


def _deprecated(event: LogEvent) -> Pair | None:
    """Return the names of a deprecated item and its replacement, or None unless an event mentions both."""
    line = first_line(event)
    match = re.search(r"(?i)\b(?:is|are|was|were|been) (?:now )?deprecated\b|已(?:弃用|废弃)", line[:1_000])
    if not match or not (instead := _INSTEAD.search(line[match.end() : match.end() + _NEAR])):
        return None
    before = line[max(0, match.start() - _NEAR) : match.start()]
    clause = re.split(r"[;,，；。]\s*|:\s+|\.\s+", _PROCESS.sub("", before).strip())[-1]
    quoted = _QUOTED.findall(before)
    old = quoted[-1] if quoted else _WORDS_BEFORE.sub("", clause)
    rest = instead["new"] or instead["neu"]
    named = _QUOTED.match(rest)
    new = named[1] if named else re.split(r"\s+instead\b|[;,，；。]|\.(?:\s|$)", rest)[0]
    names = old.strip(), new.strip()
    return names if all(names) else None


# Tests and commands


def unsteady_tests(log: LogText) -> Facts:
    """Yield a fact for each test that failed and later passed in the same log."""
    for name, failed, passed in _tests(log):
        if not (failed and passed and passed[-1].line >= failed[0].line):
            continue
        title = message("The test {test} failed and later passed", test=abbreviate(name))
        text = title
        if cause := _first_cause(failed):
            text = message("{title}. It failed with: {cause}", title=title, cause=abbreviate(cause, 300))
        yield fact("unsteady_test", [generalise(name)], title, text, [*failed[:3], passed[-1]], _COMMON)


def failing_tests(log: LogText) -> Facts:
    """Yield a fact for each test that failed in at least two runs and never passed."""
    for name, failures, passed in _tests(log):
        failed = [event for event in failures if event.fields.get("detail")]
        traced = sum("\n" in event.text for event in failed)
        runs = max(traced, len(failed) - traced)
        if runs < _FEW or passed:
            continue
        cause = _first_cause(failed)
        title = message("The test {test} keeps failing: {cause}", test=abbreviate(name), cause=abbreviate(cause))
        text = message(
            "{what}. {count}",
            what=title,
            count=plural("The test failed in {n} run.", "The test failed in {n} runs.", n=runs),
        )
        yield replace(
            fact("failing_test", [generalise(name), generalise(cause)], title, text, failed[:3], _COMMON), priority=1
        )


def _tests(log: LogText) -> Iterator[tuple[str, Events, Events]]:
    """Yield each test's name, with the events in which the test failed and those in which it passed.

    A failure's header doesn't include the test's file, so tests are matched by name.
    """
    events = [event for event in log.events if event.kind == "test" and "outcome" in event.fields]
    full = {_last_part(event.fields["test"]): event.fields["test"] for event in events if "::" in event.fields["test"]}

    def name_of(event: LogEvent) -> str:
        name = event.fields["test"]
        return name if "::" in name else full.get(_last_part(name), name)

    for name, of_test in _grouped(events, name_of):
        failed, passed = (
            [event for event in of_test if event.fields["outcome"] == how] for how in ("failed", "passed")
        )
        yield name, failed, passed


def _last_part(name: str) -> str:
    return re.split(r"::|\.(?=test)", name)[-1]


def _first_cause(failed: Events) -> str:
    return next((detail.partition("\n")[0] for event in failed if (detail := event.fields.get("detail"))), "")


def mended_commands(log: LogText) -> Facts:
    """Yield a fact for each failed command, with the commands that made it work or a command that worked instead."""
    commands = [event for event in log.events if event.kind == "command"]
    for number, event in enumerate(commands, 1):
        failed = event.fields["command"]
        steps = _mending(failed, commands[number : number + _MOST_LATER]) if (reason := _complaint(event)) else []
        worked = " && ".join(step.fields["command"] for step in steps)
        if worked in ("", failed):
            continue
        title = message(
            "{failed} failed, but {worked} worked", failed=abbreviate(failed, 80), worked=abbreviate(worked, 160)
        )
        yield fact(
            "mended_command",
            [normalise_exact(failed), normalise_exact(worked)],
            title,
            message("{title}. It failed with: {cause}", title=title, cause=abbreviate(reason, 300)),
            [event, *steps],
            ("test_experience", "best_practice"),
        )


def _complaint(event: LogEvent) -> str:
    """Return the line in a command's output that reports a failure, or "" if no line does."""
    return next(filter(_COMPLAINS.search, event.text.split("\n")[1:]), "")


def _mending(failed: str, later: Events) -> Events:
    """Return the commands that fixed a failed command.

    These are the commands up to and including the first one that runs the failed command successfully, except those
    that failed or only show something. If there is no such run, return the next successful command that runs the same
    program.
    """
    program = _program(failed)
    same = []
    steps: Events = []
    for event in later:
        command = event.fields["command"]
        if _complaint(event):
            continue
        if failed in command:
            return [*steps, event]
        if not _LOOKING.match(command):
            steps.append(event)
        if _program(command) == program and not _LOOKING.match(program):
            same.append(event)
    return same[:1]


def _program(command: str) -> str:
    return "".join(re.sub(r"^(?:(?:sudo|time|env|nohup) |[A-Z_][A-Z0-9_]*=\S* )+", "", command).split()[:1])
