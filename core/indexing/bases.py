"""The settings and state of a workspace's bases, their synced folders, and switches to other embedders."""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from fnmatch import fnmatch
from shlex import quote
from typing import Unpack, get_args

from core import embedding, reranking
from core.base.call_log import log_bases, log_call
from core.base.errors import ConfigError, UnknownChoice
from core.base.text import escape_halves, find_half_character
from core.chunking import check as check_chunking
from core.documents import converting
from core.indexing.chunks import Chunks
from core.indexing.cutter import outdated_notes
from core.indexing.indexer import Indexer
from core.indexing.models import Models
from core.model import (
    OPEN,
    BaseFields,
    BaseKind,
    BaseRenamed,
    BaseStatus,
    ChangeCost,
    ChunkingOptions,
    CompleteSettings,
    Failed,
    KnowledgeBase,
    NewBase,
    PictureReadingChanged,
    Pipeline,
    Progress,
    Switch,
    no_progress,
)
from core.settings.config import Settings, check
from core.store import Store
from core.store.base_table import IGNORED

# A function that takes a question and returns it with a base's old name replaced by the new name.
Reworded = Callable[[str, str, str], str]
# A function that moves a base with all its data to the trash.
ToTrash = Callable[[KnowledgeBase], object]
# Chunking strategies for the kinds of bases that ignore the strategy in the settings.
_STRATEGIES = {"lines": "lines", "literal": "markdown"}
# Maximum number of characters in a base's name.
MOST_NAME = 200
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f]")


