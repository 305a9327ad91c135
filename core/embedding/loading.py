"""Load a model from a folder with torch. The network isn't used, and code in the folder is never run."""

import gc
import logging
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from platform import machine
from threading import Lock
from types import MappingProxyType, ModuleType
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from core.base.blobs import Span
from core.base.errors import ModelError
from core.base.frozen import ValueMap, Values
from core.base.messages import message, plural
from core.embedding.model_folder import ModelFacts, read_options
from core.embedding.tokens import WithTokens
from core.model import Device, Ids, Matrix, Running

if TYPE_CHECKING:
    import torch
    from sentence_transformers import SentenceTransformer
    from tokenizers import Tokenizer
    from torch import Tensor
    from torch.nn import Module

# Maps the names that torch and /proc/cpuinfo use for bfloat16 features to their common names.
_BFLOAT16 = {"amx_bf16": "AMX", "avx512_bf16": "AVX-512"}
CPU_INFO = Path("/proc/cpuinfo")

os.environ.setdefault("ONEDNN_PRIMITIVE_CACHE_CAPACITY", "16")
"""Maximum number of compiled matrix products cached by oneDNN. Each text length needs four.

With oneDNN's default of 1,024, the cache takes 40 MB after 128 texts. torch reads the variable when it first multiplies
matrices.
"""


def import_library(name: str) -> ModuleType:
    """Import a library that runs models. Raises ModelError if it or a system library that it needs is missing."""
    try:
        return import_module(name)
    except (ImportError, OSError) as error:
        raise ModelError(
            "{library}, which models need, can't be loaded: {why}. To install it again, run: {command}",
            library=name,
            why=first_line(error),
            command=f"pip install --force-reinstall {name.replace('_', '-')}",
        ) from error


def choose_device() -> Device:
    """Return the fastest device on this machine. Raises ModelError if torch can't be loaded.

    bfloat16 doubles the speed of bulk embedding on processors that support it. The cosine between
    multilingual-e5-small's vectors in bfloat16 and float32 is 0.997. Other processors emulate bfloat16, which is slower
    than float32.
    """
    in_float32 = Device("cpu", "float32", message("this processor has no fast half precision (bfloat16)"))
    with suppress(OSError, PackageNotFoundError):  # skip importing torch if only float32 on the CPU is possible
        features = {*CPU_INFO.read_text("utf-8", "replace").split()}
        if version("torch").endswith("+cpu") and "x86_64" in machine() and not _BFLOAT16.keys() & features:
            return in_float32
    torch = import_library("torch")
    if torch.cuda.is_available():
        if torch.cuda.is_bf16_supported():
            return Device("cuda", "bfloat16", message("this graphics card has fast half precision (bfloat16)"))
        return Device("cuda", "float32", message("this graphics card has no fast half precision (bfloat16)"))
    if torch.backends.mps.is_available():
        return Device("mps", "float32", message("the GPU of an Apple processor"))
    # Older versions of torch have no get_capabilities. float32 works on every processor.
    capabilities: Values = getattr(torch.cpu, "get_capabilities", dict)()
    for feature, label in _BFLOAT16.items():
        if capabilities.get(feature):
            return Device(
                "cpu",
                "bfloat16",
                message("this processor has fast half precision (bfloat16, {feature})", feature=label),
            )
    return in_float32


class Turns:
    """A fair lock: one thread at a time runs a model, in the order of arrival."""

    def __init__(self) -> None:
        self._queue = Lock()
        self._running = Lock()

    @contextmanager
    def take(self) -> Iterator[None]:
        """Wait for a turn.

        With a plain lock, a loop over batches could acquire the lock again ahead of a waiting question.
        """
        with self._queue:
            self._running.acquire()
        try:
            yield
        finally:
            self._running.release()


# Maps the names of data types in a weights file to their names in torch.
_FORMATS = {"F32": "float32", "F16": "float16", "BF16": "bfloat16"}
# The generic tokenizer class, before and since transformers 5.
_TOKENIZER_CLASSES = ("PreTrainedTokenizerFast", "TokenizersBackend")
_MISSING = re.compile(r"(?m)^(\S.*?)\s*\|.*\bMISSING\b")
_COLOUR = re.compile(r"\x1b\[[\d;]*m")

# Models are loaded one at a time, because loading captures transformers' log, which the whole process shares.
_loading = Lock()


