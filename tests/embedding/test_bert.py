"""Questions without torch: the same vectors, from a process that imports nothing heavy."""

import json
import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from core.base.errors import ModelError
from core.embedding import sentence
from core.embedding.graphs import load_supported
from core.embedding.sentence import FEW, Encoder
from core.embedding.sentence import build as build_sentence
from core.embedding.windows import fit
from core.model import Device, Matrix
from core.workspace import Workspace

QUESTIONS = ["what is ownership?", "什么是“循环神经网络”的梯度裁剪", "", "a very long question " * 200]
IN_FLOAT32 = Device("cpu", "float32", "")
COLD = """
import json, sys
from core.workspace import Workspace
with Workspace(readonly=True) as workspace:
    hits = workspace.search("how is a backup restored?").hits
print(json.dumps([hits[0].note.title, sorted({"torch", "chromadb", "sentence_transformers"} & set(sys.modules))]))
"""


def by_torch(embedder: Encoder) -> tuple[Matrix, list[Matrix]]:
    read = embedder.ids([fit(question, embedder)[0] for question in QUESTIONS], role="query")
    return embedder._torch_model.embed(read, 0, embedder._frames["query"])


def same(embedder: Encoder, *, off_by: float) -> None:
    assert load_supported(embedder.facts, 1) is not None
    vectors, tokens = embedder.embed_tokens(QUESTIONS, role="query")
    expected, expected_tokens = by_torch(embedder)
    assert np.abs(vectors - expected).max() < off_by
    for ours, theirs in zip(tokens, expected_tokens, strict=True):
        assert ours.shape == theirs.shape
        assert np.abs(ours - theirs).max(initial=0) < off_by


def test_vectors_are_those_of_torch_with_mean_pooling(bundled: Encoder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sentence, "choose_device", lambda: IN_FLOAT32)
    same(Encoder(bundled.name, lambda: bundled.facts.folder), off_by=1e-5)


def test_vectors_are_those_of_torch_with_the_first_tokens_vector(
    tiny_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sentence, "choose_device", lambda: IN_FLOAT32)
    same(build_sentence(str(tiny_folder)), off_by=1e-5)


@pytest.mark.parametrize(("dtype", "by_torch"), [("float32", False), ("bfloat16", True)])
def test_many_notes_load_torch_only_where_it_is_faster(
    tiny_folder: Path, monkeypatch: pytest.MonkeyPatch, dtype: str, *, by_torch: bool
) -> None:
    monkeypatch.setattr(sentence, "choose_device", lambda: Device("cpu", dtype, ""))  # type: ignore[arg-type]
    embedder = build_sentence(str(tiny_folder))
    few = embedder.embed(["a"] * FEW, role="note")
    assert "_torch_model" not in vars(embedder)
    many = embedder.embed(["a"] * (FEW + 1), role="note")
    assert ("_torch_model" in vars(embedder)) is by_torch
    assert np.allclose(few[0], many[0], atol=1e-2)
    embedder.embed(["a"], role="note")
    assert ("_torch_model" in vars(embedder)) is by_torch


@pytest.mark.parametrize(("many", "threads"), [(False, 2), (True, 7)])
def test_many_notes_are_read_on_every_core(
    tiny_folder: Path, monkeypatch: pytest.MonkeyPatch, *, many: bool, threads: int
) -> None:
    used = list[int]()
    monkeypatch.setattr(sentence, "core_count", lambda: 7)
    monkeypatch.setattr(sentence, "thread_count", lambda: 2)
    monkeypatch.setattr(sentence, "load_supported", lambda _, threads: used.append(threads))
    monkeypatch.setattr(sentence, "choose_device", lambda: IN_FLOAT32)
    embedder = build_sentence(str(tiny_folder))
    if many:
        embedder.load_fastest()
    assert embedder._ids_model is None
    assert used == [threads]