@dataclass
class Bases:
    """Reads and changes a workspace's bases. Most methods take the name of a base."""

    _store: Store
    _settings: Settings
    _models: Models
    _chunks: Chunks
    _reworded: Reworded
    _to_trash: ToTrash

    def get(self, name: str) -> KnowledgeBase:
        """Return the base with the given name. If there is none, raises UnknownChoice, which lists the bases."""
        return self._store.bases.named(name)

    def find(self, name: str) -> KnowledgeBase | None:
        """Return the base with the given name, or None if there is none."""
        return next((base for base in self._store.bases.all() if base.name == name), None)

    def by_id(self, base_id: str) -> KnowledgeBase:
        """Return the base with the given id. Raises UnknownChoice if it was deleted."""
        return self._store.bases.by_id(base_id)

    def all(self) -> list[KnowledgeBase]:
        """Return every base, sorted by name."""
        return self._store.bases.all()

    # creating and changing

    def usual(self, kind: BaseKind = "vector") -> NewBase:
        """Return the default settings for a new base of the given kind.

        A literal base, which has no vectors, counts tokens like the built-in model. Sizes then mean the same in every
        base, and the built-in model can index the base later without re-chunking it.
        """
        chosen = embedding.resolve(embedding.AUTO if kind == "literal" else self._settings.embedder)
        sizes = ChunkingOptions(**self._settings.chunking.model_dump())
        return NewBase(chosen, replace(sizes, strategy=_STRATEGIES.get(kind, sizes.strategy)))

    @log_call("base.add")
    def add(
        self,
        name: str,
        *,
        embedder: str = "",
        chunking: ChunkingOptions | None = None,
        keep_tokens: bool = True,
        kind: BaseKind = "vector",
        **fields: Unpack[BaseFields],
    ) -> KnowledgeBase:
        """Add an empty base. Values that aren't given come from the settings.

        Raises ConfigError for a blank or taken name, a value out of range, or an embedder for a literal base. Raises
        UnknownChoice for an unknown kind, embedder, strategy or reranker. Raises ModelError or ProviderError if the
        embedder isn't available.
        """
        self.check_name(name)
        _check(fields, kind)
        if kind not in get_args(BaseKind):
            raise UnknownChoice("kind of base", kind, get_args(BaseKind))
        if kind == "literal" and embedder:
            raise ConfigError(
                "A base searched only by keyword has no model. Leave out the model '{name}'.", name=embedder
            )
        usual = self.usual(kind)
        options = chunking or usual.chunking
        if kind == "lines":
            options = replace(options, strategy="lines")
        check_chunking(options, usual.chunking)
        chosen = embedding.resolve(embedder) if embedder else usual.embedder
        built = embedding.build(chosen)
        base = self._store.bases.add(
            name,
            embedder=chosen,
            fingerprint=built.fingerprint,
            dimension=built.dimension,
            chunking=options,
            kind=kind,
            keep_tokens=keep_tokens,
            **fields,
        )
        self._store.index.build(base)
        log_bases([base])
        return base

    def find_or_add(self, name: str, *, watch: bool = False) -> KnowledgeBase:
        """Return the base with the given name, creating it if it doesn't exist. Raises the same errors as `add`."""
        with self._store.changing:
            return self.find(name) or self.add(name, watch=watch)

    @log_call("base.change")
    def update(self, name: str, **fields: Unpack[BaseFields]) -> KnowledgeBase:
        """Change fields that don't affect the index, and return the base.

        Search settings that are unset in `search` fall back to the global settings. Raises ConfigError for a value out
        of range, or if `write_files` is set for a base of kind `lines`. Raises UnknownChoice for an unknown reranker.
        """
        base = self.get(name)
        log_bases([base])
        _check(fields, base.kind)
        changed = self._store.bases.change(base, **fields)
        if changed.read_pictures != base.read_pictures:
            self._store.events.publish(PictureReadingChanged())
        return changed

    def forget_wish(self, name: str) -> KnowledgeBase:
        """Stop offering the model requested by the archive that a base comes from, and return the base."""
        return self._store.bases.change(self.get(name), wish="")

    @log_call("base.rename")
    def rename(self, name: str, new: str) -> KnowledgeBase:
        """Rename a base, including in past searches and questions that name it, and return the base.

        Raises ConfigError for a blank or taken name.
        """
        base = self.get(name)
        log_bases([base])
        if new == name:
            return base
        store = self._store
        with store.database.write():
            self.check_name(new)
            for table in (store.searches, store.uses, store.clicks, store.questions):
                table.reword(lambda text: self._reworded(text, name, new))
            renamed = store.bases.change(base, name=new)
        store.events.publish(BaseRenamed(name, new))
        return renamed

    def chunking_cost(self, name: str, options: ChunkingOptions, *, progress: Progress = no_progress) -> ChangeCost:
        """Estimate the cost of re-chunking a base with other options.

        The notes are chunked without being stored, and the embedding of a few windows is timed. Raises UnknownChoice or
        ConfigError for invalid options, and ModelError or ProviderError if the embedder fails.
        """
        base = self.get(name)
        check_chunking(options, base.chunking)
        target = replace(base, chunking=options)
        return Indexer(self._store, target, self._models.embedder(base)).cost(
            outdated_notes(self._store, target), progress
        )

    @log_call("base.delete")
    def delete(self, name: str) -> None:
        """Move a base to the trash, from which it can be fully restored. Files on disk are kept."""
        self._store.database.check_writable()
        with self._store.changing:
            base = self.get(name)
            log_bases([base])
            self._to_trash(base)
            self.delete_for_good(name)

    def delete_for_good(self, name: str) -> None:
        """Delete a base and its notes, bypassing the trash. Files on disk are kept."""
        self._store.index.open()
        self._store.delete_base(self.get(name))

    def check_name(self, name: str) -> None:
        """Raise ConfigError if the name is blank, invalid, too long or taken."""
        if not name.strip():
            raise ConfigError("The base has no name. Enter one.")
        if find_half_character(name) is not None:
            raise ConfigError(
                "The name '{name}' contains an incomplete character. Type another name.", name=escape_halves(name)
            )
        if _CONTROL.search(name):
            raise ConfigError(
                "The name '{name}' contains a control character. Type another name.", name=ascii(name)[1:-1]
            )
        if len(name) > MOST_NAME:
            raise ConfigError(
                "The name has {n} characters; the limit is {most}. Type a shorter name.",
                n=len(name),
                most=MOST_NAME,
            )
        if self.find(name):
            raise ConfigError("There is already a base '{name}'. Choose another name.", name=name)

    # search settings

    def search_settings(self, base: KnowledgeBase | None = None) -> CompleteSettings:
        """Return the default search settings for a base, or for a search in several bases if `base` is None."""
        return self._settings.search_in([base] if base else [])

    @log_call("base.adopt")
    def adopt(self, base: str, pipeline: Pipeline, *, progress: Progress = no_progress) -> None:
        """Apply a pipeline's settings and chunking to a base. If the chunking differs, re-chunk the base.

        Settings that are unset in the pipeline don't change. Raises ConfigError or UnknownChoice before anything is
        changed.
        """
        own = self.get(base)
        if pipeline.embedder not in ("", own.embedder):
            raise ConfigError(
                "To use another model, choose it on the Bases page. The whole base is then indexed again."
            )
        if pipeline.chunking is not None:
            self._models.embedder(own)  # raises before anything is changed
            check_chunking(pipeline.chunking, own.chunking)
        self.update(base, search=pipeline.search.over(own.search))
        if pipeline.chunking not in (None, own.chunking):
            self._chunks.rechunk(base, options=pipeline.chunking, progress=progress)

    # token bits

    @log_call("base.tokens")
    def keep_tokens(self, base: str, keep: bool, *, progress: Progress = no_progress) -> int:
        """Keep or delete a base's token bits, and return the number of windows embedded to compute missing bits."""
        changed = self._store.bases.change(self.get(base), keep_tokens=keep)
        log_bases([changed])
        if not keep:
            self._store.vectors.drop_bits(changed)
            return 0
        self._store.index.open()
        indexer = Indexer(self._store, self.get(base), self._models.embedder(changed))
        return indexer.embed_again(self._store.vectors.without_bits(changed), progress).embedded_windows

    # state

    def status(self, base: KnowledgeBase) -> BaseStatus:
        """Return a base's size and state."""
        waiting = self._store.pending.count([base.id])
        return BaseStatus(
            base,
            *self._store.chunks.count(base),
            SyncedFolders(self._store).all(base),
            waiting.chunks,
            *self._store.vectors.count_bits(base),
            self._store.switches.for_base(base),
            waiting.notes,
            self._store.refusals.count(base),
        )


