"""The vector index heals: whatever happens to its files or its process, searches answer as exact search does."""

import os
import shutil
import sqlite3
import threading
from collections.abc import Callable
from itertools import combinations_with_replacement, islice
from pathlib import Path
from unittest.mock import Mock

import numpy as np
import pytest

from core.base.errors import StoreError
from core.model import KnowledgeBase
from core.store import Store
from core.store.index import chroma_process, exact_search
from core.store.index.vector_index import Index
from tests.fakes import WordLengths
from tests.store.test_store import base_in, found, put

TEXTS = tuple(
    " ".join("x" * length for length in each) for each in islice(combinations_with_replacement(range(1, 11), 5), 1100)
)
"""Chroma writes its HNSW files every 1,000 rows, and holds the rest in a log."""


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace that was closed cleanly."""
    store = Store(tmp_path_factory.mktemp("sound"))
    put(store, base_in(store), "n1", TEXTS)
    store.close()
    return store.folder


@pytest.fixture
def folder(sound: Path, tmp_path: Path) -> Path:
    """A copy of that workspace."""
    return Path(shutil.copytree(sound, tmp_path / "workspace"))


def opened(folder: Path) -> tuple[Store, KnowledgeBase]:
    store = Store(folder)
    store.index.open()
    return store, store.bases.named("notes")


def assert_answers(store: Store, base: KnowledgeBase) -> None:
    """The index is in use, and the ten nearest are as near as exact search finds them."""
    assert store.index.ready
    assert not store.index.problem
    assert store.index.ids(base) == {key for ids, _ in store.chunks.windows(base) for key in ids}
    for text in TEXTS[::100]:
        query = WordLengths().embed([text], role="query")[0]
        nearest, exact = (
            list((search(base, query, 10, None) or {}).values()) for search in (store._from_index, store.chunks.nearest)
        )
        assert np.allclose(nearest, exact, atol=1e-5)


def assert_exact(store: Store, base: KnowledgeBase) -> None:
    query = WordLengths().embed([TEXTS[7]], role="query")[0]
    assert store._from_index(base, query, 10, None) is None
    assert store.nearest(base, query, 10) == store.chunks.nearest(base, query, 10)


def hnsw(name: str) -> Callable[[Path], Path]:
    return lambda chroma: next(chroma.glob(f"*/{name}"))


def database(chroma: Path) -> Path:
    return chroma / "chroma.sqlite3"


def zeroed(file: Path) -> None:
    with file.open("r+b") as stream:
        stream.seek(file.stat().st_size // 2)
        stream.write(bytes(100_000))


def cut(file: Path) -> None:
    os.truncate(file, file.stat().st_size // 2)


def random(file: Path) -> None:
    file.write_bytes(os.urandom(file.stat().st_size))


def empty(file: Path) -> None:
    os.truncate(file, 0)


def without_log(file: Path) -> None:
    with sqlite3.connect(file) as connection:
        connection.execute("DELETE FROM embeddings_queue")
    connection.close()


def as_file(chroma: Path) -> None:
    shutil.rmtree(chroma)
    chroma.write_text("")


def as_broken_link(chroma: Path) -> None:
    shutil.rmtree(chroma)
    chroma.symlink_to(chroma.parent / "nowhere")


def lock(chroma: Path) -> Path:
    return chroma.with_name("chroma.lock")


def as_folder(file: Path) -> None:
    file.unlink()
    file.mkdir()


def as_link(file: Path) -> None:
    file.symlink_to(file.rename(file.with_name("moved")))


DAMAGES = {
    "a zeroed database": (database, zeroed),
    "a cut database": (database, cut),
    "a file for a folder": (lambda chroma: chroma, as_file),
    "a broken link for a folder": (lambda chroma: chroma, as_broken_link),
    "a cut header": (hnsw("header.bin"), cut),
    "random vectors": (hnsw("data_level0.bin"), random),
    "random links": (hnsw("link_lists.bin"), random),
    "no folder of the graph": (lambda chroma: hnsw("header.bin")(chroma).parent, shutil.rmtree),
    "no table of the graph": (hnsw("index_metadata.pickle"), Path.unlink),
    "empty vectors": (hnsw("data_level0.bin"), empty),
    "an empty log": (database, without_log),
    "a folder for the lock": (lock, as_folder),
    "a link for the lock": (lock, as_link),
}


@pytest.mark.parametrize("name", DAMAGES)
def test_a_damaged_index_is_built_again(folder: Path, name: str) -> None:
    place, damage = DAMAGES[name]
    damage(place(folder / "chroma"))
    store, base = opened(folder)
    assert_answers(store, base)
    store.close()
    assert not list(folder.glob("chroma.new*")) + list(folder.glob("chroma.old*"))


def test_a_folder_that_chroma_fails_to_open_is_built_again(folder: Path) -> None:
    (folder / "chroma.seal").unlink()  # as after a kill: nothing tells of the damage before Chroma meets it
    cut(database(folder / "chroma"))
    running = chroma_process._PROCESS._running
    store, base = opened(folder)
    assert chroma_process._PROCESS._running is not running
    assert_answers(store, base)
    store.close()


@pytest.mark.parametrize("name", ["a zeroed database", "random vectors", "no table of the graph"])
def test_damage_that_happens_while_the_index_is_open_is_seen_at_the_next_opening(folder: Path, name: str) -> None:
    store, _ = opened(folder)
    place, damage = DAMAGES[name]
    damage(place(folder / "chroma"))
    store.close()
    store, base = opened(folder)
    assert_answers(store, base)
    store.close()


def test_a_sound_index_is_not_built_again(folder: Path) -> None:
    before = {file: file.stat().st_ino for file in (folder / "chroma").rglob("*")}
    for _ in range(2):
        store, base = opened(folder)
        assert_answers(store, base)
        store.close()
    assert {file: file.stat().st_ino for file in (folder / "chroma").rglob("*")} == before


def test_an_index_that_took_many_additions_is_built_again_once(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store, base = opened(folder)
    store.bases.count_index_added(base, 3001)
    store.close()
    store, base = opened(folder)
    assert_answers(store, base)
    assert store.bases.index_added(base) == 0
    store.close()
    monkeypatch.setattr(Index, "_renew_base", None)
    store, base = opened(folder)
    assert_answers(store, base)
    store.close()


def test_a_crash_of_chroma_leaves_exact_search_until_it_is_healed(folder: Path) -> None:
    store, base = opened(folder)
    running = chroma_process._PROCESS._running
    assert running
    running.kill()
    assert_exact(store, base)
    assert not store.index.ready
    assert "tessera rebuild" in str(store.index.problem)
    put(store, base, "n2", ("yyyyyyyyyyyyyy y",))
    store.index.open()
    assert_answers(store, base)
    assert found(store, base, "yyyyyyyyyyyyyy y")[0] == "yyyyyyyyyyyyyy y"
    store.close()


def test_what_is_written_while_the_index_is_built_is_in_it(folder: Path) -> None:
    store, base = opened(folder)
    written = threading.Event()

    def write() -> None:
        put(store, base, "n2", ("yyyyyyyyyyyyyy y",))
        store.delete_notes(base, ["n1"])
        written.set()

    def progress(done: float, total: float, what: object) -> None:
        if not written.is_set():
            writer = threading.Thread(target=write)
            writer.start()
            writer.join()

    store.rebuild_index(progress)
    assert written.is_set()
    assert store.index.ids(base) == {key for ids, _ in store.chunks.windows(base) for key in ids}
    assert store.notes.ids() == {"n2"}
    assert found(store, base, "yyyyyyyyyyyyyy") == ["yyyyyyyyyyyyyy y"]
    assert store.index.nearest(base, WordLengths().embed(["y"], role="query")[0], 1)  # it isn't searched exactly
    store.close()


def test_two_folders_in_one_process_do_not_meet(folder: Path, tmp_path: Path) -> None:
    first, base = opened(folder)
    second = Store(tmp_path / "second")
    put(second, base_in(second), "n9", ("only this",))
    assert found(second, second.bases.named("notes"), "x") == ["only this"]
    second.close()
    assert_answers(first, base)
    first.close()


@pytest.mark.parametrize("budget", [exact_search.BUDGET, 0], ids=["read exactly", "searched through Chroma"])
def test_the_index_follows_what_is_written(folder: Path, budget: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exact_search, "BUDGET", budget)
    store, base = opened(folder)
    begun, go_on = threading.Event(), threading.Event()
    add = chroma_process.Backend.add

    def slow(self: chroma_process.Backend, *values: object) -> None:
        begun.set()
        assert go_on.wait(60)
        add(self, *values)  # type: ignore[arg-type]

    monkeypatch.setattr(chroma_process.Backend, "add", slow)
    put(store, base, "n2", ("yyyyyyyyyyyy yyyyyyyyyyyyy",))
    assert begun.wait(60)
    # The graph isn't written yet: neither a search nor another note waits for it.
    assert found(store, base, "yyyyyyyyyyyy yyyyyyyyyyyyy")[0] == "yyyyyyyyyyyy yyyyyyyyyyyyy"
    put(store, base, "n2", ("zz zzzzzzzzzzzzzzz",))
    store.delete_notes(base, ["n1"])
    go_on.set()
    assert store.index.ids(base) == {key for ids, _ in store.chunks.windows(base) for key in ids}
    store.close()
    store, base = opened(folder)
    assert len(store.index.ids(base)) == 1
    store.close()


@pytest.mark.filterwarnings("error::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_database_that_cannot_be_read_puts_the_index_out_of_use(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, base = opened(folder)
    with monkeypatch.context() as patch:
        patch.setattr(store.index, "_bases", Mock(by_id=Mock(side_effect=StoreError("the disk doesn't answer"))))
        put(store, base, "n2", ("yyyyyyyyyyyy yyyyyyyyyyyyy",))
        assert store.index._queue.wait(60)  # type: ignore[union-attr]
    assert (store.index.state, str(store.index.problem)) == ("damaged", "the disk doesn't answer")
    store.close()
    store, base = opened(folder)
    assert store.index.ids(base) == {key for ids, _ in store.chunks.windows(base) for key in ids}
    store.close()
