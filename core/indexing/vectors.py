"""Texts of windows -> stored vectors, each text embedded once; a text that the model refuses stops no other."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from core.base.errors import EmbeddingMismatch, ModelError, ProviderError, ProviderUnavailable
from core.embedding import Embedder, batch_size, centring, tokens
from core.indexing.models import centre_of
from core.model import KnowledgeBase
from core.store import Store

_SLICE = 16
_SLICE_CHARACTERS = 100_000
"""Windows, and their characters, that are embedded between two reports of progress, at which a job can be stopped.

A model on a server gets a request full of them: each may have to wait for its turn.
"""
_PLAIN = "a"
"""A text that every model takes: one that refuses this too doesn't work at all."""
_BUSY = 429
"""HTTP status of a server that takes no more requests now."""


class VectorLookup(NamedTuple):
    """The ids of stored vectors, and of the refusals of texts without one, by the hash of the text."""

    vectors: Mapping[bytes, int]
    refused: Mapping[bytes, int]

    def missing_texts(self, texts: Mapping[bytes, str]) -> dict[bytes, str]:
        """Return the texts that are still to be embedded."""
        return {key: text for key, text in texts.items() if key not in self.vectors and key not in self.refused}


class Vectors:
    """The vectors that a base's embedder gives, by the hash of the text; with token bits if the base keeps them."""

    def __init__(self, store: Store, base: KnowledgeBase, embedder: Embedder) -> None:
        self._store = store
        self._base = base
        self._embedder = embedder
        self._tokens = tokens.token_embedder(embedder) if base.keep_tokens else None
        self._slice = batch_size(embedder) or _SLICE

    def lookup(self, hashes: Collection[bytes]) -> VectorLookup:
        """Return what is stored of some texts."""
        vectors = self.ids(hashes)
        return VectorLookup(vectors, self._store.refusals.ids(self._base.fingerprint, {*hashes} - vectors.keys()))

    def ids(self, hashes: Iterable[bytes]) -> dict[bytes, int]:
        """Return the ids of the vectors that are stored."""
        return self._store.vectors.ids(self._base.fingerprint, hashes, with_bits=self._tokens is not None)

    def embed(self, texts: Mapping[bytes, str]) -> Iterator[Sequence[bytes]]:
        """Embed and store a few texts at a time, and yield their hashes; a text that the model refuses is stored so.

        Texts of similar length are embedded together: a batch of equal lengths wastes no padding. Raises ModelError
        or ProviderError where the model takes no text at all now, and EmbeddingMismatch for vectors of another size
        than the base's.
        """
        if texts and not self._store.vectors.centring_settled(self._embedder.fingerprint):
            self._store.settle_centring(self._embedder.fingerprint, centring.load_centring(self._embedder))
        for keys in _sliced(sorted(texts, key=lambda key: len(texts[key]), reverse=True), texts, self._slice):
            yield from self._stored_vectors(keys, texts)

    def check_base(self) -> None:
        """Raise EmbeddingMismatch if the base got another embedder meanwhile."""
        if self._store.bases.by_id(self._base.id).fingerprint != self._base.fingerprint:
            raise EmbeddingMismatch(
                "The base '{base}' changed its model meanwhile. What was stored before stays: do the rest again.",
                base=self._base.name,
            )

    def _stored_vectors(self, keys: Sequence[bytes], texts: Mapping[bytes, str]) -> Iterator[Sequence[bytes]]:
        """Embed and store some texts; where they are refused, one half and then the other, down to a single text."""
        batch, bits = [texts[key] for key in keys], None
        try:
            if self._tokens is None:
                vectors = self._embedder.embed(batch, role="note")
            else:
                centre = centre_of(self._store, self._tokens)
                vectors, token_rows = self._tokens.embed_tokens(batch, role="note")
                bits = [tokens.signs(rows, centre) for rows in token_rows]
        except (ModelError, ProviderError) as error:
            if _waits(error):
                raise
            if len(keys) > 1:
                half = len(keys) // 2
                yield from self._stored_vectors(keys[:half], texts)
                yield from self._stored_vectors(keys[half:], texts)
                return
            self._embedder.embed([_PLAIN], role="note")
            self._store.refusals.add(self._base.fingerprint, keys[0], error.message)
            return
        if vectors.shape != (len(keys), self._base.dimension):
            raise EmbeddingMismatch(
                "The model of the base '{base}' gave {shape} numbers in place of {due}: it is another model than "
                "before. Import into a new base to use it.",
                base=self._base.name,
                shape=str(vectors.shape),
                due=str((len(keys), self._base.dimension)),
            )
        self._store.vectors.add(self._base.fingerprint, keys, vectors, bits)
        yield keys


def _waits(error: ModelError | ProviderError) -> bool:
    """Whether an error says that the server is away or busy, whatever the text is."""
    return isinstance(error, ProviderUnavailable) and error.status in (None, _BUSY)


def _sliced(keys: Sequence[bytes], texts: Mapping[bytes, str], most: int) -> Iterator[Sequence[bytes]]:
    """Yield the keys of `most` texts at a time, fewer if they are long.

    The vectors of all tokens of a slice are in memory together.
    """
    at = 0
    while at < len(keys):
        count = max(1, min(most, _SLICE_CHARACTERS // max(1, len(texts[keys[at]]))))
        yield keys[at : at + count]
        at += count
