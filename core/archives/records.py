"""A base as records: what its archive holds, read from a store and written to one."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from core import embedding
from core.archives.plain import noun, plain
from core.indexing.cutter import Draft
from core.indexing.indexer import Indexer
from core.model import (
    Author,
    ChunkingOptions,
    Edit,
    Feedback,
    Filters,
    KnowledgeBase,
    Note,
    Proposal,
    Question,
    QuestionResult,
    QuestionSet,
    Revision,
    Run,
    VersionKind,
)
from core.store import Store
from core.store.ids import fresh_id

_IMPORTED = Revision("create", "person")


@dataclass(frozen=True, slots=True)
class NoteRecord:
    """A note, its file's time in ns and size, and its own chunking."""

    note: Note
    mtime_ns: int | None = None
    size: int | None = None
    chunking: ChunkingOptions | None = None


@dataclass(frozen=True, slots=True)
class VersionRecord:
    """A version of a note with its text."""

    kind: VersionKind
    author: Author
    at: datetime
    note: Note


@dataclass(frozen=True, slots=True)
class SetRecord:
    """A question set with its questions."""

    set: QuestionSet
    questions: tuple[Question, ...]


@dataclass(frozen=True, slots=True)
class RunRecord:
    """A run with the results of its questions, by their numbers."""

    run: Run
    results: dict[str, QuestionResult]


@dataclass(frozen=True, slots=True)
class SyncRecord:
    """The last sync of a folder."""

    folder: str
    at: datetime
    report: dict[str, object]


@dataclass(frozen=True, slots=True)
class Records:
    """A base with all that belongs to it."""

    base: KnowledgeBase
    notes: tuple[NoteRecord, ...]
    versions: tuple[VersionRecord, ...] = ()
    edits: tuple[Edit, ...] = ()
    proposals: tuple[Proposal, ...] = ()
    sets: tuple[SetRecord, ...] = ()
    runs: tuple[RunRecord, ...] = ()
    syncs: tuple[SyncRecord, ...] = ()
    feedback: tuple[Feedback, ...] = ()
    words: dict[str, str] = field(default_factory=dict)
    """Files of words that the person edits, by name: synonyms, the vocabulary."""


def read(store: Store, base: KnowledgeBase) -> Records:
    """Return the records of a base, in an order that depends on nothing else."""
    with store.database.read():
        ids = sorted(card.id for card in store.notes.cards(Filters(bases=(base.name,))))
        everyone = sorted(store.versions.note_ids(base.id) | {*ids})
        return Records(
            base=replace(base, index_generation=0),
            notes=tuple(note_record(store, note_id) for note_id in ids),
            versions=tuple(version for note_id in everyone for version in versions(store, note_id)),
            edits=tuple(store.edits.of_base(base.id)),
            proposals=tuple(store.proposals.all(base.id)),
            sets=tuple(SetRecord(one, tuple(store.questions.of(one))) for one in store.questions.sets(base)),
            runs=tuple(_run(store, run) for run in reversed(store.runs.of(base))),
            syncs=tuple(SyncRecord(*sync) for sync in sorted(store.bases.syncs(base), key=lambda sync: sync[0])),
            feedback=tuple(
                sorted(
                    (one for note_id in everyone for one in store.usage.judged(note_id=note_id)),
                    key=lambda one: (one.at, one.query, one.chunk_id),
                )
            ),
        )


def note_record(store: Store, note_id: str) -> NoteRecord:
    """Return the record of a stored note."""
    row = store.notes.indexed_as(note_id)
    note = replace(store.notes.note(note_id), generation=0)
    return NoteRecord(note, row["mtime_ns"], row["size"], store.notes.options(note_id))


def versions(store: Store, note_id: str) -> list[VersionRecord]:
    """Return the records of the versions of a note, the oldest first."""
    return [
        VersionRecord(one.kind, one.author, one.at, replace(store.versions.note(note_id, one.number), generation=0))
        for one in reversed(store.versions.of(note_id))
    ]


