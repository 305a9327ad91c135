"""Switches of bases to other embedders, and the cost of changing the index.

Another embedder is prepared next to the current index: first the windows that it needs are embedded, which can be
stopped and resumed at any window. Then, in one transaction, every note is cut by the embedder's tokens, a new
collection is filled, and the base refers to the new collection. Until the commit, the old collection is searched.
"""

import time
from collections.abc import Sequence
from dataclasses import replace
from shlex import quote

from core import embedding
from core.base.call_log import log_bases, log_call
from core.base.errors import ConfigError
from core.embedding import Embedder
from core.indexing.indexer import Indexer
from core.model import ChangeCost, KnowledgeBase, Progress, Switch, no_progress
from core.store import Store

_SAMPLE = 8
"""Number of windows to embed for estimating the total time."""


class ModelSwitches:
    """Switches of bases to other embedders."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def cost(self, base: str, embedder: str, *, progress: Progress = no_progress) -> ChangeCost:
        """Estimate the cost of another embedder: cut every note by its tokens, and time the embedding of a few windows.

        Raises UnknownChoice, ConfigError, ModelError or ProviderError if the embedder isn't available.
        """
        stored = self._store.bases.named(base)
        target = self._target(stored, embedder)
        notes = list(self._store.notes.cut_by(stored))
        return measure(self._indexer(stored, embedder), target, embedding.build(embedder), notes, progress)

    def begin(self, base: str, embedder: str) -> Switch:
        """Record the switch of a base to another embedder; the old embedder is used until `run` ends.

        Raises ConfigError if the base already has the embedder.
        """
        stored = self._store.bases.named(base)
        built = embedding.build(embedder)
        if stored.has_vectors and built.fingerprint == stored.fingerprint:
            raise ConfigError(
                ("The base '{base}' already uses the model '{embedder}'. To index it again with this model: {command}"),
                base=base,
                embedder=embedder,
                command=f"tessera index --base {quote(base)} --again",
            )
        return self._store.switches.begin(stored, embedder, built.fingerprint)

    @log_call("base.switch")
    def run(self, base: str, *, progress: Progress = no_progress) -> KnowledgeBase:
        """Run or resume the recorded switch; return the base with its new embedder.

        Raises ConfigError if no switch was begun. After Cancelled or a failure of the embedder, the vectors embedded so
        far are kept for the next run.
        """
        self._store.open_index()
        base_id = self._store.bases.named(base).id
        while True:
            stored, switch = self._current_switch(base_id)
            indexer = self._indexer(stored, switch.embedder)
            # Twice, because notes may change during the first pass, which may take hours.
            for _ in range(2):
                indexer.prepare(list(self._store.notes.cut_by(stored)), progress)
            with self._store.changing:
                if (stored, switch) == self._current_switch(base_id):
                    notes = list(self._store.notes.cut_by(stored))
                    target = self._target(stored, switch.embedder)
                    log_bases([target])
                    return self._store.switch(target, indexer.cut_again(notes, progress))

    def _current_switch(self, base_id: str) -> tuple[KnowledgeBase, Switch]:
        """Return the current base and its switch, which is restarted if its model's name now means another model."""
        stored = self._store.bases.by_id(base_id)
        switch = self._store.switches.for_base(stored)
        if switch is None:
            self._store.drop_unused_vectors()
            raise ConfigError("The base '{base}' isn't changing its model. Choose a new one first.", base=stored.name)
        fingerprint = embedding.build(switch.embedder).fingerprint
        if switch.fingerprint != fingerprint:
            switch = self._store.switches.begin(stored, switch.embedder, fingerprint)
        return stored, switch

    def abandon(self, base: str) -> None:
        """Drop the recorded switch and the vectors embedded for it; the base keeps its embedder."""
        self._store.switches.end(self._store.bases.named(base))
        self._store.drop_unused_vectors()

    def _indexer(self, base: KnowledgeBase, embedder: str) -> Indexer:
        return Indexer(self._store, self._target(base, embedder), embedding.build(embedder), keep_ready=True)

    def _target(self, base: KnowledgeBase, embedder: str) -> KnowledgeBase:
        built = embedding.build(embedder)
        kind = base.kind if base.has_vectors else "vector"
        return replace(
            base, kind=kind, embedder=embedder, fingerprint=built.fingerprint, dimension=built.dimension, wish=""
        )


def measure(
    indexer: Indexer, target: KnowledgeBase, embedder: Embedder, note_ids: Sequence[str], progress: Progress
) -> ChangeCost:
    """Measure the cost of a switch: cut notes with the target's indexer, and time the embedding of a few windows.

    Nothing is stored. Raises ModelError or ProviderError if the embedder fails.
    """
    chunks = windows = 0
    texts: dict[bytes, str] = {}
    for number, note_id in enumerate(note_ids):
        progress(number, len(note_ids), "")
        cut = indexer.missing(note_id)
        chunks += cut.chunks
        windows += cut.windows
        texts |= cut.texts
    seconds = _seconds(embedder, list(texts.values())) if texts else 0.0
    return ChangeCost(target.embedder, target.chunking, len(note_ids), chunks, windows, len(texts), seconds)


def _seconds(embedder: Embedder, texts: Sequence[str]) -> float:
    embedder.warm()
    step = max(1, len(texts) // _SAMPLE)
    sample = sorted(texts, key=len)[step // 2 :: step][:_SAMPLE]
    started = time.perf_counter()
    embedder.embed(sample, role="note")
    per_character = (time.perf_counter() - started) / sum(map(len, sample))
    return per_character * sum(map(len, texts))
