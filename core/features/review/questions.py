"""Recognize wordings of the same question."""

from collections.abc import Collection
from difflib import SequenceMatcher
from functools import lru_cache

from core.base.frozen import Texts
from core.base.text import CHINESE, STOP_WORDS, keywords

# Words without which the rest of a question may mean something else.
_ASKS = frozenset(["who", "when", "where", "why", "how"])
_SILENT = (STOP_WORDS - _ASKS) | frozenset("的了吗呢吧啊是在有我你您们请问么什")
# Minimum length of words that may be typing errors of each other, and the similarity from which they are.
_LEAST = 5
_ALIKE = 0.84


# Maximum number of words in which two wordings may differ by typing errors.
_MOST = 3


@lru_cache(16)
def group(questions: Texts) -> tuple[Texts, ...]:
    """Group the wordings of the same question. The groups and the wordings in them stay in order."""
    groups: list[tuple[frozenset[str], list[str]]] = []
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


def _includes(words: Iterable[str], others: Iterable[str]) -> bool:
    """Return whether each of the other words is among the words, or is a typing error or the plural of one."""
    return all(
        any(
            word.removesuffix("s") == other.removesuffix("s")
            or (
                min(len(word), len(other)) >= _LEAST
                and (word + other).isalpha()
                and SequenceMatcher(None, word, other).ratio() >= _ALIKE
            )
            for word in words
        )
        for other in others
    )
