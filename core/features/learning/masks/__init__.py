"""Masking of secrets in logs, before anything in a log is shown, stored or sent."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from core.features.learning.masks.named import MOST_LINE, is_named, named_secrets, pairs, tables
from core.features.learning.masks.names import Grade, grade
from core.features.learning.masks.numbers import numbers
from core.features.learning.masks.patterns import blocks, known_secrets
from core.features.learning.masks.spans import MASK, SecretSpan, merge, readings
from core.features.learning.masks.values import find_tokens, is_secret
from core.model import LogEvent

_MOST_TEXT = 20_000
_LONGEST_VALUE = 1_000
"""Maximum length of a quoted value to remove as a whole at a cut, in characters."""
_TIME = re.compile(r"(?:\d{1,4}[-/:.]\d{1,2}[-/:.]\d{1,4}[\d T:.,Z+-]{0,24})?")
_MOST_SOURCES = 10_000


class Masker:
    """Replaces each secret in logs with its kind and a number, such as `[token-2]`; equal secrets have the same mask.

    The numbers count the secrets that this object has masked, so a mask reveals nothing about its secret.
    """

    def __init__(self) -> None:
        self._masks: dict[str, str] = {}
        self._numbers: Counter[str] = Counter()
        self._sources: dict[str, str] = {"": ""}

    def __len__(self) -> int:
        return len(self._masks)

    def masked(self, text: str, *, unknown: bool = True) -> str:
        """Return a text with its secrets masked; with `unknown` also text that only looks like a token."""
        return self._replace_secrets(text, lambda way, is_last: _secrets(way, unknown and is_last))

    def event(self, event: LogEvent) -> LogEvent:
        """Return an event with its secrets masked."""
        fields = {self.masked(name): self._field(name, value) for name, value in event.fields.items()}
        text = shorten(event.text, _MOST_TEXT)
        time = event.time if _TIME.fullmatch(event.time) else self.masked(event.time[:100], unknown=False)
        source = self._source(event.source[:200])
        return replace(event, text=self.masked(text), time=time, source=source, fields=fields)

    def across_lines(self, text: str) -> str:
        """Return a text with secrets masked that need several lines to recognize: keys, pairs, columns.

        Line numbers stay the same.
        """
        return self._replace_secrets(text, lambda way, _: _across_lines(way))

    def _source(self, source: str) -> str:
        """Return a source with its secrets masked; cached because most events of a log have few sources."""
        if source not in self._sources:
            if len(self._sources) > _MOST_SOURCES:
                self._sources.clear()
            self._sources[source] = self.masked(source)
        return self._sources[source]

    def _field(self, name: str, value: str) -> str:
        sure = grade(name)
        if sure is not Grade.NONE and is_secret(value, sure, quoted=True):
            return self._mask("password", value)
        return self.masked(value)

    def _replace_secrets(self, text: str, find: Callable[[str, bool], Iterable[SecretSpan]]) -> str:
        """Return a text with the secrets masked that `find` yields for its readings; line numbers stay the same."""
        spans = []
        ways = readings(text)
        for way in ways:
            spans += [
                SecretSpan(way.original(start), way.original(end), kind)
                for start, end, kind in find(way.text, way is ways[-1])
            ]
        parts, at = [], 0
        for start, end, kind in merge(spans, text):
            secret = text[start:end]
            parts += [text[at:start], self._mask(kind, readings(secret)[-1].text), "\n" * secret.count("\n")]
            at = end
        return "".join([*parts, text[at:]])

    def _mask(self, kind: str, secret: str) -> str:
        if secret not in self._masks:
            self._numbers[kind] += 1
            self._masks[secret] = f"[{kind}-{self._numbers[kind]}]"
        return self._masks[secret]


def _secrets(text: str, also_unknown: bool) -> Iterator[SecretSpan]:
    """Yield the secrets in a text, the most certain kinds first."""
    lower = text.lower()
    yield from known_secrets(text, lower)
    yield from named_secrets(text, lower)
    yield from tables(text)
    if "\n" in text:
        yield from blocks(text)
    yield from numbers(text)
    if also_unknown:
        yield from find_tokens(text)


def _across_lines(text: str) -> Iterator[SecretSpan]:
    yield from blocks(text)
    at = 0
    for line in text.split("\n"):
        if len(line) <= MOST_LINE and is_named(line.lower()):
            yield from pairs(text, at, at + len(line))
        at += len(line) + 1
    yield from tables(text)


def unnumbered(text: str) -> str:
    """Return a text with only the kind in each mask, because every log has its own numbers."""
    return MASK.sub(r"[\g<kind>]", text)


def shorten(text: str, most: int) -> str:
    """Return the first characters of a text, cut before a word or quoted value that may be a part of a secret."""
    if len(text) <= most:
        return text
    whole = text[:most].rstrip()
    end = max(map(whole.rfind, " \n\t"))
    quote = whole.rfind('"')
    open_value = whole.count('"') % 2 and len(whole) - quote < _LONGEST_VALUE
    return whole[: max(0, min(end, quote) if open_value else end)] + "…"
