"""Read a base's archive records from a store, and write them to a store."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields, is_dataclass, replace
from datetime import datetime
from functools import partial
from itertools import chain
from typing import Any, Protocol, TypeVar, Unpack

from core import embedding
from core.base.codec import Scalar
from core.base.datetimes import utc_now
from core.base.errors import ArchiveError, RowError, SourceError
from core.base.file_names import harmless_path
from core.base.frozen import AnyValues, TextValues, ValueMap, frozen
from core.base.messages import Message, Text, message
from core.indexing.indexer import Indexer
from core.intake.folder import content_hash, free_path
from core.model import (
    NO_POWERS,
    Author,
    ChunkingOptions,
    Edit,
    Filters,
    KnowledgeBase,
    MetricValues,
    NewBaseFields,
    Note,
    Proposal,
    Question,
    QuestionResult,
    QuestionSet,
    RequestedPermissions,
    Revision,
    Run,
    Use,
    VersionKind,
)
from core.store import Store
from core.store.base_table import SyncRecord
from core.store.ids import fresh_id
from core.store.note_to_index import NoteToIndex

T = TypeVar("T")
R = TypeVar("R")

Place = Text
# A record's location in its archive, and a function that reads the record or raises RowError or SourceError.
Made = tuple[Place, Callable[[], T]]

# Number of mistakes after which reading an archive stops.
MOST_MISTAKES = 100


class RecordParts(Iterable[T]):
    """A collection of records that aren't kept in memory. Each iteration reads them again.

    `read` yields each record's location in the archive, and a function that reads the record.
    """

    def __init__(self, read: Callable[[], Iterable[Made[T]]] = tuple) -> None:
        self._read = read

    def __iter__(self) -> Iterator[T]:
        for _, make in self._read():
            yield make()

    def sound(self, mistakes: "Mistakes") -> Iterator[tuple[Place, T]]:
        """Yield the valid records with their locations, and add the errors in invalid records to `mistakes`."""
        for place, make in self._read():
            try:
                record = make()
            except (RowError, SourceError) as error:
                mistakes.add(place, error.reason if isinstance(error, SourceError) else error.message)
                continue
            yield place, record

    def followed_by(self, others: "RecordParts[T]") -> "RecordParts[T]":
        """Return these records, followed by the records in `others`."""
        return RecordParts(lambda: chain(self._read(), others._read()))

    def map(self, change: Callable[[T], R]) -> "RecordParts[R]":
        """Return the records with `change` applied to each."""
        return RecordParts(lambda: ((place, partial(_apply, change, make)) for place, make in self._read()))


def in_memory(records: Iterable[T]) -> RecordParts[T]:
    """Wrap records that are in memory, so that they can be used like the records in an archive."""
    made = [("", lambda record=record: record) for record in records]
    return RecordParts(lambda: made)


def _apply(change: Callable[[T], R], make: Callable[[], T]) -> R:
    return change(make())


# The first fields of every exported base.
VERSION = 1
FORMAT = {"tessera": "base", "version": VERSION}
FOREIGN = message("this isn't a base exported by Tessera.")


def check_format(head: ValueMap, name: str, place: Place) -> None:
    """Check the first fields of an exported base, which is the file `name`.

    Raises SourceError if a newer version of Tessera exported the base, and ArchiveError if it isn't an exported base.
    """
    version = head.get("version")
    number = version.value if isinstance(version, Scalar) else version
    if head.get("tessera") != FORMAT["tessera"] or type(number) is not int or number < VERSION:
        raise ArchiveError(name, [(place, FOREIGN)])
    if number > VERSION:
        raise SourceError(
            name,
            "This base was exported by a newer version of Tessera (format {n}, but this version only reads up to "
            "format {known}). Update Tessera, then import the base again.",
            n=number,
            known=VERSION,
        )


@dataclass(eq=False)
class Mistakes:
    """Collects the mistakes in an archive, with their locations."""

    _name: str

    def __post_init__(self) -> None:
        self._listed = list[tuple[Place, Message]]()

    def add(self, place: Place, reason: Message) -> None:
        """Add a mistake. Raises ArchiveError once there are MOST_MISTAKES."""
        self._listed.append((place, reason))
        if len(self._listed) >= MOST_MISTAKES:
            self.raise_any()

    def raise_any(self) -> None:
        """Raise ArchiveError if there are any mistakes."""
        if self._listed:
            raise ArchiveError(self._name, self._listed)


@frozen
class NoteRecord:
    """A note, its own chunking options if any, and its file's modification time (in ns) and size (in bytes)."""

    note: Note
    mtime_ns: int | None = None
    size: int | None = None
    chunking: ChunkingOptions | None = None


@frozen
class VersionRecord:
    """A version of a note. `note` is the note's state, including its text, in that version."""

    kind: VersionKind
    author: Author
    at: datetime
    note: Note


