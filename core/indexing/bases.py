"""The bases of a workspace: their settings, embedder, folders and state.

Another embedder is prepared next to the present index: first the windows that it needs are embedded, which can be
stopped and resumed at any window. Then, in one transaction, every note is cut by its tokens, a new collection is
filled, and the base refers to it. Until the commit the old collection answers.
"""

import re
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from fnmatch import fnmatch
from functools import partial
from shlex import quote
from typing import Unpack, get_args

from core import embedding, reranking
from core.base.call_log import log_bases, log_call
from core.base.errors import ConfigError, UnknownChoice
from core.base.text import escape_halves, find_half_character
from core.chunking import check as check_chunking
from core.documents import converting
from core.embedding import Embedder
from core.indexing.chunks import Chunks
from core.indexing.cutter import outdated_notes
from core.indexing.indexer import Indexer
from core.indexing.models import Models
from core.model import (
    OPEN,
    BaseFields,
    BaseKind,
    BaseStatus,
    ChangeCost,
    ChunkingOptions,
    CompleteSettings,
    Failed,
    KnowledgeBase,
    NewBase,
    Pipeline,
    Progress,
    Switch,
    no_progress,
)
from core.settings.config import Settings, check
from core.store import Store
from core.store.base_table import IGNORED

Reworded = Callable[[str, str, str], str]
"""A question, the old and the new name of a base -> the question."""
ToTrash = Callable[[KnowledgeBase], object]
"""Write a base with all its data into the trash."""
_STRATEGIES: Mapping[BaseKind, str] = {"lines": "lines", "literal": "markdown"}
"""Chunking strategies of kinds of bases for which the settings don't decide."""
MOST_NAME = 200
"""Characters of a base's name at most."""
_SAMPLE = 8
"""Windows embedded to estimate how long the rest takes."""
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f]")


