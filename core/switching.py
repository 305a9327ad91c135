"""A base goes over to another embedder: all is made beside what answers, then switched at once.

First the windows that the other embedder needs are embedded, which can be stopped and taken up again
at any window; then, in one transaction, every note is cut by its tokens, a new collection is filled,
and the base names it. Until that is committed the old one answers.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, replace

from core.embedding import Embedder
from core.errors import ConfigError
from core.indexing import Indexer
from core.model import KnowledgeBase, Progress, Switch, unheard
from core.store import Store

_SAMPLE = 8
"""Windows embedded to tell how long the rest will take."""


@dataclass(frozen=True, slots=True)
class SwitchCost:
    """What going over to another embedder takes: `windows` in all, those `to_embed`, and about how long."""

    embedder: str
    windows: int
    to_embed: int
    seconds: float


class Switching:
    """Moves bases between embedders; `build` makes one by its name."""

    def __init__(self, store: Store, build: Callable[[str], Embedder]) -> None:
        self._store = store
        self._build = build

    def cost(self, base: KnowledgeBase, embedder: str, progress: Progress = unheard) -> SwitchCost:
        """Cut every note by the embedder's tokens, embed a few windows, and tell what the rest would take.

        Raises as building the embedder and embedding do.
        """
        built = self._build(embedder)
        indexer = self._indexer(base, embedder)
        windows = 0
        texts: dict[bytes, str] = {}
        notes = list(self._store.notes.cut_by(base))
        for number, note_id in enumerate(notes):
            progress(number, len(notes), "")
            more, missing = indexer.missing(note_id)
            windows += more
            texts |= missing
        if not texts:
            return SwitchCost(embedder, windows, 0, 0.0)
        built.warm()
        step = max(1, len(texts) // _SAMPLE)
        sample = sorted(texts.values(), key=len)[step // 2 :: step][:_SAMPLE]
        started = time.perf_counter()
        built.embed(sample, role="note")
        per_character = (time.perf_counter() - started) / sum(map(len, sample))
        return SwitchCost(embedder, windows, len(texts), per_character * sum(map(len, texts.values())))

    def begin(self, base: KnowledgeBase, embedder: str) -> Switch:
        """Record that a base shall go over to another embedder; `run` does it.

        Raises ConfigError where it has that embedder already.
        """
        built = self._build(embedder)
        if built.fingerprint == base.fingerprint:
            raise ConfigError(f"The base '{base.name}' has the embedder '{embedder}' already.")
        return self._store.switches.begin(base, embedder, built.fingerprint)

    def run(self, base: KnowledgeBase, progress: Progress = unheard) -> KnowledgeBase:
        """Do, or take up again, what was begun, and return the base as it is then.

        Raises ConfigError where nothing was begun; on Cancelled, and where the embedder fails, what was
        embedded stays for the next time.
        """
        self._store.open_index()
        while True:
            base, switch = self._begun(base)
            indexer = self._indexer(base, switch.embedder)
            # Twice: the first may take hours, in which notes change.
            for _ in range(2):
                indexer.prepare(list(self._store.notes.cut_by(base)), progress)
            with self._store.changing:
                if (base, switch) == self._begun(base):
                    notes = list(self._store.notes.cut_by(base))
                    fresh = self._store.notes.next_index(self._target(base, switch.embedder))
                    return self._store.switch(fresh, indexer.recuttings(notes, progress))

    def _begun(self, base: KnowledgeBase) -> tuple[KnowledgeBase, Switch]:
        """The base as it is now and what was begun, which is begun anew where the model has become another one."""
        base = self._store.notes.base(base.name)
        switch = self._store.switches.of(base)
        if switch is None:
            self._store.drop_unused_vectors()
            raise ConfigError(f"The base '{base.name}' is not going over to another embedder. Choose one first.")
        fingerprint = self._build(switch.embedder).fingerprint
        if switch.fingerprint != fingerprint:
            switch = self._store.switches.begin(base, switch.embedder, fingerprint)
        return base, switch

    def abandon(self, base: KnowledgeBase) -> None:
        """Forget what was begun; the base stays with its embedder."""
        self._store.switches.end(base)
        self._store.drop_unused_vectors()

    def _indexer(self, base: KnowledgeBase, embedder: str) -> Indexer:
        return Indexer(self._store, self._target(base, embedder), self._build(embedder), keep_ready=True)

    def _target(self, base: KnowledgeBase, embedder: str) -> KnowledgeBase:
        built = self._build(embedder)
        return replace(base, embedder=embedder, fingerprint=built.fingerprint, dimension=built.dimension)
