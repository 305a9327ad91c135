"""Whether a workspace is whole: what it holds, and what of it doesn't agree."""

import random
from collections.abc import Iterator
from hashlib import sha256
from pathlib import PurePosixPath

import numpy as np

from benchmarks.drills import vault
from benchmarks.drills.journal import LEAST
from core.base.text import index_words
from core.model import Filters, KnowledgeBase
from core.store.index.vector_index import REACH
from core.workspace import Workspace

_ASKED = 12
"""Questions by vector to each base."""


def state(workspace: Workspace) -> dict[str, object]:
    """Return what the workspace holds, as a journal names it."""
    held: dict[str, object] = {}
    embedded = results = 0
    names = {base.id: base.name for base in workspace.bases.all()}
    for base in workspace.bases.all():
        held |= {f"base {base.name}": True, f"model {base.name}": base.embedder}
        held[f"strategy {base.name}"] = base.chunking.strategy
        results += sum(run.asked for run in workspace.runs.all(base.name))
    for card in workspace.notes.all():
        number, version = vault.token(workspace.store.notes.note(card.id).body) or (card.id, -1)
        chunks = [chunk for chunk in workspace.chunks.all(card.id) if chunk.state != "deleted"]
        embedded += sum(chunk.state == "embedded" for chunk in chunks)
        name = f"{names[card.base_id]}/{number}"
        held[f"note {name}"] = version
        held[f"chunks {name}"] = digest(workspace, card.id)
        held[f"{LEAST}versions {name}"] = len(workspace.versions.all(card.id))
    for one in workspace.trash.all():
        name = f"{names[one.base_id]}/{PurePosixPath(one.path or '').stem}"
        held.setdefault(f"{LEAST}versions {name}", len(workspace.versions.all(one.version.note_id)))
    held |= {f"search {past.query}": True for past in workspace.searches.all()}
    held |= {f"{LEAST}embedded": embedded, f"{LEAST}results": results}
    return held | {"choice": workspace.preferences.get("drilled") or None}


def digest(workspace: Workspace, note_id: str) -> str:
    """Return a digest of the texts that searches find of a note."""
    texts = [chunk.text for chunk in workspace.chunks.all(note_id) if chunk.state != "deleted"]
    return sha256("\0".join(texts).encode()).hexdigest()[:12]


def faults(workspace: Workspace) -> list[str]:
    """Return what doesn't agree; `workspace` is open for writing, with its index."""
    problem = workspace.store.index.problem
    wrong = [f"index: {problem}"] if problem else []
    wrong += [*_of_database(workspace), *of_notes(workspace), *_of_versions(workspace), *_of_proposals(workspace)]
    for base in workspace.bases.all():
        wrong += _of_index(workspace, base)
    return [*wrong, *of_searches(workspace)]


def _of_database(workspace: Workspace) -> Iterator[str]:
    database = workspace.store.database
    for check in ("integrity_check", "foreign_key_check"):
        said = [tuple(row) for row in database.rows(f"PRAGMA {check}")]
        if said not in ([], [("ok",)]):
            yield f"{check}: {said[:3]}"
    database.execute("INSERT INTO words (words) VALUES ('integrity-check')", aside=True)
    words = {row[0]: row[1] for row in database.rows("SELECT rowid, body FROM words")}
    chunks = dict(map(tuple, database.rows("SELECT rowid, text FROM chunks WHERE state != 'deleted'")))
    if words.keys() != chunks.keys():
        yield f"{len(words.keys() ^ chunks.keys())} chunks are on one side of the index of words only"
    differing = [row for row in words.keys() & chunks.keys() if words[row] != " ".join(index_words(chunks[row]))]
    if differing:
        yield f"the index of words has another text for {len(differing)} chunks"
    without = database.value(
        "SELECT count(*) FROM chunks WHERE (state = 'embedded') != (rowid IN (SELECT chunk FROM windows))"
    )
    if without:
        yield f"{without} chunks have the wrong state for their windows"


def of_notes(workspace: Workspace) -> Iterator[str]:
    """Every chunk is a slice of its note, and of the same version in every line."""
    for card in workspace.notes.all():
        note = workspace.store.notes.note(card.id)
        said = vault.token(note.body)
        if said is None:
            yield f"{card.path} is a mix of versions"
        for chunk in workspace.chunks.all(card.id):
            if not (chunk.edited or chunk.picture) and note.body[chunk.start : chunk.end] != chunk.text:
                yield f"{card.path}: chunk {chunk.index} isn't a slice of the note"
            if not chunk.edited and vault.token(chunk.text) not in (said, None):
                yield f"{card.path}: chunk {chunk.index} is of another version"


