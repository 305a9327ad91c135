"""The words of a text, and which of them another text lacks."""

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence

_ALONE = re.compile("([\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff])")
"""Characters of scripts that are written without blanks, each of which counts as a word."""
_LINE_END = re.compile(r"(\w+)(?:[-\u00ad\u2010]|[\x02\ufffe])[ \t]*[\r\n\x02\ufffe]+[ \t]*(\w+)")
"""A word that is divided at the end of a line; pdfium marks some by U+0002 or U+FFFE."""


class _Letters(dict[int, str | None]):
    """Letters, figures and marks stay, characters without width vanish, all others separate words."""

    def __missing__(self, code: int) -> str | None:
        category = unicodedata.category(chr(code))
        self[code] = None if category == "Cf" else chr(code) if category[0] in "LNM" else " "
        return self[code]


_LETTERS = _Letters()


def words(text: str) -> list[str]:
    """Return the words of a text, in one form (NFKC) and case, without signs and invisible characters."""
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
    """Return the missing words whose letters aren't there either, glued to others or divided.

    `surplus` are the words that nothing of the source was found for, `order` all words of the note.
    """
    left = Counter(surplus)
    rest = []
    for word in order:
        if left[word] > 0:
            left[word] -= 1
            rest.append(word)
    letters = "".join(rest)
    gone = Counter(lacking)
    for word in sorted(gone, key=len, reverse=True):
        found = min(letters.count(word), gone[word])
        letters = letters.replace(word, "\0", found)
        gone[word] -= found
    kept = []
    for word in reversed(lacking):
        if gone[word] > 0:
            gone[word] -= 1
            kept.append(word)
    return kept[::-1]
