from pathlib import Path

import pytest

from core import embedding
from core.embedding import Embedder
from tests import tiny_models


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
def onnx_models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for models on onnxruntime, so that each is written once for all tests; skips without the extra."""
    pytest.importorskip("onnxscript", reason="the extra 'onnx' is not installed")
    return tmp_path_factory.mktemp("onnx-models")
