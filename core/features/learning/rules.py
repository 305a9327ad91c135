"""The rules that find facts in logs without a model. The rules for settings, ports and statements are defined here."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import islice

from core.base.frozen import Pair, frozen
from core.base.messages import Message, message
from core.base.text import CJK
from core.features.learning.facts import abbreviate, fact, first_line, generalise_source, normalise_exact
from core.features.learning.failures import (
    Facts,
    deprecations,
    failing_requests,
    failing_tests,
    mended_commands,
    repeated_errors,
    required_headers,
    slow_calls,
    unsteady_tests,
)
from core.model import Fact, LogEvent, LogText

# Maximum number of facts per rule and log. Nobody reads more.
MOST_FACTS = 200
_VALUE = r"\"[^\"\n]{1,200}\"|'[^'\n]{1,200}'|[^\s,;，；\"']{1,200}"
_PAIR = re.compile(rf"(?<![\w.&?-])(?P<name>[A-Za-z_][\w.-]{{1,60}}|[{CJK}]{{2,16}}) ?[=＝] ?(?P<value>{_VALUE})")
_SET = re.compile(
    rf"(?i)\b(?:setting|set|option|parameter) (?P<name>[A-Za-z_][\w.-]{{1,60}}) (?:to|is|=) (?P<value>{_VALUE})"
)
_CONFIGURING = re.compile(
    r"(?i)\b(?:config(?:ur(?:ation|ed|ing))?|settings?|options?|parameters?|properties|defaults?|boot(?:ing|strap)?|pool|environment)\b"
    r"|配置|参数|设置|选项"
)
_PORT = re.compile(
    r"(?i)(?:listen(?:ing|s)? (?:on|at)|(?:started|running|serving|available) (?:on|at)(?: ports?"
    r"(?:\(s\))?)?|监听(?:的)?端口)[ :：]*"
    r"(?P<address>(?:https?://)?(?:[\w.*-]{1,100}:|\[::\]:)?(?P<port>\d{2,5}))\b"
)
# Names of values that vary between events, so they aren't settings.
_VARYING = re.compile(
    r"(?i)(?:.*[_.-])?(?:id|uuid|pid|tid|url|trace|span)|user(?:name)?|order|invoice|n|count|total|status|method|path|line|thread|time"
    r"|timestamp|duration(?:_ms)?|elapsed(?:_ms)?|latency(?:_ms)?|seconds|error|cause|reason|code|error_code|request|client|host"
    r"|remote|msg|version|rev|hash|sha|x|key|size|bytes"
)

_SENTENCE = re.compile(r"(?:[^.!?。！？\n]|\.(?=\S)){1,600}[.!?。！？]?")
_STATEMENTS = (
    (
        "cause",
        (
            r"(?i)\b(?:root cause|the cause|the reason|the culprit)(?: was| is|:)|\bturned out (?:that|to"
            r" be)\b|(?:根本)?原因(?:是|为|[：:])|根因"
        ),
        message("Cause: {sentence}"),
    ),
    (
        "fix",
        (
            r"(?i)^\W{0,3}(?:fix|fixed|solution|workaround|resolution)(?: was| is|:)|\b(?:fixed|solved"
            r"|resolved) (?:it |this |that )?by\b"
            r"|解决(?:办法|方法|方案)(?:是|为|[：:])|(?:修复|解决)(?:了)?[：:]"
        ),
        message("Fix: {sentence}"),
    ),
    (
        "decision",
        (
            r"(?i)\b(?:we|the team) (?:have |has )?(?:decided|agreed|chose|settled)\b|^\W{0,3}decision:|"
            r"(?:我们|大家|团队)?(?:决定|商定|约定)(?:把|将|用|采用|不|改|在|：|:)"
        ),
        message("Decision: {sentence}"),
    ),
)
_UNSURE = re.compile(
    r"(?i)\b(?:may|might|maybe|perhaps|possibly|probably|usually|often|common|could|if|whether|why|what)\b|常见|可能|也许|一般|通常|是否|如果|怎么"
)
_CONFIG = ("project_config", "environment")
# Minimum number of settings that a source must have to be worth a note.
_FEW = 2
_SHORTEST = 25
_SHORTEST_CHINESE = 8
_LABEL = re.compile(r"(?i)^\W{0,3}(?:root cause|cause|fix|solution|decision|解决(?:办法|方法|方案)|原因)[：:]\s*")


def settings(log: LogText) -> Facts:
    """Yield a fact for each source in a log that states settings, with their last values.

    Sources with only one setting are skipped, because a single setting says too little.
    """
    sources = defaultdict[str, dict[str, tuple[str, LogEvent]]](dict)
    for event in log.events:
        for name, value in _event_settings(event):
            sources[event.source][name] = (value, event)
    for source, stated in sources.items():
        if len(stated) < _FEW:
            continue
        pairs = [f"{name} = {abbreviate(value)}" for name, (value, _) in stated.items()]
        title, text = (
            message("Settings of {source}: {settings}", source=source, settings=said)
            if source
            else message("Settings: {settings}", settings=said)
            for said in (abbreviate(", ".join(stated)), pairs)
        )
        yield fact(
            "setting",
            [generalise_source(source), *sorted(map(normalise_exact, pairs))],
            title,
            text,
            [event for _, event in stated.values()],
            _CONFIG,
        )


def _event_settings(event: LogEvent) -> Iterator[Pair]:
    line = _neutral_line(event)
    words = _PAIR.sub("", line)
    configures = _CONFIGURING.search(f"{event.source} {words}") or len(re.findall(r"\w+", words)) <= 3
    for match in (*_SET.finditer(line), *_PAIR.finditer(line)) if configures else ():
        name = match["name"]
        value = match["value"].strip("\"'")
        if not _VARYING.fullmatch(name) and not value.startswith(("[", "{", "=", "…")) and value.strip(".…"):
            yield name, value.rstrip(".。")


def _neutral_line(event: LogEvent) -> str:
    """Return the first line of a log event if it is neither a warning nor an error, or "" for any other event."""
    return first_line(event) if event.kind == "log" and event.level in ("", "info", "debug") else ""


def ports(log: LogText) -> Facts:
    """Yield a fact for each line that says on which address a service listens."""
    for event in log.events:
        if match := _PORT.search(_neutral_line(event)):
            title = message("Listening on {address}", address=match["address"])
            if event.source:
                title = message("{source} is listening on {address}", source=event.source, address=match["address"])
            yield fact("port", [normalise_exact(event.source), match["port"]], title, title, [event], _CONFIG)


def statements(log: LogText) -> Facts:
    """Yield a fact for each sentence in a chat or note that states a cause, fix or decision. Guesses are skipped."""
    for event in log.events:
        for match in _SENTENCE.finditer(event.text) if event.kind == "message" else ():
            sentence = match[0].strip()
            least = _SHORTEST if sentence.isascii() else _SHORTEST_CHINESE
            if len(sentence) < least or sentence[-1] in "?？" or _UNSURE.search(sentence):
                continue
            said = _LABEL.sub("", sentence)
            for name, pattern, label in _STATEMENTS:
                if re.search(pattern, sentence):
                    title, text = (replace(label, fields={"sentence": abbreviate(said, most)}) for most in (160, 600))
                    title = message("{statement}", statement=title)
                    yield fact(f"stated_{name}", [normalise_exact(said)], title, text, [event], ("module_context", ""))
                    break


@frozen
class LearningRule:
    """A function that finds facts, and the rule's name as shown in suggestions.

    If `by_key` is True, two facts are the same only if their keys are equal. Otherwise, similar keys are enough.
    """

    function: Callable[[LogText], Iterable[Fact]]
    name: Message
    by_key: bool = False


RULES = {
    "repeated_error": LearningRule(repeated_errors, message("an error that repeats")),
    "required_header": LearningRule(required_headers, message("a request that needs a header"), by_key=True),
    "failing_request": LearningRule(failing_requests, message("a request that keeps failing"), by_key=True),
    "slow_call": LearningRule(slow_calls, message("a slow call")),
    "setting": LearningRule(settings, message("a configuration value"), by_key=True),
    "port": LearningRule(ports, message("an address that a service listens on"), by_key=True),
    "unsteady_test": LearningRule(unsteady_tests, message("a test that failed and later passed")),
    "failing_test": LearningRule(failing_tests, message("a test that keeps failing")),
    "mended_command": LearningRule(mended_commands, message("a command that worked after one that failed")),
    "deprecation": LearningRule(deprecations, message("use of something deprecated")),
    "statement": LearningRule(statements, message("a cause, a fix or a decision that somebody states")),
}


def facts(log: LogText) -> list[tuple[str, Fact]]:
    """Return the facts in a log without duplicates, each with the name of the rule that found it."""
    found: dict[Pair, tuple[str, Fact]] = {}
    for name, rule in RULES.items():
        for item in islice(rule.function(log), MOST_FACTS):
            found.setdefault((item.rule, item.key), (name, item))
    return [*found.values()]
