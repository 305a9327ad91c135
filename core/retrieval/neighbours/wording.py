"""Words and key phrases of notes, and how many of them notes share."""

import math
from collections import Counter
from collections.abc import Collection, Mapping, Set

from core.base.frozen import frozen
from core.base.phrases import size_of
from core.base.text import keywords

_RUN = 6
"""Number of words in each piece of text that is compared to recognize copies."""
_LEAST = 20
"""Minimum number of pieces in the shorter text for recognizing copies."""
_SHOWN = 3
"""Maximum number of shared phrases to show."""


@frozen
class NoteWords:
    """Counts of the words in a note, and the hashes of its pieces of _RUN words."""

    counts: Mapping[str, int]
    pieces: frozenset[int]


@frozen
class Shared:
    """What two notes share: the cosine of their words, common key phrases, and the copied share of the shorter text."""

    cosine: float
    phrases: tuple[str, ...]
    copied: float


def words_of(text: str) -> NoteWords:
    """Return the words of a text."""
    words = keywords(text)
    runs = zip(*(words[at:] for at in range(_RUN)), strict=False)
    return NoteWords(Counter(words), frozenset(map(hash, runs)))


def compare(
    note_id: str, words: Mapping[str, NoteWords], phrases: Mapping[str, Mapping[str, int]]
) -> dict[str, Shared]:
    """Return what a note shares with the others of `words`; words that fewer of these notes have weigh more (tf-idf).

    `phrases` has the counts of key phrases of the same notes.
    """
    rarity = _rarity([item.counts for item in words.values()])
    telling = _rarity(phrases.values())
    own, mine = words[note_id], _weigh_words(words[note_id].counts, rarity)
    return {
        other: Shared(
            _cosine(mine, _weigh_words(theirs.counts, rarity)),
            _common_phrases(phrases.get(note_id, {}), phrases.get(other, {}), telling),
            _copied(own.pieces, theirs.pieces),
        )
        for other, theirs in words.items()
        if other != note_id
    }


def _weigh_words(counts: Mapping[str, int], rarity: Mapping[str, float]) -> dict[str, float]:
    """Return the weights of words, normalized to unit length."""
    weights = {word: (1 + math.log(count)) * rarity[word] for word, count in counts.items()}
    length = math.sqrt(sum(weight * weight for weight in weights.values())) or 1.0
    return {word: weight / length for word, weight in weights.items()}


def _rarity(group: Collection[Mapping[str, int]]) -> dict[str, float]:
    """Return for each word how few of a group of notes have it, as a logarithm."""
    holders = Counter(word for counts in group for word in counts)
    return {word: math.log((len(group) + 1) / count) for word, count in holders.items()}


def _cosine(first: Mapping[str, float], second: Mapping[str, float]) -> float:
    return sum(weight * second[word] for word, weight in first.items() if word in second)


def _common_phrases(
    first: Mapping[str, int], second: Mapping[str, int], rarity: Mapping[str, float]
) -> tuple[str, ...]:
    """Return the most characteristic key phrases of both notes; no phrase is part of another."""
    weights = {
        phrase: math.sqrt(count * second[phrase] * size_of(phrase)) * rarity[phrase]
        for phrase, count in first.items()
        if phrase in second
    }
    chosen: list[str] = []
    for phrase in sorted(weights, key=lambda phrase: (-weights[phrase], phrase)):
        if len(chosen) < _SHOWN and not any(phrase in item or item in phrase for item in chosen):
            chosen.append(phrase)
    return tuple(chosen)


def _copied(first: Set[int], second: Set[int]) -> float:
    fewer = min(len(first), len(second))
    return len(first & second) / fewer if fewer >= _LEAST else 0.0
