"""Run a sentence-transformers model in 8 bits on onnxruntime. The converted model is written to the models folder once.

sentence-transformers' own ONNX backend can't be used, because it needs optimum-onnx, which needs transformers below 5,
while sentence-transformers 6 needs transformers 5. Instead, torch exports the whole model, with its pooling, as one
graph.
"""

import os
import subprocess
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from core.base.errors import MissingDependency, ModelError
from core.base.messages import message, verbatim
from core.embedding import e5, sentence
from core.embedding.graphs import Session, core_count
from core.embedding.loading import load
from core.embedding.model_folder import ModelFacts, create_folder, read_json
from core.embedding.sentence import Encoder
from core.embedding.tokens import WithTokens
from core.model import Device, Running

# Version of the graph format. Increase it with every change to the written graph.
VERSION = 1

PACKAGES = ("onnx", "onnxruntime", "onnxscript")
FILE = "model.onnx"
PROCESSOR = Device("cpu", "float32", message("onnxruntime runs the model on the CPU in 8-bit precision"))

_CANNOT_WRITE = message(
    "The model for onnxruntime can't be written to {folder} ({why}). Set the environment "
    "variable TESSERA_MODELS_DIR to another folder."
)

# Minimum cosine between a text's float32 and 8-bit vectors. The mean for multilingual-e5-small is 0.997.
CLOSE = 0.95

SAMPLES = (
    "How do I restore a backup of the database?",
    "如何恢复数据库的备份？先停止服务，再导入文件。",
    "x = [1, 2, 3]",
)


def missing_package() -> str:
    """Return the name of a required package that isn't installed, or "" if none is missing."""
    return next((package for package in PACKAGES if find_spec(package) is None), "")


def build(name: str = "") -> Encoder:
    """Return an 8-bit version of the bundled model or of `sentence:NAME`. It is 1.5 to 2 times as fast as float32.

    Raises MissingDependency if the extra `onnx` isn't installed, and ModelError if `name` is a path without a model.
    """
    if package := missing_package():
        raise MissingDependency(
            message("The {what} '{name}'", what=message("model for searching by meaning"), name="onnx"), package, "onnx"
        )
    model_name, folder = sentence.find(name) if name else sentence.find_bundled()
    encoder = Encoder(model_name, folder, session=_IntegerModel, suffix=f":onnx-int8-{VERSION}")
    if name and sentence.is_local(name):
        _ = encoder.facts
    return encoder


def ensure_file(facts: ModelFacts, name: str) -> Path:
    """Return a model's graph file, writing it if it is missing. Several processes may call this at the same time.

    Raises ModelError if the model can't be exported or the file can't be written.
    """
    folder = graph_folder(facts, name)
    if (folder / FILE).is_file():
        return folder / FILE
    with create_folder(folder, _CANNOT_WRITE, mark=FILE) as temporary:
        _write_in_process(facts, name, temporary / FILE)
    return folder / FILE


def graph_folder(facts: ModelFacts, name: str) -> Path:
    """Return the folder for a model's graph. It may not exist yet."""
    return e5.models_dir() / f"{name.replace('/', '--')}-{facts.digest}-int8-{VERSION}"


