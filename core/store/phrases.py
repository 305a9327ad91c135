"""Phrase search. An FTS5 expression finds candidate chunks, whose text is then checked for the exact phrase."""

import re
from collections.abc import Iterable
from functools import lru_cache
from itertools import pairwise

from core.base.text import CHINESE, CJK, collapse_spaces, find_words, fold, index_words, keywords, normalize
from core.model import ADDRESSES, Chunk


def word_row(title: str, chunk: Chunk, property_text: str = "") -> tuple[str, str, str]:
    """Return three strings with the words to index for a chunk, from its note's title, its headings and its text.

    `property_text` is indexed as part of the text. See `PropertyTable.chunk_texts`.
    """
    text = "\n".join((chunk.text, ADDRESSES.sub("", "\n".join(chunk.definitions)), property_text)).rstrip("\n")
    return _words_of(title), _words_of(" ".join(chunk.titles)), _words_of(text)


@lru_cache(maxsize=2048)
def _words_of(text: str) -> str:
    """Return the words in `text` as a string. Results are cached, because an edited note repeats most of its text."""
    return " ".join(index_words(text))


# Maximum number of characters per run, of runs, and of words that a phrase's expression contains.
_MOST = 32
_CAPITALS = re.compile("[A-Z]+")


class Phrase:
    """A phrase to search for.

    `folded` is the folded phrase, with whitespace collapsed to single spaces. Any text that contains the phrase matches
    the FTS5 `expression`, which is empty if the phrase contains no words. If `settled` is True, any text that matches
    the expression also contains the phrase, so no further check is needed.
    """

    def __init__(self, phrase: str) -> None:
        self.folded = collapse_spaces(fold(phrase))
        runs = re.findall(f"[{CJK}]+", self.folded)
        self.settled = runs == [self.folded] and len(self.folded) <= _MOST
        # The character pairs in a run are adjacent in the index. Other words may have parts of identifiers in between.
        pairs = (" ".join(map("".join, pairwise(run[:_MOST]))) or run for run in runs[:_MOST])
        words = [word for word in dict.fromkeys(whole_words(phrase)) if not CHINESE.match(word)]
        # Drop parts of identifiers, because identifiers are split differently depending on their spelling.
        words = [word for word in words if not any(word != other and word in other for other in words)][:_MOST]
        near = f"NEAR({quote(words)}, {len(self.folded)})" if words and not runs else quote(words, " AND ")
        self.expression = " AND ".join(filter(None, (quote(pairs, " AND "), near)))

    def matches(self, text: str) -> bool:
        """Return whether `text` contains the phrase. Latin words at either end of the phrase must match whole words."""
        return holds_phrase(text, self.folded)


def holds_phrase(text: str, folded: str) -> bool:
    """Return whether `text` contains a folded phrase. Latin words at the phrase's ends must match whole words."""
    return find_words(collapse_spaces(folded), collapse_spaces(fold(text))) >= 0


def whole_words(text: str) -> list[str]:
    """Return the keywords in `text`, without splitting identifiers at capital letters."""
    return keywords(_CAPITALS.sub(lambda match: match.group().lower(), normalize(text)))


def quote(words: Iterable[str], between: str = " ") -> str:
    """Quote words for FTS5, and return them joined by `between`."""
    return between.join(f'"{word}"' for word in words)
