"""Decoded text -> how unlikely it is as text of any language: the bits that its non-ASCII characters take.

Bits of decodings of the same bytes can be compared: the fewer, the likelier the encoding.
"""

import math
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cache
from itertools import pairwise
from pathlib import Path

TABLE = Path(__file__).with_name("letters.txt")
_MARKS = frozenset("“”‘’„‚–—…•·«»¿¡§©®°€£´×\xa0、。，；：！？（）「」『』《》～・〜ー％\u3000")
_APOSTROPHES = frozenset("’·")
_ASCII, _APOSTROPHE, _AFTER_MARK, _MARK, _SYMBOL, _FOREIGN, _NO_TEXT = 5, 6, 2, 6, 13, 16, 26
_REPEATED, _INSIDE_WORD, _CAPITAL_INSIDE_WORD, _OTHER_SCRIPT = 2, 7, 6, 7
_EDGE = " "


def bits(text: str, most: float = math.inf) -> float:
    """Return the bits of a text in the language in which it takes the fewest; more than `most` where it takes more."""
    pairs = Counter(pairwise(f" {text} "))
    beyond: Counter[tuple[str, str]] = Counter()
    shared = 0
    for (first, second), n in pairs.items():
        if max(first, second) > "\x7f":
            beyond[fold(first), fold(second)] += n
            shared += n * _CAPITAL_INSIDE_WORD * (first.islower() and second.isupper())
            shared += (
                n * _OTHER_SCRIPT * (_is_hangul(first) != _is_hangul(second) and first.isalpha() and second.isalpha())
            )
        else:
            shared += n * _unknown(second)
    least, usual = most - shared + 1, beyond.most_common()
    for costs in _languages().values():
        least = min(least, _in_language(costs, usual, least))
    return shared + least


def fold(char: str) -> str:
    """Return a letter in lower case, and the edge of a word for what is neither a letter nor beyond ASCII."""
    if char > "\x7f" or char.isalpha():
        return char.lower()[0]
    return _EDGE if char in "\t\n\r\f" or char.isprintable() else char


def _in_language(costs: Mapping[str, int], pairs: Iterable[tuple[tuple[str, str], int]], most: float) -> float:
    """Return the bits of pairs of characters in a language, more than `most` once they are more."""
    total = 0
    for pair, n in pairs:
        total += n * _cost(costs, *pair)
        if total >= most:
            break
    return total


def _cost(costs: Mapping[str, int], first: str, second: str) -> int:
    if (cost := costs.get(first + second)) is not None:
        return cost
    return backoff(costs, first, second)


def backoff(costs: Mapping[str, int], first: str, second: str) -> int:
    """Return the bits of a letter after another one where the table of a language lacks the pair."""
    if (cost := costs.get(second)) is not None:
        return cost + _OTHER_SCRIPT * (first.isascii() and first != _EDGE and not _is_latin(second))
    return _between(first, second)


@cache
def _between(first: str, second: str) -> int:
    """Return the bits of a character after another one where the table of a language has neither."""
    if first in (_MARKS if second == _EDGE else _APOSTROPHES):
        return _AFTER_MARK
    if first.isalpha() and second in _APOSTROPHES:
        return _APOSTROPHE
    cost = _unknown(second)
    if first == second and cost == _SYMBOL:
        return _REPEATED
    if second.isascii() and second != _EDGE and first.isalpha() and not _is_latin(first):
        return cost + _OTHER_SCRIPT
    if cost == _SYMBOL and first.isalpha():
        return cost + _INSIDE_WORD
    return cost


def _is_hangul(char: str) -> bool:
    return "\uac00" <= char <= "\ud7a3"


def _is_latin(char: str) -> bool:
    return char < "\u0250" or "\u1e00" <= char < "\u1f00"


@cache
def _unknown(char: str) -> int:
    """Return the bits of a character that the table of a language lacks."""
    if char <= "\x7f":
        return _ASCII if char in "\t\n\r\f" or char.isprintable() else _NO_TEXT
    if char in _MARKS:
        return _MARK
    category = unicodedata.category(char)
    if category in ("Cc", "Cn", "Co", "Cs"):
        return _NO_TEXT
    return _FOREIGN if category[0] in "LM" else _SYMBOL


@cache
def _languages() -> dict[str, dict[str, int]]:
    """Return the bits of pairs of letters and of single letters in each language."""
    languages: dict[str, dict[str, int]] = {}
    for line in TABLE.read_text("utf-8").splitlines():
        language, size, cost, entries = line.split("\t")
        step = int(size)
        costs = languages.setdefault(language, {})
        costs |= dict.fromkeys((entries[at : at + step] for at in range(0, len(entries), step)), int(cost))
    return languages
