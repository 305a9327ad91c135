"""Suggestions by a language model for a log's masked events. Each suggestion is checked against the lines it quotes."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from core.base.errors import ProviderError
from core.base.jobs import stop_check
from core.base.messages import Message, lines, message, verbatim
from core.base.text import find_quote, make_storable, one_line
from core.features.learning.facts import abbreviate, fact, generalise, generalise_source
from core.features.learning.reading import Excerpt, excerpts
from core.model import Dropped, Fact, LogEvent, LogText
from core.providers.chat import Chat, values

# The rule name for facts suggested by a model.
RULE = "model"
TASK = """You read a part of a log and suggest notes for the person whose log it is: what will be worth knowing in a \
month, such as an error with its cause and what ended it, a setting, what an endpoint requires, a decision.
You are given JSON: "language", and "events", each with a "line" and a "text". A mark such as [token-1] stands in the \
place of a secret.
Reply with one JSON object only, such as
{"notes": [{"title": "...", "text": "...", "type": "test_experience", "category": "common_issue", "scope": "", \
"priority": 0, "tags": ["..."], "metadata": {}, "lines": [{"line": 12, "quote": "..."}]}]}
Write title and text in the language that is named, as plain sentences without Markdown. Types are project_config, \
business_rule, module_context and test_experience. "scope" is the part of the system, "priority" a number from 0 to 9, \
"metadata" an object of short values. "lines" are what the note rests on: each quote is copied letter for letter from \
the text of the event with that line. One note for each fact, at most eight, the most useful first. Where nothing is \
worth a note, reply {"notes": []}"""
# Maximum number of parts of a log to send to a model. Any further events aren't sent.
PARTS = 20
# Maximum number of suggestions to read from a reply.
NOTES = 12

_FIGURE = re.compile(r"\d+(?:[.,:]\d+)*")
_SENTENCE = re.compile(r"[^.。!！?？;；\n]+(?:[.。!！?？;；]+(?!\s)[^.。!！?？;；\n]+)*")
# Maximum length, in characters, of a line to use as a quote's context. In a longer line, only the sentence is used.
_LONG = 200
_MOST_LINE = 300


def _line(text: str) -> str:
    """Return text written by a model, shortened to a single line."""
    return abbreviate(make_storable(text).replace("`", ""), _MOST_LINE)


_Word = Annotated[str, Field(max_length=100), AfterValidator(_line)]
_Value = Annotated[str, Field(max_length=1000), AfterValidator(make_storable)] | int | float | bool | None


class _Line(BaseModel):
    model_config = ConfigDict(strict=True)

    line: int
    quote: str = Field(min_length=1, max_length=4000)


class _Suggestion(BaseModel):
    """The required format of a suggestion. Any other fields, such as a status, are ignored."""

    model_config = ConfigDict(strict=True, allow_inf_nan=False)

    title: Annotated[str, Field(min_length=1, max_length=300), AfterValidator(_line)]
    text: str = Field(min_length=1, max_length=6000)
    type: _Word = ""
    category: _Word = ""
    scope: _Word = ""
    priority: int = Field(0, ge=-1000, le=1000)
    tags: list[_Word] = Field(default_factory=list, max_length=20)
    metadata: dict[_Word, _Value] = Field(default_factory=dict, max_length=20)
    lines: list[_Line] = Field(min_length=1, max_length=20)


@dataclass
class ModelReader:
    """Reads logs with a model, in parts of at most `characters` characters.

    Reading stops if the server fails, or if it replies in the wrong format twice. `problem` then contains the reason.
    """

    chat: Chat
    characters: int
    problem: Message | None = None

    def read(
        self, log: LogText, by_rules: Sequence[Fact], language: str, step: Callable[[float], None]
    ) -> Iterator[tuple[list[Fact], list[Dropped], int]]:
        """Yield the facts and the dropped suggestions for each part of a log.

        The third value is the number of events in the log that aren't sent at all. If a rule found the same fact, the
        rule's fact replaces the model's. `step` is called with the share completed so far, and may raise Cancelled.
        """
        if self.problem:
            return
        parts = [*islice(excerpts(log, self.characters), PARTS)]
        unsent = len(log.events) - sum(map(len, parts))
        for number, part in enumerate(parts):
            share = number / len(parts)
            step(share)
            material = {
                "language": "Chinese" if language == "zh_CN" else "English",
                "events": [{"line": event.line, "text": text} for event, text in part],
            }
            try:
                values = self.chat.reply_as(TASK, material, _read, stop_check(lambda *_, share=share: step(share)))
            except ProviderError as error:
                self.problem = error.message
                return
            outcomes = [_suggested(value, part) for value in values[:NOTES]]
            yield (
                [_covering(item, by_rules) or item for item in outcomes if isinstance(item, Fact)],
                [item for item in outcomes if isinstance(item, Dropped)],
                unsent,
            )


def _covering(item: Fact, others: Sequence[Fact]) -> Fact | None:
    """Return the first fact in `others` that covers all lines of `item`, or None.

    Also return None if a quote is long or has several lines, because it may be about several facts.
    """
    if any("\n" in quote or len(quote) > _LONG for quote in item.quotes):
        return None
    return next((other for other in others if {*item.lines} <= {*other.lines}), None)


def _suggested(value: object, excerpt: Excerpt) -> Fact | Dropped:
    """Return the fact suggested by a model or, if it is invalid, the dropped suggestion with the reason."""
    try:
        outcome = _fact(_Suggestion.model_validate(value), excerpt)
    except ValidationError:
        outcome = message("it isn't in the requested format")
    title = value.get("title") if isinstance(value, dict) else None
    return outcome if isinstance(outcome, Fact) else Dropped(_line(title) if isinstance(title, str) else "", outcome)


def _read(reply: str) -> list[object] | None:
    """Return the suggestions in a reply, or None if the reply is in the wrong format."""
    for value in values(reply, r'\{\s*"notes"\s*:'):
        if isinstance(value["notes"], list):
            return value["notes"]
    return None


def _fact(suggestion: _Suggestion, excerpt: Excerpt) -> Fact | Message:
    """Return the fact in a suggestion, or the reason to drop the suggestion."""
    paragraphs = [
        plain
        for line in suggestion.text.splitlines()
        if (plain := one_line(re.sub(r"^[\s>#*•-]+", "", make_storable(line).replace("`", ""))))
    ]
    if not suggestion.title or not paragraphs:
        return message("it has no text")
    events = {}
    keys = set()
    quoted = ""
    for line in suggestion.lines:
        if (place := _place(line, excerpt)) is None:
            return message("'{quote}' isn't in the log", quote=_line(line.quote))
        event, text = place
        events[event.line, event.text] = event
        keys.add(f"{generalise_source(event.source)} {generalise(text)}".strip())
        quoted += f"{text}\n"
    return replace(
        fact(
            RULE,
            [*sorted(keys), *sorted({*_FIGURE.findall(suggestion.title)} & {*_FIGURE.findall(quoted)})],
            verbatim(suggestion.title),
            lines(*map(verbatim, paragraphs), separator="\n\n"),
            [events[number] for number in sorted(events)],
            (suggestion.type, suggestion.category),
        ),
        tags=tuple(filter(None, suggestion.tags)),
        priority=suggestion.priority,
        scope=suggestion.scope,
        metadata={name: value for name, value in suggestion.metadata.items() if name},
    )


def _place(line: _Line, excerpt: Excerpt) -> tuple[LogEvent, str] | None:
    """Return the event that contains a quote, and the whole lines around the quote, or None if no event contains it.

    The event on the line named by the model is tried first.
    """
    for event, text in sorted(excerpt, key=lambda item: item[0].line != line.line):
        if span := find_quote(line.quote, text):
            head = len(text) - len(event.text) if text.endswith(event.text) else 0
            return event, _whole_lines(text[head:], max(0, span[0] - head), max(0, span[1] - head))
    return None


def _whole_lines(text: str, start: int, end: int) -> str:
    """Return the whole lines around a span, or only the sentences around it if the lines are long."""
    first = text.rfind("\n", 0, start) + 1
    last = text.find("\n", end)
    line = text[first : last if last >= 0 else len(text)]
    if len(line) <= _LONG:
        return line
    sentences = _SENTENCE.finditer(line)
    return " ".join(it[0] for it in sentences if it.start() < end - first and it.end() > start - first) or line
