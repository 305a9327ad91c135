"""A sentence-transformers model in 8 bits on onnxruntime: written once beside the models, then run from there.

sentence-transformers' own onnx backend needs optimum-onnx, which needs transformers below 5, which
sentence-transformers 6 refuses. So the whole model, pooling too, is one graph that torch writes.
"""

import os
import subprocess
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from core.embedding import bundled, e5, sentence
from core.embedding.device import Device
from core.embedding.encoder import Encoder
from core.embedding.folder import Facts, read_json
from core.embedding.loading import first_line, load
from core.embedding.writing import beside
from core.errors import MissingDependency, ModelError

VERSION = 1
"""Raised with any change of how a graph is written."""

PACKAGES = ("onnx", "onnxruntime", "onnxscript")
FILE = "model.onnx"
PROCESSOR = Device("cpu", "float32", "onnxruntime calculates in 8 bits on the processor")

CLOSE = 0.95
"""The least cosine between a text's vectors before and after; multilingual-e5-small has 0.997 on average."""

SAMPLES = (
    "How do I restore a backup of the database?",
    "如何恢复数据库的备份？先停止服务，再导入文件。",
    "x = [1, 2, 3]",
)


def build(name: str = "") -> Encoder:
    """Return the bundled model, or any that `sentence:NAME` names, in 8 bits: 1.5 to 2 times as fast as in float32.

    Raises MissingDependency without the extra `onnx`, and ModelError at once for a path without a model.
    """
    for package in PACKAGES:
        if find_spec(package) is None:
            raise MissingDependency("The embedder 'onnx'", package, "onnx")
    known, folder = sentence.find(name) if name else bundled.find()
    encoder = Encoder(known, folder, device=PROCESSOR, load=_session, suffix=f":onnx-int8-{VERSION}")
    if name and sentence.is_local(name):
        _ = encoder.facts
    return encoder


def ensure_file(facts: Facts, name: str) -> Path:
    """Return the graph of a model, written at the first call; safe in several processes at once.

    Raises ModelError where the model has none, or it can't be written.
    """
    folder = folder_of(facts, name)
    if (folder / FILE).is_file():
        return folder / FILE
    with beside(folder, _cannot_write, mark=FILE) as made:
        _write_apart(facts, name, made / FILE)
    return folder / FILE


def folder_of(facts: Facts, name: str) -> Path:
    """Where the graph of a model is, once it is written."""
    return e5.models_dir() / f"{name.replace('/', '--')}-{facts.digest}-int8-{VERSION}"


