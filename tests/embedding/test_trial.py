"""Which form of the built-in model a new base gets on this processor."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from core import embedding
from core.embedding import onnx
from core.embedding.onnx import build as build_onnx
from core.embedding.sentence import build as build_sentence
from core.model import Device
from core.workspace import Workspace

PLAIN = Device("cpu", "float32", "")


@pytest.fixture
def tried(tiny_folder: Path, onnx_models: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A processor without bfloat16, small models in both forms; returns the file of the trial's result."""
    monkeypatch.setenv("TESSERA_MODELS_DIR", str(onnx_models))
    monkeypatch.setenv("TESSERA_EMBEDDER", "auto")
    monkeypatch.setattr(onnx, "choose_device", lambda: PLAIN)
    monkeypatch.setattr(onnx, "SECONDS", 0.05)
    monkeypatch.setattr(onnx.sentence, "build_bundled", lambda: build_sentence(str(tiny_folder), device=PLAIN))
    monkeypatch.setattr(onnx, "build", lambda: build_onnx(str(tiny_folder)))
    yield onnx_models / onnx.TRIAL_RESULT
    for file in onnx_models.glob(f"{onnx.TRIAL_RESULT}*"):  # a damaged one is set aside
        file.unlink()


def test_the_trial_is_made_once_and_a_new_base_gets_the_faster(
    tried: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chosen = embedding.resolve("auto")
    speeds = json.loads(tried.read_text(encoding="utf-8"))
    assert chosen == ("onnx" if speeds["onnx"] > onnx.CLEARLY * speeds["bundled"] else "bundled")
    assert min(speeds.values()) > 0
    monkeypatch.setattr(onnx, "measure_speeds", None)
    tried.write_text(json.dumps({"bundled": 10, "onnx": 19}), encoding="utf-8")
    with Workspace(tmp_path / "workspace") as workspace:
        assert workspace.bases.add("notes").embedder == "onnx"
    tried.write_text(json.dumps({"bundled": 10, "onnx": 11}), encoding="utf-8")
    assert embedding.resolve("auto") == "bundled"


def test_a_damaged_result_is_tried_again(tried: Path) -> None:
    tried.write_text("half", encoding="utf-8")
    embedding.resolve("auto")
    assert set(json.loads(tried.read_text(encoding="utf-8"))) == {"bundled", "onnx"}


def test_nothing_is_tried_where_bfloat16_is_fast(tried: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(onnx, "measure_speeds", None)
    monkeypatch.setattr(onnx, "choose_device", lambda: Device("cpu", "bfloat16", ""))
    assert embedding.resolve("auto") == "bundled"
    monkeypatch.setattr(onnx, "choose_device", None)  # it takes two seconds to import torch
    assert embedding.resolve("auto") == "bundled"


def test_nothing_is_tried_without_the_packages(tried: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(onnx, "measure_speeds", None)
    monkeypatch.setattr(onnx, "PACKAGES", ("no-such-package",))
    assert embedding.resolve("auto") == "bundled"
    assert not tried.exists()
