"""The tokens of short texts, without loading a whole tokenizer: 250,000 multilingual pieces take a second.

In a Unigram model, the tokens of a text depend only on the pieces in the text, and on the lowest score of all pieces. A
file in the user's cache has the pieces in sorted order, so that the pieces in a text are found by bisection.
"""

import io
import json
from collections.abc import Iterator
from contextlib import suppress
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.lib.npyio import NpzFile
from platformdirs import user_cache_dir

from core.base import files
from core.base.blobs import Span
from core.base.frozen import frozen
from core.embedding.model_folder import ModelFacts, read_json

if TYPE_CHECKING:
    from tokenizers import Tokenizer

_LARGE = 1 << 22
"""Minimum size in bytes of a tokenizer file that loads slowly."""
_MOST = 4_000
"""Maximum number of characters to tokenize this way; for more, loading the whole tokenizer is faster."""


@frozen
class Encoding:
    """The tokens of a text, with the fields of an encoding of `tokenizers`."""

    ids: list[int]
    offsets: list[Span]
    special_tokens_mask: list[int]


class ShortTexts:
    """A tokenizer for short texts. Thread-safe."""

    def __init__(self, stored: NpzFile) -> None:
        self._pieces: bytes = stored["pieces"].tobytes()
        self._starts = stored["starts"].data
        self._ids, self._scores = stored["ids"].data, stored["scores"].data
        self._description: dict[str, Any] = json.loads(stored["description"].tobytes())
        self._special = [str(token["content"]) for token in self._description["added_tokens"]]
        self._lowest = int(stored["scores"].argmin())
        self._plain = self._build([])
        self._left = _MOST

    @classmethod
    def load(cls, facts: ModelFacts) -> Self | None:
        """Return the tokenizer of a model, None if `store` wrote none; delete a damaged file."""
        file = _file(facts)
        try:
            data = file.read_bytes()
        except OSError:
            return None
        if not data:
            return None
        try:
            with np.load(io.BytesIO(data), allow_pickle=False) as stored:
                return cls(stored)
        except Exception:  # noqa: BLE001 damage raises whatever numpy, zipfile and tokenizers raise
            with suppress(OSError):
                file.unlink()  # `store` will write it again
            return None

    def encode(self, text: str, *, special: bool) -> Encoding | None:
        """Return the tokens of a text, None if it needs the whole tokenizer."""
        self._left -= len(text)
        if self._left < 0 or any(token in text for token in self._special):
            return None
        words = self._plain.pre_tokenizer.pre_tokenize_str(self._plain.normalizer.normalize_str(text))
        places = sorted({place for word, _ in words for place in self._find(word)} | {self._lowest})
        encoding = self._build(places).encode(text, add_special_tokens=special)
        ids = [*range(len(self._special)), *(self._ids[place] for place in places)]
        return Encoding([ids[token] for token in encoding.ids], encoding.offsets, encoding.special_tokens_mask)

    def _build(self, places: list[int]) -> "Tokenizer":
        """Return a tokenizer with the special pieces and the pieces at the given indexes."""
        from tokenizers import Tokenizer

        vocabulary = [(token, 0.0) for token in self._special]
        for place in places:
            start, end = self._starts[place : place + 2]
            vocabulary.append((self._pieces[start:end].decode(), self._scores[place]))
        whole = {"model": self._description["model"] | {"vocab": vocabulary}, "truncation": None, "padding": None}
        return Tokenizer.from_str(json.dumps(self._description | whole))

    def _find(self, word: str) -> Iterator[int]:
        """Yield the indexes of the pieces that occur in a word."""
        pieces, starts, count = self._pieces, self._starts, len(self._ids)
        for start in range(len(word)):
            place = 0
            for end in range(start + 1, len(word) + 1):
                wanted = word[start:end].encode()
                past = count
                while place < past:  # bisection without a function for the key, which would be called 5,000 times
                    middle = (place + past) // 2
                    if pieces[starts[middle] : starts[middle + 1]] < wanted:
                        place = middle + 1
                    else:
                        past = middle
                piece = pieces[starts[place] : starts[place + 1]] if place < count else b""
                if piece == wanted:
                    yield place
                elif not piece.startswith(wanted):
                    break


def store(facts: ModelFacts) -> None:
    """Write the file for a large tokenizer once; it is empty for an unsupported kind."""
    file = _file(facts)
    if file.is_file() or facts.tokenizer.stat().st_size < _LARGE:
        return
    with suppress(OSError):  # the whole tokenizer works too
        file.parent.mkdir(parents=True, exist_ok=True)
        description = read_json(facts.tokenizer)
        files.replace(file, _sorted_pieces(description) if _is_known_kind(description) else b"")


def _is_known_kind(description: dict[str, Any]) -> bool:
    """Return whether a tokenizer is a Unigram model that begins with its special pieces and adds no others."""
    model, added = description["model"], description.get("added_tokens", ())
    return (
        (model.get("type"), model.get("byte_fallback", False)) == ("Unigram", False)
        and model.get("unk_id") in range(len(added))
        and None not in (description.get("normalizer"), description.get("pre_tokenizer"))
        and [(token["id"], [token["content"], 0.0]) for token in added] == [*enumerate(model["vocab"][: len(added)])]
        and all(token["special"] and not token["normalized"] for token in added)
    )


def _sorted_pieces(description: dict[str, Any]) -> bytes:
    first = len(description["added_tokens"])
    numbered = enumerate(description["model"].pop("vocab")[first:], first)
    pieces = sorted((piece.encode(), number, score) for number, (piece, score) in numbered)
    data = io.BytesIO()
    np.savez(
        data,
        pieces=np.frombuffer(b"".join(piece for piece, *_ in pieces), np.uint8),
        starts=np.array([0, *accumulate(len(piece) for piece, *_ in pieces)], np.int32),
        ids=np.array([number for _, number, _ in pieces], np.int32),
        scores=np.array([score for *_, score in pieces], np.float64),
        description=np.frombuffer(json.dumps(description).encode(), np.uint8),
    )
    return data.getvalue()


def _file(facts: ModelFacts) -> Path:
    return Path(user_cache_dir("tessera", appauthor=False)) / "tokenizers" / f"{facts.digest}.npz"
