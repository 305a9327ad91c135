"""Notes that say in every line which note they are and in which version, and a quick embedder for them."""

import random
import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from core.base.registry import Entry
from core.embedding import EMBEDDERS
from core.embedding.tfidf import Tfidf
from core.model import Matrix, Role

_SYLLABLES = "ba ce di fo gu ha je ki lo mu na pe ri so tu va we xi yo zu".split()
TOKEN = re.compile(r"\bn(\d+)v(\d+)\b")


class Folded(Tfidf):
    """Hashed words, folded to a few dimensions: as quick to index as it is to embed."""

    def __init__(self, dimension: str) -> None:
        self.dimension = int(dimension)
        self.fingerprint = f"folded:{dimension}"

    def embed(self, texts: Sequence[str], *, role: Role) -> Matrix:
        """Return one vector per text, the same for notes and questions."""
        folded = super().embed(texts, role=role).reshape(len(texts), self.dimension, -1).sum(axis=2)
        unit: Matrix = folded / np.maximum(np.linalg.norm(folded, axis=1, keepdims=True), 1e-9)
        return unit


def offer_model() -> None:
    """Put the model into the table of this process."""
    EMBEDDERS["folded"] = Entry(f"{__name__}:Folded")


def body(number: int, version: int, lines: int = 6) -> str:
    """Return a version of a note."""
    words = random.Random(f"{number} {version}")
    made = ("".join(words.choices(_SYLLABLES, k=3)) for _ in range(10 * lines))
    return "\n".join(f"n{number}v{version} " + " ".join(next(made) for _ in range(10)) for _ in range(lines))


def write(folder: Path, number: int, version: int) -> None:
    """Write a version of a note as a file."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{number}.md").write_text(body(number, version))


def token(text: str) -> tuple[int, int] | None:
    """Return the note and the version that every line of a text says; None if they differ or say nothing."""
    tokens = {(int(number), int(version)) for number, version in TOKEN.findall(text)}
    return tokens.pop() if len(tokens) == 1 else None


def versions(folder: Path) -> dict[int, int]:
    """Return the versions of the notes in a folder."""
    return dict(token(file.read_text()) or (-1, -1) for file in folder.rglob("*.md"))
