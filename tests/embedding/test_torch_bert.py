"""Many texts without sentence-transformers: the same vectors, from a process that doesn't import it."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np

from core.embedding.sentence import FEW, Encoder
from core.embedding.sentence import build as build_sentence
from core.model import Device

TEXTS = [
    "",
    "A lease ends on the first of a month.",
    "循环神经网络的梯度裁剪",
    *(f"Line {number}, longer than the one before. " * number for number in range(1, FEW + 8)),
    "a text that no model reads to its end " * 200,
]
IN_FLOAT32 = Device("cpu", "float32", "")
COLD = """
import json, sys
from pathlib import Path
from core.workspace import Workspace
with Workspace() as workspace:
    workspace.notes.apply(workspace.notes.plan_folder(Path(sys.argv[1]), "notes"))
print(json.dumps(sorted({"torch", "transformers", "sentence_transformers"} & set(sys.modules))))
"""


def same(embedder: Encoder) -> None:
    vectors, tokens = embedder.embed_tokens(TEXTS, role="note")
    assert embedder._torch_bert is not None
    prompt = embedder.facts.prompts["note"]
    expected, expected_tokens = embedder._torch_model.embed(TEXTS, prompt, embedder._count_frame(prompt), short=False)
    assert np.abs(vectors - expected).max() < 1e-5
    for ours, theirs in zip(tokens, expected_tokens, strict=True):
        assert ours.shape == theirs.shape
        assert np.abs(ours - theirs).max(initial=0) < 1e-4


def test_vectors_are_those_of_sentence_transformers_with_mean_pooling(bundled: Encoder) -> None:
    same(Encoder(bundled.name, lambda: bundled.facts.folder, device=IN_FLOAT32))


def test_vectors_are_those_of_sentence_transformers_with_the_first_tokens_vector(tiny_folder: Path) -> None:
    same(build_sentence(str(tiny_folder), device=IN_FLOAT32))


def test_an_import_runs_the_model_on_torch_alone(tmp_path: Path) -> None:
    (tmp_path / "vault").mkdir()
    for number in range(2 * FEW):
        (tmp_path / "vault" / f"{number}.md").write_text(f"# Note {number}\n\nNothing of interest, {number} times.\n")
    process = subprocess.run(
        [sys.executable, "-c", COLD, str(tmp_path / "vault")],
        env=os.environ | {"TESSERA_WORKSPACE": str(tmp_path / "workspace")},
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(process.stdout) == ["torch"]
