"""The truth and its index: what is written is found, whatever happens to either."""

import json
import os
import shutil
import sqlite3
import subprocess
import sys
from contextlib import nullcontext
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from core.base.errors import NewerSchema, NoteNotFound, StoreError, UnknownChoice, WorkspaceLocked
from core.base.text import digest
from core.embedding.centring import PLAIN, Centring
from core.model import Chunk, ChunkingOptions, KnowledgeBase, Note, Rowids
from core.store import Store
from core.store.events import WriteLock
from core.store.ids import entry_id
from core.store.index import exact_search
from core.store.note_to_index import NoteToIndex
from tests.fakes import WordLengths

TEXTS = ("a bb ccc", "dddd eeeee", "ffffff ggggggg hhhhhhhh")


def base_in(store: Store, name: str = "notes") -> KnowledgeBase:
    base = store.bases.add(name, embedder="fake", fingerprint="word-lengths", dimension=16, chunking=ChunkingOptions())
    store.index.open()
    store.index.build(base)
    return store.bases.named(name)


def put(store: Store, base: KnowledgeBase, note_id: str, texts: tuple[str, ...] = TEXTS, **fields: object) -> None:
    embedder = WordLengths()
    hashes = [digest(text) for text in texts]
    store.vectors.add(embedder.fingerprint, hashes, embedder.embed(texts, role="note"))
    ids = store.vectors.ids(embedder.fingerprint, hashes)
    body = "\n".join(texts)
    starts = [body.index(text) for text in texts]
    chunks = [
        Chunk(f"{note_id}:{n}", note_id, n, len(texts), start, start + len(text), text, "recursive_character")
        for n, (start, text) in enumerate(zip(starts, texts, strict=True))
    ]
    generation = 1
    if note_id in store.notes.ids():
        generation = store.notes.note(note_id).generation + 1
    note = Note(
        **{
            "id": note_id,
            "base_id": base.id,
            "title": "Title",
            "body": body,
            "content_hash": "h",
            "path": f"{note_id}.md",
        }
        | {"generation": generation}
        | fields
    )
    store.put(base, [NoteToIndex(note, chunks, [[ids[key]] for key in hashes], "recursive", "test")])


def entries(*texts: str) -> set[str]:
    """The ids of the vectors of texts in the index."""
    return {entry_id(vector.tobytes()) for vector in WordLengths().embed(texts, role="note")}


def found(store: Store, base: KnowledgeBase, text: str, allowed: Rowids | None = None) -> list[str]:
    query = WordLengths().embed([text], role="query")[0]
    chunks = store.nearest(base, query, 10, allowed)
    by_rowid = store.chunks.by_rowid(chunks)
    return [by_rowid[rowid].text for rowid in chunks]


@pytest.fixture(autouse=True)
def _through_the_index(monkeypatch: pytest.MonkeyPatch) -> None:
    """No base is small enough to be searched without the index."""
    monkeypatch.setattr(exact_search, "BUDGET", 0)


@pytest.fixture
def store(tmp_path: Path):
    store = Store(tmp_path / "ws")
    yield store
    store.close()


def test_a_note_is_found_by_vector_and_by_word(store: Store) -> None:
    base = base_in(store)
    put(store, base, "n1")
    assert store.index.ready
    assert found(store, base, "dddd eeeee")[0] == "dddd eeeee"
    rowids = store.words.rank(["ggggggg"], 10)
    assert [chunk.text for chunk in store.chunks.by_rowid(rowids).values()] == [TEXTS[2]]
    assert [chunk.state for chunk in store.chunks.for_note("n1")] == ["embedded"] * 3
    assert [chunk.total for chunk in store.chunks.for_note("n1")] == [3] * 3


def test_of_equally_near_chunks_the_earlier_come_first(store: Store) -> None:
    base = base_in(store)
    put(store, base, "n2", ("other words here", *(f"{letter}x {letter}yy {letter}zzz" for letter in "abcdefgh")))
    query = WordLengths().embed(["ax ayy azzz"], role="query")[0]
    alike = [rowid for rowid, chunk in store.chunks.by_rowid(store.chunks.rowids().tolist()).items() if chunk.index]
    assert list(store.nearest(base, query, 8)) == sorted(alike)
    for count in (1, 3, 8):
        assert list(store.chunks.nearest(base, query, count)) == sorted(alike)[:count]


def test_a_chunk_s_neighbours_know_how_many_chunks_the_note_has(store: Store) -> None:
    base = base_in(store)
    put(store, base, "n1", tuple("word" * number for number in range(1, 8)))
    assert [(chunk.index, chunk.total) for chunk in store.chunks.neighbours("n1", 3, 1)] == [(2, 7), (3, 7), (4, 7)]


