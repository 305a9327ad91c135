"""An embedder that hashes words into vectors, for machines that can't run a model.

It matches words, not meaning. An embedder has no state, so it can't know how rare a word is in a collection (the idf of
tf-idf). Instead, a word's weight depends on its form.
"""

import math
import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from hashlib import blake2b

import numpy as np

from core.base.text import CHINESE, CJK, STOP_WORDS, keywords
from core.embedding.tokens import span_rows, unit
from core.model import Matrix, Role, Spans

# Version of the vectors.
#
# Increase it with every change to weights or words, because older vectors aren't comparable.
VERSION = 3

# Number of hash slots, and the vectors' dimension.
#
# Over 78 questions on an English and a Chinese folder, MRR@10 is 0.35 with 1024, 0.39 to 0.41 with 2048, and
# 0.40 with 4096. Keyword search, which knows how rare words are, reaches 0.46.
DIMENSION = 2048

INPUT_TOKENS = 8192

# Both alternatives begin with \S to skip blanks quickly. A note may have millions of blanks in place of a picture.
_TOKENS = re.compile(rf"\S(?<=[^\W{CJK}])[^\W{CJK}]{{0,11}}|\S")
# Characters that are mainly grammatical particles, alone or in pairs.
_PARTICLES = frozenset("的了是在和与或不有这那我们个一为中上下到以可能会被把也就都而对于从要其之等所用时")


class Tfidf:
    """Embeds words and pairs of Chinese characters by signed hashing (Weinberger et al. 2009).

    Vectors have unit length.
    """

    fingerprint = f"tfidf-{VERSION}:{DIMENSION}"
    dimension = DIMENSION
    input_tokens = INPUT_TOKENS

    def tokens(self, text: str) -> Spans:
        """Return the span of each word, Chinese character and punctuation mark. Words are split after 12 letters."""
        return span_rows(match.span() for match in _TOKENS.finditer(text))

    def embed(self, texts: Sequence[str], *, role: Role) -> Matrix:
        """Return one vector per text. Notes and questions are treated alike."""
        vectors = np.zeros((len(texts), DIMENSION), np.float32)
        for vector, text in zip(vectors, texts, strict=True):
            for word, count in Counter(keywords(text)).items():
                slot, weight = _slot(word)
                vector[slot] += weight * (1 + math.log(count))
        # Texts without words, or with words that cancel each other out, are equally far from all other texts.
        vectors[~vectors.any(axis=1)] = 1
        return unit(vectors)

    def warm(self) -> None:
        """Do nothing, because there is no model."""


@lru_cache(1 << 16)
def _slot(word: str) -> tuple[int, float]:
    """Return a word's index in the vector and its signed weight. Random signs make collisions cancel out on average.

    The weight replaces the idf, because long words are rarer than short ones, and pairs of characters are rarer than
    single characters.
    """
    number = int.from_bytes(blake2b(word.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little")
    if word in STOP_WORDS:
        weight = 0.1
    elif not CHINESE.match(word):
        weight = min(1.0, 0.2 + 0.1 * len(word))
    else:
        particles = sum(character in _PARTICLES for character in word)
        weight = (0.1 if particles else 0.5) if len(word) == 1 else (1.0, 0.6, 0.2)[particles]
    return number % DIMENSION, weight if number >> 63 else -weight
