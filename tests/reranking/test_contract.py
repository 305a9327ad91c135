"""Tests that every reranker of the table passes."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from core import reranking
from core.embedding import tokens
from core.embedding.sentence import build as build_sentence
from core.model import Device
from core.reranking import RERANKERS, LateInteraction, Reranker
from core.reranking.contract import RerankerContract
from core.reranking.cross_encoder import CrossEncoder
from core.reranking.servers import Llm, RerankApi
from core.settings.sections import LlmSettings, RerankSettings
from tests.model_server import ModelServer

EXACT = Device("cpu", "float32", "")


@pytest.fixture
def cross_encoder(tiny_cross_encoder: Path, monkeypatch: pytest.MonkeyPatch) -> Reranker:
    # In bfloat16 a score depends on the other texts of the batch.
    monkeypatch.setattr("core.reranking.cross_encoder.choose_device", lambda: EXACT)
    return CrossEncoder(str(tiny_cross_encoder))


@pytest.fixture
def late_interaction(tiny_folder: Path, monkeypatch: pytest.MonkeyPatch) -> Reranker:
    monkeypatch.setattr(reranking, "BUDGET_SECONDS", 600)
    monkeypatch.setattr("core.embedding.sentence.choose_device", lambda: EXACT)
    embedder = build_sentence(str(tiny_folder))
    return LateInteraction(embedder, tokens.centre(embedder))


@pytest.fixture
def rerank_api() -> Iterator[Reranker]:
    with ModelServer() as server:
        yield RerankApi(settings=RerankSettings(base_url=server.url, model="m"))


@pytest.fixture
def llm() -> Iterator[Reranker]:
    with ModelServer() as server:
        yield Llm(settings=LlmSettings(base_url=server.url, model="m"))


@pytest.fixture(params=RERANKERS)
def reranker(request: pytest.FixtureRequest) -> Reranker:
    """Each reranker of the table, from the fixture of its name."""
    reranker: Reranker = request.getfixturevalue(request.param.replace("-", "_"))
    return reranker


class TestRerankers(RerankerContract):
    """The contract, for each of them."""
