"""Texts of windows -> stored vectors, each text embedded once."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from core.embedding import Embedder, batch_size, centring, tokens
from core.errors import EmbeddingMismatch
from core.model import KnowledgeBase
from core.models import centre_of
from core.store import Store

_SLICE = 16
_SLICE_CHARACTERS = 100_000
"""Windows, and their characters, that are embedded between two reports of progress, at which a job can be stopped.

A model on a server gets a request full of them: each may have to wait for its turn.
"""


class Vectors:
    """The vectors that a base's embedder gives, by the hash of the text; with token bits if the base keeps them."""

    def __init__(self, store: Store, base: KnowledgeBase, embedder: Embedder) -> None:
        self._store = store
        self._base = base
        self._embedder = embedder
        self._tokens = tokens.of(embedder) if base.keep_tokens else None
        self._slice = batch_size(embedder) or _SLICE

    def ids(self, hashes: Iterable[bytes]) -> dict[bytes, int]:
        """Return the ids of the vectors that are stored."""
        return self._store.vectors.ids(self._base.fingerprint, hashes, with_bits=self._tokens is not None)

    def embed(self, texts: Mapping[bytes, str]) -> Iterator[Sequence[bytes]]:
        """Embed and store a few texts at a time, and yield their hashes.

        Texts of similar length are embedded together: a batch of equal lengths wastes no padding. Raises ModelError
        or ProviderError, and EmbeddingMismatch for vectors of another size than the base's.
        """
        if texts and not self._store.vectors.centring_settled(self._embedder.fingerprint):
            self._store.settle_centring(self._embedder.fingerprint, centring.measured(self._embedder))
        for keys in _sliced(sorted(texts, key=lambda key: len(texts[key]), reverse=True), texts, self._slice):
            batch, bits = [texts[key] for key in keys], None
            if self._tokens is None:
                vectors = self._embedder.embed(batch, role="note")
            else:
                centre = centre_of(self._store, self._tokens)
                vectors, token_rows = self._tokens.embed_tokens(batch, role="note")
                bits = [tokens.signs(rows, centre) for rows in token_rows]
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

    def check_base(self) -> None:
        """Raise EmbeddingMismatch if the base got another embedder meanwhile."""
        if self._store.bases.of_id(self._base.id).fingerprint != self._base.fingerprint:
            raise EmbeddingMismatch(
                "The base '{base}' changed its model meanwhile. What was stored before stays: do the rest again.",
                base=self._base.name,
            )


def _sliced(keys: Sequence[bytes], texts: Mapping[bytes, str], most: int) -> Iterator[Sequence[bytes]]:
    """Yield the keys of `most` texts at a time, fewer if they are long.

    The vectors of all tokens of a slice are in memory together.
    """
    at = 0
    while at < len(keys):
        count = max(1, min(most, _SLICE_CHARACTERS // max(1, len(texts[keys[at]]))))
        yield keys[at : at + count]
        at += count