@frozen
class SetRecord:
    """A question set with its questions."""

    set: QuestionSet
    questions: tuple[Question, ...]


@frozen
class RunRecord:
    """An evaluation run, and its results by question number."""

    run: Run
    results: dict[str, QuestionResult]


class RunRows(Protocol):
    """The table of evaluation runs and their results by question."""

    def for_base(self, base: KnowledgeBase) -> list[Run]: ...

    def results(self, run_id: str) -> dict[int, QuestionResult]: ...

    def begin(self, run: Run) -> Run: ...

    def add(
        self,
        run: Run,
        results: Mapping[int, QuestionResult],
        metrics: MetricValues,
        ended_at: datetime | None = None,
    ) -> Run: ...


# The user's word lists (synonyms and vocabulary), by file name.
WordLists = TextValues
_NO_RECORDS: RecordParts[Any] = RecordParts()


@frozen
class Records:
    """A base with all its records. `powers` are the permissions that an import removed."""

    base: KnowledgeBase
    notes: RecordParts[NoteRecord] = _NO_RECORDS
    versions: RecordParts[VersionRecord] = _NO_RECORDS
    edits: RecordParts[Edit] = _NO_RECORDS
    proposals: RecordParts[Proposal] = _NO_RECORDS
    sets: RecordParts[SetRecord] = _NO_RECORDS
    runs: RecordParts[RunRecord] = _NO_RECORDS
    syncs: RecordParts[SyncRecord] = _NO_RECORDS
    uses: RecordParts[Use] = _NO_RECORDS
    words: WordLists = field(default_factory=dict)
    powers: RequestedPermissions = NO_POWERS

    def sorted_notes(self) -> list[Note]:
        """Return the notes, sorted by path."""
        return sorted((record.note for record in self.notes), key=lambda note: (note.location, note.source_ref))


@frozen
class Ids:
    """The version numbers in an archive, by note id. `notes` has the current ones, and `versions` has all."""

    notes: dict[str, int]
    versions: dict[str, set[int]]


_DEFAULT = ChunkingOptions()


def new_base(
    name: str, chunking: ChunkingOptions = _DEFAULT, embedder: str = "", **values: Unpack[NewBaseFields]
) -> KnowledgeBase:
    """Return a base that isn't stored yet. Its fingerprint and dimension are set when the base is written."""
    return KnowledgeBase(fresh_id(name, ()), name, embedder, "", 0, chunking, utc_now(), **values)


def record_of(base: KnowledgeBase, note: Note, taken: set[str]) -> NoteRecord:
    """Return a record of a new note in a base.

    The note gets an id that isn't in `taken`, and the id is added to `taken`.
    """
    note_id = fresh_id(f"{base.id}/{note.path}", taken)
    taken.add(note_id)
    return NoteRecord(
        replace(
            note,
            id=note_id,
            base_id=base.id,
            content_hash=content_hash(note.body.encode("utf-8", "surrogatepass")),
            source="person",
            source_ref="",
        )
    )


def read(store: Store, base: KnowledgeBase, runs: RunRows) -> Records:
    """Return a base's records. Their order is deterministic, so that equal bases produce equal archives."""
    with store.database.read():
        ids = sorted(card.id for card in store.notes.cards(Filters(bases=(base.name,))))
        everyone = sorted(store.versions.note_ids(base.id) | {*ids})
        return Records(
            base=replace(base, index_generation=0),
            notes=in_memory(note_record(store, note_id) for note_id in ids),
            versions=in_memory(version for note_id in everyone for version in versions(store, note_id)),
            edits=in_memory(store.edits.for_base(base.id)),
            proposals=in_memory(store.proposals.all(base.id)),
            sets=in_memory(
                SetRecord(question_set, tuple(store.questions.for_set(question_set)))
                for question_set in store.questions.sets(base)
            ),
            runs=in_memory(
                RunRecord(run, {str(number): result for number, result in runs.results(run.id).items()})
                for run in reversed(runs.for_base(base))
            ),
            syncs=in_memory(sorted(store.bases.syncs(base), key=lambda sync: sync.folder)),
            uses=in_memory(use for note_id in everyone for use in store.uses.for_note(note_id)),
        )


def note_record(store: Store, note_id: str) -> NoteRecord:
    """Return the archive record for a stored note."""
    row = store.notes.indexed_as(note_id)
    return NoteRecord(
        replace(store.note(note_id), generation=0), row["mtime_ns"], row["size"], store.notes.options(note_id)
    )


def versions(store: Store, note_id: str) -> list[VersionRecord]:
    """Return a note's version records, oldest first."""
    return [
        VersionRecord(
            version.kind,
            version.author,
            version.at,
            replace(store.versions.note(note_id, version.number), generation=0),
        )
        for version in reversed(store.versions.for_note(note_id))
    ]


