"""The place of a quote in its text: the exact quote, else another spelling of the same letters."""

import re
import unicodedata

from core.base.text import CJK, simplify

_WORD = re.compile(rf"(?![{CJK}])\w")
_SKIPPED = re.compile(r"[\s*_`~\\>|#]")
"""White space and marks of Markdown, which a model leaves out where it quotes."""
_ALIKE = str.maketrans("“”„‟«»「」『』‘’‚‛′`–—−‐‑", '"' * 10 + "'" * 6 + "-" * 5)
_LEAST = 8
"""Least letters and figures of a quote, a Chinese character counts as two; a shorter one occurs anywhere."""


def find_quote(quote: str, text: str) -> tuple[int, int] | None:
    """Return the first place of a quote in a text, None where it isn't there or is too short to be significant.

    It matches exactly, else apart from case, width, script, quotation marks, white space and marks of Markdown.
    """
    quote = quote.strip().strip("…").strip()
    if not _is_significant(quote, text):
        return None
    if (at := _find_words(quote, text)) is not None:
        return at, at + len(quote)
    wanted, _ = _fold_with_places(quote)
    letters, places = _fold_with_places(text)
    at = _find_words(wanted, letters) if wanted else None
    return None if at is None else (places[at], places[at + len(wanted) - 1] + 1)


def _find_words(quote: str, text: str) -> int | None:
    """Return the first place of a quote as whole words, None without one."""
    at = text.find(quote)
    while at >= 0:
        end = at + len(quote)
        if not (_is_inside_word(text[at - 1 : at], quote[0]) or _is_inside_word(quote[-1], text[end : end + 1])):
            return at
        at = text.find(quote, at + 1)
    return None


def _is_inside_word(before: str, after: str) -> bool:
    """Whether two characters belong to one word or number."""
    return bool(_WORD.fullmatch(before) and _WORD.fullmatch(after))


def _is_significant(quote: str, text: str) -> bool:
    """Whether a quote is long enough, or a line of its text."""
    letters = re.findall(r"\w", quote)
    weight = sum(2 if re.match(f"[{CJK}]", letter) else 1 for letter in letters)
    return weight >= _LEAST or bool(letters and quote in map(str.strip, text.splitlines()))


def _fold_with_places(text: str) -> tuple[str, list[int]]:
    """Return the letters of a text in their common form, and for each the place that it is of."""
    letters: list[str] = []
    places: list[int] = []
    gap = False
    for place, character in enumerate(simplify(text)):
        if _SKIPPED.match(character):
            gap = True
            continue
        for letter in unicodedata.normalize("NFKC", character.translate(_ALIKE)).translate(_ALIKE).casefold():
            if gap and letters and _is_inside_word(letters[-1], letter):
                letters.append(" ")
                places.append(place)
            gap = False
            letters.append(letter)
            places.append(place)
    return "".join(letters), places
