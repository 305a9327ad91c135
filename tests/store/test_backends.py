"""Every backend of the vector index: the same writes, the same answers, and what a server does that goes away."""

import socket
from collections.abc import Iterator
from pathlib import Path

import httpx
import numpy as np
import pytest

from core.base.errors import IndexAway, IndexDamaged, StoreError
from core.embedding.centring import Centring
from core.model import Matrix
from core.settings.sections import INDEX_TOKEN, IndexSettings
from core.store import Store
from core.store.index import exact_search
from core.store.index.chroma_collections import Address
from core.store.index.chroma_process import Backend
from core.store.index.vector_index import Index
from tests.chroma_server import ChromaServerProcess, Guard
from tests.fakes import WordLengths
from tests.store.test_store import TEXTS, base_in, found, put

VECTORS = np.eye(6, dtype=np.float32)
IDS = [f"e{number}" for number in range(6)]
OTHER = ("aaaa bb", "ccccccc ddddddd", "e")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ChromaServerProcess]:
    process = ChromaServerProcess(tmp_path_factory.mktemp("server") / "data")
    process.start()
    yield process
    process.kill()


@pytest.fixture(params=["folder", "server"])
def backend(request: pytest.FixtureRequest, tmp_path: Path, server: ChromaServerProcess) -> Iterator[Backend]:
    address = Address(server.url, owner=tmp_path.name)
    made: Backend = Backend(tmp_path / "chroma") if request.param == "folder" else Backend(address)
    made.open(empty=True)
    yield made
    made.close(sealed=False)


@pytest.fixture(params=["folder", "server", "none"])
def settings(request: pytest.FixtureRequest, server: ChromaServerProcess) -> IndexSettings:
    if request.param == "none":
        return IndexSettings(kind="none")
    return IndexSettings(url=server.url if request.param == "server" else "")


def filled(backend: Backend, name: str = "vectors-a") -> None:
    backend.create(name)
    backend.add(name, IDS, VECTORS)


def near(*shares: float) -> Matrix:
    vector = np.array([*shares, *[0.0] * (6 - len(shares))], np.float32)
    return np.asarray(vector / np.linalg.norm(vector), np.float32)


# the contract


def test_what_was_added_is_found_best_first(backend: Backend) -> None:
    filled(backend)
    best = backend.search("vectors-a", near(1, 2, 3), 3)
    assert list(best) == ["e2", "e1", "e0"]
    assert np.allclose([*best.values()], near(1, 2, 3)[[2, 1, 0]], atol=1e-5)
    assert backend.ids("vectors-a") == {*IDS}
    assert backend.reach("vectors-a") == 1.0
    assert np.allclose(backend.vectors("vectors-a", ["e4"])["e4"], VECTORS[4])


def test_an_entry_that_is_there_stays_and_one_that_is_removed_goes(backend: Backend) -> None:
    filled(backend)
    backend.add("vectors-a", ["e0", "e9"], near(0, 1)[None].repeat(2, 0))
    backend.remove("vectors-a", ["e1", "unknown"])
    assert backend.ids("vectors-a") == {*IDS, "e9"} - {"e1"}
    assert list(backend.search("vectors-a", near(1), 1)) == ["e0"]
    assert list(backend.search("vectors-a", near(0, 1), 1)) == ["e9"]


def test_collections_are_apart(backend: Backend) -> None:
    filled(backend)
    backend.create("vectors-b")
    assert backend.names() == {"vectors-a", "vectors-b"}
    backend.drop("vectors-a")
    backend.drop("vectors-a")
    assert backend.names() == {"vectors-b"}
    with pytest.raises(StoreError):
        backend.ids("vectors-a")


def test_what_was_closed_is_there_and_only_a_sound_index_is_trusted(backend: Backend) -> None:
    filled(backend)
    backend.close(sealed=True)
    # A folder that was written to is looked at again.
    assert backend.open() == isinstance(backend._place, Address)
    backend.close(sealed=False)
    assert not backend.open()
    assert backend.ids("vectors-a") == {*IDS}


def test_what_is_built_beside_takes_the_place(backend: Backend) -> None:
    filled(backend)
    fresh = backend.rebuild_backend()
    fresh.open(empty=True)
    assert fresh.names() == set()
    filled(fresh, "vectors-c")
    assert backend.names() == {"vectors-a"} or isinstance(backend._place, Address)
    backend.take_over(fresh)
    backend.open()
    assert "vectors-c" in backend.names()
    assert backend.ids("vectors-c") == {*IDS}


