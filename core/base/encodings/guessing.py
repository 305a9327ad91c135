"""Guessing of undeclared encodings. The likeliest encoding is the one whose decoded text takes the fewest bits."""

import codecs
import math
import re
import unicodedata
from collections import Counter
from collections.abc import Mapping
from functools import cache
from itertools import pairwise
from pathlib import Path

from core.base.encodings import EncodingOrigin, decode_declared, is_readable
from core.base.frozen import frozen

TABLE = Path(__file__).with_name("letters.txt")
_MARKS = frozenset("“”‘’„‚–—…•·«»¿¡§©®°€£´×\xa0、。，；：！？（）「」『』《》～・〜ー％\u3000")
_APOSTROPHES = frozenset("’·")
_ASCII_SIGN, _APOSTROPHE, _AFTER_MARK, _MARK, _SYMBOL, _FOREIGN, _NO_TEXT = 5, 6, 2, 6, 13, 16, 26
_REPEATED = 2
_INSIDE_WORD = 7
_CAPITAL_INSIDE_WORD = 6
_OTHER_SCRIPT = 7
_EDGE = " "


def bits(text: str, most: float = math.inf) -> float:
    """Return how many bits the text takes in its likeliest language. Counting stops once they exceed `most`."""
    pairs = Counter(pairwise(f" {text} "))
    beyond = Counter[tuple[str, str]]()
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
    least = most - shared + 1
    usual = beyond.most_common()
    for costs in _languages().values():
        total = 0
        for pair, n in usual:
            cost = costs.get("".join(pair))
            total += n * (backoff(costs, *pair) if cost is None else cost)
            if total >= least:
                break
        least = min(least, total)
    return shared + least


def fold(char: str) -> str:
    """Return a letter or non-ASCII character in lower case, and `_EDGE`, a word boundary, for ASCII punctuation.

    Digits and whitespace count as punctuation. Control characters stay unchanged.
    """
    if char > "\x7f" or char.isalpha():
        return char.lower()[0]
    return _EDGE if char in "\t\n\r\f" or char.isprintable() else char


def backoff(costs: Mapping[str, int], first: str, second: str) -> int:
    """Return the cost in bits of the letter `second` after `first` if the language's table doesn't contain the pair."""
    if (cost := costs.get(second)) is not None:
        return cost + _OTHER_SCRIPT * (first.isascii() and first != _EDGE and not _is_latin(second))
    return _between(first, second)


@cache
def _between(first: str, second: str) -> int:
    """Return the cost in bits of the letter `second` after `first` if `second` isn't in the language's table."""
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
    """Return the cost in bits of a character missing from the language's table."""
    if char <= "\x7f":
        return _ASCII_SIGN if char in "\t\n\r\f" or char.isprintable() else _NO_TEXT
    if char in _MARKS:
        return _MARK
    if (category := unicodedata.category(char)) in ("Cc", "Cn", "Co", "Cs"):
        return _NO_TEXT
    return _FOREIGN if category[0] in "LM" else _SYMBOL


@cache
def _languages() -> dict[str, dict[str, int]]:
    """Load each language's costs in bits for letter pairs and single letters."""
    languages: dict[str, dict[str, int]] = {}
    for line in TABLE.read_text("utf-8").splitlines():
        language, size, cost, entries = line.split("\t")
        step = int(size)
        costs = languages.setdefault(language, {})
        costs |= dict.fromkeys((entries[at : at + step] for at in range(0, len(entries), step)), int(cost))
    return languages


# Possible encodings of undeclared text, mapped to the extra bits for being rarer than the most common one.
_UNLIKELY = {
    name: int(cost)
    for name, _, cost in (
        entry.partition(":")
        for entry in """
    cp1252:0 gb18030:0 cp932:0 cp949:3 big5hkscs:2 euc_jp:3 cp1251:4 cp1250:3 cp1253:3 cp1254:3 cp1255:3 cp1256:3
    cp1257:4 cp874:4 koi8-r:5 iso8859-7:5 koi8-u:6 iso8859-5:6 iso8859-6:6 iso8859-8:6 cp866:7 cp1258:7
    iso8859-2:8 iso8859-15:8 cp850:8 cp852:8 cp437:8 cp737:8 cp862:9 utf-16-le:10 utf-16-be:10 mac-roman:10
    cp857:10 cp865:10 cp775:10 iso8859-4:10 iso8859-13:10 mac-cyrillic:11 cp855:12 iso8859-3:12 iso8859-10:12
    iso8859-16:12 mac-latin2:13 mac-greek:13 mac-turkish:13 kz1048:13
""".split()
    )
}
_SAMPLE = 2048
# A sample may contain one unreadable byte per this many bytes.
_BYTES_OF_DAMAGE = 200
_DAMAGE = 30
# Number of bits by which a decoding may be worse than the best one and still be considered.
_ANOTHER = 60
# Lead in bits over the second-best guess from which the best guess counts as sure.
#
# benchmarks/encodings.py measures how often sure guesses are wrong.
_SURE = 10
# Maximum number of bits per non-ASCII byte at which data still counts as text in some language.
_NO_LANGUAGE = 13.5
_ASCII = bytes(range(128))
_ASCII_BITS = 5
_LINES = re.compile(rb"[^\n]*[^\x00-\x7f\n][^\n]*\n?")


