"""Rules for statements: settings, ports, and causes, fixes and decisions in chats and notes."""

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace

from core.base.messages import Message, message
from core.base.text import CJK
from core.features.learning.rules.common import abbreviate, fact, first_line, generalise_source, normalise_exact
from core.model import Fact, LogEvent, LogText

_NAME = rf"[A-Za-z_][\w.-]{{1,60}}|[{CJK}]{{2,16}}"
_VALUE = r"\"[^\"\n]{1,200}\"|'[^'\n]{1,200}'|[^\s,;，；\"']{1,200}"
_PAIR = re.compile(rf"(?<![\w.&?-])(?P<name>{_NAME}) ?[=＝] ?(?P<value>{_VALUE})")
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
_VARYING = re.compile(
    r"(?i)(?:.*[_.-])?(?:id|uuid|pid|tid|url|trace|span)|user(?:name)?|order|invoice|n|count|total|status|method|path|line|thread|time"
    r"|timestamp|duration(?:_ms)?|elapsed(?:_ms)?|latency(?:_ms)?|seconds|error|cause|reason|code|error_code|request|client|host"
    r"|remote|msg|version|rev|hash|sha|x|key|size|bytes"
)
"""Names of values that differ from event to event, and so aren't settings."""

_SENTENCE = re.compile(r"(?:[^.!?。！？\n]|\.(?=\S)){1,600}[.!?。！？]?")
_STATEMENTS: tuple[tuple[str, re.Pattern[str], Message], ...] = (
    (
        "cause",
        re.compile(
            r"(?i)\b(?:root cause|the cause|the reason|the culprit)(?: was| is|:)|\bturned out (?:that|to"
            r" be)\b|(?:根本)?原因(?:是|为|[：:])|根因"
        ),
        message("Cause: {sentence}"),
    ),
    (
        "fix",
        re.compile(
            r"(?i)^\W{0,3}(?:fix|fixed|solution|workaround|resolution)(?: was| is|:)|\b(?:fixed|solved"
            r"|resolved) (?:it |this |that )?by\b"
            r"|解决(?:办法|方法|方案)(?:是|为|[：:])|(?:修复|解决)(?:了)?[：:]"
        ),
        message("Fix: {sentence}"),
    ),
    (
        "decision",
        re.compile(
            r"(?i)\b(?:we|the team) (?:have |has )?(?:decided|agreed|chose|settled)\b|^\W{0,3}decision:|"
            r"(?:我们|大家|团队)?(?:决定|商定|约定)(?:把|将|用|采用|不|改|在|：|:)"
        ),
        message("Decision: {sentence}"),
    ),
)
_UNSURE = re.compile(
    r"(?i)\b(?:may|might|maybe|perhaps|possibly|probably|usually|often|common|could|if|whether|why|what)\b|常见|可能|也许|一般|通常|是否|如果|怎么"
)
_FEW = 2
"""Minimum number of settings from a source to make a note."""
_SHORTEST, _SHORTEST_CHINESE = 25, 8
_LABEL = re.compile(r"(?i)^\W{0,3}(?:root cause|cause|fix|solution|decision|解决(?:办法|方法|方案)|原因)[：:]\s*")


def settings(log: LogText) -> Iterator[Fact]:
    """Yield the settings of each source with several, each with its last value; a single setting says too little."""
    sources: dict[str, dict[str, tuple[str, LogEvent]]] = defaultdict(dict)
    for event in log.events:
        for name, value in _event_settings(event):
            sources[event.source][name] = (value, event)
    for source, stated in sources.items():
        if len(stated) < _FEW:
            continue
        title = _settings_line(source, abbreviate(", ".join(stated)))
        pairs = [f"{name} = {abbreviate(value)}" for name, (value, _) in stated.items()]
        key = [generalise_source(source), *sorted(map(normalise_exact, pairs))]
        events = [event for _, event in stated.values()]
        yield fact("setting", key, title, _settings_line(source, pairs), events, ("project_config", "environment"))


def _settings_line(source: str, settings: str | list[str]) -> Message:
    if source:
        return message("Settings of {source}: {settings}", source=source, settings=settings)
    return message("Settings: {settings}", settings=settings)


def ports(log: LogText) -> Iterator[Fact]:
    """Yield the addresses that services listen on."""
    for event in log.events:
        match = (
            _PORT.search(first_line(event)) if event.kind == "log" and event.level in ("", "info", "debug") else None
        )
        if match:
            title = message("Listening on {address}", address=match["address"])
            if event.source:
                title = message("{source} is listening on {address}", source=event.source, address=match["address"])
            key = [normalise_exact(event.source), match["port"]]
            yield fact("port", key, title, title, [event], ("project_config", "environment"))


def _event_settings(event: LogEvent) -> Iterator[tuple[str, str]]:
    if event.kind != "log" or event.level not in ("", "info", "debug"):
        return
    line = first_line(event)
    pairs = [*_SET.finditer(line), *_PAIR.finditer(line)]
    words = _PAIR.sub("", line)
    configures = _CONFIGURING.search(f"{event.source} {words}") or len(re.findall(r"\w+", words)) <= 3
    for match in pairs if configures else []:
        name, value = match["name"], match["value"].strip("\"'")
        if not _VARYING.fullmatch(name) and not value.startswith(("[", "{", "=", "…")) and value.strip(".…"):
            yield name, value.rstrip(".。")


def statements(log: LogText) -> Iterator[Fact]:
    """Yield sentences from chats and notes that state a cause, a fix or a decision, but not questions and guesses."""
    for event in log.events:
        if event.kind != "message":
            continue
        for match in _SENTENCE.finditer(event.text):
            sentence = match[0].strip()
            for name, pattern, label in _STATEMENTS:
                if pattern.search(sentence) and _is_stated(sentence):
                    said = _LABEL.sub("", sentence)
                    title = message("{statement}", statement=_with(label, abbreviate(said)))
                    text = _with(label, abbreviate(said, 600))
                    kind = ("module_context", "")
                    yield fact(f"stated_{name}", [normalise_exact(said)], title, text, [event], kind)
                    break


def _with(label: Message, sentence: str) -> Message:
    return replace(label, fields={"sentence": sentence})


def _is_stated(sentence: str) -> bool:
    least = _SHORTEST if sentence.isascii() else _SHORTEST_CHINESE
    return len(sentence) >= least and sentence[-1] not in "?？" and not _UNSURE.search(sentence)