def write(source: Path, name: str, file: Path) -> None:
    """Convert the model in the folder `source` to a graph with 8-bit weights, and write the graph to `file`.

    The graph's input is `input_ids`, shape (1, tokens). Its outputs are `vector`, shape (1, dimension), and `tokens`,
    shape (1, tokens, dimension). Raises ModelError if the model can't be loaded, or if the graph's vectors differ too
    much from the model's.
    """
    import torch
    from onnxruntime.quantization import QuantType, quantize_dynamic

    model = load("SentenceTransformer", source, name, PROCESSOR)

    class WholeModel(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.model = model

        def forward(self, input_ids: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
            output = self.model({"input_ids": input_ids, "attention_mask": torch.ones_like(input_ids)})
            return output["sentence_embedding"], output["token_embeddings"]

    samples = [model.preprocess([text])["input_ids"] for text in SAMPLES]
    exact = file.with_suffix(".float32.onnx")
    torch.onnx.export(
        WholeModel().eval(),
        (samples[0],),
        str(exact),
        dynamo=True,
        dynamic_shapes=({1: torch.export.Dim.DYNAMIC},),
        input_names=["input_ids"],
        output_names=["vector", "tokens"],
        external_data=True,  # one ONNX file holds at most 2 GB
        verbose=False,
    )
    # Only 7 of the 8 bits are used: processors without VNNI add two products in 16 bits, and 8-bit weights could
    # overflow.
    quantize_dynamic(exact, file, weight_type=QuantType.QInt8, per_channel=True, reduce_range=True)
    for part in file.parent.glob(f"{exact.name}*"):
        part.unlink()
    session = _open(file, name)
    with torch.inference_mode():
        for ids in samples:
            output = model({"input_ids": ids, "attention_mask": torch.ones_like(ids)})
            expected = output["sentence_embedding"][0].numpy()
            (vector,) = session.run({"input_ids": ids.numpy()})[0]
            cosine = float(expected @ vector / (np.linalg.norm(expected) * np.linalg.norm(vector)))
            if not cosine >= CLOSE:
                raise ModelError(
                    "its 8-bit results differ too much from the original ones (similarity {cosine:.2f})", cosine=cosine
                )


def _write_in_process(facts: ModelFacts, name: str, file: Path) -> None:
    """Write the graph in a separate process, because the export takes 4 GB for 118M parameters and logs a lot."""
    for pooling in facts.folder.glob("*_Pooling/config.json"):
        if not read_json(pooling).get("include_prompt", True):
            raise ModelError(
                (
                    "'onnx' doesn't support the model '{name}', which leaves out its prompt when it compares texts. "
                    "Use 'sentence' for this model."
                ),
                name=name,
            )
    process = subprocess.run(
        [sys.executable, "-W", "ignore", "-m", "core.embedding.onnx", str(facts.folder), name, str(file)],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
        capture_output=True,
        text=True,
        check=False,
    )
    if process.returncode:
        lines = process.stderr.strip().splitlines()
        raise ModelError(
            (
                "The model '{name}' can't be converted for onnxruntime ({reason}). Use 'sentence' instead of 'onnx' "
                "for this model."
            ),
            name=name,
            reason=verbatim(lines[-1].strip().rstrip("."))
            if lines
            else message("its process ended early, perhaps because memory ran out"),
        )


class _IntegerModel:
    """A model converted to an 8-bit graph.

    Texts are embedded one at a time. Rounding to 8 bits depends on the whole batch, and a batch is barely faster on a
    CPU.
    """

    def __init__(self, facts: ModelFacts, name: str) -> None:
        file = ensure_file(facts, name)
        self.running = Running(PROCESSOR, file.stat().st_size)
        self._session = _open(file, name)

    def run(self, texts: Sequence[Sequence[int]]) -> WithTokens:
        """Return each text's vector and the vectors of its tokens. A text is given as token ids.

        Raises ModelError if onnxruntime fails.
        """
        outputs = [self._session.run({"input_ids": np.array([ids], np.int64)}) for ids in texts]
        return np.concatenate([vector for vector, _ in outputs]), [tokens[0] for _, tokens in outputs]


def _open(file: Path, name: str) -> Session:
    try:
        return Session(name, file, threads=core_count())
    except ValueError as error:
        raise ModelError(
            "{file} is damaged ({why}). Delete the folder that contains it, and Tessera will create the file again.",
            file=file,
            why=str(error),
        ) from error


if __name__ == "__main__":
    try:
        write(Path(sys.argv[1]), sys.argv[2], Path(sys.argv[3]))
    except ModelError as error:
        sys.exit(str(error))
