"""The built-in cross-encoder: what it shares with the bundled model, and what it reads of a pair."""

import shutil
from pathlib import Path
from typing import Any

import pytest

from core.base.errors import ModelError
from core.embedding import Embedder
from core.embedding.loading import load
from core.model import Device
from core.reranking import Candidate, build, cross_encoder
from core.reranking.cross_encoder import CrossEncoder, Network, fit_pairs

EXACT = Device("cpu", "float32", "")
PAIRS = [("what is it", "a cat"), ("and who are you then", "a dog and a bird " * 9), ("x", "y")]


def network(encoder: Any, *, apart: int = 1, tokens: int = 64) -> Network:
    import torch

    torch.manual_seed(0)
    return Network(encoder, encoder.tokenizer, (0, 1), apart, device="cpu", dtype=torch.float32, tokens=tokens)


@pytest.fixture(scope="module")
def tiny(tiny_folder: Path) -> Any:
    return load("SentenceTransformer", tiny_folder, "tiny", EXACT)


def scores(model: Network, pairs: list[tuple[str, str]]) -> list[float]:
    import torch

    with torch.inference_mode():
        logits: list[float] = model(model.preprocess(pairs))["scores"][:, 0].tolist()
    return logits


def test_embeddings_are_shared_and_layers_are_not(tiny: Any) -> None:
    model = network(tiny)
    assert model.embeddings is tiny[0].model.embeddings
    theirs = {id(weights) for weights in tiny[0].model.parameters()}
    assert not theirs & {id(weights) for weights in model.parts.parameters()}


def test_longer_pairs_in_the_batch_do_not_change_a_score(tiny: Any) -> None:
    model = network(tiny)
    alone = [score for pair in PAIRS for score in scores(model, [pair])]
    assert scores(model, PAIRS) == pytest.approx(alone, abs=1e-4)
    assert len(set(alone)) == len(PAIRS)


@pytest.mark.parametrize("apart", [1, 2])
def test_the_first_layers_read_separately_and_the_others_together(tiny: Any, apart: int) -> None:
    import torch

    model = network(tiny, apart=apart)
    passages = []
    for question in ("what", "then"):  # of as many tokens
        features = model.preprocess([(question, "a cat")])
        with torch.inference_mode():
            passages.append(model.states(features)[features["whose"] == 2])
    assert torch.allclose(*passages, atol=1e-5) == (apart == 2)


def test_pairs_are_cut_to_the_limit(tiny: Any) -> None:
    model = network(tiny, tokens=40)
    for pair in [("q " * 99, "p " * 99), ("q", "p " * 99), ("q " * 99, "p"), ("", "")]:
        whose = model.preprocess([pair])["whose"]
        assert whose.shape[1] <= 40
        assert {1, 2} <= set(whose[0].tolist())


def test_the_piece_with_the_words_of_the_question_is_read(tiny: Any) -> None:
    model = network(tiny, tokens=60)
    text = "top\n" + "z " * 100 + "backup " + "z " * 100
    ((question, piece),) = fit_pairs(model, "where is backup", [text])
    assert question == "where is backup"
    assert piece.startswith("top\n")
    assert "backup" in piece
    assert len(piece) < len(text) / 2
    ((_, first),) = fit_pairs(model, "who", [text])
    assert text.startswith(first)


def test_weights_in_a_folder_are_a_cross_encoder(bundled: Embedder, tmp_path: Path) -> None:
    shutil.copy(cross_encoder.WEIGHTS, tmp_path)
    reranker = build(f"cross-encoder:{tmp_path}")
    assert isinstance(reranker, CrossEncoder)
    assert reranker.score("who", [Candidate("a cat")]) == CrossEncoder().score("who", [Candidate("a cat")])


def test_damaged_weights_are_refused_at_loading(bundled: Embedder, tmp_path: Path) -> None:
    (tmp_path / cross_encoder.FILE).write_bytes(b"no weights")
    with pytest.raises(ModelError, match="is damaged"):
        CrossEncoder(str(tmp_path)).warm()


def test_the_built_in_cross_encoder_needs_no_name(bundled: Embedder) -> None:
    reranker = CrossEncoder()
    texts = [
        "Bake the bread for forty minutes, until it is dark.",
        "git revert makes a new commit that undoes an older one.",
        "旅游签证一般五个工作日办好，旺季请提前一个月申请。",
    ]
    for question, right in {"How do I undo a commit?": 1, "办旅游签证要多久": 2, "烤面包要多长时间": 0}.items():
        scored = [score or 0.0 for score in reranker.score(question, [Candidate(text) for text in texts])]
        assert scored.index(max(scored)) == right
    assert reranker.running is not None
    assert reranker.running.bytes < 60e6
    assert cross_encoder.WEIGHTS.stat().st_size < 30e6