def write(source: Path, name: str, file: Path) -> None:
    """Write the model in the folder `source` as a graph with weights in 8 bits.

    Its input is `input_ids`, (1, tokens); its outputs `vector`, (1, dimension), and `tokens`, (1, tokens,
    dimension). Raises ModelError where it can't be loaded, or the graph's vectors are too far from its own.
    """
    import torch
    from onnxruntime.quantization import QuantType, quantize_dynamic

    model = load("SentenceTransformer", source, name, PROCESSOR)

    class Graph(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.model = model

        def forward(self, input_ids: Any) -> Any:
            found = self.model({"input_ids": input_ids, "attention_mask": torch.ones_like(input_ids)})
            return found["sentence_embedding"], found["token_embeddings"]

    ids = [model.preprocess([text])["input_ids"] for text in SAMPLES]
    whole = file.with_suffix(".float32.onnx")
    torch.onnx.export(
        Graph().eval(),
        (ids[0],),
        str(whole),
        dynamo=True,
        dynamic_shapes=({1: torch.export.Dim.DYNAMIC},),
        input_names=["input_ids"],
        output_names=["vector", "tokens"],
        external_data=True,  # a file of the format ends at 2 GB
        verbose=False,
    )
    # 7 of the 8 bits, for processors without VNNI add two products in 16 bits and would overflow.
    quantize_dynamic(whole, file, weight_type=QuantType.QInt8, per_channel=True, reduce_range=True)
    for left in file.parent.glob(f"{whole.name}*"):
        left.unlink()
    session = _open(file)
    with torch.inference_mode():
        for one in ids:
            own = model({"input_ids": one, "attention_mask": torch.ones_like(one)})["sentence_embedding"][0].numpy()
            (vector,) = session.run(["vector"], {"input_ids": one.numpy()})[0]
            cosine = float(own @ vector / (np.linalg.norm(own) * np.linalg.norm(vector)))
            if not cosine >= CLOSE:
                raise ModelError(f"in 8 bits its vectors are too far from its own (a cosine of {cosine:.2f})")


def _write_apart(facts: Facts, name: str, file: Path) -> None:
    """Write in a process of its own: it takes 4 GB for 118M parameters, and logs what tells a person nothing."""
    for pooling in facts.folder.glob("*_Pooling/config.json"):
        if not read_json(pooling).get("include_prompt", True):
            raise ModelError(
                f"The model '{name}' leaves its prompt out of a text's vector, which the embedder 'onnx' can't do. "
                "Use the embedder 'sentence' for it."
            )
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-m", "core.embedding.onnx", str(facts.folder), name, str(file)],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        lines = done.stderr.strip().splitlines()
        killed = done.returncode < 0 or not lines
        why = "its process was ended, perhaps for lack of memory" if killed else lines[-1].strip().rstrip(".")
        raise ModelError(
            f"The model '{name}' can't be written for onnxruntime: {why}. Use the embedder 'sentence' for it, "
            "or 'bundled' for the bundled one."
        )


def _cannot_write(folder: Path, error: OSError) -> str:
    return (
        f"The model for onnxruntime can't be written to {folder} ({error.strerror or error}). Name another folder "
        "in the environment variable TESSERA_MODELS_DIR."
    )


class _Session:
    """A graph with the parts that `Encoder` uses of a SentenceTransformer.

    Texts run one by one: how numbers are brought to 8 bits depends on all that run together, and on a
    processor a batch is hardly faster.
    """

    def __init__(self, facts: Facts, name: str) -> None:
        import torch
        from tokenizers import Tokenizer

        self.device = torch.device("cpu")
        self._name = name
        self._tokenizer = Tokenizer.from_file(str(facts.tokenizer))
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(facts.max_tokens)
        file = ensure_file(facts, name)
        self.weight_bytes = file.stat().st_size
        self._graph = _open(file)

    def preprocess(self, texts: Sequence[str], prompt: str | None) -> dict[str, Any]:
        """Return the tokens' numbers of every text."""
        return {"ids": [encoding.ids for encoding in self._tokenizer.encode_batch([(prompt or "") + t for t in texts])]}

    def __call__(self, features: dict[str, Any]) -> dict[str, Any]:
        """Return what a SentenceTransformer does, in its shapes."""
        import torch
        from torch.nn.utils.rnn import pad_sequence

        try:
            found = [
                self._graph.run(["vector", "tokens"], {"input_ids": np.array([ids], np.int64)})
                for ids in features["ids"]
            ]
        except Exception as error:  # onnxruntime's errors have nothing in common
            raise ModelError(
                f"The model '{self._name}' failed on onnxruntime: {first_line(error)}. "
                "If memory ran out, close other programs or choose a smaller model."
            ) from error
        tokens = [torch.from_numpy(tokens[0]) for _, tokens in found]
        return {
            "sentence_embedding": torch.from_numpy(np.concatenate([vector for vector, _ in found])),
            "token_embeddings": pad_sequence(tokens, batch_first=True),
            "attention_mask": pad_sequence([torch.ones(len(one)) for one in tokens], batch_first=True),
        }


def _session(facts: Facts, name: str, device: Device) -> _Session:
    return _Session(facts, name)


def _open(file: Path) -> Any:
    import torch
    from onnxruntime import InferenceSession, SessionOptions

    options = SessionOptions()
    options.intra_op_num_threads = torch.get_num_threads()
    try:
        return InferenceSession(str(file), options, providers=["CPUExecutionProvider"])
    except Exception as error:  # onnxruntime's errors have nothing in common
        raise ModelError(
            f"{file} is damaged ({first_line(error)}). Delete its folder, and it is written again."
        ) from error


if __name__ == "__main__":
    try:
        write(Path(sys.argv[1]), sys.argv[2], Path(sys.argv[3]))
    except ModelError as error:
        sys.exit(str(error))
