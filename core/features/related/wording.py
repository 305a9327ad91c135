"""Words and key phrases of notes, and how many of them notes share."""

import math
from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence

from core.base.cache import Cache
from core.base.frozen import frozen
from core.base.phrases import phrases, size_of
from core.base.text import keywords

LONGEST = 20_000
"""Number of characters to compare per note, from its beginning."""
_KNOWN = 4_000
"""Maximum number of notes whose words are cached."""
_RUN = 6
"""Number of words in each piece of text that is compared to recognize copies."""
_LEAST = 20
"""Minimum number of pieces in the shorter text for recognizing copies."""
_SHOWN = 3
"""Maximum number of shared phrases to show."""

Text = Callable[[str], tuple[Hashable, str]]
"""Returns, for a note's id, a state that changes with the note's text, and its title and text."""


@frozen
class NoteWords:
    """Counts of the words and key phrases in a note, and the hashes of its pieces of _RUN words."""

    counts: Mapping[str, int]
    phrases: Mapping[str, int]
    pieces: frozenset[int]


@frozen
class Shared:
    """What two notes share: the cosine of their words, common key phrases, and the copied share of the shorter text."""

    cosine: float
    phrases: tuple[str, ...]
    copied: float


class Wording:
    """Cache of the words of notes; a note is read again only if it changed."""

    def __init__(self, text: Text) -> None:
        self._text = text
        self._read: Cache[tuple[str, Hashable], NoteWords] = Cache(_KNOWN)

    def note_words(self, note_id: str) -> NoteWords:
        """Return the words of a note; raises NoteNotFound."""
        state, text = self._text(note_id)
        return self._read.get_or_compute((note_id, state), lambda: words_of(text[:LONGEST]))

    def compare(self, own: NoteWords, others: Mapping[str, NoteWords]) -> dict[str, Shared]:
        """Return what a note shares with others; words in fewer of these notes weigh more (tf-idf)."""
        group = [own, *others.values()]
        rarity = _rarity([words.counts for words in group])
        telling = _rarity([words.phrases for words in group])
        mine = _weigh_words(own, rarity)
        return {
            note_id: Shared(
                _cosine(mine, _weigh_words(other, rarity)), _phrases(own, other, telling), _copied(own, other)
            )
            for note_id, other in others.items()
        }


def words_of(text: str) -> NoteWords:
    """Return the words of a text."""
    words = keywords(text)
    runs = zip(*(words[at:] for at in range(_RUN)), strict=False)
    return NoteWords(Counter(words), phrases(text), frozenset(map(hash, runs)))


def _weigh_words(words: NoteWords, rarity: Mapping[str, float]) -> dict[str, float]:
    """Return the weights of words, normalized to unit length."""
    weights = {word: (1 + math.log(count)) * rarity[word] for word, count in words.counts.items()}
    length = math.sqrt(sum(weight * weight for weight in weights.values())) or 1.0
    return {word: weight / length for word, weight in weights.items()}


def _rarity(group: Sequence[Mapping[str, int]]) -> dict[str, float]:
    holders = Counter(word for counts in group for word in counts)
    return {word: math.log((len(group) + 1) / count) for word, count in holders.items()}


def _cosine(first: Mapping[str, float], second: Mapping[str, float]) -> float:
    return sum(weight * second[word] for word, weight in first.items() if word in second)


def _phrases(first: NoteWords, second: NoteWords, rarity: Mapping[str, float]) -> tuple[str, ...]:
    """Return the most characteristic key phrases of both notes; no phrase is part of another."""
    weights = {
        phrase: math.sqrt(count * second.phrases[phrase] * size_of(phrase)) * rarity[phrase]
        for phrase, count in first.phrases.items()
        if phrase in second.phrases
    }
    chosen: list[str] = []
    for phrase in sorted(weights, key=lambda phrase: (-weights[phrase], phrase)):
        if len(chosen) < _SHOWN and not any(phrase in item or item in phrase for item in chosen):
            chosen.append(phrase)
    return tuple(chosen)


def _copied(first: NoteWords, second: NoteWords) -> float:
    fewer = min(len(first.pieces), len(second.pieces))
    return len(first.pieces & second.pieces) / fewer if fewer >= _LEAST else 0.0