def _of_versions(workspace: Workspace) -> Iterator[str]:
    """Every note is its last version, a deleted one too; no version lacks, and each is whole."""
    notes = {card.id: card for card in workspace.notes.all()}
    deleted = {one.version.note_id for one in workspace.trash.all()}
    for note_id in (*notes, *deleted):
        versions = workspace.versions.all(note_id)
        last = workspace.versions.get(note_id, versions[0].number)
        if [version.number for version in versions] != [*range(len(versions), 0, -1)]:
            yield f"{last.path}: the versions are {[version.number for version in versions]}"
        if (versions[0].kind == "delete") != (note_id in deleted) or (note_id in notes) == (note_id in deleted):
            yield f"{last.path}: its last version is a {versions[0].kind}"
        if card := notes.get(note_id):
            note = workspace.store.notes.note(note_id)
            if (note.version, note.title, note.body) != (last.version, last.title, last.body):
                yield f"{card.path} is version {note.version}, but not as this one is"
        if None in {vault.token(workspace.versions.get(note_id, version.number).body) for version in versions}:
            yield f"{last.path}: a version is a mix of versions"


def _of_proposals(workspace: Workspace) -> Iterator[str]:
    """A proposed change that was made waits no longer: in a drill nothing else changes its note."""
    for one in workspace.proposals.all():
        if one.kind == "conflict":
            yield f"{one.note.path}: a change of version {one.change and one.change.version} waits after it was made"


def _of_index(workspace: Workspace, base: KnowledgeBase) -> Iterator[str]:
    """The index holds the vectors of the database, reaches what an opening demands; nine of its top ten are exact."""
    store = workspace.store
    vectors = {}
    for ids, matrix in store.chunks.windows(base):
        vectors |= dict(zip(ids, matrix, strict=True))
    held = store.index.ids(base)
    if held != vectors.keys():
        yield f"index of {base.name}: {len(vectors.keys() - held)} vectors lack, {len(held - vectors.keys())} are stale"
    for number, key in enumerate(random.Random(base.id).sample(sorted(vectors), min(_ASKED, len(vectors)))):
        query = np.asarray(vectors[key], np.float32)
        reached = len(vectors) if number else len(store.index.nearest(base, query, len(vectors)) or {})
        if reached < REACH * len(vectors):
            yield f"index of {base.name}: {reached} of {len(vectors)} vectors are reached"
        exact = store.chunks.nearest(base, query, 10)
        # A small base is searched without its index. A graph may miss one of ten: it depends on the order of additions.
        for top in (store.nearest(base, query, 10), store._from_index(base, query, 10, None) or {}):
            scores, best = np.array([*top.values()]), np.array([*exact.values()])
            if len(scores) != len(best) or (scores > best + 1e-4).any() or (scores < best[-1:] - 1e-4).sum() > 1:
                yield f"index of {base.name}: the top ten of {key} are {[*top.items()]}, exactly {[*exact.items()]}"
    if store.index.problem:
        yield f"index of {base.name}: {store.index.problem}"


def of_searches(workspace: Workspace) -> Iterator[str]:
    """A word that one note has finds this note; every hit, by word and by meaning, is of its note as it is."""
    for base in workspace.bases.all():
        filters = Filters(bases=(base.name,))
        cards = workspace.notes.all(filters)
        for card in random.Random(base.id).sample(cards, min(2, len(cards))):
            number, version = vault.token(workspace.store.notes.note(card.id).body) or (-1, -1)
            word, chunks = f"n{number}v{version}", workspace.chunks.all(card.id)
            by_word = workspace.search(word, mode="keyword", filters=filters, as_typed=True).hits
            by_meaning = workspace.search(word, mode="semantic", filters=filters, as_typed=True).hits
            holding = {chunk.id for chunk in chunks if chunk.state != "deleted" and word in chunk.text}
            if holding and not holding & {hit.chunk.id for hit in by_word}:
                yield f"{word} isn't found by word"
            if not by_meaning and any(chunk.state == "embedded" for chunk in chunks):
                yield f"{word} isn't found by meaning"
            for hit in (*by_word, *by_meaning):
                if hit.chunk not in workspace.chunks.all(hit.note.id):
                    yield f"{word} finds a chunk that its note hasn't"
