"""Names of a sentence: words written large within it, or with figures or marks inside."""

import re
import unicodedata
from collections.abc import Container, Iterator

from core.base.text import CJK, STOP_WORDS, fold, simplify
from core.features.answers.numbers import NUMBER

_LATIN = re.compile(rf"(?:(?![{CJK}])\w)+(?:[.'’+#&/-]+(?:(?![{CJK}])\w)+)*(?:\+\+|#)?")
_OPENS = frozenset('.!?:;。！？：；"“「(（')
"""What is before the first word of a sentence."""
_DOTS = str.maketrans("İı", "Ii")
"""Letters that a search without case takes for an `i`, and that have another small form."""


def normal(text: str) -> str:
    """Return a text of the same length with normal width and simplified characters."""
    text = text.translate(_DOTS)
    parts = (unicodedata.normalize("NFKC", letter) for letter in text)
    return simplify("".join(new if len(new) == 1 else old for old, new in zip(text, parts, strict=True)))


def names(text: str, known: Container[str]) -> Iterator[tuple[int, str]]:
    """Yield the words that are names, with their places.

    Among Chinese every Latin word is one.
    """
    chinese = bool(re.search(f"[{CJK}]", text))
    for match in _LATIN.finditer(text):
        word = match.group().strip("_'’")
        if len(word) < 2 or word.replace(",", "").isdecimal() or NUMBER.fullmatch(word):
            continue
        if fold(word) in STOP_WORDS or re.fullmatch(r"\w(?:\.\w)+", word):
            continue
        inner = any(letter.isupper() or letter.isdecimal() or letter in "_/+#." for letter in word[1:])
        first = word[0].isupper() and _starts(text, match.start())
        begins = first and not (fold(word) in known or _followed_by_name(text, match.end()))
        if chinese or inner or (word[0].isupper() and not begins):
            yield match.start() + match.group().index(word), word


def _followed_by_name(text: str, end: int) -> bool:
    """Whether the next word is written large too, as in a name of two words."""
    then = _LATIN.match(text, end + 1) if text[end : end + 1] == " " else None
    return bool(then and then.group()[0].isupper() and len(then.group()) > 1)


def _starts(text: str, at: int) -> bool:
    """Whether a sentence starts at a place."""
    end = at
    while end and text[end - 1].isspace():
        end -= 1
    return not end or text[end - 1] in _OPENS or "\n" in text[end:at]


def large(text: str) -> frozenset[str]:
    """Return the words that are written large within a sentence, folded."""
    text = normal(text)
    matches = (match for match in _LATIN.finditer(text) if match.group()[0].isupper())
    return frozenset(fold(match.group()) for match in matches if not _starts(text, match.start()))


def words(text: str) -> set[str]:
    """Return the words of a text and what is between their marks, folded."""
    found = {fold(match.group()).strip("_") for match in _LATIN.finditer(text)}
    return found | {part.strip("_") for word in found for part in re.split(r"[^\w]+", word)}


def contains_name(name: str, held: set[str]) -> bool:
    """Whether a name is in some words, as it is or with an ending of English."""
    folded = fold(name)
    forms = {folded, folded.removesuffix("'s"), folded.removesuffix("’s"), folded.removesuffix("s"), f"{folded}s"}
    if folded.endswith("al"):
        forms.add(folded[:-1])  # mitochondrial: of mitochondria
    if re.search(r"\d\.\d", folded):  # a version: 2.0 isn't 2.0.1
        return bool(forms & held)
    return bool(forms & held) or all(part in held for part in re.split(r"[^\w]+", folded) if part)
