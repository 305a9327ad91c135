"""Phrase search: an FTS5 expression finds candidates, and their text is checked exactly."""

import re
from collections.abc import Iterable
from functools import lru_cache
from itertools import pairwise

from core.base.text import CJK, find_words, fold, index_words, keywords, normalize
from core.model import ADDRESSES, Chunk


def word_row(title: str, chunk: Chunk, property_text: str = "") -> tuple[str, str, str]:
    """Return the words to index for a chunk: from its note's title, from its headings, and from its text.

    `property_text` is indexed with the text (`PropertyTable.chunk_texts`).
    """
    text = "\n".join((chunk.text, ADDRESSES.sub("", "\n".join(chunk.definitions)), property_text)).rstrip("\n")
    return _words_of(title), _words_of(" ".join(chunk.titles)), _words_of(text)


@lru_cache(maxsize=2048)
def _words_of(text: str) -> str:
    """Return the words of a text; cached because an edited note is indexed again with nearly the same texts."""
    return " ".join(index_words(text))


_MOST = 32
"""Maximum number of characters, runs or words of a phrase in its expression."""
_CAPITALS = re.compile("[A-Z]+")


class Phrase:
    """A phrase, `folded`, with white space as single spaces.

    Every text that contains the phrase matches the FTS5 `expression`, which is empty for a phrase without words.
    `settled`: every text that matches contains the phrase, so that no further check is needed.
    """

    def __init__(self, phrase: str) -> None:
        self.folded = " ".join(fold(phrase).split())
        runs = re.findall(f"[{CJK}]+", self.folded)
        self.settled = runs == [self.folded] and len(self.folded) <= _MOST
        # The character pairs of a run are adjacent in the index. Only parts of identifiers can occur between words.
        pairs = (" ".join(map("".join, pairwise(run[:_MOST]))) or run for run in runs[:_MOST])
        words = [word for word in dict.fromkeys(whole_words(phrase)) if not re.match(f"[{CJK}]", word)]
        # How an identifier is split depends on its spelling.
        words = [word for word in words if not any(word != other and word in other for other in words)][:_MOST]
        near = f"NEAR({quote(words)}, {len(self.folded)})" if words and not runs else quote(words, " AND ")
        self.expression = " AND ".join(filter(None, (quote(pairs, " AND "), near)))

    def matches(self, text: str) -> bool:
        """Return whether a text contains the phrase; Latin words at its edges must be whole."""
        return holds_phrase(text, self.folded)


def holds_phrase(text: str, folded: str) -> bool:
    """Return whether a text contains a folded phrase; Latin words at the edges of the phrase must be whole."""
    return find_words(" ".join(folded.split()), " ".join(fold(text).split())) >= 0


def whole_words(text: str) -> list[str]:
    """Return the keywords of a text without splitting identifiers at capitals."""
    return keywords(_CAPITALS.sub(lambda match: match.group().lower(), normalize(text)))


def quote(words: Iterable[str], between: str = " ") -> str:
    """Return words quoted for FTS5."""
    return between.join(f'"{word}"' for word in words)
