"""Masks of secrets: what is in their place before anything of a log is shown, stored or sent."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from core.features.learning.masks.commands import commands
from core.features.learning.masks.named import MOST_LINE, is_named, named_secrets, on_next_line, pairs, tables
from core.features.learning.masks.names import Grade, grade
from core.features.learning.masks.shapes import numbers, shapes
from core.features.learning.masks.spans import MASK, SecretSpan, merge, normal_form
from core.features.learning.masks.values import find_tokens, is_secret
from core.model import LogEvent

_MOST_TEXT = 20_000
_LONGEST_VALUE = 1_000
"""Characters of a value in quotes that is a secret."""
_BEGIN = re.compile(r"-{4,5} ?BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?-{4,5}")
_END = re.compile(r"-{4,5} ?END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?-{4,5}")
_TIME = re.compile(r"(?:\d{1,4}[-/:.]\d{1,2}[-/:.]\d{1,4}[\d T:.,Z+-]{0,24})?")
_MOST_SOURCES = 10_000
_OF_KEY = re.compile(r"[\sA-Za-z0-9+/=:,.\"\\|-]*")


class Masker:
    """Masks the secrets of logs: each gets its kind and a number, `[token-2]`, the same one wherever it is.

    The numbers are those of this object, so that a mask says nothing of its secret.
    """

    def __init__(self) -> None:
        self._masks: dict[str, str] = {}
        self._numbers: Counter[str] = Counter()
        self._sources: dict[str, str] = {"": ""}

    def __len__(self) -> int:
        return len(self._masks)

    def masked(self, text: str, *, unknown: bool = True) -> str:
        """Return a text without its secrets; with `unknown` also without what only looks like a token."""
        return self._replace_secrets(text, lambda normal: _secrets(normal, unknown))

    def event(self, event: LogEvent) -> LogEvent:
        """Return an event without its secrets."""
        fields = {self.masked(name): self._field(name, value) for name, value in event.fields.items()}
        text = shorten(event.text, _MOST_TEXT)
        time = event.time if _TIME.fullmatch(event.time) else self.masked(event.time[:100], unknown=False)
        source = self._source(event.source[:200])
        return replace(event, text=self.masked(text), time=time, source=source, fields=fields)

    def across_lines(self, text: str) -> str:
        """Return a text without the secrets that several lines tell: pairs and columns. Its lines stay in place."""
        return self._replace_secrets(text, lambda normal: _by_line(_across_lines(normal), normal))

    def without_keys(self, text: str) -> str:
        """Return a text whose private keys are masked; its lines stay in their places."""
        if not _BEGIN.search(text):
            return text
        lines, key = text.split("\n"), False
        for number, line in enumerate(lines):
            if key:
                end = _END.search(line)
                key = not end and bool(_OF_KEY.fullmatch(line))
                lines[number] = line[end.end() :] if end else "" if key else line
            elif (begin := _BEGIN.search(line)) and not _END.search(line, begin.end()):
                key = "\\n" not in line[begin.end() :]
                if key:
                    lines[number] = line[: begin.start()] + self._mask("key", f"{number}:{line}")
        return "\n".join(lines)

    def _source(self, source: str) -> str:
        """Return a source without its secrets; few sources write the most of a log."""
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

    def _replace_secrets(self, text: str, find: Callable[[str], Iterable[SecretSpan]]) -> str:
        """Return a text with masks in place of the secrets that are found in its normal form."""
        normal = normal_form(text)
        parts, at = [], 0
        for span in merge(find(normal.text), normal.text):
            start, end = normal.original(span.start), normal.original(span.end)
            parts += [text[at:start], self._mask(span.kind, normal.text[span.start : span.end])]
            at = end
        return "".join([*parts, text[at:]])

    def _mask(self, kind: str, secret: str) -> str:
        if secret not in self._masks:
            self._numbers[kind] += 1
            self._masks[secret] = f"[{kind}-{self._numbers[kind]}]"
        return self._masks[secret]


def _secrets(text: str, also_unknown: bool) -> Iterator[SecretSpan]:
    """Yield the secrets of a text, those of the surest kinds first."""
    lower = text.lower()
    yield from shapes(text, lower)
    yield from commands(text, lower)
    yield from named_secrets(text, lower)
    yield from tables(text)
    yield from numbers(text)
    if also_unknown:
        yield from find_tokens(text)


def _across_lines(text: str) -> Iterator[SecretSpan]:
    at = 0
    for line in text.split("\n"):
        if len(line) <= MOST_LINE and is_named(line):
            yield from pairs(text, at, at + len(line))
            yield from on_next_line(text, at, at + len(line))
        at += len(line) + 1
    yield from tables(text)


def _by_line(spans: Iterable[SecretSpan], text: str) -> Iterator[SecretSpan]:
    """Yield the part of each secret in each line."""
    for start, end, kind in spans:
        for line in re.finditer(r"[^\n]+", text[start:end]):
            yield SecretSpan(start + line.start(), start + line.end(), kind)


def unnumbered(text: str) -> str:
    """Return a text whose masks say their kind only, as two logs number them otherwise."""
    return MASK.sub(r"[\g<kind>]", text)


def shorten(text: str, most: int) -> str:
    """Return the first characters of a text; what may be a part of a secret at the cut isn't among them."""
    if len(text) <= most:
        return text
    whole = text[:most].rstrip()
    end = max((whole.rfind(blank) for blank in " \n\t"), default=-1)
    quote = whole.rfind('"')
    open_value = whole.count('"') % 2 and len(whole) - quote < _LONGEST_VALUE
    return whole[: max(0, min(end, quote) if open_value else end)] + "…"