def sentence_transformer(facts: ModelFacts, name: str, device: Device) -> "SentenceTransformer":
    """Load a SentenceTransformer that takes token ids as input. Raises ModelError if the model is incomplete."""
    stored = _stored_dtype(facts.folder / "model.safetensors") if device.name == "cpu" else None
    model = load("SentenceTransformer", facts.folder, name, device, dtype=stored, processor=_no_tokenizer(facts))
    model.max_seq_length = facts.max_tokens
    if stored:
        import torch

        # Convert the layers to the device's data type. Word vectors, which are four fifths of a multilingual model's
        # weights, stay in the file until they are needed.
        transformer = model[0].auto_model
        dtype = getattr(torch, device.dtype)
        words = transformer.get_input_embeddings()
        words.register_forward_hook(lambda _module, _arguments, rows: rows.to(dtype))
        for weights in transformer.parameters():
            if weights is not words.weight:
                weights.data = weights.data.to(dtype)
    return model


def _no_tokenizer(facts: ModelFacts) -> dict[str, "Tokenizer"]:
    """Return options that stop a model from loading its own tokenizer, which takes 300 MB for a multilingual model."""
    from tokenizers import Tokenizer, models

    config = read_options(facts.tokenizer.with_name("tokenizer_config.json"))
    if config.get("tokenizer_class") not in _TOKENIZER_CLASSES:
        return {}  # the class reads the vocabulary itself
    return {"tokenizer_object": Tokenizer(models.WordLevel({"": 0}, unk_token=""))}


def _stored_dtype(file: Path) -> str | None:
    """Return the data type of the weights in a file, or None if the types differ or the file can't be read."""
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(file, "pt") as opened:
            names = {opened.get_slice(key).get_dtype() for key in opened.keys()}  # noqa: SIM118 it isn't a mapping
    except (OSError, SafetensorError):
        return None
    formats = [dtype for name, dtype in _FORMATS.items() if name in names]
    return formats[0] if len(formats) == 1 else None


def load(
    kind: Literal["SentenceTransformer", "CrossEncoder"],
    folder: Path,
    name: str,
    device: Device,
    *,
    dtype: str | None = None,
    processor: ValueMap = MappingProxyType({}),
) -> Any:
    """Load a model with the data type `dtype`, by default the device's. `processor` has options for the tokenizer.

    Raises ModelError if the model can't be loaded or if weights are missing.
    """
    torch = import_library("torch")
    sentence_transformers = import_library("sentence_transformers")
    with _loading, _capture_missing_weights() as missing:
        try:
            model = getattr(sentence_transformers, kind)(
                str(folder),
                device=device.name,
                local_files_only=True,
                trust_remote_code=False,
                model_kwargs={"dtype": getattr(torch, dtype or device.dtype)},
                processor_kwargs=dict(processor),
            )
        except Exception as error:  # torch and transformers raise errors of every kind
            raise ModelError(
                "The model '{name}' in {folder} can't be loaded: {why}. "
                "Copy or download it again, or choose another model.",
                name=name,
                folder=folder,
                why=first_line(error),
            ) from error
    # Streamlit collects garbage after every run of a page. The libraries' half a million objects are never freed, so
    # excluding them makes each collection 0.3 s shorter.
    gc.collect()
    gc.freeze()
    # Only a cross-encoder uses the pooler's weights; for an embedder, they may be missing.
    missing = [weights for weights in missing if kind == "CrossEncoder" or "pooler" not in weights]
    if missing:
        raise ModelError(
            "The weights of the model '{name}' in {folder} don't match its config.json: {missing} is missing. Copy "
            "or download the model again, or choose another model.",
            name=name,
            folder=folder,
            missing=missing[0],
        )
    return model.eval()


def weight_bytes(model: "Module") -> int:
    """Return the size of a loaded model's weights in bytes."""
    return sum(weights.numel() * weights.element_size() for weights in (*model.parameters(), *model.buffers()))


@contextmanager
def explain_failure(name: str, texts: int) -> Iterator[None]:
    """Convert an error raised by a running model to a ModelError that says what to do. `texts` counts its inputs."""
    try:
        yield
    except (RuntimeError, ValueError, IndexError) as error:
        raise ModelError(
            plural(
                "The model '{name}' failed on {n} piece of text: {why}. If memory ran out, close other "
                "programs or choose a smaller model.",
                "The model '{name}' failed on {n} pieces of text: {why}. If memory ran out, close other "
                "programs or choose a smaller model.",
                n=texts,
                name=name,
                why=first_line(error),
            )
        ) from error


def to_device(features: ValueMap, device: "torch.device") -> Values:
    """Return a model's input with all its tensors moved to `device`."""
    import torch

    return {key: value.to(device) if isinstance(value, torch.Tensor) else value for key, value in features.items()}


def first_line(error: Exception) -> str:
    """Return the first line of a library's error without a full stop, so that it can be quoted in a sentence."""
    return (str(error).strip() or type(error).__name__).splitlines()[0].rstrip(".")