@frozen
class Guess:
    """A possible encoding. It is `sure` if each guess ranked lower is much less likely or decodes to the same text."""

    encoding: str
    sure: bool


def guesses(data: bytes) -> list[Guess]:
    """Return the encodings in which the data is text in some language, likeliest first. Return [] for binary data."""
    ranked = _ranked(data)
    return [
        Guess(encoding, all(other - cost >= _SURE for other, _, second in ranked[at:] if second != text))
        for at, (cost, encoding, text) in enumerate(ranked)
    ]


def _ranked(data: bytes) -> list[tuple[float, str, str]]:
    """Decode a sample in each possible encoding. Return tuples of bits, encoding and text, fewest bits first."""
    sample, may_be_wide = _sample(data)
    beyond = len(sample.translate(None, _ASCII))
    least = _NO_LANGUAGE * beyond + _ASCII_BITS * (len(sample) - beyond) + _DAMAGE
    ranked = []
    for encoding, rarity in _UNLIKELY.items():
        is_wide = encoding.startswith("utf-16")
        if is_wide and not may_be_wide:
            continue
        text = codecs.getincrementaldecoder(encoding)("replace").decode(sample)
        damage = text.count("\ufffd")
        # Latin letters, 一 and 준 are common characters whose UTF-16 code units contain a NUL byte.
        zeros = sum(char < "\u0100" or (char > "\u2e7f" and not ord(char) & 0xFF) for char in text)
        if is_wide and 3 * zeros < 2 * sample.count(0):
            continue
        if damage * _BYTES_OF_DAMAGE > len(sample) and damage * 50 > beyond:
            continue
        cost = bits(text.replace("\ufffd", ""), least + _ANOTHER) + rarity + _DAMAGE * damage
        if cost <= least + _ANOTHER:
            ranked.append((cost, encoding, text))
            least = min(least, cost)
    return sorted(item for item in ranked if item[0] <= least + _ANOTHER)


def _sample(data: bytes) -> tuple[bytes, bool]:
    """Return a sample (the start, or the first lines with non-ASCII bytes), and whether it may be UTF-16."""
    start = data[:_SAMPLE]
    if len(data) % 2 == 0 and (0 in start or 8 * len(start.translate(None, _ASCII)) >= len(start)):
        return start, True
    lines = b""
    for line in _LINES.finditer(data):
        lines += line[0][: _SAMPLE - len(lines)]
        if len(lines) >= _SAMPLE:
            break
    return lines, False


_SEARCHED = 64 * 1024
# Escape sequences that start non-ASCII text in ISO-2022-JP.
_ESCAPES = (b"\x1b$", b"\x1b(J", b"\x1b(I")


def decode_part(data: bytes, kind: str, charset: str = "") -> str:
    """Decode a part of an email or a saved web page. `kind` is its file suffix, and `charset` comes from its header."""
    found = decode_declared(data, kind, charset) or decode_undeclared(data)
    return found[0] if found else data.decode("utf-8", "replace")


def decode_undeclared(data: bytes) -> tuple[str, str, EncodingOrigin] | None:
    """Decode bytes that declare no encoding.

    Return the text, the encoding and its origin, or None if the data is binary. Single invalid bytes become U+FFFD.
    """
    if data.isascii() and any(tag in data for tag in _ESCAPES):
        text = data.decode("iso2022_jp_ext", "replace")
        if not text.isascii() and "\x1b" not in text and "\ufffd" not in text:
            return text, "iso2022_jp_ext", "guessed"
    likely = guesses(data) if 0 in data[:_SEARCHED] else []
    if not (likely and likely[0].encoding.startswith("utf-16")):
        text = data.decode("utf-8", "replace")
        # If at least 95% of the non-ASCII characters are valid, this is damaged UTF-8. Text in any other
        # encoding has far fewer valid ones.
        damage = text.count("\ufffd") - data.count("\ufffd".encode())
        if damage * 20 <= sum(map(len, re.findall(r"[^\x00-\x7f]+", text))):
            return text, "utf-8", "declared"
    for guess in likely or guesses(data):
        text = data.decode(guess.encoding, "replace")
        if is_readable(text):
            return text, guess.encoding, "guessed" if guess.sure else "unsure"
    return None
