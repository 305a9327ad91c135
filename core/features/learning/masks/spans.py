"""Spans of secrets in text, and the normalized forms of text to search for secrets."""

import html
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import unquote

from core.base.text import INVISIBLE

MASK = re.compile(r"\[(?P<kind>key|token|cookie|password|email|id|phone|card|account|host|secret)-\d+\]")
_LONGEST_MASK = 30


class SecretSpan(NamedTuple):
    """The span of a secret, from `start` to `end` (exclusive). `kind` is the name used in its mask."""

    start: int
    end: int
    kind: str = "password"


Secrets = Iterator[SecretSpan]


Regex = re.Pattern[str]
Match = re.Match[str]


class Reading(NamedTuple):
    """Normalized or decoded text.

    `places` contains each character's offset in the original text, followed by the offset of the end.
    """

    text: str
    places: Sequence[int]

    def replaced(self, regex: Regex, replacement: Callable[[str], str]) -> "Reading":
        """Return the text with all matches of a pattern replaced. The offsets still refer to the original text."""
        parts = []
        places = []
        at = 0
        for match in regex.finditer(self.text):
            new = replacement(match[0])
            parts += [self.text[at : match.start()], new]
            places += [*self.places[at : match.start()], *[self.places[match.start()]] * len(new)]
            at = match.end()
        return Reading("".join([*parts, self.text[at:]]), [*places, *self.places[at:]])


_NOT_ASCII = re.compile(r"[^\x00-\x7f]")
_INVISIBLE = re.compile(f"[{INVISIBLE}]")
ESCAPE = re.compile(
    r"%(?:[0-7]X|[CD]X%[89AB]X|EX(?:%[89AB]X){2}|F[0-7](?:%[89AB]X){3})|\\uX{4}|\\xXX|\\[\\/\"'nrt]"
    r"|&(?:#\d{1,6}|#xX{1,5}|quot|apos|amp|lt|gt);".replace("X", "[0-9A-F]"),
    re.IGNORECASE,
)
_CONTROLS = {"n": "\n", "r": "\n", "t": "\t"}
_PLUS = re.compile(r"(?<=[\w+,;:'\"!?.)])\+(?=[\w+%'\"(-])")
_ENCODED = re.compile(r"%[0-9A-Fa-f]{2}|[?&]\w+=")
# Maximum number of times to decode text, enough for JSON within JSON within a URL.
_MOST_LEVELS = 3


def readings(text: str) -> list[Reading]:
    """Return text in its normal form, followed by the text with its escapes decoded once, twice and so on.

    In the normal form, characters have their normal width, and there are no invisible characters. The escapes are those
    of JSON, URLs and HTML.
    """
    result = [Reading(text, range(len(text) + 1))]
    if not unicodedata.is_normalized("NFKC", text) or _INVISIBLE.search(text):
        result = [result[0].replaced(_NOT_ASCII, _form)]
    while len(result) <= _MOST_LEVELS:
        last = result[-1]
        encoded = len(result) == 1 and "+" in last.text and _ENCODED.search(last.text)
        if not encoded and not ESCAPE.search(last.text):
            break
        if encoded:
            last = last.replaced(_PLUS, lambda _: " ")
        result.append(last.replaced(ESCAPE, _unescaped))
    return result


def _unescaped(escape: str) -> str:
    """Return the character represented by an escape, in its normal width."""
    if escape[0] in "&%":
        return _form(html.unescape(escape) if escape[0] == "&" else unquote(escape))
    return _form(chr(int(escape[2:], 16))) if len(escape) > 2 else _CONTROLS.get(escape[1], escape[1])


@lru_cache(maxsize=65_536)
def _form(letter: str) -> str:
    return "" if _INVISIBLE.match(letter) else unicodedata.normalize("NFKC", letter)


def merge(spans: Iterable[SecretSpan], text: str) -> list[SecretSpan]:
    """Return the spans in order, with overlapping and adjacent spans merged.

    A merged span gets the kind that was found first. Merging ensures that no part of a secret is left next to a mask.
    Spans within an existing mask are dropped.
    """
    result = list[tuple[int, SecretSpan]]()
    for start, rank, end, kind in sorted((start, rank, end, kind) for rank, (start, end, kind) in enumerate(spans)):
        bracket = text.rfind("[", max(0, start - _LONGEST_MASK), start + 1)
        mask = MASK.match(text, bracket) if bracket >= 0 else None
        if start >= end or (mask and end <= mask.end()):
            continue
        if result and start <= result[-1][1].end:
            before, last = result.pop()
            found = min((before, last.kind), (rank, kind))
            result.append((found[0], SecretSpan(last.start, max(last.end, end), found[1])))
        else:
            result.append((rank, SecretSpan(start, end, kind)))
    return [span for _, span in result]
