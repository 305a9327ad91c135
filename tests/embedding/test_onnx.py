"""Models in 8 bits on onnxruntime; all but the first test need the extra."""

import importlib.util
import json
import shutil
from importlib.machinery import ModuleSpec
from pathlib import Path

import numpy as np
import pytest

from core.base.errors import MissingDependency, ModelError
from core.embedding import build, onnx, sentence
from core.embedding.onnx import build as build_onnx
from core.embedding.sentence import Encoder
from core.embedding.sentence import build as build_sentence

TEXTS = ["a backup", "b", "long " * 100, "{}[]"]


def test_the_error_names_the_missing_extra(monkeypatch: pytest.MonkeyPatch, tiny_folder: Path) -> None:
    real = importlib.util.find_spec

    def find_spec(name: str) -> ModuleSpec | None:
        return None if name == "onnxscript" else real(name) or ModuleSpec(name, None)

    monkeypatch.setattr(onnx, "find_spec", find_spec)
    with pytest.raises(MissingDependency, match=r"'onnxscript'.*tessera-notes\[onnx\]"):
        build(f"onnx:{tiny_folder}")


@pytest.fixture
def written(onnx_models: Path, tiny_folder: Path, monkeypatch: pytest.MonkeyPatch) -> Encoder:
    monkeypatch.setenv("TESSERA_MODELS_DIR", str(onnx_models))
    return build_onnx(str(tiny_folder))


def test_vectors_are_close_to_those_of_the_model(written: Encoder, tiny_folder: Path) -> None:
    plain = build_sentence(str(tiny_folder))
    cosines = (written.embed(TEXTS, role="note") * plain.embed(TEXTS, role="note")).sum(axis=1)
    assert 0.95 < cosines.min() <= cosines.max() < 1
    assert written.fingerprint == f"{plain.fingerprint}:onnx-int8-1"
    assert (written.dimension, written.input_tokens) == (plain.dimension, plain.input_tokens)


def test_the_batch_does_not_change_a_vector(written: Encoder) -> None:
    alone = np.concatenate([written.embed([text], role="note") for text in TEXTS])
    assert np.allclose(written.embed(TEXTS, role="note"), alone, atol=1e-6)


def test_many_notes_need_no_torch(written: Encoder, monkeypatch: pytest.MonkeyPatch) -> None:
    written.warm()
    monkeypatch.setattr(sentence, "choose_device", None)
    assert len(written.embed(["a"] * (sentence.FEW + 1), role="note")) == sentence.FEW + 1


def test_the_graph_is_written_once(
    written: Encoder, tiny_folder: Path, onnx_models: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written.warm()
    (folder,) = onnx_models.iterdir()
    assert [path.name for path in folder.iterdir()] == ["model.onnx"]
    monkeypatch.setattr(onnx, "_write_in_process", None)
    build_onnx(str(tiny_folder)).warm()


def test_a_damaged_graph_is_refused(written: Encoder, onnx_models: Path, tiny_folder: Path, tmp_path: Path) -> None:
    written.warm()
    (folder,) = onnx_models.iterdir()
    copy = shutil.copytree(folder, tmp_path / "copy")
    (folder / "model.onnx").write_bytes(b"half")
    with pytest.raises(ModelError, match="Delete the folder"):
        build_onnx(str(tiny_folder)).warm()
    shutil.copy(copy / "model.onnx", folder / "model.onnx")


def test_a_failed_export_leaves_no_files(
    onnx_models: Path, tiny_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TESSERA_MODELS_DIR", str(tmp_path / "models"))
    folder = shutil.copytree(tiny_folder, tmp_path / "tiny")
    (folder / "model.safetensors").write_bytes(b"half")
    with pytest.raises(ModelError, match=r"can't be converted for onnxruntime \(The model 'tiny'.*can't be loaded"):
        build_onnx(str(folder)).warm()
    assert not list((tmp_path / "models").iterdir())


def test_a_model_that_leaves_its_prompt_out_of_the_vector_is_refused(
    onnx_models: Path, tiny_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TESSERA_MODELS_DIR", str(tmp_path / "models"))
    folder = shutil.copytree(tiny_folder, tmp_path / "tiny")
    pooling = next(folder.glob("*_Pooling")) / "config.json"
    pooling.write_text(json.dumps(json.loads(pooling.read_text(encoding="utf-8")) | {"include_prompt": False}))
    with pytest.raises(ModelError, match="leaves out its prompt"):
        build_onnx(str(folder)).warm()


def test_an_unwritable_folder_is_reported(
    onnx_models: Path, tiny_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("TESSERA_MODELS_DIR", str(tmp_path / "file" / "inside"))
    with pytest.raises(ModelError, match="TESSERA_MODELS_DIR"):
        build_onnx(str(tiny_folder)).warm()