def _check(fields: BaseFields, kind: BaseKind) -> None:
    if kind == "lines" and fields.get("write_files"):
        raise ConfigError("Tessera only reads the text files of this base. Change them in another program.")
    if fields.get("read_pictures"):
        converting.check_picture_reader()
    search = fields.get("search", OPEN)
    check(search)
    if search.reranker not in (None, reranking.NONE):
        reranking.check(search.reranker)


@dataclass
class SyncedFolders:
    """The folders that bases were synced with, and the files in them that couldn't be read."""

    _store: Store

    def all(self, base: KnowledgeBase) -> tuple[tuple[str, datetime], ...]:
        """Return the folders that a base was synced with, each with the time of its last sync."""
        return tuple((sync.folder, sync.at) for sync in self._store.bases.syncs(base))

    def failures(self, base: KnowledgeBase, folder: str = "") -> list[Failed]:
        """Return the files that the last sync couldn't read, in one of a base's folders or, by default, in all."""
        return self._listed("failed", base, folder)

    def unread(self, base: KnowledgeBase, folder: str = "") -> list[Failed]:
        """Return the files that the last sync couldn't read, except for those that the user ignores."""
        patterns = [pattern.lower() for pattern in self.ignored(base)]  # * matches any text
        return [
            failed
            for failed in self.failures(base, folder)
            if not any(fnmatch(failed.path.lower(), pattern) for pattern in patterns)
        ]

    def ignored(self, base: KnowledgeBase) -> list[str]:
        """Return the patterns of unreadable files that the user ignores."""
        return sorted(
            {str(pattern) for sync in self._store.bases.syncs(base) for pattern in sync.report.get(IGNORED, [])}
        )

    def ignore(self, base: str, pattern: str) -> None:
        """Stop reporting unreadable files that match a pattern. A file is still read once it becomes readable."""
        stored = self._store.bases.named(base)
        self._store.bases.ignore(stored, sorted({*self.ignored(stored), pattern}))

    def report_again(self, base: str, pattern: str) -> None:
        """Resume reporting unreadable files that match a pattern."""
        stored = self._store.bases.named(base)
        self._store.bases.ignore(stored, [other for other in self.ignored(stored) if other != pattern])

    def not_downloaded(self, base: KnowledgeBase, folder: str = "") -> list[Failed]:
        """Return the files not downloaded at the last sync, in one of a base's folders or, by default, in all."""
        return self._listed("not_downloaded", base, folder)

    def _listed(self, name: str, base: KnowledgeBase, folder: str) -> list[Failed]:
        syncs = [sync for sync in self._store.bases.syncs(base) if folder in ("", sync.folder)]
        return [Failed.from_dict(item) for sync in syncs for item in sync.report.get(name, ())]


