"""Exact search of small bases: nothing is left out, whatever the vectors are like and whatever was written since."""

from pathlib import Path

import numpy as np
import pytest

from core.model import Chunk, ChunkingOptions, Matrix, Note
from core.settings.sections import IndexSettings
from core.store import Store
from core.store.index import exact_search
from core.store.note_to_index import NoteToIndex
from core.workspace import Workspace
from tests import samples

COUNT, DIMENSION = 1100, 384
"""Chroma writes its graph every 1,000 vectors and makes the rest of it at each opening, in an order that changes."""


@pytest.fixture(scope="module")
def hub(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace with one vector that is nearer to each of the others than they are to each other."""
    chance = np.random.default_rng(1)
    vectors = chance.standard_normal((COUNT, DIMENSION)).astype(np.float32) / DIMENSION**0.5
    vectors[:, 0] += 0.6
    vectors[100] = np.eye(1, DIMENSION)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    folder = tmp_path_factory.mktemp("hub")
    store = Store(folder)
    base = store.bases.add("hub", embedder="fake", fingerprint="fake", dimension=DIMENSION, chunking=ChunkingOptions())
    store.index.open()
    store.index.build(base)
    keys = [f"{number:016}".encode() for number in range(COUNT)]
    store.vectors.add("fake", keys, vectors)
    ids = store.vectors.ids("fake", keys)
    chunks = [Chunk(f"n:{n}", "n", n, COUNT, 0, 4, "text", "recursive_character") for n in range(COUNT)]
    note = Note(id="n", base_id=base.id, title="Title", body="text", content_hash="h", path="n.md", generation=1)
    store.put(base, [NoteToIndex(note, chunks, [[ids[key]] for key in keys], "recursive", "test")])
    store.close()
    return folder


def recall(store: Store, queries: Matrix) -> float:
    """Return the share of the ten nearest chunks that are found."""
    base = store.bases.named("hub")
    shares = []
    for query in queries:
        exact = store.chunks.cosines(base, query, None)
        tenth = sorted(exact.values())[-10]
        shares.append(sum(exact[rowid] > tenth - 1e-6 for rowid in store.nearest(base, query, 10)) / 10)
    return float(np.mean(shares))


def test_what_no_link_of_the_graph_leads_to_is_found_at_each_opening(
    hub: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    queries = np.random.default_rng(2).standard_normal((20, DIMENSION)).astype(np.float32)
    queries /= np.linalg.norm(queries, axis=1, keepdims=True)
    for _ in range(3):
        store = Store(hub)
        store.index.open()
        assert recall(store, queries) == 1
        store.close()
    monkeypatch.setattr(exact_search, "BUDGET", 0)
    store = Store(hub)
    store.index.open()
    assert recall(store, queries) == 1, "a graph that doesn't reach them is not to be used"
    store.close()


def test_without_an_index_larger_bases_are_in_memory_too(hub: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exact_search, "BUDGET", 0)
    monkeypatch.setattr(exact_search, "_BLOCK", 300)
    store = Store(hub, index=IndexSettings(kind="none"))
    monkeypatch.setattr(store.chunks, "nearest", None)
    assert recall(store, np.eye(20, DIMENSION, dtype=np.float32)) == 1
    store.close()


def nearest(workspace: Workspace, question: str) -> list[Chunk]:
    return [hit.chunk for hit in workspace.search(question, mode="semantic", level="simple", reranker="none").hits]


def test_what_is_written_is_found_at_once(tmp_path: Path) -> None:
    with Workspace(tmp_path / "workspace") as workspace:
        workspace.settings.embedder = "tfidf"
        workspace.imports.apply(workspace.imports.plan_folder(samples.write(tmp_path / "notes"), "notes"))
        chunk = nearest(workspace, "dough in the fridge")[0]
        workspace.chunks.update(chunk.id, "Rye needs no kneading.")
        assert nearest(workspace, "kneading rye")[0].text == "Rye needs no kneading."
        with Workspace(tmp_path / "workspace", readonly=True) as reader:
            assert nearest(reader, "kneading rye")[0].text == "Rye needs no kneading."
        workspace.trash.put([chunk.note_id])
        assert chunk.note_id not in {hit.note_id for hit in nearest(workspace, "kneading rye")}
