"""A question and a passage read together by a sentence-transformers cross-encoder."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from threading import RLock
from typing import Any

from core.embedding import hub
from core.embedding.device import Device, Running, Turns, choose
from core.embedding.folder import digest, max_tokens, read_json, weights
from core.embedding.loading import failing, load, moved, weight_bytes
from core.embedding.sentence import on_hub
from core.errors import ConfigError, ModelError
from core.reranking import Candidate, own
from core.reranking.pieces import fitting


@dataclass(frozen=True, slots=True)
class Recommended:
    """A model worth naming; `megabytes` is its download."""

    name: str
    parameters: str
    megabytes: int
    languages: str


RECOMMENDED = (
    Recommended("BAAI/bge-reranker-v2-m3", "568M", 2300, "multilingual"),
    Recommended("cross-encoder/mmarco-mMiniLMv2-L12-H384-v1", "118M", 470, "multilingual, Chinese among 14"),
    Recommended("cross-encoder/ms-marco-MiniLM-L6-v2", "22.7M", 90, "English"),
)

DEFAULT_OWNER = "cross-encoder"

READ_TOKENS = 1024
"""Tokens of a pair that are read at most, though some models read 8192: attention costs their square."""

SECONDS = 10.0
"""What judging may take; the candidates that come first are judged first."""

BATCH = {"cpu": 8, "cuda": 64, "mps": 16}
"""Pairs in a forward pass, which is what a question may wait for."""


@dataclass(frozen=True, slots=True)
class Facts:
    """A cross-encoder, as its folder describes it; `files` are what it is made of."""

    folder: Path
    max_tokens: int
    files: tuple[Path, ...]


class CrossEncoder:
    """The model `name`: `BAAI/bge-reranker-v2-m3`, `ms-marco-MiniLM-L6-v2`, a folder's path; without one, our own.

    Raises ConfigError for an empty name where our own isn't shipped, and ModelError at once for a path
    without such a model. Safe to share between threads: one runs the model at a time.
    """

    reads_bits = False

    def __init__(self, name: str = "", *, device: Device | None = None, seconds: float = SECONDS) -> None:
        unnamed = not name.strip()
        if unnamed and not own.shipped():
            raise ConfigError(
                f"The reranker 'cross-encoder' needs a model: cross-encoder:{RECOMMENDED[0].name} "
                "or cross-encoder:/path/to/folder"
            )
        folder = own.WEIGHTS.parent if unnamed else Path(name).expanduser()
        known = "" if unnamed else on_hub(name, DEFAULT_OWNER)
        self.name = own.NAME if unnamed else known or folder.name
        self._folder: Callable[[], Path] = (lambda: hub.snapshot(known, "cross-encoder")) if known else (lambda: folder)
        self.running: Running | None = None
        self._device = device
        self._seconds = seconds
        self._loading = RLock()
        self._turns = Turns()
        if not known:
            _ = self._facts

    @cached_property
    def fingerprint(self) -> str:
        folder = self._facts.folder
        weights = own.fingerprint(folder) if own.trained(folder) else digest(list(self._facts.files))
        return f"cross-encoder:{self.name}@{weights}"

    @cached_property
    def _facts(self) -> Facts:
        with self._loading:
            return facts(self._folder())

    def warm(self) -> None:
        """Load the model and run it once, which is slower than any later time."""
        self.score("warm", [Candidate("warm")])

    def score(self, query: str, candidates: Sequence[Candidate]) -> list[float | None]:
        """Return a score from 0 to 1 for each; None for the last ones where the time ran out.

        Raises ModelError where the model can't be loaded or fails.
        """
        if not candidates:
            return []
        model = self._loaded()
        scores: list[float | None] = []
        size = BATCH[model.device.type]
        started = time.monotonic()
        for start in range(0, len(candidates), size):
            if scores and time.monotonic() - started > self._seconds:
                break
            with self._turns.take():
                scores += self._forward(model, query, [one.text for one in candidates[start : start + size]])
        return scores + [None] * (len(candidates) - len(scores))

    def _loaded(self) -> Any:
        with self._loading:
            return self._model

    @cached_property
    def _model(self) -> Any:
        device = self._device or choose()
        if own.trained(self._facts.folder):
            model: Any = own.load(self._facts.folder, device)
        else:
            model = load("CrossEncoder", self._facts.folder, self.name, device)
            if model.num_labels != 1:
                raise _labels(self._facts.folder, model.num_labels)
            model.max_seq_length = self._facts.max_tokens
            _precise(model)
        self.running = Running(device, weight_bytes(model))
        return model

    def _forward(self, model: Any, query: str, texts: Sequence[str]) -> list[float]:
        import torch

        with failing(self.name, len(texts)), torch.inference_mode():
            features = moved(model.preprocess(fitting(model, query, texts)), model.device)
            logits = model(features)["scores"].double().reshape(len(texts), -1)[:, 0]
        if not torch.isfinite(logits).all():
            raise ModelError(
                f"The model '{self.name}' gave scores that aren't numbers: its weights are damaged. "
                "Copy or download it again."
            )
        # The model's own sigmoid would calculate in its 16 bits, where the best candidates are all 1.
        scores: list[float] = torch.sigmoid(logits).tolist()
        return scores


def facts(folder: Path) -> Facts:
    """Describe the cross-encoder in `folder`; raises ModelError where it isn't a whole one with one score."""
    if not folder.is_dir():
        raise ModelError(f"There is no folder {folder}. Name the folder that holds the model's config.json.")
    try:
        return _facts(folder)
    except (OSError, ValueError, TypeError, KeyError, AttributeError, IndexError) as error:
        raise ModelError(f"The model in {folder} can't be understood ({error}). Copy or download it again.") from error


