"""Change of a base's embedder, prepared next to the present index and committed in one transaction.

First the windows that the new embedder needs are embedded; this can be stopped and resumed at any
window. Then, in one transaction, every note is cut by the new embedder's tokens, a new collection is
filled, and the base refers to it. Until the commit the old collection answers.
"""

from dataclasses import replace
from shlex import quote

from core import embedding
from core.base.call_log import log_bases, log_call
from core.base.errors import ConfigError
from core.indexing.costs import measure
from core.indexing.indexer import Indexer
from core.model import ChangeCost, KnowledgeBase, Progress, Switch, no_progress
from core.store import Store


class Switching:
    """Gives bases another embedder; a literal base, which has none, becomes one of the kind `vector`."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def switch_cost(self, base: str, embedder: str, *, progress: Progress = no_progress) -> ChangeCost:
        """Estimate the cost of another embedder: cut every note by its tokens, and time the embedding of a few windows.

        Raises UnknownChoice, ConfigError, ModelError or ProviderError if the embedder isn't available.
        """
        stored = self._store.bases.named(base)
        target = self._target(stored, embedder)
        notes = list(self._store.notes.cut_by(stored))
        return measure(self._indexer(stored, embedder), target, embedding.build(embedder), notes, progress)

    def begin_switch(self, base: str, embedder: str) -> Switch:
        """Record the switch of a base to another embedder; until `run_switch` ends, the old one answers.

        Raises ConfigError if the base has that embedder already.
        """
        stored = self._store.bases.named(base)
        built = embedding.build(embedder)
        if stored.has_vectors and built.fingerprint == stored.fingerprint:
            raise ConfigError(
                "The base '{base}' has the model '{embedder}' already. To index it again with it: {command}",
                base=base,
                embedder=embedder,
                command=f"tessera index --base {quote(base)} --again",
            )
        return self._store.switches.begin(stored, embedder, built.fingerprint)

    @log_call("base.switch")
    def run_switch(self, base: str, *, progress: Progress = no_progress) -> KnowledgeBase:
        """Run or resume the prepared switch, and return the base with its new embedder.

        Raises ConfigError if no switch was started. On Cancelled, or if the embedder fails, the vectors
        embedded so far stay for the next run.
        """
        self._store.open_index()
        base_id = self._store.bases.named(base).id
        while True:
            stored, switch = self._current_switch(base_id)
            indexer = self._indexer(stored, switch.embedder)
            # Twice: notes may change during the first pass, which may take hours.
            for _ in range(2):
                indexer.prepare(list(self._store.notes.cut_by(stored)), progress)
            with self._store.changing:
                if (stored, switch) == self._current_switch(base_id):
                    notes = list(self._store.notes.cut_by(stored))
                    target = self._target(stored, switch.embedder)
                    log_bases([target])
                    return self._store.switch(target, indexer.cut_again(notes, progress))

    def _current_switch(self, base_id: str) -> tuple[KnowledgeBase, Switch]:
        """Return the base as it is now and its switch, restarted if the name now means another model."""
        stored = self._store.bases.by_id(base_id)
        switch = self._store.switches.for_base(stored)
        if switch is None:
            self._store.drop_unused_vectors()
            raise ConfigError("The base '{base}' isn't changing its model. Choose a new one first.", base=stored.name)
        fingerprint = embedding.build(switch.embedder).fingerprint
        if switch.fingerprint != fingerprint:
            switch = self._store.switches.begin(stored, switch.embedder, fingerprint)
        return stored, switch

    def abandon_switch(self, base: str) -> None:
        """Drop the prepared switch, and the vectors embedded for it; the base stays with its embedder."""
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
