"""The bases of a workspace: their settings, embedder, folders and state."""

from datetime import datetime

from core import chunking, embedding, reranking
from core.config import Settings, check
from core.errors import ConfigError
from core.indexing.chunks import Chunks
from core.indexing.indexer import Indexer
from core.indexing.switching import Switching
from core.model import (
    OPEN,
    BaseStatus,
    ChunkingOptions,
    CompleteSettings,
    Failed,
    KnowledgeBase,
    Pipeline,
    Progress,
    SearchSettings,
    complete,
    unheard,
)
from core.models import Models
from core.store import Store
from core.text import escaped, half_character


class Bases(Switching):
    """The bases of a workspace, by name."""

    def __init__(self, store: Store, settings: Settings, models: Models, chunks: Chunks) -> None:
        super().__init__(store)
        self._settings = settings
        self._models = models
        self._chunks = chunks

    def get(self, name: str) -> KnowledgeBase:
        """Return the base of this name; raises UnknownChoice, which lists the bases."""
        return self._store.bases.named(name)

    def all(self) -> list[KnowledgeBase]:
        """Return every base, sorted by name."""
        return self._store.bases.all()

    def add(self, name: str, *, embed_at_once: bool = True) -> KnowledgeBase:
        """Add an empty base with the default settings; raises ConfigError for a name that is blank or taken."""
        if not name.strip():
            raise ConfigError("The base has no name. Give it one.")
        if half_character(name) is not None:
            raise ConfigError("The name '{name}' holds half of a character. Type another name.", name=escaped(name))
        if name in {base.name for base in self.all()}:
            raise ConfigError("There is a base '{name}' already. Choose another name.", name=name)
        chosen = embedding.resolve(self._settings.embedder)
        embedder = embedding.build(chosen)
        base = self._store.bases.add(
            name,
            embedder=chosen,
            fingerprint=embedder.fingerprint,
            dimension=embedder.dimension,
            chunking=ChunkingOptions(**self._settings.chunking.model_dump()),
            embed_at_once=embed_at_once,
        )
        self._store.index.build(base)
        return base

    def delete(self, name: str) -> None:
        """Delete a base with its notes; files on disk stay."""
        self._store.open_index()
        self._store.delete_base(self.get(name))

    def set_embed_at_once(self, base: str, at_once: bool) -> None:
        """Choose whether new chunks of a base are embedded at once or by `Chunks.embed`."""
        self._store.bases.change(self.get(base), embed_at_once=at_once)

    # how a base is searched

    def set_search(self, base: str, settings: SearchSettings = OPEN) -> KnowledgeBase:
        """Store a base's own defaults for a search; open values come from the settings.

        Raises ConfigError for a value out of range, UnknownChoice for a reranker.
        """
        check(settings)
        if settings.reranker not in (None, reranking.NONE):
            reranking.check(settings.reranker)
        return self._store.bases.change(self.get(base), search=settings)

    def search_settings(self, base: KnowledgeBase | None = None) -> CompleteSettings:
        """Return the defaults for a search in a base; without a base, for a search in several."""
        return complete(base.search if base else OPEN, self._settings.search.chosen)

    def adopt(self, base: str, pipeline: Pipeline, *, progress: Progress = unheard) -> None:
        """Give a base the settings and the chunking of a pipeline; other chunking cuts the base again.

        What the pipeline leaves open stays. Raises ConfigError and UnknownChoice before anything is changed.
        """
        own = self.get(base)
        if pipeline.embedder not in ("", own.embedder):
            raise ConfigError("Another model is chosen in the Settings: the whole base is then indexed again.")
        if pipeline.chunking is not None:
            self._models.embedder(own)  # to fail before anything is changed
            chunking.build(pipeline.chunking)
        self.set_search(base, pipeline.search.over(own.search))
        if pipeline.chunking not in (None, own.chunking):
            self._chunks.rechunk(base, options=pipeline.chunking, progress=progress)

    # token bits

    def keep_tokens(self, base: str, keep: bool, *, progress: Progress = unheard) -> int:
        """Keep or delete the token bits of a base; return how many windows were embedded because they lacked them."""
        changed = self._store.bases.change(self.get(base), keep_tokens=keep)
        if not keep:
            self._store.vectors.drop_bits(changed)
            return 0
        self._store.open_index()
        indexer = Indexer(self._store, self.get(base), self._models.embedder(changed))
        lacking = self._store.vectors.without_bits(changed)
        return indexer.embed_again(lacking, progress).embedded_windows

    # state

    def folders(self, base: KnowledgeBase) -> tuple[tuple[str, datetime], ...]:
        """Return the folders with which a base was synced, and the times."""
        return tuple((path, at) for path, at, _ in self._store.bases.syncs(base))

    def failures(self, base: KnowledgeBase) -> list[Failed]:
        """Return the files that the last sync of each folder of the base couldn't read."""
        return [Failed.of_dict(item) for _, _, report in self._store.bases.syncs(base) for item in report["failed"]]

    def status(self, base: KnowledgeBase) -> BaseStatus:
        """Return the size and state of a base."""
        counts, bits = self._store.chunks.count(base), self._store.vectors.count_bits(base)
        waiting, switch = self._store.pending.count([base.id]), self._store.switches.of(base)
        return BaseStatus(base, *counts, self.folders(base), waiting.chunks, *bits, switch, waiting.notes)
