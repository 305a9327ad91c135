"""Contract tests for every embedder, including embedders in other packages.

A test class inherits from EmbedderContract and defines a fixture `embedder` that returns the embedder under test.
"""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from core.embedding import Embedder, tokens

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
# Characters that a tokenizer may leave out of all tokens.
UNSEEN = "\u200d\ud83d"


class EmbedderContract:
    """Tests that every embedder must pass."""

    def test_rows_are_float32_of_unit_length(self, embedder: Embedder) -> None:
        for role in ("note", "query"):
            vectors = embedder.embed(TEXTS, role=role)
            assert vectors.dtype == np.float32
            assert vectors.shape == (len(TEXTS), embedder.dimension)
            assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)

    def test_no_texts_give_no_vectors(self, embedder: Embedder) -> None:
        assert embedder.embed([], role="note").shape == (0, embedder.dimension)

    def test_batch_equals_singles_in_order(self, embedder: Embedder) -> None:
        together = embedder.embed(TEXTS, role="note")
        alone = np.concatenate([embedder.embed([text], role="note") for text in TEXTS])
        assert (together * alone).sum(axis=1).min() > 0.995  # in bfloat16, rounding depends on the batch shape
        assert (together @ alone.T).argmax(axis=1).tolist() == list(range(len(TEXTS)))

    def test_same_text_same_vector(self, embedder: Embedder) -> None:
        first, second = (embedder.embed(["twice"], role="query") for _ in range(2))
        assert np.array_equal(first, second)

    @pytest.mark.parametrize("text", [*TEXTS, "tab\tand\r\nlines\n\n", "表格 | 中文 | 混合 mixed", "x" * 500])
    def test_tokens_cover_every_visible_character_in_order(self, embedder: Embedder, text: str) -> None:
        spans = embedder.tokens(text)
        assert spans.dtype == np.int32
        assert spans.shape == (len(spans), 2)
        assert (spans[:, 1] > spans[:, 0]).all()
        assert (np.diff(spans[:, 0]) >= 0).all()
        covered = {at for start, end in spans.tolist() for at in range(start, end)}
        assert covered <= set(range(len(text)))
        assert {at for at, letter in enumerate(text) if not letter.isspace() and letter not in UNSEEN} <= covered

    def test_tokens_of_a_long_line_are_those_of_its_pieces(self, embedder: Embedder) -> None:
        line = "word 中文 🚀 "
        expected = 10_000 * len(embedder.tokens(line))
        self.test_tokens_cover_every_visible_character_in_order(embedder, line * 10_000)
        assert abs(len(embedder.tokens(line * 10_000)) - expected) <= 10_000  # a space at a line's end may be a token

    def test_a_text_of_input_tokens_is_read_to_its_end(self, embedder: Embedder) -> None:
        text = "a b " * embedder.input_tokens
        cut = text[: embedder.tokens(text)[embedder.input_tokens - 1][1]]
        other = cut[: cut.rstrip().rfind(" ")] + " z"
        assert len(embedder.tokens(cut)) == embedder.input_tokens
        exact = embedder.embed([cut, other], role="note")
        assert not np.array_equal(exact[0], exact[1])

    def test_threads_share_one_embedder(self, embedder: Embedder) -> None:
        few = TEXTS[:4]
        alone = [embedder.embed([text], role="query") for text in few]
        with ThreadPoolExecutor(4) as pool:
            together = list(pool.map(lambda text: embedder.embed([text], role="query"), few))
            counts = list(pool.map(lambda text: len(embedder.tokens(text)), few * 5))
        assert all((matrix * other).sum() > 0.999 for matrix, other in zip(alone, together, strict=True))
        assert counts == [len(embedder.tokens(text)) for text in few] * 5

    def test_token_vectors_match_their_texts(self, embedder: Embedder) -> None:
        token_embedder = tokens.token_embedder(embedder)
        if token_embedder is None:
            pytest.skip("has no token vectors")
        vectors, token_vectors = token_embedder.embed_tokens(TEXTS, role="note")
        assert np.allclose(vectors, embedder.embed(TEXTS, role="note"), atol=1e-6)
        for text, rows in zip(TEXTS, token_vectors, strict=True):
            assert abs(len(rows) - min(len(embedder.tokens(text)), embedder.input_tokens)) <= 2
            assert np.allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-5)