def _run(store: Store, run: Run) -> RunRecord:
    return RunRecord(run, {str(number): result for number, result in store.runs.results(run.id).items()})


def write(store: Store, records: Records, name: str) -> KnowledgeBase:
    """Write a base with all that belongs to it in one transaction, and return it; ids that are taken become others.

    Its chunks are pending. Raises ConfigError and ModelError for a model that isn't there.
    """
    store.open_index()
    with store.changing, store.database.write():
        records = _with_free_ids(store, records)
        embedder = embedding.build(records.base.embedder)
        base = replace(
            records.base, name=name, fingerprint=embedder.fingerprint, dimension=embedder.dimension, index_generation=0
        )
        store.bases.put(base)
        store.index.build(base)
        _write_edits(store, base, records.edits)
        _write_notes(store, base, records)
        for version in records.versions:
            store.versions.put(version.note, Revision(version.kind, version.author), version.at)
        for proposal in records.proposals:
            store.proposals.put(proposal)
        for one in records.sets:
            store.questions.put_set(one.set, one.questions)
        for done in records.runs:
            begun = store.runs.begin(done.run)
            results = {int(number): result for number, result in done.results.items()}
            store.runs.add(begun, results, done.run.metrics, done.run.ended_at)
        for sync in records.syncs:
            store.bases.put_sync(base, sync.folder, sync.at, sync.report)
        for feedback in records.feedback:
            store.usage.put(feedback)
    return base


def _write_notes(store: Store, base: KnowledgeBase, records: Records) -> None:
    versioned = {version.note.id for version in records.versions}
    indexer = Indexer(store, base, embedding.build(base.embedder))
    drafts = {
        one.note.id: Draft(one.note, one.mtime_ns, one.size, change=None if one.note.id in versioned else _IMPORTED)
        for one in records.notes
    }
    _write_drafts(indexer, list(drafts.values()))
    own = {one.note.id: one.chunking for one in records.notes if one.chunking}
    for note_id, options in own.items():
        store.notes.set_options(note_id, options)
    _write_drafts(indexer, [replace(drafts[note_id], change=None) for note_id in own])


def _write_drafts(indexer: Indexer, drafts: Sequence[Draft]) -> None:
    for error in indexer.write(drafts, len(drafts)).failed:
        raise error


def _write_edits(store: Store, base: KnowledgeBase, edits: Sequence[Edit]) -> None:
    by_note: dict[str, list[Edit]] = {}
    for edit in edits:
        by_note.setdefault(edit.note_id, []).append(edit)
    for note_id, of_note in by_note.items():
        store.edits.put(Note(note_id, base.id, title="", body="", content_hash=""), of_note)


def _with_free_ids(store: Store, records: Records) -> Records:
    """Return the records with other ids in place of those that the store has already."""
    taken = {base.id for base in store.bases.all()} | store.notes.ids() | store.versions.note_ids()
    taken |= {edit.id for edit in store.edits.all()}
    own = [records.base.id, *(one.note.id for one in records.notes), *(one.note.id for one in records.versions)]
    own += [edit.id for edit in records.edits]
    others: dict[str, str] = {}
    for old in dict.fromkeys(own):
        if old in taken:
            others[old] = fresh_id(old, taken | {*others.values()})
    if not others:
        return records
    renamed: Records = noun(Records, _renamed(plain(records), others))
    return renamed


def _renamed(value: Any, others: Mapping[str, str]) -> Any:
    """Return plain values in which every id, also at the start of a chunk's id, is another one."""
    if isinstance(value, dict):
        return {name: _renamed(item, others) for name, item in value.items()}
    if isinstance(value, list):
        return [_renamed(item, others) for item in value]
    if isinstance(value, str):
        head, sign, rest = value.partition(":")
        return f"{others[head]}{sign}{rest}" if head in others and len(value) < 200 else value
    return value