def test_a_backend_that_is_closed_says_so(backend: Backend) -> None:
    backend.close(sealed=False)
    with pytest.raises(IndexDamaged, match="not open"):
        backend.names()


def test_the_store_answers_exactly_with_any_backend(
    settings: IndexSettings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exact_search, "BUDGET", 0)
    store = Store(tmp_path, index=settings)
    base, other = base_in(store), base_in(store, "others")
    put(store, base, "n1")
    put(store, base, "n2", OTHER)
    put(store, other, "n3", OTHER)
    assert (store.index.state, store.index.problem) == ("none" if settings.kind == "none" else "ready", None)
    for text in TEXTS:
        assert found(store, base, text)[0] == text
    store.delete_notes(base, ["n1"])
    assert not {*TEXTS} & {*found(store, base, TEXTS[0])}
    store.delete_base(other)
    store.close()
    store = Store(tmp_path, index=settings)
    store.index.open()
    base = store.bases.named("notes")
    assert found(store, base, OTHER[1])[0] == OTHER[1]
    if settings.kind != "none":
        assert store.index.ids(base) == {key for ids, _ in store.chunks.windows(base) for key in ids}
        assert store.index._backend.names() == {store.index.name(base)}  # type: ignore[union-attr]
    store.rebuild_index()
    assert found(store, base, OTHER[1])[0] == OTHER[1]
    store.close()


def test_a_generation_takes_the_place_of_another(
    settings: IndexSettings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exact_search, "BUDGET", 0)
    store = Store(tmp_path, index=settings)
    old = base_in(store)
    put(store, old, "n1")
    constants = np.zeros((3, 16), np.float32)
    constants[2, 15] = 1  # texts have no word of 15 letters: what is near stays near
    store.settle_centring(old.fingerprint, Centring(constants))
    base = store.bases.named("notes")
    assert base.index_generation == old.index_generation + 1
    assert [found(store, base, text)[0] for text in TEXTS] == [*TEXTS]
    if settings.kind != "none":
        assert store.index._backend.names() == {store.index.name(base)}  # type: ignore[union-attr]
        assert store.index.ids(base) == {key for ids, _ in store.chunks.windows(base) for key in ids}
    store.close()


def test_what_somebody_else_changed_on_the_server_is_healed(
    server: ChromaServerProcess, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exact_search, "BUDGET", 0)
    store = Store(tmp_path, index=IndexSettings(url=server.url))
    base = base_in(store)
    put(store, base, "n1")
    # An address with a key is another to the process of Chroma, which has the store's open.
    stranger = Backend(Address(server.url, store.database.owner, token="stranger"))
    name, entries = Index.name(base), sorted(store.index.ids(base))
    stranger.open()
    stranger.drop(name)
    assert found(store, base, TEXTS[0])[0] == TEXTS[0]
    assert store.index.state == "damaged"
    store.index.open()
    assert store.index.ready
    assert sorted(store.index.ids(base)) == entries
    stranger.open()
    stranger.remove(name, entries[:1])
    stranger.add(name, entries[:1], np.eye(16, dtype=np.float32)[15:])
    server.kill()
    assert found(store, base, TEXTS[0])[0] == TEXTS[0]
    server.start()
    store.index.open()
    stored = store.index._backend.vectors(Index.name(base), entries[:1])  # type: ignore[union-attr]
    assert np.allclose(stored[entries[0]], store.chunks.vectors(base, entries[:1])[1], atol=1e-5)
    store.close()


def test_a_workspace_moves_between_backends_without_a_model(server: ChromaServerProcess, tmp_path: Path) -> None:
    store = Store(tmp_path)
    put(store, base_in(store), "n1")
    store.close()
    for settings in (IndexSettings(url=server.url), IndexSettings(kind="none"), IndexSettings()):
        store = Store(tmp_path, index=settings)
        store.index.open()
        base = store.bases.named("notes")
        assert found(store, base, TEXTS[1])[0] == TEXTS[1]
        assert store.index.ids(base) or settings.kind == "none"
        put(store, base, f"by {settings.kind} {settings.url and 'server'}", OTHER)
        store.close()


