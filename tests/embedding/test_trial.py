"""Which form of the built-in model a new base gets on this processor."""

from pathlib import Path

import pytest

from core import embedding
from core.embedding import onnx
from core.model import Device
from core.workspace import Workspace


@pytest.fixture(autouse=True)
def plain_processor(monkeypatch: pytest.MonkeyPatch) -> None:
    """A processor without bfloat16."""
    monkeypatch.setenv("TESSERA_EMBEDDER", "auto")
    monkeypatch.setattr(onnx, "choose_device", lambda: Device("cpu", "float32", ""))
    monkeypatch.setattr(onnx, "missing_package", str)


def test_a_new_base_gets_8_bits_on_a_plain_processor(tmp_path: Path) -> None:
    with Workspace(tmp_path / "workspace") as workspace:
        assert workspace.bases.add("notes").embedder == "onnx"


def test_a_processor_with_bfloat16_gets_the_built_in_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(onnx, "choose_device", lambda: Device("cpu", "bfloat16", ""))
    assert embedding.resolve("auto") == "bundled"


def test_without_the_packages_it_is_the_built_in_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(onnx, "missing_package", lambda: "onnxscript")
    monkeypatch.setattr(onnx, "choose_device", None)  # it takes two seconds to import torch
    assert embedding.resolve("auto") == "bundled"