def test_several_questions_are_embedded_at_once_by_several_threads(tiny_folder: Path) -> None:
    embedder = build_sentence(str(tiny_folder))
    expected = embedder.embed(["question 3"], role="query")
    other = build_sentence(str(tiny_folder))
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda number: other.embed([f"question {number % 9}"], role="query"), range(72)))
    assert all(np.array_equal(vector, expected) for vector in found[3::9])


@pytest.mark.parametrize(
    ("file", "change"),
    [
        ("config.json", {"model_type": "roberta"}),
        ("config.json", {"hidden_act": "relu"}),
        ("config.json", {"num_attention_heads": 5}),
        ("config.json", {"num_hidden_layers": 99}),
        ("sentence_bert_config.json", {"do_lower_case": True}),
        ("modules.json", [{"type": "sentence_transformers.models.Dense", "path": "2_Dense"}]),
    ],
)
def test_a_model_of_another_make_is_left_to_torch(
    tiny_folder: Path, tmp_path: Path, file: str, change: dict[str, object] | list[object]
) -> None:
    import shutil

    folder = shutil.copytree(tiny_folder, tmp_path / "model")
    content = json.loads((folder / file).read_text(encoding="utf-8"))
    changed = content | change if isinstance(change, dict) else content + change
    facts = build_sentence(str(tiny_folder)).facts
    (folder / file).write_text(json.dumps(changed), encoding="utf-8")
    assert load_supported(replace(facts, folder=folder, digest="", lower_case="do_lower_case" in changed), 1) is None


@pytest.mark.parametrize(
    "name", ["embeddings.word_embeddings.weight", "encoder.layer.1.output.dense.bias", "embeddings.LayerNorm.bias"]
)
def test_weights_of_the_wrong_size_are_left_to_torch_which_names_the_folder(
    tiny_folder: Path, tmp_path: Path, name: str
) -> None:
    folder = shutil.copytree(tiny_folder, tmp_path / "model")
    weights = load_file(folder / "model.safetensors")
    save_file(weights | {name: weights[name].repeat(2, axis=-1)}, folder / "model.safetensors", {"format": "pt"})
    with pytest.raises(ModelError, match=f"The model 'model' in {folder} can't be loaded"):
        build_sentence(str(folder)).embed(["a"], role="query")


def test_an_error_of_onnxruntime_names_the_model(tiny_folder: Path) -> None:
    model = load_supported(build_sentence(str(tiny_folder)).facts, 1)
    assert model is not None
    with pytest.raises(ModelError, match="The model 'model' failed in onnxruntime: "):
        model._session.run({"states": np.zeros((1, 1, 1), np.float32)})


def test_a_file_of_weights_that_is_cut_off_meanwhile_is_an_error(tiny_folder: Path, tmp_path: Path) -> None:
    """A map of the file would end the process."""
    folder = shutil.copytree(tiny_folder, tmp_path / "model")
    code = (
        "import sys, pathlib; from core.embedding.sentence import build; from core.base.errors import ModelError\n"
        "model = build(sys.argv[1]); model.embed(['a'], role='query')\n"
        "with pathlib.Path(sys.argv[1], 'model.safetensors').open('r+b') as file: file.truncate(9)\n"
        "try: model.embed(['b'], role='query')\n"
        "except ModelError as error: print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code, str(folder)], capture_output=True, text=True, check=True)
    assert "model.safetensors is damaged" in done.stdout


def test_a_question_from_a_new_process_imports_neither_torch_nor_chroma(tmp_path: Path) -> None:
    (tmp_path / "vault").mkdir()
    (tmp_path / "vault" / "backup.md").write_text("# Backups\n\nStop the server, then copy the files back.\n")
    with Workspace(tmp_path / "workspace") as workspace:
        workspace.imports.apply(workspace.imports.plan_folder(tmp_path / "vault", "notes"))
    process = subprocess.run(
        [sys.executable, "-c", COLD],
        env=os.environ | {"TESSERA_WORKSPACE": str(tmp_path / "workspace")},
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(process.stdout) == ["Backups", []]