@dataclass
class ModelSwitches:
    """Switches bases to other embedders.

    A switch first embeds the windows that the new embedder needs, alongside the current index. Embedding can be stopped
    and resumed at any window. Then a single transaction re-chunks every note by the new embedder's token counts, fills
    a new collection, and makes the base refer to that collection. Until the commit, searches use the old collection.
    """

    _store: Store

    def cost(self, base: str, embedder: str, *, progress: Progress = no_progress) -> ChangeCost:
        """Estimate the cost of switching to an embedder.

        Every note is chunked by the embedder's token counts, and the embedding of a few windows is timed. Raises
        UnknownChoice, ConfigError, ModelError or ProviderError if the embedder isn't available.
        """
        stored = self._store.bases.named(base)
        return self._indexer(stored, embedder).cost(list(self._store.notes.cut_by(stored)), progress)

    def begin(self, base: str, embedder: str) -> Switch:
        """Record that a base is to switch to another embedder. The old embedder stays in use until `run` ends.

        Raises ConfigError if the base already uses that embedder.
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
        """Run or resume the recorded switch, and return the base with its new embedder.

        Raises ConfigError if no switch was started. After Cancelled, or if the embedder fails, the vectors embedded so
        far are kept for the next run.
        """
        self._store.index.open()
        base_id = self._store.bases.named(base).id
        while True:
            stored, switch = self._current_switch(base_id)
            indexer = self._indexer(stored, switch.embedder)
            # Run two passes, because notes may change during the first one, which may take hours.
            for _ in range(2):
                indexer.prepare(list(self._store.notes.cut_by(stored)), progress)
            with self._store.changing:
                if (stored, switch) == self._current_switch(base_id):
                    notes = list(self._store.notes.cut_by(stored))
                    log_bases([indexer.base])
                    return self._store.switch(indexer.base, indexer.cut_again(notes, progress))

    def _current_switch(self, base_id: str) -> tuple[KnowledgeBase, Switch]:
        """Return the current base and its switch. Restart the switch if its model's name now refers to a new model."""
        stored = self._store.bases.by_id(base_id)
        if (switch := self._store.switches.for_base(stored)) is None:
            self._store.drop_unused_vectors()
            raise ConfigError(
                "No model switch is under way in the base '{base}'. Choose a new model first.", base=stored.name
            )
        fingerprint = embedding.build(switch.embedder).fingerprint
        if switch.fingerprint != fingerprint:
            switch = self._store.switches.begin(stored, switch.embedder, fingerprint)
        return stored, switch

    def abandon(self, base: str) -> None:
        """Discard the recorded switch and the vectors embedded for it. The base keeps its embedder."""
        self._store.switches.end(self._store.bases.named(base))
        self._store.drop_unused_vectors()

    def _indexer(self, base: KnowledgeBase, embedder: str) -> Indexer:
        """Return an indexer for a base as it will be with another embedder."""
        built = embedding.build(embedder)
        target = replace(
            base,
            kind=base.kind if base.has_vectors else "vector",
            embedder=embedder,
            fingerprint=built.fingerprint,
            dimension=built.dimension,
            wish="",
        )
        return Indexer(self._store, target, built, keep_ready=True)
