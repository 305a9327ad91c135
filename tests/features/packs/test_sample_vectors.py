"""The sample is found by meaning without a model; its vectors come with the program."""

from pathlib import Path

import numpy as np
import pytest

from core import embedding
from core.embedding import shipped, tokens
from core.embedding.sentence import Encoder, IdsModel
from core.model import Role
from core.workspace import Workspace
from tests import sample_vectors


def questions_only(encoder: Encoder, role: Role, count: int) -> IdsModel | None:
    assert role == "query", f"{count} texts of notes"
    return encoder._ids_model


def test_no_vector_is_computed_for_the_sample(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Encoder, "_plain_model", questions_only)
    with Workspace(tmp_path) as workspace:
        texts = sample_vectors.texts(workspace)
        embedder = embedding.build(sample_vectors.NAME)
        found = shipped.find(embedder.fingerprint, texts)
        assert found is not None
        assert {*found.keys} == {*texts}, "run python -m tests.sample_vectors"
        workspace.chunks.embed_rest()
        assert not workspace.chunks.unfinished()


def test_the_vectors_are_those_of_the_model(tmp_path: Path) -> None:
    embedder = tokens.token_embedder(embedding.build(sample_vectors.NAME))
    assert embedder is not None
    with Workspace(tmp_path) as workspace:
        texts = sample_vectors.texts(workspace)
    found = shipped.find(embedder.fingerprint, [*texts][:8])
    assert found is not None
    vectors, rows = embedder.embed_tokens([texts[key] for key in found.keys], role="note")
    assert np.sum(vectors * found.vectors, axis=1).min() > 0.999  # a processor may have no half precision
    for row, bits in zip(rows, found.bits, strict=True):
        assert np.unpackbits(tokens.signs(row, tokens.centre(embedder)) ^ bits).mean() < 0.02


def test_another_model_gets_none() -> None:
    with np.load(shipped.FILE, allow_pickle=False) as stored:
        keys = {row.tobytes() for row in stored["keys"]}
    assert shipped.find("another", keys) is None
