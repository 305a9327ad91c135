"""The sample is found by meaning without a model; its vectors come with the program."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from core import embedding
from core.base.text import digest
from core.embedding import Embedder, e5, sentence, shipped, tokens
from core.embedding.sentence import Encoder
from core.embedding.windows import windows_of
from core.indexing import embedding_process
from core.model import Matrix, Role
from core.workspace import Workspace

pytestmark = pytest.mark.skipif(not e5.is_available(), reason="another model is built in here")

STALE = "run python -m tests.sample_vectors"


@pytest.fixture
def installed(tmp_path: Path) -> Iterator[Workspace]:
    with Workspace(tmp_path / "workspace") as workspace:
        workspace.packs.install("sample", embed=False)
        yield workspace


def sample_texts(workspace: Workspace) -> dict[bytes, str]:
    embedder = embedding.build("bundled")
    cards = workspace.notes.all()
    windows = [window for card in cards for window in windows_of(workspace.chunks.all(card.id), card.title, embedder)]
    return {digest(window.text): window.text for window in windows}


def test_the_model_reads_no_text_of_the_sample(installed: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    run = Encoder._embed

    def questions_only(
        self: Encoder, texts: list[str], role: Role, *, with_tokens: bool
    ) -> tuple[Matrix, list[Matrix]]:
        assert role == "query", STALE
        return run(self, texts, role, with_tokens=with_tokens)

    monkeypatch.setattr(Encoder, "_embed", questions_only)
    monkeypatch.setattr(embedding_process, "_TORCH", ())
    installed.pending.embed_rest()
    assert not installed.pending.any()
    [base] = installed.bases.all()
    assert not installed.store.vectors.without_bits(base)


def test_the_file_has_the_texts_of_the_sample_and_no_others(installed: Workspace, bundled: Embedder) -> None:
    with np.load(shipped.FILE, allow_pickle=False) as stored:
        assert str(stored["fingerprint"]) == bundled.fingerprint, STALE
        assert {row.tobytes() for row in stored["keys"]} == sample_texts(installed).keys(), STALE


def test_the_vectors_are_those_of_the_model(installed: Workspace) -> None:
    model = sentence.build_bundled()
    texts = sample_texts(installed)
    found = shipped.find(model.fingerprint, sorted(texts)[:: len(texts) // 11])
    assert found is not None
    vectors, rows = model.embed_tokens([texts[key] for key in found.keys], role="note")
    assert np.sum(vectors * found.vectors, axis=1).min() > 0.999999
    expected = [tokens.signs(row, tokens.centre(model)) for row in rows]
    assert np.unpackbits(np.concatenate(expected) ^ np.concatenate(found.bits)).mean() < 1e-4


@pytest.mark.parametrize("damage", ["missing", "empty", "cut", "changed"])
def test_without_the_file_there_are_none(
    installed: Workspace,
    bundled: Embedder,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    damage: str,
) -> None:
    data, file = bytearray(shipped.FILE.read_bytes()), tmp_path / "sample.npz"
    if damage == "changed":
        data[len(data) // 2] ^= 1
    if damage != "missing":
        file.write_bytes(data[: {"empty": 0, "cut": len(data) // 2}.get(damage)])
    texts = sample_texts(installed)
    assert shipped.find(bundled.fingerprint, texts) is not None
    assert shipped.find("another", texts) is None
    monkeypatch.setattr(shipped, "FILE", file)
    shipped._warn.cache_clear()
    assert shipped.find(bundled.fingerprint, texts) is None
    assert shipped.find(bundled.fingerprint, texts) is None
    assert [record.levelname for record in caplog.records if record.name == shipped.__name__] == ["WARNING"]
