"""The embedder without a model."""

import subprocess
import sys

import numpy as np
import pytest

from core.embedding import build
from core.embedding.tfidf import DIMENSION, Tfidf
from core.model import Matrix


def vectors(*texts: str) -> Matrix:
    return Tfidf().embed(texts, role="note")


def test_texts_with_shared_words_are_similar() -> None:
    question, same, other = vectors(
        "restore the database", "Restoring a database: restore it from a backup", "the weather in the city"
    )
    assert question @ same > 0.3 > 0.1 > question @ other
    question, same, other = vectors("数据库恢复", "如何恢复数据库的备份", "今天的天气很好")
    assert question @ same > 0.3 > 0.1 > question @ other


def test_a_repeated_word_counts_less_each_time() -> None:
    once, often, without = vectors("alpha beta", "alpha beta " + "alpha " * 20, "beta")
    assert 0.8 < once @ often < 0.99
    assert often @ without > 0.2


@pytest.mark.parametrize(
    ("specific", "common"), [("backup", "the"), ("backpressure", "git"), ("恢复", "复"), ("恢复", "我的"), ("复", "的")]
)
def test_specific_words_weigh_more(specific: str, common: str) -> None:
    alone, other, both = vectors(specific, common, f"{specific} x {common}")
    assert alone @ both > 1.4 * (other @ both)


@pytest.mark.parametrize("text", ["", " \n", "。，！", "🚀", "\x00\x07", "\ud83d"])
def test_a_text_without_words_has_a_vector(text: str) -> None:
    wordless, word = vectors(text, "word")
    assert np.isclose(np.linalg.norm(wordless), 1)
    assert abs(wordless @ word) < 0.05


def test_words_that_cancel_each_other_leave_no_empty_vector() -> None:
    places: dict[int, tuple[str, float]] = {}
    for number in range(5000):
        word = f"w{number:05}"
        (vector,) = vectors(word)
        place, sign = int(np.abs(vector).argmax()), float(np.sign(vector.sum()))
        other, theirs = places.setdefault(place, (word, sign))
        if theirs != sign:
            break
    else:
        pytest.fail("no two words share a place with opposite signs")
    assert np.isclose(np.linalg.norm(vectors(f"{word} {other}")), 1)


def test_vectors_are_the_same_in_another_process() -> None:
    text = "restore 数据库 v1.2.3 RefCell"
    code = f"from core.embedding.tfidf import Tfidf; print(Tfidf().embed([{text!r}], role='note').tobytes().hex())"
    process = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert process.stdout.strip() == vectors(text).tobytes().hex()


def test_fingerprint_dimension_and_tokens() -> None:
    embedder = build("tfidf")
    assert (embedder.fingerprint, embedder.dimension) == ("tfidf-3:2048", DIMENSION)
    assert [tuple(span) for span in embedder.tokens("ab 恢复, extraordinarily").tolist()] == [
        (0, 2),
        (3, 4),
        (4, 5),
        (5, 6),
        (7, 19),
        (19, 22),
    ]