def test_writing_a_note_again_replaces_all_of_it(store: Store) -> None:
    base = base_in(store)
    put(store, base, "n1")
    put(store, base, "n1", ("only this",))
    assert found(store, base, "dddd eeeee") == ["only this"]
    assert store.words.rank(["ggggggg"], 10) == {}
    assert store.index.ids(base) == entries("only this")


def index_adds(store: Store, base: KnowledgeBase, text: str) -> None:
    """Put a text's vector into the index alone, as a kill leaves it."""
    vectors = WordLengths().embed([text], role="note")
    store.index.ids(base)
    store.index._backend.add(store.index.name(base), sorted(entries(text)), vectors)


def test_vectors_that_no_note_has_never_answer_and_leave_at_the_next_start(store: Store) -> None:
    base = base_in(store)
    put(store, base, "n1")
    index_adds(store, base, "zz")
    store.index._backend.remove(store.index.name(base), sorted(entries(TEXTS[1])))
    assert set(found(store, base, "zz")) <= set(TEXTS)
    store.close()
    again = Store(store.folder)
    again.index.open()
    assert again.index.ids(again.bases.named("notes")) == entries(*TEXTS)
    again.close()


def test_a_deleted_index_comes_back_from_the_vectors_in_sqlite(store: Store) -> None:
    base = base_in(store)
    put(store, base, "n1")
    before = found(store, base, "dddd eeeee")
    store.close()
    shutil.rmtree(store.folder / "chroma")
    again = Store(store.folder)
    again.index.open()
    assert found(again, again.bases.named("notes"), "dddd eeeee") == before
    again.close()


def test_filtered_search_answers_only_from_those_chunks(store: Store) -> None:
    base = base_in(store)
    put(store, base, "n1")
    put(store, base, "n2", ("dddd eeeee", "other words"))
    allowed = np.array(store.chunks.rowids_of("n2"))
    assert found(store, base, "dddd eeeee", allowed) == ["dddd eeeee", "other words"]
    assert found(store, base, "dddd eeeee", allowed[:0]) == []


def test_deleting(store: Store) -> None:
    base = base_in(store)
    put(store, base, "n1")
    put(store, base, "n2", ("dddd eeeee",))
    store.delete_notes(base, ["n1"])
    with pytest.raises(NoteNotFound):
        store.notes.note("n1")
    assert found(store, base, "a bb ccc") == ["dddd eeeee"]
    assert store.words.rank(["ggggggg"], 10) == {}
    store.delete_base(base)
    assert store.bases.all() == []
    with pytest.raises(UnknownChoice):
        store.bases.named("notes")
    assert store.words.rank(["dddd"], 10) == {}


def test_a_second_writer_is_told_who_writes_and_a_reader_reads(store: Store) -> None:
    base = base_in(store)
    put(store, base, "n1")
    code = "import sys; from pathlib import Path; from core.store import Store\nStore(Path(sys.argv[1]))"
    done = subprocess.run([sys.executable, "-c", code, str(store.folder)], capture_output=True, text=True)
    assert done.returncode == 1
    assert f"process {os.getpid()}" in done.stderr.splitlines()[-1]
    reader = Store(store.folder, readonly=True)
    assert found(reader, reader.bases.named("notes"), "dddd eeeee")[0] == "dddd eeeee"
    with pytest.raises(WorkspaceLocked):
        reader.bases.delete(base)
    reader.close()


def test_workspaces_that_can_not_be_opened_say_why(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="tessera import"):
        Store(tmp_path / "none", readonly=True)
    Store(tmp_path / "new").close()
    connection = sqlite3.connect(tmp_path / "new" / "notes.db")
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    with pytest.raises(NewerSchema, match="newer version"):
        Store(tmp_path / "new")
    (tmp_path / "bad").mkdir()
    (tmp_path / "bad" / "notes.db").write_bytes(b"no database" * 100)
    with pytest.raises(StoreError, match="is damaged"):
        Store(tmp_path / "bad")
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="Choose another folder"):
        Store(tmp_path / "file")


def test_vectors_of_one_text_are_kept_once(store: Store) -> None:
    base = base_in(store)
    put(store, base, "n1")
    put(store, base, "n2")
    (count,) = store.database.connection.execute("SELECT count(*) FROM vectors").fetchone()
    assert count == 3
    stored = store.vectors.entries(store.vectors.ids("word-lengths", [digest("dddd eeeee")]).values(), 16)
    (vector,) = stored.values()
    assert np.array_equal(vector, WordLengths().embed(["dddd eeeee"], role="note")[0])


def test_equal_vectors_are_one_entry_of_the_index_and_answer_for_all_their_chunks(store: Store) -> None:
    base = base_in(store)
    alike = tuple(f"{letter} {letter}{letter} {letter * 3}" for letter in "bcdefghijk")
    put(store, base, "n1", (*TEXTS, *alike))
    put(store, base, "n2")
    assert store.index.ids(base) == entries(*TEXTS)
    assert found(store, base, "a bb ccc") == [TEXTS[0], *alike[:9]]
    assert found(store, base, "a bb ccc", np.array(store.chunks.rowids_of("n2")))[0] == TEXTS[0]
    assert store.bases.index_added(base) == 3


