"""The nearest spelling of a word that no chunk holds: two neighbours swapped, or one letter off.

Candidates are made from the word and looked up (Norvig, How to write a spelling corrector, 2007), so that the cost
doesn't grow with the number of words in the notes.
"""

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from string import ascii_lowercase, digits

from core.base.text import CJK, STOP_WORDS, fold

Known = Callable[[Sequence[str]], Collection[str]]
"""Returns those of some words that any chunk holds."""

Counts = Callable[[Sequence[str]], Mapping[str, int]]
"""Returns the number of chunks that hold each word, of those that any holds."""

_WORD = re.compile(rf"(?P<cjk>[{CJK}]{{2,}})|(?<![^\W{CJK}])(?P<latin>[a-z0-9_]{{3,30}})(?![^\W{CJK}])")
_MOST = 6
"""Most words of a question, two characters of Chinese as one. In a longer one a word that no note holds is mostly a
word of the user's own, and its neighbours say enough."""
_LEAST = 5
"""Least number of letters of a word that may differ in a letter; in a shorter one only neighbours may be swapped."""


@dataclass(frozen=True, slots=True)
class Spelling:
    """A question with the nearest spelling of each word that no chunk holds, and those words with their spelling."""

    text: str
    corrections: Mapping[str, str] = field(default_factory=dict)


def correct(text: str, known: Known, counts: Counts) -> Spelling:
    """Return the spelling of a short question; a longer one stays as it is.

    A Chinese run counts as such a word where no chunk holds one of its pairs of characters.
    """
    words = [match for match in _WORD.finditer(fold(text)) if match.group() not in STOP_WORDS]
    if sum((len(match.group()) + 1) // 2 if match["cjk"] else 1 for match in words) > _MOST:
        return Spelling(text)
    held = known([part for match in words for part in _parts(match.group())])
    unknown = [match for match in words if not all(part in held for part in _parts(match.group()))]
    near = {match.group(): _nearest(match.group(), counts) for match in unknown}
    spelled = {word: nearest for word, nearest in near.items() if nearest}
    if not spelled:
        return Spelling(text)
    return Spelling(_WORD.sub(lambda match: spelled.get(match.group(), match.group()), fold(text)), spelled)


def _nearest(word: str, counts: Counts) -> str | None:
    """Return the spelling that most chunks hold, all parts of it; a swap comes before another letter."""
    swapped = (word[:at] + word[at + 1] + word[at] + word[at + 2 :] for at in range(len(word) - 1))
    ways: list[Iterator[str]] = [swapped]
    if len(word) >= _LEAST and word.isascii() and word.isalpha():
        ways.append(_one_off(word))
    for way in ways:
        candidates = [*dict.fromkeys(way)]
        held = counts([*{part for candidate in candidates for part in _parts(candidate)}])
        known = {candidate: min(held.get(part, 0) for part in _parts(candidate)) for candidate in candidates}
        best = max(candidates, key=lambda candidate: known[candidate])
        if known[best]:
            return best
    return None


def _parts(word: str) -> list[str]:
    """Return what the index holds of a word: itself, of a Chinese run its pairs."""
    return [word] if word.isascii() else ["".join(pair) for pair in pairwise(word)]


def _one_off(word: str) -> Iterator[str]:
    """Yield the words with one letter less, more or another; the first letter is seldom wrong."""
    for at in range(1, len(word) + 1):
        yield word[:at] + word[at + 1 :]
        for letter in ascii_lowercase + digits:
            yield word[:at] + letter + word[at:]
            yield word[:at] + letter + word[at + 1 :]
