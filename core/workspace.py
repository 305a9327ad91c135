"""The one object that screens talk to; the only place where the stages meet."""

import gc
import json
import shutil
import tempfile
import threading
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Unpack

from core import chunking, embedding, folder, models, notefile, reranking, sync, training, trials, upload
from core.chunking.compare import Difference, Sizes, difference, sizes
from core.config import ChunkingSettings, Settings, settings
from core.editing import Decision, Editing, Flagged, Rechunked
from core.edits import apply
from core.embedding import Embedder, tokens
from core.embedding.device import Device, Running, choose
from core.errors import (
    ConfigError,
    EmbeddingMismatch,
    ModelError,
    NoteNotFound,
    ProviderError,
    QueryError,
    SourceError,
    SyncRefused,
    TesseraError,
)
from core.evaluating import Evaluating
from core.evaluation import DEPTH, MAIN, METRICS
from core.evaluation.advice import Advice, grid, larger, smaller
from core.evaluation.compare import ENOUGH, Comparison
from core.evaluation.report import to_csv, to_html, to_markdown
from core.evaluation.sidebyside import TIMES, Row, SideBySide
from core.folder import Failed
from core.importing import UPLOADED, Importer, note_of
from core.indexing import Indexer, centre_of
from core.jobs import Job, Jobs
from core.model import (
    Chunk,
    ChunkingOptions,
    Context,
    Cut,
    Edit,
    Feedback,
    Filters,
    Hit,
    KnowledgeBase,
    Note,
    NoteCard,
    Passage,
    PastSearch,
    Pipeline,
    Progress,
    SearchResult,
    Switch,
    Verdict,
    WhyNot,
    unheard,
)
from core.models import ModelCard
from core.questioning import QuestionSets, is_within
from core.reranking import Reranker
from core.reranking.cached import Cached
from core.reranking.late_interaction import LateInteraction
from core.retrieval import synonyms
from core.searching import Searching, SearchOptions, filters_of
from core.store import Store
from core.switching import SwitchCost, Switching
from core.sync import SyncPlan, SyncReport
from core.text import query_keywords, simplified
from core.training import Recipe
from core.training import Report as TrainingReport
from core.trials import Trial

__all__ = [
    "DEPTH",
    "ENOUGH",
    "MAIN",
    "METRICS",
    "TIMES",
    "Advice",
    "BaseStatus",
    "Comparison",
    "Decision",
    "Device",
    "Difference",
    "Failed",
    "Flagged",
    "Job",
    "ModelCard",
    "Rechunked",
    "Recipe",
    "Row",
    "Running",
    "SearchOptions",
    "SideBySide",
    "Sizes",
    "Status",
    "SwitchCost",
    "SyncPlan",
    "SyncReport",
    "TrainingReport",
    "Trial",
    "Workspace",
    "difference",
    "filters_of",
    "grid",
    "is_within",
    "larger",
    "preview",
    "ranges",
    "simplified",
    "sizes",
    "smaller",
    "to_csv",
    "to_html",
    "to_markdown",
]

LATE_INTERACTION = "late-interaction"

PREFERENCES = "preferences.json"
"""What a person chose for the screens; kept beside the notes."""


@dataclass(frozen=True, slots=True)
class BaseStatus:
    """A base and how much it holds; `folders` are those it was synced with, and when.

    `pending` of its chunks wait to be embedded; `with_bits` of its windows have the bits of their
    tokens, `bit_bytes` on disk. `switch` is a change of embedder that was begun.
    """

    base: KnowledgeBase
    notes: int
    chunks: int
    windows: int
    folders: tuple[tuple[str, datetime], ...]
    pending: int = 0
    with_bits: int = 0
    bit_bytes: int = 0
    switch: Switch | None = None


@dataclass(frozen=True, slots=True)
class Status:
    """The state of a workspace; `index_problem` is empty while the vector index is sound."""

    folder: Path
    bases: tuple[BaseStatus, ...]
    bytes_on_disk: int
    readonly: bool
    index_problem: str


