"""A chunk in the index of words: the keywords of its note's title, its headings and its text."""

import sqlite3
from collections.abc import Iterable
from functools import lru_cache

from core.text import keywords


def insert(connection: sqlite3.Connection, rowid: int | None, title: str, headings: Iterable[str], text: str) -> None:
    """Index the words of a chunk, inside the caller's transaction."""
    connection.execute(
        "INSERT INTO words (rowid, title, headings, body) VALUES (?, ?, ?, ?)", (rowid, *_fields(title, headings, text))
    )


def _fields(title: str, headings: Iterable[str], text: str) -> tuple[str, ...]:
    return tuple(map(_words, (title, " ".join(headings), text)))


@lru_cache(maxsize=2048)
def _words(text: str) -> str:
    """Return the words of a text; an edited note is indexed again with nearly the same texts."""
    return " ".join(keywords(text))
