"""Recognize wordings of the same question."""

from collections.abc import Collection
from difflib import SequenceMatcher
from functools import lru_cache

from core.base.frozen import Texts
from core.base.text import CHINESE, STOP_WORDS, keywords

# Words without which the rest of a question may mean something else.
_ASKS = frozenset(["who", "when", "where", "why", "how"])
_SILENT = (STOP_WORDS - _ASKS) | frozenset("的了吗呢吧啊是在有我你您们请问么什")
# Minimum length of words that may be mistyped forms of each other, and their minimum similarity.
_LEAST = 5
_ALIKE = 0.84
# Maximum number of words in which two wordings may differ by typing errors.
_MOST = 3


@lru_cache(16)
def group(questions: Texts) -> tuple[Texts, ...]:
    """Group the wordings of the same question. The groups and the wordings in them stay in order."""
    groups = list[tuple[frozenset[str], list[str]]]()
    for question in questions:
        # Chinese characters are compared one by one, because the pairs change with words like 的.
        gist = frozenset(
            word.removesuffix("s")
            for word in keywords(question)
            if word not in _SILENT and not (len(word) > 1 and CHINESE.search(word))
        )
        for other, wordings in groups:
            if _is_same(gist - other, other - gist):
                wordings.append(question)
                break
        else:
            groups.append((gist, [question]))
    return tuple(tuple(wordings) for _, wordings in groups)


def _is_same(words: Collection[str], others: Collection[str]) -> bool:
    """Return whether each word on either side may be a mistyped form of one on the other side.

    At most _MOST may differ.
    """
    return max(len(words), len(others)) <= _MOST and all(
        any(_is_typing_error(word, other) for other in there)
        for here, there in ((words, others), (others, words))
        for word in here
    )


@lru_cache(10_000)
def _is_typing_error(word: str, other: str) -> bool:
    return (
        min(len(word), len(other)) >= _LEAST
        and abs(len(word) - len(other)) <= 1
        and (word + other).isalpha()
        and SequenceMatcher(None, word, other).ratio() >= _ALIKE
    )