class Workspace:
    """Notes, their index and the work on them, in one folder.

    Raises WorkspaceLocked where another process writes to it (`readonly` opens beside that one),
    NewerSchema, and StoreError for a folder that can't be a workspace.
    """

    def __init__(self, path: Path | None = None, *, readonly: bool = False) -> None:
        self.settings: Settings = settings()
        self.store = Store(path or self.settings.workspace, readonly=readonly)
        self.jobs = Jobs()
        self._editing = Editing(self.store, self.embedder_of)
        self._switching = Switching(self.store, embedding.build)
        self._searching = self._searching_of(self.store)
        self.question_sets = QuestionSets(self.store, self.settings)
        self.evaluation = Evaluating(self.store, self._measuring_of, embedding.build)
        self._warm: set[str] = set()
        self._rerankers: dict[str, Reranker] = {}
        self._broken: set[str] = set()

    def __enter__(self) -> "Workspace":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Stop what runs and leave everything as the next start wants to find it."""
        self.jobs.close()
        self.store.close()

    @property
    def readonly(self) -> bool:
        """Whether another process writes here, so that this one may only look."""
        return self.store.readonly

    # models

    def embedder_of(self, base: KnowledgeBase) -> Embedder:
        """Return a base's embedder; raises EmbeddingMismatch where it is not the one its vectors are of."""
        embedder = embedding.build(base.embedder)
        if embedder.fingerprint != base.fingerprint:
            raise EmbeddingMismatch(
                f"The base '{base.name}' holds vectors of {base.fingerprint}, but '{base.embedder}' is now"
                f" {embedder.fingerprint}. Keyword search goes on; to embed it anew:"
                f" tessera models switch {base.name} {base.embedder}"
            )
        return embedder

    def reranker_of(self, base: KnowledgeBase, name: str) -> Reranker:
        """Return a reranker for the chunks of a base.

        Late interaction is the embedder's own work; where that tells nothing of tokens, the bundled
        model reads the chunks as they are asked for. Raises UnknownChoice, ModelError, ConfigError.
        """
        if name != LATE_INTERACTION:
            return self._rerankers.setdefault(name, Cached(reranking.build(name)))
        embedder = tokens.of(embedding.build(self._token_model(base)))
        assert embedder is not None, "the bundled model tells of tokens"
        if embedder.fingerprint not in self._rerankers:
            self._rerankers[embedder.fingerprint] = LateInteraction(embedder, centre_of(self.store, embedder))
        return self._rerankers[embedder.fingerprint]

    def _token_model(self, base: KnowledgeBase) -> str:
        """The name of what reads tokens for late interaction: the base's own embedder where it tells of them."""
        return base.embedder if tokens.of(embedding.build(base.embedder)) else "bundled"

    def start_warming(self, *, after: float = 0.0) -> None:
        """Load the models of the bases and the index in a thread, `after` seconds from now.

        `ready` tells when a model is there. Screens wait a little: importing the model's libraries
        keeps everything else in this process from running.
        """

        def work(progress: Progress) -> None:
            time.sleep(after)
            self._warm_up(progress)

        self.jobs.start("warm", work)

    def ready(self, base: KnowledgeBase) -> bool:
        """Whether a question to this base needn't wait for its model."""
        return base.embedder in self._warm

    def _warm_up(self, progress: Progress) -> None:
        names = {base.embedder for base in self.store.notes.bases()} or {embedding.resolve(self.settings.embedder)}
        failed: list[TesseraError] = []
        for number, name in enumerate(sorted(names)):
            progress(number, len(names) + 1, name)
            try:
                self._warm_one(name)
            except (ModelError, ProviderError) as error:
                failed.append(error)
        self.store.open_index()
        # The libraries' half a million objects stay; looking through them takes 0.3 s each time, and
        # Streamlit collects all garbage after every run of a page.
        gc.collect()
        gc.freeze()
        if failed:
            raise failed[0]

    def models(self) -> list[ModelCard]:
        """Return the embedders and rerankers there are names for: installed, used here, or worth having."""
        return models.cards(self._named())

    def rerankers(self) -> list[str]:
        """Return the names of the rerankers that a search can have now, without asking a server."""
        return models.usable_rerankers(self._named())

    def _named(self) -> list[str]:
        bases = self.bases()
        begun = [switch.embedder for base in bases if (switch := self.store.switches.of(base))]
        known = [*(base.embedder for base in bases), *begun, self.settings.embedder, self.settings.search.reranker]
        return list(dict.fromkeys(known))

    def test_model(self, name: str, *, progress: Progress = unheard) -> Trial:
        """Load a model and ask it a few questions in Chinese and English; raises ModelError, ProviderError."""
        return trials.run(name, progress)

    def download_model(self, name: str, *, progress: Progress = unheard) -> Path:
        """Return the folder of a model of the hub, downloaded where it isn't here; raises ModelError."""
        return models.download(name, progress)

    def train_reranker(
        self,
        folder: Path,
        *,
        base: str | None = None,
        questions: Sequence[Path] = (),
        recipe: Recipe | None = None,
        progress: Progress = unheard,
    ) -> TrainingReport:
        """Train a cross-encoder from the bundled model's weights, save it as `folder`, and measure what it gives.

        It learns from files of questions and from a base's own headings. Raises ConfigError, SourceError,
        QuestionSetError or ModelError for what can't be.
        """
        named = None if base is None else self.base(base)
        embedder = None if named is None else self.embedder_of(named)
        found = training.sources(self.store, named, embedder, questions)
        return training.train(found, folder.expanduser(), recipe or Recipe(), progress)

    def device(self) -> Device:
        """Return where models run on this machine, and why; takes seconds where none was loaded yet."""
        return choose()

    # bases

    def base(self, name: str) -> KnowledgeBase:
        return self.store.notes.base(name)

    def bases(self) -> list[KnowledgeBase]:
        return self.store.notes.bases()

    def delete_base(self, name: str) -> None:
        """Delete a base with its notes; files on disk stay."""
        self.store.open_index()
        self.store.delete_base(self.base(name))

    def _base_for_import(self, name: str) -> KnowledgeBase:
        if name in {base.name for base in self.bases()}:
            return self.base(name)
        return self.add_base(name)

    def add_base(self, name: str, *, embed_at_once: bool = True) -> KnowledgeBase:
        """Make an empty base by the settings; raises ConfigError for a name that is blank or taken."""
        if not name.strip():
            raise ConfigError("The base has no name. Give it one.")
        if name in {base.name for base in self.bases()}:
            raise ConfigError(f"There is a base '{name}' already. Choose another name.")
        chosen = embedding.resolve(self.settings.embedder)
        embedder = embedding.build(chosen)
        base = self.store.notes.add_base(
            name,
            embedder=chosen,
            fingerprint=embedder.fingerprint,
            dimension=embedder.dimension,
            chunking=ChunkingOptions(**self.settings.chunking.model_dump()),
            embed_at_once=embed_at_once,
        )
        self.store.add_base_index(base)
        return base

    # a base's embedder

    def switch_cost(self, base: str, embedder: str, *, progress: Progress = unheard) -> SwitchCost:
        """Return what it takes to give a base another embedder; a few windows are embedded to tell.

        Raises UnknownChoice, ConfigError, ModelError or ProviderError where the embedder can't be had.
        """
        return self._switching.cost(self.base(base), embedder, progress)

    def begin_switch(self, base: str, embedder: str) -> Switch:
        """Record that a base shall go over to another embedder; until `run_switch` ends, the old one answers."""
        return self._switching.begin(self.base(base), embedder)

    def run_switch(self, base: str, *, progress: Progress = unheard) -> KnowledgeBase:
        """Do what was begun, from where it was stopped, and return the base with its new embedder."""
        return self._switching.run(self.base(base), progress)

    def abandon_switch(self, base: str) -> None:
        """Stay with the embedder there is; what was embedded for the other is deleted."""
        self._switching.abandon(self.base(base))

    def keep_tokens(self, base: str, keep: bool, *, progress: Progress = unheard) -> int:
        """Keep the token bits of a base, embedding the windows that lack them, or delete them; return how many windows
        were embedded.
        """
        changed = self.store.notes.set_keep_tokens(self.base(base), keep)
        if not keep:
            self.store.encoded.drop_bits(changed)
            return 0
        self.store.open_index()
        indexer = Indexer(self.store, self.base(base), self.embedder_of(changed))
        lacking = self.store.encoded.without_bits(changed)
        return indexer.embed(dict.fromkeys(lacking, ()), progress).embedded_windows

    # import

    def plan_folder(self, path: Path, base: str | None = None) -> SyncPlan:
        """Compare a folder with the notes of a base, named after the folder by default; nothing is changed.

        Raises SourceError for a folder that is missing, empty, or inside the workspace.
        """
        name = base or path.expanduser().resolve().name
        return sync.plan(name, path, self._known(name), forbidden=self.store.folder)

    def plan_upload(self, files: Iterable[tuple[str, bytes]], base: str) -> SyncPlan:
        """Compare uploaded (name, content) pairs, zip archives among them, with a base; nothing is removed.

        The files wait in a folder of their own until `apply` or `discard`. Raises SourceError for a
        name that leads out of it.
        """
        staging = Path(tempfile.mkdtemp(prefix="tessera-upload-"))
        try:
            for name, data in files:
                if name.lower().endswith(".zip"):
                    upload.unzip(data, staging, name=name)
                else:
                    upload.unpack([(name, data)], staging)
            return sync.plan(base, staging, self._known(base), source_ref=UPLOADED, removals=False)
        except BaseException:
            shutil.rmtree(staging)
            raise

    def discard(self, plan: SyncPlan) -> None:
        """Forget a plan; an upload's waiting files are deleted."""
        if plan.source_ref == UPLOADED:
            shutil.rmtree(plan.folder, ignore_errors=True)

    def apply(self, plan: SyncPlan, *, confirmed: bool = False, progress: Progress = unheard) -> SyncReport:
        """Make a base what its plan says, note by note; removals come last.

        Stopped by its progress, it reports what was done before and removes nothing. Raises
        SyncRefused for a plan that `needs_confirmation` and has none.
        """
        if plan.needs_confirmation and not confirmed:
            raise SyncRefused(
                f"{len(plan.removed)} of {plan.known} notes are no longer in {plan.folder} and would be removed."
                " Confirm it if that is meant (tessera import --allow-removals)."
            )
        if not plan.is_empty:
            # First of all: opening may build a base's index anew, under another name than one read before.
            self.store.open_index()
        base = self._base_for_import(plan.base)
        report = Importer(self.store, base, self.embedder_of(base)).apply(plan, progress)
        self.discard(plan)
        return report

    def _known(self, base: str) -> list[sync.Known]:
        known = {existing.name: existing for existing in self.bases()}
        if base not in known:
            return []
        return [
            sync.Known(
                row["id"], row["path"], row["source_ref"], row["content_hash"], row["mtime_ns"] or 0, row["size"] or 0
            )
            for row in self.store.notes.files(known[base])
        ]

    # notes

    def notes(self, filters: Filters | None = None, *, text: str = "") -> list[NoteCard]:
        """Return the notes that pass the filters and have `text` in their title or path."""
        return self.store.notes.cards(filters or Filters(), text=text)

    def note(self, note_id: str) -> Note:
        return self.store.notes.note(note_id)

    def named_note(self, name: str) -> NoteCard:
        """Return the note of this id, path or title; raises NoteNotFound, and QueryError where several have it."""
        found = [card for card in self.notes() if name in (card.id, card.path, card.title)]
        if len(found) > 1:
            ids = ", ".join(card.id for card in found)
            raise QueryError(f"{len(found)} notes are called '{name}'. Give one by its id: {ids}.")
        if not found:
            raise NoteNotFound(name)
        return found[0]

    def delete_notes(self, note_ids: Sequence[str]) -> None:
        """Delete notes and all that belongs to them; files on disk stay and would come back with a sync."""
        self.store.open_index()
        by_id = {base.id: base for base in self.bases()}
        cards = self.store.notes.cards_of(note_ids)
        for base_id in {card.base_id for card in cards.values()}:
            self.store.delete_notes(by_id[base_id], [card.id for card in cards.values() if card.base_id == base_id])

    def tags(self, base: str | None = None) -> dict[str, int]:
        return self.store.notes.tags(base)

    # chunks

    def chunks(self, note_id: str) -> list[Chunk]:
        return self.store.chunks.of_note(note_id)

    def cut(self, note: Note, options: ChunkingOptions, embedder: str) -> Cut:
        """Cut a note as an import would, under the edits it has, storing nothing."""
        tokens = embedding.build(embedder).tokens
        cut = chunking.cut(note, options, tokens)
        return replace(cut, chunks=apply(note, cut.chunks, self.store.edits.of_note(note.id), tokens).chunks)

    def options(self, note_id: str) -> ChunkingOptions | None:
        """Return how a note is cut where that is its own choice, None where it goes with its base."""
        return self.store.notes.options(note_id)

    def rechunk(
        self,
        base: str | None = None,
        *,
        note_ids: Sequence[str] = (),
        options: ChunkingOptions | None = None,
        progress: Progress = unheard,
    ) -> Rechunked:
        """Cut a base's notes anew, or some notes, and embed what has another text; edits keep their places.

        `options` become the base's, or those notes' own. Raises UnknownChoice or ConfigError for them.
        """
        if base is not None:
            return self._editing.rechunk_base(self.base(base), options, progress)
        return self._editing.rechunk_notes(note_ids, options, progress)

    def embed(
        self,
        base: str | None = None,
        *,
        note_ids: Sequence[str] = (),
        chunk_ids: Sequence[str] = (),
        progress: Progress = unheard,
    ) -> int:
        """Embed what is pending of a base, of notes or of chunks, and return how many chunks that were."""
        if base is not None:
            return self._editing.embed_base(self.base(base), progress)
        return self._editing.embed_notes(note_ids, progress) + self._editing.embed_chunks(chunk_ids, progress)

    def pending(self, base: str) -> int:
        """Return how many chunks of a base wait to be embedded."""
        return sum(map(len, self.store.chunks.pending(self.base(base)).values()))

    def set_embed_at_once(self, base: str, at_once: bool) -> None:
        """Choose whether new chunks of a base are embedded at once, or wait until `embed`."""
        self.store.notes.set_embed_at_once(self.base(base), at_once)

    # edits: all raise ChunkNotFound, and EditError for what can't be done

    def edit_chunk(self, chunk_id: str, text: str) -> str:
        """Write another text over a chunk and return the chunk's id of then."""
        return self._editing.act(chunk_id, lambda desk: desk.edit(chunk_id, text))[0]

    def merge_chunk(self, chunk_id: str, *more: str) -> str:
        """Make one chunk of this one and the next, or of it and `more`, its neighbours, and return its id."""
        return self._editing.act(chunk_id, lambda desk: desk.merge(chunk_id, *more))[0]

    def split_chunk(self, chunk_id: str, at: int) -> tuple[str, ...]:
        """Part a chunk before the character `at` of its text, and return both ids."""
        return self._editing.act(chunk_id, lambda desk: desk.split(chunk_id, at))

    def delete_chunk(self, chunk_id: str) -> str:
        """Take a chunk out of every search, and return the id under which it can be restored."""
        return self._editing.act(chunk_id, lambda desk: desk.delete(chunk_id))[0]

    def restore_chunk(self, chunk_id: str) -> None:
        """Take back a chunk's deletion, else its edit: then it is cut as its note is."""
        self._editing.act(chunk_id, lambda desk: desk.restore(chunk_id))

    def add_chunk(self, note_id: str, text: str, after: str | None = None) -> str:
        """Add a chunk of a person's own behind another, or at the note's end, and return its id."""
        return self._editing.act_on_note(note_id, lambda desk: desk.add(text, after))[0]

    def edits(self, note_id: str | None = None) -> list[Edit]:
        """Return the edits of a note, or all there are."""
        return self.store.edits.all() if note_id is None else self.store.edits.of_note(note_id)

    def flagged(self) -> list[Flagged]:
        """Return the edits whose place is gone, for a decision."""
        return self._editing.flagged()

    def resolve_edit(self, edit_id: str, decision: Decision) -> None:
        """Keep a flagged edit as an addition at its note's end, or drop it."""
        self._editing.resolve(edit_id, decision)

    # search

    def search(self, text: str, **options: Unpack[SearchOptions]) -> SearchResult:
        """Return the chunks that answer a question in the query language, at the level it asks for.

        Raises QueryError for what can't be asked, UnknownChoice for a base, a mode, a level or a reranker,
        ModelError.
        """
        return self._searching.search(text, options)

    def context(self, text: str, *, budget: int | None = None, **options: Unpack[SearchOptions]) -> Context:
        """Return the passages that answer a question as a block for a prompt, with numbered citations.

        `budget` is in tokens of the base's embedder, by default the settings'. Raises what `search` raises.
        """
        return self._searching.context(text, options, self.settings.search.context_tokens if budget is None else budget)

    def why_not(self, text: str, note_id: str, **options: Unpack[SearchOptions]) -> WhyNot:
        """Return why a note is no hit of a question; raises NoteNotFound and what `search` raises."""
        return self._searching.why_not(text, note_id, options)

    def passage(self, hit: Hit, size: int) -> Passage:
        """Return a hit widened by up to `size` chunks on each side, without searching anew."""
        return self._searching.passage(hit, size)

    @property
    def synonyms_file(self) -> Path:
        """The file in which a person lists words that mean the same; a search reads it when it has changed."""
        return synonyms.file_in(self.store.folder, make=not self.readonly)

    def judge(self, text: str, hit: Hit, verdict: Verdict | None) -> None:
        """Record what a person says of a hit of a question; None takes it back."""
        self.store.usage.judge(text, hit.note.id, hit.chunk.id, verdict)

    def judged(self, *, text: str | None = None, note_id: str | None = None) -> list[Feedback]:
        """Return the feedback on a question, on a note, or all of it, the newest first."""
        return self.store.usage.judged(query=text, note_id=note_id)

    def remember(self, text: str) -> None:
        """Put a question among the past ones; a workspace open for reading only doesn't."""
        if not self.readonly:
            self.store.usage.remember(text)

    def save_search(self, text: str, name: str) -> None:
        """Keep a question under a name; an empty one makes it one of the past again."""
        self.store.usage.save(text, name)

    def forget_search(self, text: str) -> None:
        self.store.usage.forget(text)

    def past_searches(self) -> list[PastSearch]:
        """Return the questions asked before, saved ones first, then the newest."""
        return self.store.usage.past()

    def set_search(
        self,
        base: str,
        *,
        limit: int = 0,
        score_threshold: float = 0.0,
        semantic_weight: float | None = None,
        rerank_weight: float | None = None,
        reranker: str = "",
    ) -> KnowledgeBase:
        """Record how this base is searched where a search doesn't say; 0, None and "" leave it to the settings.

        Raises ConfigError for what is out of range, UnknownChoice for a reranker.
        """
        for name, value, most in (
            ("limit", limit, 100),
            ("score_threshold", score_threshold, 1),
            ("semantic_weight", semantic_weight, 1),
            ("rerank_weight", rerank_weight, 1),
        ):
            if value is not None and not 0 <= value <= most:
                raise ConfigError(f"The {name} is {value}; it must be from 0 to {most}.")
        if reranker not in ("", reranking.NONE):
            reranking.check(reranker)
        changed = replace(
            self.base(base),
            limit=limit,
            score_threshold=score_threshold,
            semantic_weight=semantic_weight,
            rerank_weight=rerank_weight,
            reranker=reranker,
        )
        self.store.notes.set_search(changed)
        return changed

    def _searching_of(self, store: Store) -> Searching:
        return Searching(store, self.settings, self._embedder_now, self._reranker_now, lambda: self.synonyms_file)

    def _measuring_of(self, store: Store) -> Searching:
        """What searches where time is taken: no reranker answers from what it judged before."""

        def reranker_of(base: KnowledgeBase, name: str, wait: bool) -> Reranker | None:
            return self.reranker_of(base, name) if name == LATE_INTERACTION else reranking.build(name)

        return Searching(store, self.settings, self._embedder_now, reranker_of, lambda: self.synonyms_file)

    def adopt(self, base: str, pipeline: Pipeline, *, progress: Progress = unheard) -> None:
        """Make a pipeline's weights, reranker and chunking the base's own, which is cut anew where they differ.

        What the pipeline leaves open stays. Raises ConfigError and UnknownChoice before anything is changed.
        """
        own = self.base(base)
        names = ("semantic_weight", "rerank_weight", "reranker")
        chosen = {name: getattr(own if getattr(pipeline, name) is None else pipeline, name) for name in names}
        if pipeline.embedder not in ("", own.embedder):
            raise ConfigError("Another embedder is chosen in the Settings: all of the base is embedded anew then.")
        if pipeline.chunking is not None:
            chunking.build(pipeline.chunking, self.embedder_of(own).tokens)
        self.set_search(base, limit=own.limit, score_threshold=own.score_threshold, **chosen)
        if pipeline.chunking not in (None, own.chunking):
            self.rechunk(base, options=pipeline.chunking, progress=progress)

    def _reranker_ready(self, base: KnowledgeBase, name: str) -> bool:
        """Whether a search needn't wait for the reranker's model; its loading is begun where it must."""
        if name == LATE_INTERACTION:
            name = self._token_model(base)
        if name not in self._warm | self._broken:
            self.jobs.start("warm_reranker", lambda progress: self._warm_reranker(name))
        # One that can't be loaded is asked all the same: then the search says why.
        return name in self._warm | self._broken

    def _embedder_now(self, base: KnowledgeBase, wait: bool) -> Embedder | None:
        return self.embedder_of(base) if wait or self.ready(base) else None

    def _reranker_now(self, base: KnowledgeBase, name: str, wait: bool) -> Reranker | None:
        return self.reranker_of(base, name) if wait or self._reranker_ready(base, name) else None

    def _warm_reranker(self, name: str) -> None:
        try:
            self._warm_one(name)
        except TesseraError:
            self._broken.add(name)
            raise

    def _warm_one(self, name: str) -> None:
        kind = name.partition(":")[0]
        (reranking if kind in reranking.RERANKERS else embedding).build(name).warm()
        self._warm.add(name)

    def words(self, text: str) -> list[str]:
        """Return the words of a question that keyword search looks for."""
        return query_keywords(text)

    # state

    def folders(self, base: KnowledgeBase) -> tuple[tuple[str, datetime], ...]:
        """Return the folders that a base was synced with, and when."""
        return tuple((path, at) for path, at, _ in self.store.notes.syncs(base))

    def failures(self, base: KnowledgeBase) -> list[Failed]:
        """Return the files that the last sync of each of the base's folders could not read."""
        return [Failed(**item) for _, _, report in self.store.notes.syncs(base) for item in report["failed"]]

    def preference(self, name: str) -> str:
        """Return what the person chose for the screens, empty where nothing was chosen."""
        return str(self._preferences().get(name, ""))

    def prefer(self, name: str, value: str) -> None:
        """Remember a choice for the screens; a workspace open for reading only doesn't."""
        if not self.readonly:
            text = json.dumps(self._preferences() | {name: value}, ensure_ascii=False)
            beside = self.store.folder / f"{PREFERENCES}.{threading.get_ident()}"
            beside.write_text(text, encoding="utf-8")
            beside.replace(self.store.folder / PREFERENCES)

    def _preferences(self) -> dict[str, object]:
        try:
            chosen = json.loads((self.store.folder / PREFERENCES).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}  # none yet, or not worth stopping for
        return chosen if isinstance(chosen, dict) else {}

    def status(self) -> Status:
        bases = []
        for base in self.bases():
            folders = self.folders(base)
            counts, bits = self.store.chunks.count(base), self.store.encoded.count_bits(base)
            switch = self.store.switches.of(base)
            bases.append(BaseStatus(base, *counts, folders, self.pending(base.name), *bits, switch))
        size = sum(file.stat().st_size for file in self.store.folder.rglob("*") if file.is_file())
        return Status(
            self.store.folder, tuple(bases), size, readonly=self.store.readonly, index_problem=self.store.index_problem
        )

    def rebuild(self, progress: Progress = unheard) -> int:
        """Build the vector index anew from SQLite, without a model, and return how many windows it holds."""
        return self.store.rebuild_index(lambda done, total: progress(done, total, ""))


def ranges() -> dict[str, tuple[int, int]]:
    """Return from where to where the sizes of ChunkingOptions may be set, by name."""
    fields = ChunkingSettings.model_json_schema()["properties"]
    return {name: (field["minimum"], field["maximum"]) for name, field in fields.items() if "minimum" in field}


def preview(file: Path, options: ChunkingOptions, embedder: str) -> tuple[Note, Cut]:
    """Read and cut one file as an import would, storing nothing; raises SourceError."""
    file = file.expanduser()
    try:
        parsed = notefile.read(folder.read(file.parent, file.name), file.name)
    except SourceError as error:
        raise SourceError(str(file), error.reason) from error
    note = note_of(parsed, note_id=file.stem, path=file.name)
    return note, chunking.cut(note, options, embedding.build(embedder).tokens)