@contextmanager
def _capture_missing_weights() -> Iterator[list[str]]:
    """Collect the names of missing weights in a list, and keep transformers' progress bar and log off the terminal.

    The names are taken from the log, because transformers initialises missing weights randomly and only logs a warning.
    """
    from transformers.utils import logging as settings

    missing = []

    def listen(record: logging.LogRecord) -> bool:
        missing.extend(_MISSING.findall(_COLOUR.sub("", record.getMessage())))
        return False

    level = settings.get_verbosity()
    bar = settings.is_progress_bar_enabled()
    report = logging.getLogger("transformers.modeling_utils")
    before = report.level
    settings.set_verbosity_error()
    settings.disable_progress_bar()
    report.setLevel(logging.WARNING)
    report.addFilter(listen)
    try:
        yield missing
    finally:
        report.removeFilter(listen)
        report.setLevel(before)
        settings.set_verbosity(level)
        if bar:
            settings.enable_progress_bar()


# Maximum number of tokens per forward pass, including padding, by device.
#
# On a CPU, the speed differs by at most 4 % between 2048 and 8192 tokens. A question asked during an import waits for
# one pass, so the smallest value is best.
BATCH_TOKENS = {"cpu": 2048, "cuda": 32768, "mps": 8192}
# Multiple to which batch lengths are rounded up, because oneDNN compiles its matrix products for each shape.
#
# With rounding, 454 windows take 9.0 s and 830 MB. Without it, they take 11.3 s and 960 MB.
LENGTH_STEP = 32


class TorchModel:
    """A loaded SentenceTransformer, run by one thread at a time."""

    def __init__(self, model: "SentenceTransformer", facts: ModelFacts, name: str, device: Device) -> None:
        self.model = model
        self.running = Running(device, weight_bytes(model))
        self._padding = getattr(model[0].auto_model.config, "pad_token_id", None) or 0
        self._facts = facts
        self._name = name
        self._turns = Turns()

    def embed(self, texts: Sequence[Ids], prompt: int, frame: Span | None) -> WithTokens:
        """Return one vector per text. If `frame` is given, also return one vector per token of each text.

        `frame` says how many tokens at the start and at the end aren't part of the text (special and prompt tokens).
        `prompt` is the number of prompt tokens at the start. Raises ModelError if the model fails.
        """
        vectors = np.empty((len(texts), self._facts.dimension), np.float32)
        tokens = [np.empty((0, 0), np.float32)] * len(texts)
        for rows in self._batches([len(ids) for ids in texts]):
            with self._turns.take():
                vectors[rows], token_vectors = self._forward([texts[row] for row in rows], prompt, frame)
            for row, matrix in zip(rows, token_vectors, strict=frame is not None):
                tokens[row] = matrix
        return vectors, tokens

    def _batches(self, sizes: Sequence[int]) -> Iterator[list[int]]:
        """Yield the texts' indices in batches.

        The texts in a batch have similar lengths, so that a batch needs little padding.
        """
        budget = BATCH_TOKENS[self.model.device.type]
        rows: list[int] = []
        for row in sorted(range(len(sizes)), key=sizes.__getitem__, reverse=True):
            if rows and (len(rows) + 1) * self._length(sizes[rows[0]]) > budget:
                yield rows
                rows = []
            rows.append(row)
        yield rows

    def _length(self, longest: int) -> int:
        """Return a batch's length in tokens, including padding, given the length of its longest text."""
        return max(longest, min(self._facts.max_tokens, longest + -longest % LENGTH_STEP))

    def _forward(self, texts: Sequence[Ids], prompt: int, frame: Span | None) -> WithTokens:
        import torch

        shape = len(texts), self._length(max(map(len, texts)))
        rows = torch.full(shape, self._padding)
        mask = torch.zeros(shape, dtype=torch.long)
        for row, ids in enumerate(texts):
            rows[row, : len(ids)] = torch.tensor(ids)
            mask[row, : len(ids)] = 1
        features = {"input_ids": rows, "attention_mask": mask, "prompt_length": prompt}
        with explain_failure(self._name, len(texts)), torch.inference_mode():
            output = self.model(to_device(features, self.model.device))
            vectors: Matrix = _to_unit_length(output["sentence_embedding"])
            tokens = []
            if frame:
                before, after = frame
                states = zip(output["token_embeddings"], texts, strict=True)
                tokens = [_to_unit_length(state[before : len(ids) - after]) for state, ids in states]
        if vectors.shape != (len(texts), self._facts.dimension):
            raise ModelError(
                (
                    "The model '{name}' returns {n} numbers per text, but its folder specifies {due}. Copy or "
                    "download the model again."
                ),
                name=self._name,
                n=vectors.shape[-1],
                due=self._facts.dimension,
            )
        return vectors, tokens


def _to_unit_length(vectors: "Tensor") -> Matrix:
    """Return a tensor's rows as a float32 numpy array, each scaled to unit length."""
    import torch

    return torch.nn.functional.normalize(vectors.float(), dim=-1).cpu().numpy()