def test_two_workspaces_share_a_server(server: ChromaServerProcess, tmp_path: Path) -> None:
    settings = IndexSettings(url=server.url)
    stores = [Store(tmp_path / name, index=settings) for name in ("one", "two")]
    bases = [base_in(store) for store in stores]
    put(stores[0], bases[0], "n1")
    put(stores[1], bases[1], "n1", OTHER)
    assert len(stores[0].index.ids(bases[0])) == len(TEXTS)
    assert not stores[0].index.ids(bases[0]) & stores[1].index.ids(bases[1])
    for store in stores:
        store.close()


# a server that goes away


def test_what_is_written_while_the_server_is_away_is_sent_when_it_is_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exact_search, "BUDGET", 0)
    process = ChromaServerProcess(tmp_path / "data")
    process.start()
    settings = IndexSettings(url=process.url)
    store = Store(tmp_path / "workspace", index=settings)
    base = base_in(store)
    put(store, base, "n1")
    process.kill()
    put(store, base, "n2", OTHER)
    assert found(store, base, OTHER[0])[0] == OTHER[0]
    assert store.index.state == "damaged"
    assert "isn't responding" in str(store.index.problem)
    store.index.open()
    assert store.index.state == "damaged"
    process.start()
    store.index.open()
    assert (store.index.state, store.index.problem) == ("ready", None)
    assert store.index.ids(base) == {key for ids, _ in store.chunks.windows(base) for key in ids}
    process.kill()
    store.close()
    Store(tmp_path / "workspace", index=settings).close()


def test_a_server_that_is_none_is_told(tmp_path: Path) -> None:
    nobody = Backend(Address("http://127.0.0.1:9", owner="w"))
    with pytest.raises(IndexAway, match=r"http://127\.0\.0\.1:9 isn't responding"):
        nobody.open()


def test_the_key_is_of_the_environment_and_a_wrong_one_is_told(
    server: ChromaServerProcess, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exact_search, "BUDGET", 0)
    guard = Guard(server.url, key="right")
    for key, problem in (("wrong", "rejects the key. Set TESSERA_INDEX_TOKEN"), ("", "rejects the key")):
        monkeypatch.setenv(INDEX_TOKEN, key)
        store = Store(tmp_path, index=IndexSettings(url=guard.url))
        store.index.open()
        assert problem in str(store.index.problem)
        store.close()
    monkeypatch.setenv(INDEX_TOKEN, "right")
    store = Store(tmp_path, index=IndexSettings(url=guard.url))
    base = base_in(store)
    assert store.index.ready
    guard.status = 502  # the server behind a proxy is away
    put(store, base, "n1")
    assert found(store, base, TEXTS[1])[0] == TEXTS[1]
    assert "isn't responding (a proxy says no)" in str(store.index.problem)
    guard.status = 0
    store.index.open()
    assert store.index.ready
    assert found(store, base, TEXTS[1])[0] == TEXTS[1]
    store.close()
    guard.close()


def test_a_database_of_a_tenant_has_the_collections_of_its_own(server: ChromaServerProcess, tmp_path: Path) -> None:
    httpx.post(f"{server.url}/api/v2/tenants", json={"name": "team"}).raise_for_status()
    httpx.post(f"{server.url}/api/v2/tenants/team/databases", json={"name": "notes"}).raise_for_status()
    store = Store(tmp_path, index=IndexSettings(url=server.url, tenant="team", database="notes"))
    base = base_in(store)
    put(store, base, "n1")
    assert store.index.ids(base)
    held = httpx.get(f"{server.url}/api/v2/tenants/team/databases/notes/collections").json()
    assert [one["name"] for one in held] == [f"tessera-{store.database.owner}-{Index.name(base)}"]
    store.close()
    store = Store(tmp_path, index=IndexSettings(url=server.url, tenant="team", database="none"))
    store.index.open()
    assert "has no database 'none' for the tenant 'team'" in str(store.index.problem)
    store.close()


def test_a_server_that_hangs_is_told(tmp_path: Path) -> None:
    with socket.socket() as mute:
        mute.bind(("127.0.0.1", 0))
        mute.listen()
        hanging = Backend(Address(f"http://127.0.0.1:{mute.getsockname()[1]}", owner="w"))
        with pytest.raises(IndexAway, match="isn't responding"):
            hanging.open()


def test_embeddings_of_a_query_stay_on_this_machine_without_a_server(tmp_path: Path) -> None:
    store = Store(tmp_path, index=IndexSettings(kind="none"))
    base = base_in(store)
    put(store, base, "n1")
    assert WordLengths().fingerprint == base.fingerprint
    assert not (tmp_path / "chroma").exists()
    store.close()
