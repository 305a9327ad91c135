"""Words of chunks with traditional characters, indexed again as simplified ones."""

import json
import re
import sqlite3
import unicodedata
from collections.abc import Iterable
from functools import cache

_BLOCK = 1000
_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
_RUNS = re.compile(
    rf"(?P<cjk>[{_CJK}]+)"
    r"|[vV]?\d+(?:\.\d+)+"
    rf"|(?:(?![{_CJK}])\w)+(?:\+\+|#(?!\w))?"
)
_HAN = range(0x3400, 0xA000)
_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")


def step(connection: sqlite3.Connection) -> None:
    rows = connection.execute(
        "SELECT chunks.rowid, title, parent_sections, section_title, text FROM chunks JOIN notes ON notes.id = note_id"
    )
    while block := rows.fetchmany(_BLOCK):
        for rowid, title, parents, section, text in block:
            plain = unicodedata.normalize("NFKC", "\n".join((title, parents, section, text)))
            if _simplified(plain) != plain:
                connection.execute(
                    "UPDATE words SET title = ?, headings = ?, body = ? WHERE rowid = ?",
                    (*_fields(title, (*json.loads(parents), section), text), rowid),
                )


def _fields(title: str, headings: Iterable[str], text: str) -> list[str]:
    return [" ".join(_keywords(part)) for part in (title, " ".join(headings), text)]


def _keywords(text: str) -> list[str]:
    words: list[str] = []
    for run in _RUNS.finditer(_simplified(unicodedata.normalize("NFKC", text))):
        word = run.group()
        pairs = [word[start : start + 2] for start in range(len(word) - 1)]
        words += [*word, *pairs] if run.lastgroup == "cjk" else _identifier(word)
    return words


def _identifier(word: str) -> list[str]:
    whole = _plain(word.strip("_"))
    parts = _PARTS.findall(word) if word.isascii() else []
    if not whole:
        return []
    return [whole, *(part.lower() for part in parts if len(part) > 1)] if len(parts) > 1 else [whole]


def _plain(word: str) -> str:
    if word.isascii():
        return word.lower()
    decomposed = unicodedata.normalize("NFKD", word.casefold())
    return "".join(character for character in decomposed if not unicodedata.combining(character))


def _simplified(text: str) -> str:
    return text if text.isascii() else text.translate(_table())


@cache
def _table() -> dict[int, str]:
    """Return the simplified form of each character, from the dictionaries of OpenCC."""
    from opencc import OpenCC

    characters = [chr(code) for code in _HAN]
    lines = "\n".join(characters)
    table: dict[str, str] = {}
    for script in ("t2s", "hk2s", "tw2s"):
        for character, simple in zip(characters, OpenCC(script).convert(lines).split("\n"), strict=True):
            if simple != character and len(simple) == 1:
                table.setdefault(character, simple)
    table.pop("么", None)
    return {ord(character): table.get(simple, simple) for character, simple in table.items()}
