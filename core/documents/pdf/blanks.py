"""The letters of a run -> its words: the blanks that pdfium has, unless the places of the letters prove otherwise."""

import re
from collections.abc import Sequence
from itertools import pairwise
from statistics import median

from core.documents.pdf.glyphs import Letter, gap
from core.documents.pdf.letters import WIDE

_GAP = 0.22
"""Share of a letter's size from which a gap is a blank between letters that don't follow each other in the file."""
_PROVEN = 0.6
"""The same for those that do, where pdfium has no blank."""
_WIDE_GAP = 0.5
"""The same between two wide characters."""
_TOUCHING = 0.05
"""Share of a letter's size up to which a gap is none, and a blank that pdfium added there is wrong."""
_SPACED = 0.08
"""Share of a letter's size from which all gaps are in a word whose letters are spaced."""
_LEAST = 4
"""Letters of such words."""
_LETTERS = re.compile(r"(?<!\S)[^\W\d_] [^\W\d_](?!\S)")
"""Two words of one letter, as they are among those whose letters are spaced."""
_WORD = 1.5
"""How many times the usual gap or step of such letters is one between two words."""


def words(letters: Sequence[Letter]) -> str:
    """Return the text of letters on one baseline, from left to right, with a blank between words."""
    parts: list[str] = []
    last: Letter | None = None
    said, added = False, -1
    for letter in letters:
        text = letter.text
        if text == " " or text.isspace():
            said, added = said or letter.x1 > letter.x0, letter.at
            continue
        if last:
            apart = letter.x0 - last.x1 if letter.x0 >= last.x0 else gap(last, letter)
            if said or (apart > _TOUCHING * letter.size and _is_blank(last, letter, apart, added)):
                parts.append(" ")
        parts.append(text)
        last, said, added = letter, False, -1
    line = "".join(parts)
    return (
        _closed([letter for letter in letters if not letter.text.isspace()], parts) if _LETTERS.search(line) else line
    )


def _is_blank(last: Letter, letter: Letter, apart: float, added: int) -> bool:
    """Return whether a gap between letters is a blank; pdfium may have `added` one, at a place in its text."""
    share = apart / max(letter.size, last.size)
    if WIDE.match(letter.text) and WIDE.match(last.text):
        return share > _WIDE_GAP
    if added >= 0 and added == letter.at - 1:
        return share > _TOUCHING
    return share > (_PROVEN if letter.at == last.at + 1 else _GAP)


def _closed(letters: Sequence[Letter], parts: Sequence[str]) -> str:
    """Return the text of parts, letters and blanks, with words whose letters are spaced closed (I N V O I C E).

    Letters in the order of the alphabet are a list of letters.
    """
    blanks = [False] * len(letters)
    at = 0
    for part in parts:
        if part == " ":
            blanks[at] = True
        else:
            at += 1
    first = 0
    for at in range(1, len(letters) + 1):
        if at < len(letters) and _is_apart(letters[at - 1], letters[at]):
            continue
        start = first + (first > 0 and not blanks[first] and letters[first - 1].text.isalpha())  # the end of a word
        end = at - (at < len(letters) and not blanks[at] and letters[at].text.isalpha())  # the beginning of one
        text = [letter.text.casefold() for letter in letters[start:end]]
        if len(text) >= _LEAST and 2 * sum(blanks[start + 1 : end]) >= len(text) - 1 and text != sorted(set(text)):
            blanks[start + 1 : end] = _between(letters[start:end])
        first = at
    return "".join(" " * blank + letter.text for blank, letter in zip(blanks, letters, strict=True))


def _is_apart(last: Letter, letter: Letter) -> bool:
    both = last.text + letter.text
    return both.isalpha() and not WIDE.search(both) and letter.x0 - last.x1 >= _SPACED * letter.size


def _between(letters: Sequence[Letter]) -> list[bool]:
    """Return between which letters of spaced words a new word begins: where their gaps or steps differ from most."""
    gaps = [second.x0 - first.x1 for first, second in pairwise(letters)]
    steps = [second.x0 - first.x0 for first, second in pairwise(letters)]
    regular = min(gaps, steps, key=_spread)
    return [item > _WORD * median(regular) for item in regular]


def _spread(values: Sequence[float]) -> float:
    usual = median(values)
    return median(abs(value - usual) for value in values) / usual
