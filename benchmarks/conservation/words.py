"""The words of a text, and which of them another text lacks."""

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence

_ALONE = re.compile("([\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff])")
"""Characters of scripts that are written without blanks, each of which counts as a word."""
_LINE_END = re.compile(r"(?<!\w)(\w++)(?:[-\u00ad\u2010]|[\x02\ufffe])[ \t]*[\r\n\x02\ufffe]+[ \t]*(\w+)")
"""A word that is divided at the end of a line; pdfium marks some by U+0002 or U+FFFE."""


_VARIATIONS = frozenset((*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0)))
_LONGEST, _MOST_PIECES = 400, 40
"""Letters of a word made up of others, and pieces of a divided one."""
_TIME = re.compile(r"(?<=\d)T(?=\d\d:)")


class _Letters(dict[int, str | None]):
    """Letters, figures and marks stay, characters without width vanish, all others separate words."""

    def __missing__(self, code: int) -> str | None:
        category = unicodedata.category(chr(code))
        self[code] = None if category == "Cf" or code in _VARIATIONS else chr(code) if category[0] in "LNM" else " "
        return self[code]


_LETTERS = _Letters()


def words(text: str) -> list[str]:
    """Return the words of a text, in one form (NFKC) and case, without signs and invisible characters.

    The `T` between a day and a time is no letter of theirs.
    """
    text = _TIME.sub(" ", text)
    plain = unicodedata.normalize("NFKC", text).translate(_LETTERS).casefold()
    return _ALONE.sub(r" \1 ", unicodedata.normalize("NFKC", plain)).split()


def source_words(text: str, there: Counter[str]) -> list[str]:
    """Return the words of a text of lines; one divided at the end of a line is one word if `there` has it so."""

    def joined(divided: re.Match[str]) -> str:
        whole = divided[1] + divided[2]
        return (
            whole if words(whole)[:1] and all(word in there for word in words(whole)) else f"{divided[1]} {divided[2]}"
        )

    return words(_LINE_END.sub(joined, text))


def missing(source: Sequence[str], there: Counter[str]) -> list[str]:
    """Take the words of a text from those that are `there`; return the ones that aren't, in their order."""
    lacking = []
    for word in source:
        if there[word] > 0:
            there[word] -= 1
        else:
            lacking.append(word)
    return lacking


def unjoined(lacking: Sequence[str], surplus: Counter[str], order: Sequence[str]) -> list[str]:
    """Return the missing words that aren't there either glued to one another or divided.

    `surplus` are the words of a note that stand for none of its file, and `order` are all its words.
    """
    left, gone = Counter(surplus), Counter(lacking)
    for word in +surplus:
        for _ in range(left[word]):
            glued = _glued(word, gone)
            if not glued:
                break
            gone.subtract(glued)
            left[word] -= 1
    beginnings = {word[:length] for word in gone for length in range(1, min(len(word), _LONGEST) + 1)}
    for first, whole in enumerate(order):
        for end in range(first + 1, min(first + _MOST_PIECES, len(order))) if whole in beginnings else ():
            whole += order[end]
            if whole not in beginnings:
                break
            if gone[whole] > 0 and (pieces := Counter(order[first : end + 1])) <= left:
                gone[whole] -= 1
                left.subtract(pieces)
    return [word for word in lacking if _take(word, gone)]


def _glued(word: str, gone: Counter[str]) -> list[str]:
    """Return missing words of which a word is made up, none if there are no such words."""
    ways: dict[int, list[str]] = {0: []}
    for end in range(1, min(len(word), _LONGEST) + 1):
        for start in [at for at in ways if gone[word[at:end]] > ways[at].count(word[at:end])]:
            ways[end] = [*ways[start], word[start:end]]
            break
    return ways.get(len(word), [])


def _take(word: str, counts: Counter[str]) -> bool:
    counts[word] -= 1
    return counts[word] >= 0