def write(store: Store, records: Records, name: str, ids: Ids, runs: RunRows) -> KnowledgeBase:
    """Write a base with all its records in one transaction, and return the base.

    Ids that are already in use are replaced. The base's chunks still have to be indexed afterwards. Raises ConfigError
    or ModelError if the base's model isn't available.
    """
    store.index.open()
    with store.changing, store.database.write():
        records = _with_free_ids(store, records)
        embedder = embedding.build(records.base.embedder)
        base = replace(
            records.base, name=name, fingerprint=embedder.fingerprint, dimension=embedder.dimension, index_generation=0
        )
        store.bases.put(base)
        store.index.build(base)
        edits = defaultdict(list)
        for edit in records.edits:
            edits[edit.note_id].append(edit)
        for note_id, of_note in edits.items():
            store.edits.put(Note(note_id, base.id, title="", body="", content_hash=""), of_note)
        _write_notes(store, base, records, ids)
        for version in records.versions:
            store.versions.put(version.note, Revision(version.kind, version.author), version.at)
        for proposal in records.proposals:
            store.proposals.put(proposal)
        for set_record in records.sets:
            store.questions.put_set(set_record.set, set_record.questions)
        for done in records.runs:
            runs.add(
                runs.begin(done.run),
                {int(number): result for number, result in done.results.items()},
                done.run.metrics,
                done.run.ended_at,
            )
        for sync in records.syncs:
            store.bases.put_sync(base, sync)
        for use in records.uses:
            store.uses.put(use)
    return base


def _write_notes(store: Store, base: KnowledgeBase, records: Records, ids: Ids) -> None:
    indexer = Indexer(store, base, embedding.build(base.embedder))
    own = {}
    paths = defaultdict[str, set[str]](set)

    def drafts() -> Iterator[NoteToIndex]:
        for entry, old in zip(records.notes, ids.notes, strict=True):
            note = entry.note
            if note.path is not None:
                path = note.path if note.in_file else harmless_path(note.path, keeps_marks=True)
                note = replace(note, path=free_path(path, paths[note.source_ref]))
                paths[note.source_ref].add(note.location)
            if entry.chunking:
                own[note.id] = entry.chunking
            yield NoteToIndex(
                note,
                mtime_ns=entry.mtime_ns,
                size=entry.size,
                change=None if old in ids.versions else Revision("create", "person"),
            )

    for error in indexer.write(drafts(), len(ids.notes)).failed:
        raise error
    for note_id, options in own.items():
        store.notes.set_options(note_id, options)
        draft = NoteToIndex(store.note(note_id), **store.notes.indexed_as(note_id))
        for error in indexer.write([draft], 1).failed:
            raise error


def is_id(owner: type, name: str) -> bool:
    """Return whether a class's field contains the id of a base, note, edit, question set, evaluation run or chunk."""
    if name == "id":
        return owner in (KnowledgeBase, Note, Edit, QuestionSet, Run)
    return name in ("base_id", "note_id", "chunk_id", "set_id")


def _with_free_ids(store: Store, records: Records) -> Records:
    """Return the records with new ids in place of ids that are already used in the store."""
    bases = store.bases.all()
    taken = {base.id for base in bases} | {edit.id for edit in store.edits.all()}
    taken |= {question_set.id for base in bases for question_set in store.questions.sets(base)}
    taken |= store.notes.ids() | store.versions.note_ids()
    new_ids: TextValues = {}

    def rename(value: object, owner: type, name: str) -> object:
        if not (isinstance(value, str) and is_id(owner, name)):
            return value
        head, sign, rest = value.partition(":")
        if head in taken and head not in new_ids:
            new_ids[head] = fresh_id(head, taken | {*new_ids.values()})
        return f"{new_ids.get(head, head)}{sign}{rest}"

    renamed: AnyValues = {"base": change_values(records.base, rename)}
    for part in fields(Records):
        held = getattr(records, part.name)
        if isinstance(held, RecordParts):
            renamed[part.name] = held.map(partial(change_values, change=rename))
    return replace(records, **renamed)


def change_values(
    value: object, change: Callable[[object, type, str], object], owner: type = object, name: str = ""
) -> Any:
    """Return a copy of an object in which each value, even a nested one, is `change(value, class, field name)`."""
    if is_dataclass(value) and not isinstance(value, Message | type):
        kind = type(value)
        return kind(
            **{
                entry.name: change_values(getattr(value, entry.name), change, kind, entry.name)
                for entry in fields(value)
            }
        )
    if isinstance(value, tuple):
        return tuple(change_values(item, change, owner, name) for item in value)
    if isinstance(value, dict):
        return {key: change_values(item, change, owner, name) for key, item in value.items()}
    return change(value, owner, name)
