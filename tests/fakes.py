"""Small real implementations whose answers can be worked out on paper."""

import logging
import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from core.base.errors import ModelError, SourceError
from core.model import Matrix, Pixels, Role, Spans


class WordLengths:
    """An embedder that counts words by length: dimension i holds how many words have i letters."""

    fingerprint = "word-lengths"
    dimension = 16
    input_tokens = 40

    def __init__(self) -> None:
        self.embedded: list[str] = []

    def tokens(self, text: str) -> Spans:
        return np.array([match.span() for match in re.finditer(r"\S+", text)], dtype=np.int32).reshape(-1, 2)

    def embed(self, texts: Sequence[str], *, role: Role) -> Matrix:
        if role == "note":
            self.embedded += texts
        vectors = np.zeros((len(texts), self.dimension), dtype=np.float32)
        for row, text in zip(vectors, texts, strict=True):
            for word in text.split():
                row[min(len(word), self.dimension - 1)] += 1
            row[0] += not text.split()
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)

    def warm(self) -> None:
        pass


class WordTokens(WordLengths):
    """The same, telling of tokens too: a word's vector has a 1 at its length and at its first letter's number."""

    fingerprint = "word-tokens"

    def embed_tokens(self, texts: Sequence[str], *, role: Role) -> tuple[Matrix, list[Matrix]]:
        tokens = []
        for text in texts:
            rows = np.zeros((len(text.split()), self.dimension), dtype=np.float32)
            for row, word in zip(rows, text.split(), strict=True):
                row[min(len(word), self.dimension - 1)] += 1
                row[ord(word[0]) % self.dimension] += 1
            tokens.append(rows / np.linalg.norm(rows, axis=1, keepdims=True) if len(rows) else rows)
        return self.embed(texts, role=role), tokens


class Unread(WordLengths):
    """A model that must not be used: it only counts tokens."""

    fingerprint = "unread"

    def embed(self, texts: Sequence[str], *, role: Role) -> Matrix:
        raise AssertionError("a base that is searched by words only used a model")

    def warm(self) -> None:
        raise AssertionError("a base that is searched by words only loaded a model")


class Loud(WordLengths):
    """A model that can't be loaded, whose library sets up a log of its own before it says so."""

    fingerprint = "loud"

    def embed(self, texts: Sequence[str], *, role: Role) -> Matrix:
        self.warm()
        return super().embed(texts, role=role)

    def warm(self) -> None:
        logging.warning("loading")  # noqa: LOG015 as libraries do
        raise ModelError("The weights are damaged. Install them again.")


class Colours:
    """A model that sees how red, green and blue a picture is, and reads these words."""

    fingerprint = "colours"
    is_here = True

    def __init__(self) -> None:
        self.seen = 0

    def embed_images(self, images: Sequence[Pixels]) -> Matrix:
        self.seen += len(images)
        return self._unit([image.reshape(-1, 3).mean(axis=0) for image in images])

    def embed_texts(self, texts: Sequence[str]) -> Matrix:
        return self._unit([[text.count(colour) for colour in ("red", "green", "blue")] for text in texts])

    def warm(self) -> None:
        pass

    def _unit(self, rows: list[Any]) -> Matrix:
        vectors = np.asarray(rows, np.float32).reshape(-1, 3) + np.float32(1e-6)
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def read_picture(_: object, data: bytes, path: str, __: object) -> tuple[str, str]:
    """Stand for `PictureReader.read`, without a model: every picture says the same, but one that is torn."""
    if data == b"torn":
        raise SourceError(path, "This file is damaged. Open it in its own program, save it again, and import it.")
    return "Irrigation of the greenhouse", "a reader"
