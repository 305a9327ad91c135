"""What only tells a text's language is taken from vectors, where a model gains by it."""

from collections.abc import Sequence
from hashlib import blake2b

import numpy as np
import pytest

from core.embedding import Embedder, centring
from core.embedding.centring import PLAIN, Centring, compute_centring
from core.embedding.tfidf import Tfidf
from core.model import Matrix, Role
from tests.fakes import WordLengths

DIMENSION = 256


class Bilingual(WordLengths):
    """Texts that say the same in two languages are near each other, those of a language nearer still."""

    fingerprint = "bilingual"
    dimension = DIMENSION

    def __init__(self, *, understands: bool = True, apart: float = 40) -> None:
        super().__init__()
        self._apart = apart
        said = zip(*(centring._texts(language, "query") for language in centring.LANGUAGES), strict=True)
        self._meanings = {text: number for number, pair in enumerate(said) for text in pair} if understands else {}
        for language in centring.LANGUAGES:
            self._meanings |= {text: 2 * n for n, text in enumerate(centring._texts(language, "note")) if understands}

    def embed(self, texts: Sequence[str], *, role: Role) -> Matrix:
        rows = []
        for text in texts:
            # Two questions of a passage are near it and each other.
            meaning = self._meanings.get(text, int.from_bytes(blake2b(text.encode(), digest_size=4).digest()))
            row = np.random.default_rng(meaning // 2).normal(size=DIMENSION)
            row += np.random.default_rng(meaning).normal(size=DIMENSION) / 4
            row[0] += self._apart * (role == "query")
            row[1] += self._apart if any("\u4e00" <= letter <= "\u9fff" for letter in text) else -self._apart
            rows.append(row / np.linalg.norm(row))
        return np.array(rows, np.float32)


def test_a_model_that_understands_both_languages_gains() -> None:
    model = Bilingual()
    result = compute_centring(model)
    assert len(result.constants) == 4
    trial = centring.trial(model)
    assert trial.across[0] < 0.3
    assert trial.across[1] > 0.95
    assert trial.within[1] > 0.95


def test_a_model_whose_languages_lie_together_compares_them_and_stays_as_it_is() -> None:
    model = Bilingual(apart=0)
    result, vectors = compute_centring(model), model.embed(["one", "二"], role="note")
    assert result.compares_languages
    assert result.centred(vectors, role="note") == pytest.approx(vectors, abs=1e-6)
    assert result.similarities(vectors, vectors[0]) == pytest.approx(vectors @ vectors[0], abs=1e-6)


@pytest.mark.parametrize("model", [Bilingual(understands=False), WordLengths(), Tfidf()])
def test_a_model_that_understands_one_language_stays_as_it_is(model: Embedder) -> None:
    assert compute_centring(model) is PLAIN


def test_the_shipped_constants_are_those_of_the_bundled_model(bundled: Embedder) -> None:
    shipped = centring.load_centring(bundled)
    assert np.abs(shipped.constants - compute_centring(bundled).constants).max() < 0.01


def test_similarities_are_those_of_the_centred_vectors_on_the_models_own_scale() -> None:
    draw = np.random.default_rng(1)
    common, directions = draw.normal(size=64), np.linalg.qr(draw.normal(size=(64, 2)))[0].T
    vectors = common + draw.normal(size=(50, 64)) / 2
    vectors = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
    middle = centring.SHARE * vectors.mean(axis=0)
    result = Centring(np.vstack([middle, middle, directions]).astype(np.float32))
    cosines = result.centred(vectors[1:], role="note") @ result.centred(vectors[0], role="query")
    similarities = result.similarities(vectors[1:], vectors[0])
    assert similarities == pytest.approx(result.similarity(cosines), abs=1e-5)
    assert similarities.mean() == pytest.approx((vectors[1:] @ vectors[0]).mean(), abs=0.05)
    assert PLAIN.similarities(vectors[1:], vectors[0]) == pytest.approx(vectors[1:] @ vectors[0])


def test_the_texts_are_translations_of_each_other_by_their_form() -> None:
    english, chinese = ([centring._texts(one, "query"), centring._texts(one, "note")] for one in centring.LANGUAGES)
    assert [len(texts) for texts in english] == [len(texts) for texts in chinese] == [50, 25]
    assert not any(set(text) & set(map(chr, range(0x4E00, 0xA000))) for texts in english for text in texts)
