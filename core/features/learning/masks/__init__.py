"""Mask secrets in logs before anything from a log is shown, stored or sent."""

import re
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import replace

from core.base.frozen import TextValues
from core.features.learning.masks.named import named_secrets, pairs, tables
from core.features.learning.masks.patterns import blocks, known_secrets, numbers
from core.features.learning.masks.spans import Secrets, SecretSpan, merge, readings
from core.features.learning.masks.values import find_tokens, grade, is_secret
from core.model import LogEvent

_MOST_TEXT = 20_000
# Maximum length, in characters, of a cut-off quoted value that `shorten` removes completely.
_LONGEST_VALUE = 1_000
_TIME = re.compile(r"(?:\d{1,4}[-/:.]\d{1,2}[-/:.]\d{1,4}[\d T:.,Z+-]{0,24})?")
_Find = Callable[[str], Iterable[SecretSpan]]


class Masker:
    """Replaces each secret in logs with its kind and a number, such as `[token-2]`.

    Identical secrets get the same mask. Secrets are numbered in the order in which they are masked, so a mask reveals
    nothing about its secret.
    """

    def __init__(self) -> None:
        self._masks: TextValues = {}
        self._numbers: Counter[str] = Counter()
        # Masked source names, keyed by the original names. A log has only a few sources.
        self._sources: TextValues = {}

    def __len__(self) -> int:
        return len(self._masks)

    def masked(self, text: str, *, unknown: bool = True) -> str:
        """Return text with its secrets masked.

        If `unknown` is True, also mask anything that merely looks like a token.
        """
        return self._replace_secrets(text, _secrets, find_tokens if unknown else None)

    def event(self, event: LogEvent) -> LogEvent:
        """Return an event with its secrets masked."""
        fields = {self.masked(name): self._field(name, value) for name, value in event.fields.items()}
        time = event.time if _TIME.fullmatch(event.time) else self.masked(event.time[:100], unknown=False)
        if event.source not in self._sources:
            self._sources[event.source] = self.masked(shorten(event.source, 200))
        return replace(
            event,
            time=time,
            source=self._sources[event.source],
            head=self.masked(shorten(event.head, 200)),
            text=self.masked(shorten(event.text, _MOST_TEXT)),
            fields=fields,
        )

    def across_lines(self, text: str) -> str:
        """Mask the secrets that can only be recognized across several lines.

        These are private keys, name-value pairs and table columns. Line numbers stay the same.
        """
        return self._replace_secrets(text, _across_lines)

    def _field(self, name: str, value: str) -> str:
        sure = grade(name)
        if sure and is_secret(value, sure, quoted=True):
            return self._mask("password", value)
        return self.masked(value)

    def _replace_secrets(self, text: str, find: _Find, find_last: _Find | None = None) -> str:
        """Mask the secrets that `find` finds in the text or in a decoded form of it (see `readings`).

        `find_last` searches only the last form, in which the most escapes are decoded. Line numbers stay the same.
        """
        ways = readings(text)
        found = [(way, span) for way in ways for span in find(way.text)]
        found += [(ways[-1], span) for span in find_last(ways[-1].text)] if find_last else []
        spans = (SecretSpan(way.places[start], way.places[end], kind) for way, (start, end, kind) in found)
        parts = []
        at = 0
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


def _secrets(text: str) -> Secrets:
    """Yield the secrets in text, starting with the most certain kinds."""
    lower = text.lower()
    yield from known_secrets(text, lower)
    yield from named_secrets(text, lower)
    yield from tables(text)
    yield from blocks(text)
    yield from numbers(text)


def _across_lines(text: str) -> Secrets:
    yield from blocks(text)
    yield from pairs(text)
    yield from tables(text)


def shorten(text: str, most: int) -> str:
    """Truncate text. A word or quoted value that would be cut off is dropped, because it may be part of a secret."""
    if len(text) <= most:
        return text
    whole = text[:most].rstrip()
    end = max(map(whole.rfind, " \n\t"))
    quote = whole.rfind('"')
    open_value = whole.count('"') % 2 and len(whole) - quote < _LONGEST_VALUE
    return whole[: max(0, min(end, quote) if open_value else end)] + "…"