def test_an_entry_stays_until_the_last_window_of_the_base_with_its_vector_is_gone(store: Store) -> None:
    base, other = base_in(store), base_in(store, "other")
    put(store, base, "n1")
    put(store, base, "n2")
    put(store, other, "n3")
    put(store, base, "n1", ("only this",))
    assert store.index.ids(base) == entries(*TEXTS, "only this")
    store.delete_notes(base, ["n2"])
    assert store.index.ids(base) == entries("only this")
    assert store.index.ids(other) == entries(*TEXTS)
    assert found(store, base, "dddd eeeee") == ["only this"]
    assert found(store, other, "dddd eeeee")[0] == "dddd eeeee"


def test_a_vector_whose_row_number_is_used_again_is_found_by_its_own_numbers(store: Store) -> None:
    base = base_in(store)
    put(store, base, "n1", ("aa bb",))
    store.delete_notes(base, ["n1"])
    store.drop_unused_vectors()
    index_adds(store, base, "aa bb")
    put(store, base, "n2", ("ccccc",))
    assert store.vectors.ids("word-lengths", [digest("ccccc")]) == {digest("ccccc"): 1}
    assert store.nearest(base, WordLengths().embed(["ccccc"], role="query")[0], 1) == {1: pytest.approx(1)}


def test_an_index_by_windows_is_built_anew_by_vectors(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    base = base_in(store)
    put(store, base, "n1")
    with monkeypatch.context() as patch:
        patch.setattr(store.index, "name", lambda base: f"base-{base.id}")
        store.index.build(base)
    store.close()
    again = Store(store.folder)
    again.index.open()
    assert again.index.ids(again.bases.named("notes")) == entries(*TEXTS)
    again.close()


def test_a_write_within_a_snapshot_is_refused(store: Store) -> None:
    put(store, base_in(store), "n")
    with store.database.read(), pytest.raises(RuntimeError, match="within a snapshot"):
        store.database.execute("DELETE FROM notes")
    assert store.notes.ids() == {"n"}


def test_only_a_field_of_words_is_a_column_of_words(store: Store) -> None:
    with pytest.raises(ValueError, match="body"):
        store.fields.words("body")


def test_a_failed_write_leaves_nothing(store: Store) -> None:
    base = base_in(store)
    with pytest.raises(sqlite3.IntegrityError):
        put(store, base, "n1", base_id="nowhere")
    assert store.notes.ids() == set()
    assert json.loads((store.folder / "lock.json").read_text())["pid"] == os.getpid()


def test_a_centring_that_is_settled_later_builds_the_index_anew(store: Store) -> None:
    base = base_in(store)
    put(store, base, "n1")
    query = WordLengths().embed(["dddd a"], role="query")[0]
    before = store.nearest(base, query, 3)
    constants = np.zeros((3, 16), np.float32)
    constants[2, 4] = 1  # words of four letters tell the language
    store.settle_centring("word-lengths", Centring(constants))
    centred = store.bases.named("notes")
    assert centred.index_generation > base.index_generation
    assert store.nearest(centred, query, 3) == pytest.approx(store.chunks.nearest(centred, query, 3), abs=1e-6)
    assert store.nearest(centred, query, 3) != pytest.approx(before, abs=1e-2)
    put(store, centred, "n2", ("dddd a",))
    assert list(store.nearest(centred, query, 4).values()) == pytest.approx(
        list(store.chunks.nearest(centred, query, 4).values()), abs=1e-6
    )


def test_a_model_that_gains_nothing_keeps_its_index(store: Store) -> None:
    base = base_in(store)
    store.settle_centring("word-lengths", PLAIN)
    assert store.vectors.centring_settled("word-lengths")
    assert store.bases.named("notes") == base


@pytest.mark.parametrize("fails", [False, True])
def test_what_follows_a_write_fails_no_writer(caplog: pytest.LogCaptureFixture, *, fails: bool) -> None:
    """The first follower's error reached the writer in place of its own, and no other follower was called."""
    lock, called = WriteLock(), list[str]()

    def follow(name: str) -> None:
        called.append(name)
        if name == "first":
            raise RuntimeError(name)

    def write() -> None:
        with lock:
            for name in ("first", "second", "third"):
                lock.follow(partial(follow, name))
            with lock:  # not yet: the outer holder writes on
                pass
            assert not called
            if fails:
                raise LookupError("of the writer")

    with pytest.raises(LookupError, match="of the writer") if fails else nullcontext():
        write()
    assert called == ["first", "second", "third"]
    assert [record.exc_info[0] for record in caplog.records if record.exc_info] == [RuntimeError]
