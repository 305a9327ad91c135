"""What the index of words holds of a chunk."""

from functools import lru_cache

from core.base.text import keywords
from core.model import Chunk


def word_row(title: str, chunk: Chunk, beside: str = "") -> tuple[str, str, str]:
    """Return the words of a chunk by field: of its note's title, of its headings, of its text.

    `beside` is what finds it in addition to its text (`PropertyTable.beside`).
    """
    text = f"{chunk.text}\n{beside}" if beside else chunk.text
    return _words_of(title), _words_of(" ".join(chunk.titles)), _words_of(text)


@lru_cache(maxsize=2048)
def _words_of(text: str) -> str:
    """Return the words of a text; an edited note is indexed again with nearly the same texts."""
    return " ".join(keywords(text))
