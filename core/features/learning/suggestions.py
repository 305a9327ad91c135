"""Facts as notes: their text in Markdown, in which nothing of a log is more than text."""

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from core.base.messages import ENGLISH, Message, message, render
from core.base.text import CJK
from core.features.learning.rules import RULES
from core.features.learning.rules.common import MOST_TITLE, abbreviate
from core.markdown.parts import code_block
from core.model import ORIGIN, Fact, LogText

_TESTS = ("pytest", "junit")
"""Formats of reports of tests."""
_PLAIN = re.compile(rf"[\w{CJK}](?:[\w{CJK} .,;()'\"%=/？！。，：；（）、“”-]|:(?!/)|\n(?! ?[-=+]))*")
"""A value of a log that Markdown shows as it is: no link, no tag, no mark-up."""
_EMPHASIS = re.compile(r"(?<!\w)_|_(?!\w)|__|www\.", re.IGNORECASE)
_CHINESE = re.compile(rf"[{CJK}]")
_LANGUAGE = "zh_CN"
_SHARE = 0.15
"""Share of Chinese characters in a log from which on its notes are written in Chinese."""
_MOST_LINES = 12
_RULES = "rules"
"""The writer of the notes of rules."""


def language_of(log: LogText) -> str:
    """Return the language in which the notes of a log are written."""
    text = "".join(event.text[:200] for event in log.events[:200])
    letters = sum(letter.isalpha() for letter in text)
    return _LANGUAGE if letters and len(_CHINESE.findall(text)) > _SHARE * letters else ENGLISH


def item_of(rule: str, fact: Fact, log: LogText, language: str, model: str = "") -> Mapping[str, Any]:
    """Return the pending note of a fact, as `Notes.add_many` takes it; `model` is the one that suggests it."""
    place = place_of(fact, log)
    return {
        "body": _body(rule, fact, place, language, model),
        "title": abbreviate(render(fact.title, language), MOST_TITLE),
        "path": "learnt/",
        "type": fact.type,
        "category": fact.category,
        "tags": fact.tags,
        "scope": fact.scope,
        "priority": fact.priority,
        "status": "pending",
        "source": "test_learning" if log.format in _TESTS else "log_learning",
        ORIGIN: place,
        "created_by": model or _RULES,
        "metadata": {**fact.metadata, "rule": rule, "format": log.format, "lines": list(fact.lines)},
    }


def place_of(fact: Fact, log: LogText) -> str:
    """Return the file of a fact and its lines, as `app.log:12-14,31`."""
    spans: list[list[int]] = []
    for line in sorted({*fact.lines}):
        if spans and line <= spans[-1][1] + 1:
            spans[-1][1] = line
        else:
            spans.append([line, line])
    written = [str(start) if start == end else f"{start}-{end}" for start, end in spans[:_MOST_LINES]]
    return f"{log.name}:{','.join(written)}"


def _body(rule: str, fact: Fact, place: str, language: str, model: str) -> str:
    text = render(_quote_values(fact.text), language).strip()
    if model:
        note = message("Suggested by the language model {model}, from {place}.", model=_code(model), place=_code(place))
    else:
        kind = render(RULES[rule].name, language)
        note = message(
            "Suggested by the rule '{rule}' ({kind}), from {place}.", rule=rule, kind=kind, place=_code(place)
        )
    quotes = code_block("\n".join(fact.quotes), "text")
    return f"{text}\n\n{render(note, language)}\n\n{quotes}\n"


def _quote_values(text: Message) -> Message:
    """Return a message in which values of a log are code, where Markdown would read more than text in them."""
    fields = {
        name: _quote_values(value) if isinstance(value, Message) else _safe(value) if isinstance(value, str) else value
        for name, value in text.fields.items()
    }
    return replace(text, fields=fields)


def _safe(value: str) -> str:
    return value if _PLAIN.fullmatch(value) and not _EMPHASIS.search(value) else _code(value)


def _code(value: str) -> str:
    marks = "`" * (1 + max(map(len, re.findall("`+", value)), default=0))
    edge = " " if len(marks) > 1 else ""
    return f"{marks}{edge}{value}{edge}{marks}"
