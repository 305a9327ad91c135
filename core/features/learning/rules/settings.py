"""Values of the configuration, and ports that a service listens on."""

import re
from collections.abc import Iterator

from core.base.messages import message
from core.base.text import CJK
from core.features.learning.rules.common import abbreviate, fact, first_line, normalise_exact
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
"""Names of values that differ from event to event, and are no settings."""


def settings(log: LogText) -> Iterator[Fact]:
    """Yield the values of settings that a log states, the last one of each."""
    last: dict[str, tuple[str, LogEvent]] = {}
    for event in log.events:
        for name, value in _event_settings(event):
            last[name] = (value, event)
    for name, (value, event) in last.items():
        title = message("{name} = {value}", name=name, value=abbreviate(value))
        where = message("The setting {name} has the value {value}.", name=name, value=abbreviate(value))
        source = message("{source} uses it.", source=event.source) if event.source else None
        text = message("{text} {more}", text=where, more=source) if source else where
        yield fact(
            "setting",
            [normalise_exact(name), normalise_exact(value)],
            title,
            text,
            [event],
            ("project_config", "environment"),
        )


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
