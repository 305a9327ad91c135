"""Late interaction over bits: with vectors computed by hand, and with the real model."""

import time
from collections.abc import Sequence

import numpy as np
import pytest

from core import reranking
from core.embedding import Embedder, tokens
from core.embedding.tokens import TokenEmbedder, centre, interaction, signs
from core.model import Matrix, Role
from core.reranking import Candidate, LateInteraction
from tests.fakes import WordTokens

ZERO = np.zeros(8, np.float32)


def rows(*vectors: str) -> np.ndarray:
    """Vectors of unit length from their signs."""
    return np.array([[1.0 if sign == "+" else -1.0 for sign in vector] for vector in vectors], np.float32) / 8**0.5


def test_a_bit_says_whether_a_number_is_above_the_centres() -> None:
    assert signs(rows("++--+-+-"), ZERO).tolist() == [[0b11001010]]
    assert signs(np.full((1, 8), 0.2, np.float32), np.full(8, 0.3, np.float32)).tolist() == [[0]]


def test_each_question_token_counts_with_its_nearest_passage_token() -> None:
    question = rows("++++++++", "++++----")
    same, opposite, half = rows("++++++++"), rows("--------"), rows("++++----", "--------")
    passages = [signs(passage, ZERO) for passage in (same, opposite, half)]
    # same: 1 and 0; opposite: -1 and 0; half: 0 and 1.
    assert interaction(question, ZERO, passages) == pytest.approx([0.5, -0.5, 0.5])


def test_a_text_without_tokens_scores_zero() -> None:
    nothing = np.empty((0, 1), np.uint8)
    assert interaction(rows("++++++++"), ZERO, [nothing, signs(rows("++++++++"), ZERO)]) == pytest.approx([0, 1])
    assert interaction(np.empty((0, 8), np.float32), ZERO, [nothing]) == [0]
    assert interaction(rows("++++++++"), ZERO, []) == []


def test_stored_bits_score_like_bits_computed_at_search() -> None:
    embedder = WordTokens()
    reranker = LateInteraction(embedder, centre(embedder))
    texts = ["alpha beta", "gamma", "alpha gamma delta"]
    _, token_vectors = embedder.embed_tokens(texts, role="note")
    stored = [Candidate("", signs(vectors, centre(embedder))) for vectors in token_vectors]
    plain = [Candidate(text) for text in texts]
    assert reranker.score("alpha", stored) == reranker.score("alpha", plain)
    assert reranker.score("alpha", [stored[0], plain[1], stored[2]]) == reranker.score("alpha", plain)


def test_candidates_beyond_the_time_limit_have_no_score(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reranking, "BUDGET_SECONDS", -1)
    embedder = WordTokens()
    reranker = LateInteraction(embedder, centre(embedder))
    stored = Candidate("", signs(embedder.embed_tokens(["alpha"], role="note")[1][0], centre(embedder)))
    scores = reranker.score("alpha", [Candidate("beta"), stored, Candidate("alpha")])
    assert [score is None for score in scores] == [True, False, True]


def test_the_time_limit_is_looked_at_before_each_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reranking, "BUDGET_SECONDS", 0.01)

    class Slow(WordTokens):
        def embed_tokens(self, texts: Sequence[str], *, role: Role) -> tuple[Matrix, list[Matrix]]:
            time.sleep(0.05 * len(texts) if role == "note" else 0)
            return super().embed_tokens(texts, role=role)

    reranker = LateInteraction(Slow(), centre(WordTokens()))
    scores = reranker.score("alpha", [Candidate("alpha")] * 6)
    assert [score is None for score in scores] == [False, *[True] * 5]


def test_the_shipped_centre_is_that_of_the_model(bundled: Embedder) -> None:
    model = tokens.token_embedder(bundled)
    assert model is not None
    first = centre(model)
    assert first.shape == (bundled.dimension,)
    assert np.allclose(first, tokens.compute_centre(model), atol=1e-3)  # what is shipped is the model's own


def test_the_real_models_bits_find_the_answer_in_both_languages(bundled: Embedder) -> None:
    model: TokenEmbedder | None = tokens.token_embedder(bundled)
    assert model is not None
    reranker = LateInteraction(model, centre(model))
    passages = [
        "Restore the dump with pg_restore after a crash.",
        "缓存雪崩是大量缓存同时过期，请求全部打到数据库。",
        "Let the dough rest overnight, then bake it.",
    ]
    candidates = [Candidate(passage) for passage in passages]
    for number, question in enumerate(["how do I get my database back", "为什么请求都到了数据库", "baking bread"]):
        scores = reranker.score(question, candidates)
        assert all(score is not None and 0 <= score <= 1 for score in scores)
        assert max(range(3), key=lambda at: scores[at] or 0) == number


def test_token_vectors_exclude_prompt_and_special_tokens(bundled: Embedder) -> None:
    model = tokens.token_embedder(bundled)
    assert model is not None
    vectors, token_vectors = model.embed_tokens(["redis cache", ""], role="note")
    assert vectors.shape == (2, bundled.dimension)
    assert len(token_vectors[0]) == len(bundled.tokens("redis cache"))
    assert np.allclose(np.linalg.norm(token_vectors[0], axis=1), 1, atol=1e-3)
    alone = bundled.embed(["redis cache", ""], role="note")
    assert float((alone * vectors).sum(axis=1).min()) > 0.999