def _facts(folder: Path) -> Facts:
    if own.trained(folder):
        return Facts(folder, own.READ_TOKENS, (folder / own.FILE,))
    parts = [folder]
    if (folder / "modules.json").is_file():
        parts = [folder / str(module.get("path", "")) for module in read_json(folder / "modules.json")]
    elif not (folder / "config.json").is_file():
        lack = "has no config.json" if any(folder.iterdir()) else "is empty"
        raise ModelError(f"{folder} is not a cross-encoder: it {lack}. Name the model's own folder.")
    config = read_json(parts[0] / "config.json")
    architecture = (config.get("architectures") or ["model without a named architecture"])[0]
    if architecture.endswith("ForSequenceClassification"):
        # transformers writes neither where there are two.
        labels = len(config["id2label"]) if "id2label" in config else config.get("num_labels", 2)
        if labels != 1:
            raise _labels(folder, labels)
    elif _kind(folder) != "CrossEncoder":
        raise ModelError(
            f"The model in {folder} is a {architecture}, which gives no score to a question and a passage. "
            f"Choose a cross-encoder, such as cross-encoder:{RECOMMENDED[0].name}."
        )
    files = list(weights(parts))
    if not files:
        raise ModelError(f"The model in {folder} has no weights (*.safetensors). Copy or download it again.")
    tokenizer = [path for part in parts[:1] for path in sorted(part.glob("tokenizer.json"))]
    return Facts(
        folder=folder,
        max_tokens=min(max_tokens(parts[0], config), READ_TOKENS),
        files=(*files, *tokenizer, parts[0] / "config.json"),
    )


def _kind(folder: Path) -> object:
    told = folder / "config_sentence_transformers.json"
    return read_json(told).get("model_type") if told.is_file() else None


def _labels(folder: Path, labels: object) -> ModelError:
    return ModelError(
        f"The model in {folder} gives {labels} scores where one is due: it sorts texts into classes. "
        f"Choose a cross-encoder for search, such as cross-encoder:{RECOMMENDED[0].name}."
    )


def _precise(model: Any) -> None:
    """Let the last layer calculate in float32: a score in bfloat16 has three digits."""
    import torch

    heads = [layer for layer in model.modules() if isinstance(layer, torch.nn.Linear) and layer.out_features == 1]
    for layer in heads[-1:]:
        layer.float()
        layer.register_forward_pre_hook(lambda _, inputs: tuple(value.float() for value in inputs))