class Bases:
    """The bases of a workspace, by name."""

    def __init__(
        self, store: Store, settings: Settings, models: Models, chunks: Chunks, reworded: Reworded, to_trash: ToTrash
    ) -> None:
        """Take the collaborators; `reworded` returns a question whose filters name a base by its new name."""
        self._store = store
        self._reworded = reworded
        self._to_trash = to_trash
        self._settings = settings
        self._models = models
        self._chunks = chunks
        self.on_pictures: Callable[[], object] = lambda: None
        """Called when a base begins or ends to read pictures."""
        self.on_renamed: Callable[[str, str], object] = lambda old, new: None
        """Called with the old and the new name of a base that was renamed."""

    def get(self, name: str) -> KnowledgeBase:
        """Return the base of this name; raises UnknownChoice, which lists the bases."""
        return self._store.bases.named(name)

    def find(self, name: str) -> KnowledgeBase | None:
        """Return the base of this name, None if there is none."""
        return next((base for base in self.all() if base.name == name), None)

    def by_id(self, base_id: str) -> KnowledgeBase:
        """Return the base of this id, as notes, sets and runs name it; raises UnknownChoice if it was deleted."""
        return self._store.bases.by_id(base_id)

    def all(self) -> list[KnowledgeBase]:
        """Return every base, sorted by name."""
        return self._store.bases.all()

    # making and changing

    def usual(self, kind: BaseKind = "vector") -> NewBase:
        """Return what a new base of a kind is made with where nothing is chosen, by the settings.

        A literal base counts tokens as the built-in model does: sizes mean the same in every base, and that model
        can index it later as it is split.
        """
        chosen = embedding.guess_name(embedding.AUTO if kind == "literal" else self._settings.embedder)
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
        """Add an empty base; what isn't given is as the settings say.

        Raises ConfigError for a name that is blank or taken, a value out of range and an embedder of a literal base,
        UnknownChoice for a kind, an embedder, a strategy or a reranker, and ModelError or ProviderError for an embedder
        that can't be had.
        """
        self.check_name(name)
        _check(fields, kind)
        if kind not in get_args(BaseKind):
            raise UnknownChoice("kind of base", kind, get_args(BaseKind))
        if kind == "literal" and embedder:
            raise ConfigError(
                "A base that is searched by words only has no model. Leave out the model '{name}'.", name=embedder
            )
        usual = self.usual(kind)
        options = chunking or usual.chunking
        if kind == "lines":
            options = replace(options, strategy="lines")
        check_chunking(options, usual.chunking)
        chosen = usual.embedder if kind == "literal" else embedding.resolve(embedder or self._settings.embedder)
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

    @log_call("base.change")
    def update(self, name: str, **fields: Unpack[BaseFields]) -> KnowledgeBase:
        """Store other values of fields that change nothing that is indexed; return the base.

        What `search` leaves open comes from the settings. Raises ConfigError for a value out of range and for writing
        the files of a base of kind `lines`, UnknownChoice for a reranker.
        """
        base = self.get(name)
        log_bases([base])
        _check(fields, base.kind)
        changed = self._store.bases.change(base, **fields)
        if changed.read_pictures != base.read_pictures:
            self.on_pictures()
        return changed

    def forget_wish(self, name: str) -> KnowledgeBase:
        """Forget the model that the archive of a base names, so that it is offered no longer; return the base."""
        return self._store.bases.change(self.get(name), wish="")

    @log_call("base.rename")
    def rename(self, name: str, new: str) -> KnowledgeBase:
        """Give a base another name, in past searches and questions that name it too; return the base.

        Raises ConfigError for a name that is blank or taken.
        """
        base = self.get(name)
        log_bases([base])
        if new == name:
            return base
        with self._store.database.write():
            self.check_name(new)
            for table in (self._store.searches, self._store.uses, self._store.clicks, self._store.questions):
                table.reword(lambda text: self._reworded(text, name, new))
            renamed = self._store.bases.change(base, name=new)
        self._store.changing.follow(partial(self.on_renamed, name, new))
        return renamed

    def chunking_cost(self, name: str, options: ChunkingOptions, *, progress: Progress = no_progress) -> ChangeCost:
        """Estimate the cost of other chunking: cut the notes by it, and time the embedding of a few windows.

        Raises UnknownChoice or ConfigError for the options, ModelError or ProviderError if the embedder fails.
        """
        base = self.get(name)
        check_chunking(options, base.chunking)
        target, embedder = replace(base, chunking=options), self._models.embedder(base)
        notes = outdated_notes(self._store, target)
        return _measure(Indexer(self._store, target, embedder), target, embedder, notes, progress)

    @log_call("base.delete")
    def delete(self, name: str) -> None:
        """Put a base into the trash, from where it can be restored with everything; files on disk stay."""
        self._store.database.check_writable()
        with self._store.changing:
            base = self.get(name)
            log_bases([base])
            self._to_trash(base)
            self.delete_for_good(name)

    def delete_for_good(self, name: str) -> None:
        """Delete a base with its notes, past the trash; files on disk stay."""
        self._store.open_index()
        self._store.delete_base(self.get(name))

    def check_name(self, name: str) -> None:
        """Raise ConfigError for a name that a new base can't have."""
        if not name.strip():
            raise ConfigError("The base has no name. Give it one.")
        if find_half_character(name) is not None:
            raise ConfigError(
                "The name '{name}' holds half of a character. Type another name.", name=escape_halves(name)
            )
        if _CONTROL.search(name):
            raise ConfigError("The name '{name}' holds a control character. Type another name.", name=ascii(name)[1:-1])
        if len(name) > MOST_NAME:
            raise ConfigError(
                "The name has {n} characters; at most {most} are possible. Type a shorter one.",
                n=len(name),
                most=MOST_NAME,
            )
        if name in {base.name for base in self.all()}:
            raise ConfigError("There is a base '{name}' already. Choose another name.", name=name)

    # how a base is searched

    def search_settings(self, base: KnowledgeBase | None = None) -> CompleteSettings:
        """Return the defaults for a search in a base; without a base, for a search in several."""
        return self._settings.search_in([base] if base else [])

    @log_call("base.adopt")
    def adopt(self, base: str, pipeline: Pipeline, *, progress: Progress = no_progress) -> None:
        """Give a base the settings and the chunking of a pipeline; other chunking cuts the base again.

        What the pipeline leaves open stays. Raises ConfigError and UnknownChoice before anything is changed.
        """
        own = self.get(base)
        if pipeline.embedder not in ("", own.embedder):
            raise ConfigError("Another model is chosen on the page Bases: the whole base is then indexed again.")
        if pipeline.chunking is not None:
            self._models.embedder(own)  # to fail before anything is changed
            check_chunking(pipeline.chunking, own.chunking)
        self.update(base, search=pipeline.search.over(own.search))
        if pipeline.chunking not in (None, own.chunking):
            self._chunks.rechunk(base, options=pipeline.chunking, progress=progress)

    # token bits

    @log_call("base.tokens")
    def keep_tokens(self, base: str, keep: bool, *, progress: Progress = no_progress) -> int:
        """Keep or delete the token bits of a base; return how many windows were embedded because they lacked them."""
        changed = self._store.bases.change(self.get(base), keep_tokens=keep)
        log_bases([changed])
        if not keep:
            self._store.vectors.drop_bits(changed)
            return 0
        self._store.open_index()
        indexer = Indexer(self._store, self.get(base), self._models.embedder(changed))
        lacking = self._store.vectors.without_bits(changed)
        return indexer.embed_again(lacking, progress).embedded_windows

    # another embedder

    def switch_cost(self, base: str, embedder: str, *, progress: Progress = no_progress) -> ChangeCost:
        """Estimate the cost of another embedder: cut every note by its tokens, and time the embedding of a few windows.

        Raises UnknownChoice, ConfigError, ModelError or ProviderError if the embedder isn't available.
        """
        stored = self._store.bases.named(base)
        target = self._target(stored, embedder)
        notes = list(self._store.notes.cut_by(stored))
        return _measure(self._indexer(stored, embedder), target, embedding.build(embedder), notes, progress)

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

    # state

    def folders(self, base: KnowledgeBase) -> tuple[tuple[str, datetime], ...]:
        """Return the folders with which a base was synced, and the times."""
        return tuple((sync.folder, sync.at) for sync in self._store.bases.syncs(base))

    def failures(self, base: KnowledgeBase, folder: str = "") -> list[Failed]:
        """Return the files that the last sync of a folder of the base couldn't read, or of each folder."""
        return self._listed("failed", base, folder)

    def unread(self, base: KnowledgeBase, folder: str = "") -> list[Failed]:
        """Return the failures of a folder of the base, or of each, without the files that the user ignores."""
        patterns = self.ignored(base)
        return [failed for failed in self.failures(base, folder) if not _is_ignored(failed.path, patterns)]

    def ignored(self, base: KnowledgeBase) -> list[str]:
        """Return the patterns of unreadable files that the user ignores."""
        reports = [sync.report.get(IGNORED, []) for sync in self._store.bases.syncs(base)]
        return sorted({str(pattern) for patterns in reports for pattern in patterns})

    def ignore(self, base: str, pattern: str) -> None:
        """Say no more of unreadable files that match a pattern; they are still read once they can be."""
        stored = self.get(base)
        self._store.bases.ignore(stored, sorted({*self.ignored(stored), pattern}))

    def report_again(self, base: str, pattern: str) -> None:
        """End the ignoring of a pattern."""
        stored = self.get(base)
        self._store.bases.ignore(stored, [other for other in self.ignored(stored) if other != pattern])

    def not_downloaded(self, base: KnowledgeBase, folder: str = "") -> list[Failed]:
        """Return the files that weren't there yet at the last sync of a folder of the base, or of each folder."""
        return self._listed("not_downloaded", base, folder)

    def _listed(self, name: str, base: KnowledgeBase, folder: str) -> list[Failed]:
        reports = [sync.report for sync in self._store.bases.syncs(base) if folder in ("", sync.folder)]
        return [Failed.from_dict(item) for report in reports for item in report.get(name, ())]

    def status(self, base: KnowledgeBase) -> BaseStatus:
        """Return the size and state of a base."""
        counts, bits = self._store.chunks.count(base), self._store.vectors.count_bits(base)
        waiting, switch = self._store.pending.count([base.id]), self._store.switches.for_base(base)
        refused = self._store.refusals.count(base)
        return BaseStatus(base, *counts, self.folders(base), waiting.chunks, *bits, switch, waiting.notes, refused)


def _is_ignored(path: str, patterns: Iterable[str]) -> bool:
    """Return whether a path matches one of the patterns, in which `*` stands for any text."""
    return any(fnmatch(path.lower(), pattern.lower()) for pattern in patterns)


def _check(fields: BaseFields, kind: BaseKind) -> None:
    if kind == "lines" and fields.get("write_files"):
        raise ConfigError("The text files of this base are only read. Change them in another program.")
    if fields.get("read_pictures"):
        converting.check_picture_reader()
    search = fields.get("search", OPEN)
    check(search)
    if search.reranker not in (None, reranking.NONE):
        reranking.check(search.reranker)


def _measure(
    indexer: Indexer, target: KnowledgeBase, embedder: Embedder, note_ids: Sequence[str], progress: Progress
) -> ChangeCost:
    """Cut the notes as the indexer of the target would, and time the embedding of a few windows; nothing is stored.

    Raises ModelError or ProviderError if the embedder fails.
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
