"""A folder -> its model, loaded by sentence-transformers without a network and without the folder's own code."""

import gc
import logging
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import Any, Literal

from core.base.errors import ModelError
from core.base.messages import plural
from core.embedding.model_folder import ModelFacts
from core.model import Device

_REPORT = "transformers.modeling_utils"
_MISSING = re.compile(r"^(\S.*?)\s*\|.*\bMISSING\b", re.MULTILINE)
_COLOUR = re.compile(r"\x1b\[[\d;]*m")

_loading = Lock()
"""Held while a model loads: loading reads transformers' log, which the whole process shares."""


def sentence_transformer(facts: ModelFacts, name: str, device: Device) -> Any:
    """Return the SentenceTransformer in a folder; raises ModelError if it is incomplete."""
    model = load("SentenceTransformer", facts.folder, name, device)
    model.max_seq_length = facts.max_tokens
    return model


def load(kind: Literal["SentenceTransformer", "CrossEncoder"], folder: Path, name: str, device: Device) -> Any:
    """Return the model; raises ModelError if it can't be loaded, or the folder lacks some of its weights."""
    import sentence_transformers
    import torch

    with _loading, _capture_missing_weights() as missing:
        try:
            model = getattr(sentence_transformers, kind)(
                str(folder),
                device=device.name,
                local_files_only=True,
                trust_remote_code=False,
                model_kwargs={"dtype": getattr(torch, device.dtype)},
            )
        except Exception as error:  # torch and transformers raise errors of every kind
            raise ModelError(
                "The model '{name}' in {folder} can't be loaded: {why}. "
                "Copy or download it again, or choose another model.",
                name=name,
                folder=str(folder),
                why=first_line(error),
            ) from error
    # Streamlit collects garbage after every run of a page. Without the half a million objects of the libraries, which
    # stay anyway, each collection is 0.3 s shorter.
    gc.collect()
    gc.freeze()
    # An embedder pools the token vectors itself, so it doesn't need the weights of a pooler.
    missing = [weights for weights in missing if kind == "CrossEncoder" or "pooler" not in weights]
    if missing:
        raise ModelError(
            "The weights of the model '{name}' in {folder} aren't those that its config.json tells of: "
            "{missing} is not among them. Copy or download it again, or choose another model.",
            name=name,
            folder=str(folder),
            missing=missing[0],
        )
    return model.eval()


def weight_bytes(model: Any) -> int:
    """Return the bytes of a loaded model's weights; a model outside torch has them as its `weight_bytes`."""
    if isinstance(size := getattr(model, "weight_bytes", None), int):
        return size
    return sum(weights.numel() * weights.element_size() for weights in (*model.parameters(), *model.buffers()))


@contextmanager
def explain_failure(name: str, texts: int) -> Iterator[None]:
    """Turn an error of running a model on `texts` texts into a ModelError that says what to do."""
    try:
        yield
    except (RuntimeError, ValueError, IndexError) as error:
        raise ModelError(
            plural(
                "The model '{name}' failed on {n} text: {why}. "
                "If memory ran out, close other programs or choose a smaller model.",
                "The model '{name}' failed on {n} texts: {why}. "
                "If memory ran out, close other programs or choose a smaller model.",
                n=texts,
                name=name,
                why=first_line(error),
            )
        ) from error


def to_device(features: Mapping[str, Any], device: Any) -> dict[str, Any]:
    """Return a model's input with its tensors on `device`."""
    import torch

    return {key: value.to(device) if isinstance(value, torch.Tensor) else value for key, value in features.items()}


def first_line(error: Exception) -> str:
    """Return the first line of a library's error, to quote it in a sentence."""
    return (str(error).strip() or type(error).__name__).splitlines()[0].rstrip(".")


@contextmanager
def _capture_missing_weights() -> Iterator[list[str]]:
    """Collect the names of missing weights, and keep transformers' progress bar and log off the terminal.

    transformers initialises missing weights at random and only logs a warning.
    """
    from transformers.utils import logging as settings

    missing: list[str] = []

    def listen(record: logging.LogRecord) -> bool:
        missing.extend(_MISSING.findall(_COLOUR.sub("", record.getMessage())))
        return False

    level, bar, report = settings.get_verbosity(), settings.is_progress_bar_enabled(), logging.getLogger(_REPORT)
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
