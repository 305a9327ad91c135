"""A chunk in the index of words: the keywords of its note's title, its headings and its text."""

import json
import sqlite3
import unicodedata
from collections.abc import Iterable
from functools import lru_cache

from core.text import keywords, simplified

_BLOCK = 1000


def insert(connection: sqlite3.Connection, rowid: int | None, title: str, headings: Iterable[str], text: str) -> None:
    """Index the words of a chunk, inside the caller's transaction."""
    connection.execute(
        "INSERT INTO words (rowid, title, headings, body) VALUES (?, ?, ?, ?)", (rowid, *_fields(title, headings, text))
    )


def fold_traditional(connection: sqlite3.Connection) -> None:
    """Index chunks with traditional characters again, as simplified ones."""
    rows = connection.execute(
        "SELECT chunks.rowid, title, parent_sections, section_title, text FROM chunks JOIN notes ON notes.id = note_id"
    )
    while block := rows.fetchmany(_BLOCK):
        for rowid, title, parents, section, text in block:
            plain = unicodedata.normalize("NFKC", "\n".join((title, parents, section, text)))
            if simplified(plain) != plain:
                connection.execute(
                    "UPDATE words SET title = ?, headings = ?, body = ? WHERE rowid = ?",
                    (*_fields(title, (*json.loads(parents), section), text), rowid),
                )


def _fields(title: str, headings: Iterable[str], text: str) -> tuple[str, ...]:
    return tuple(map(_words, (title, " ".join(headings), text)))


@lru_cache(maxsize=2048)
def _words(text: str) -> str:
    """Return the words of a text; an edited note is indexed again with nearly the same texts."""
    return " ".join(keywords(text))
