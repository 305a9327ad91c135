import os
import shutil
import sqlite3
from contextlib import closing, suppress

# Workers share the processors, and so do the processes that they start: threads of torch would wait for each other.
os.environ.setdefault("OMP_NUM_THREADS", "1")
# Tests begin hundreds of workspaces: in memory their commits wait for no disk.
with suppress(OSError):
    if shutil.disk_usage("/dev/shm").free > 8_000_000_000:
        os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", "/dev/shm")

from collections.abc import Callable, Iterator
from copy import copy
from functools import cache
from pathlib import Path

import pytest
from fastapi import FastAPI
from filelock import FileLock
from hypothesis import settings
from starlette.datastructures import State
from starlette.middleware import Middleware
from typer import testing as typer_testing

from core import embedding, reranking
from core.base import app_paths
from core.doors.api import app as api_app
from core.doors.registry import OPERATIONS
from core.embedding import Embedder, centring, onnx, tokens
from core.indexing.models import servers
from core.notes import file_writing
from core.query import synonyms
from core.retrieval import images
from core.store import migrations as schema
from core.workspace import Workspace
from tests import tiny_models
from tests.offline import sitecustomize as offline

# How long an example takes is no matter of a test: the machine may be busy.
settings.register_profile("tessera", deadline=None)
settings.load_profile("tessera")


@pytest.fixture(scope="session", autouse=True)
def refused(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A file that names every host outside this machine that a test, or a process it started, asked for."""
    record = tmp_path_factory.mktemp("offline") / "refused"
    record.touch()
    folders = [str(Path(offline.__file__).parent), *filter(None, [os.environ.get("PYTHONPATH")])]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(offline.RECORD, str(record))
        patch.setenv("PYTHONPATH", os.pathsep.join(folders))
        # `auto` would try which form of the model is faster on this processor; tests use the same one everywhere.
        patch.setenv("TESSERA_EMBEDDER", "bundled")
        yield record


@pytest.fixture(scope="session", autouse=True)
def _nobodys(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """No test meets the servers and the keys of the person who runs it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(servers, "PORTS", {})
        patch.setenv(app_paths.VARIABLE, str(tmp_path_factory.mktemp("nobody") / "none"))
        patch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.fail.Keyring")
        yield


@pytest.fixture(scope="session", autouse=True)
def trash(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The trash of the system, for deleted files of tests."""
    folder = tmp_path_factory.mktemp("trash")

    def send(file: Path) -> None:
        file.rename(folder / f"{len([*folder.iterdir()])} {file.name}")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(file_writing, "_send_to_trash", send)
        yield folder


@pytest.fixture
def any_size(monkeypatch: pytest.MonkeyPatch) -> None:
    """Chunks of any size, as earlier versions took them: the notes of tests are short."""
    monkeypatch.setattr("core.chunking.SIZES", {})


@pytest.fixture(scope="session", autouse=True)
def _measured_once() -> Iterator[None]:
    """What a workspace measures of a model at its first use depends on the model only."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tokens, "centre", cache(tokens.centre))
        patch.setattr(centring, "load_centring", cache(centring.load_centring))
        yield


@pytest.fixture(scope="session", autouse=True)
def _migrated_once(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A new database is a copy of one that went through all migrations: thousands of tests begin with one."""
    folder = tmp_path_factory.mktemp("schema")
    migrate = schema.migrate
    with (
        closing(sqlite3.connect(folder / "empty.db", isolation_level=None, check_same_thread=False)) as empty,
        pytest.MonkeyPatch.context() as patch,
    ):
        migrate(empty, folder)

        def copy(connection: sqlite3.Connection, folder: Path) -> None:
            if schema.schema_version(connection) or connection.execute("SELECT 1 FROM sqlite_master").fetchone():
                migrate(connection, folder)
            else:
                empty.backup(connection)
                connection.execute("PRAGMA journal_mode = WAL")

        patch.setattr(schema, "migrate", copy)
        yield


@pytest.fixture(scope="session", autouse=True)
def _built_once() -> Iterator[None]:
    """Build the API's routes, the commands and the synonyms once: it takes longer than most calls of them."""
    make, load = api_app.make, synonyms.load
    apps: dict[tuple[int, ...], FastAPI] = {}
    read: dict[bytes, synonyms.Synonyms] = {}

    def app_of(workspace: Callable[[], Workspace]) -> FastAPI:
        """Return an app with a workspace and middleware of its own; its routes depend on the operations only."""
        operations = tuple(map(id, OPERATIONS.values()))
        app = copy(apps.get(operations) or apps.setdefault(operations, make(workspace)))
        app.state, app.middleware_stack = State({"workspace": workspace}), None
        app.user_middleware = [
            Middleware(
                one.cls, *one.args, **{key: workspace if key == "workspace" else one.kwargs[key] for key in one.kwargs}
            )
            for one in app.user_middleware
        ]
        return app

    def load_once(path: Path) -> synonyms.Synonyms:
        if not path.is_file():
            return load(path)
        if (content := path.read_bytes()) not in read:
            read[content] = load(path)
        return read[content]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(api_app, "make", app_of)
        patch.setattr(typer_testing, "_get_command", cache(typer_testing._get_command))
        patch.setattr(synonyms, "load", load_once)
        yield


@pytest.fixture(autouse=True)
def _offline(refused: Path) -> Iterator[None]:
    """Fail a test that reached for the network, even where somebody caught the error."""
    yield
    asked = refused.read_text(encoding="utf-8").split()
    refused.write_text("")
    if asked:
        pytest.fail(f"{offline.SAID} {', '.join(dict.fromkeys(asked))}.")


@pytest.fixture(autouse=True)
def _fakes_stay_in_their_test() -> Iterator[None]:
    """Built models are shared by name in a process; a fake must not answer to that name in a later test."""
    yield
    for built in (embedding.EMBEDDERS._built, reranking.RERANKERS._built, images.IMAGE_EMBEDDERS._built):
        for name, model in list(built.items()):
            if type(model).__module__.startswith("tests."):
                del built[name]


@pytest.fixture(scope="session")
def bundled() -> Embedder:
    """The real bundled model, loaded once for all tests; converted into the user's cache once for all runs."""
    embedder = embedding.build("bundled")
    embedder.warm()
    return embedder


@pytest.fixture(scope="session")
def tiny_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A sentence-transformers folder with random weights."""
    return tiny_models.encoder(tmp_path_factory.mktemp("tiny"))


@pytest.fixture(scope="session")
def tiny_cross_encoder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cross-encoder's folder with random weights."""
    return tiny_models.cross_encoder(tmp_path_factory.mktemp("tiny-cross"))


@pytest.fixture(scope="session")
def tiny_clip(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A CLIP's folder with random weights."""
    return tiny_models.clip(tmp_path_factory.mktemp("tiny-clip"))


@pytest.fixture(scope="session")
def onnx_models(tiny_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the tiny encoder on onnxruntime; skips without the extra.

    One worker writes the model, for the others to copy: that takes a process of torch eleven seconds.
    """
    pytest.importorskip("onnxscript", reason="the extra 'onnx' is not installed")
    base = tmp_path_factory.getbasetemp()
    shared = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "written-onnx-models"
    encoder = onnx.build(str(tiny_folder))
    with pytest.MonkeyPatch.context() as patch, FileLock(f"{shared}.lock"):
        patch.setenv("TESSERA_MODELS_DIR", str(shared))
        onnx.ensure_file(encoder.facts, encoder.name)
    return Path(shutil.copytree(shared, tmp_path_factory.mktemp("onnx") / "models"))
