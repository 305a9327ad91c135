"""A folder -> its model, loaded by sentence-transformers: whole, without a network and without code of its own."""

import logging
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import Any, Literal

from core.embedding.device import Device
from core.embedding.folder import Facts
from core.errors import ModelError

_REPORT = "transformers.modeling_utils"
_MISSING = re.compile(r"^(\S.*?)\s*\|.*\bMISSING\b", re.MULTILINE)
_COLOUR = re.compile(r"\x1b\[[\d;]*m")

_loading = Lock()
"""Loading listens to transformers' log, which is one for the process."""


def sentence_transformer(facts: Facts, name: str, device: Device) -> Any:
    """Return the SentenceTransformer in a folder; raises ModelError where it isn't whole."""
    model = load("SentenceTransformer", facts.folder, name, device)
    model.max_seq_length = facts.max_tokens
    return model


def load(kind: Literal["SentenceTransformer", "CrossEncoder"], folder: Path, name: str, device: Device) -> Any:
    """Return the model; raises ModelError where it can't be loaded, or the folder lacks some of its weights."""
    import sentence_transformers
    import torch

    with _loading, _listening() as missing:
        try:
            model = getattr(sentence_transformers, kind)(
                str(folder),
                device=device.name,
                local_files_only=True,
                trust_remote_code=False,
                model_kwargs={"dtype": getattr(torch, device.dtype)},
            )
        except Exception as error:  # whatever a strange folder makes torch or transformers raise
            raise ModelError(
                f"The model '{name}' in {folder} can't be loaded: {first_line(error)}. "
                "Copy or download it again, or choose another model."
            ) from error
    # A pooler stands behind the tokens' vectors, which is where those of a text are taken.
    missing = [weights for weights in missing if kind == "CrossEncoder" or "pooler" not in weights]
    if missing:
        raise ModelError(
            f"The weights of the model '{name}' in {folder} aren't those that its config.json tells of: "
            f"{missing[0]} is not among them. Copy or download it again, or choose another model."
        )
    return model.eval()


def weight_bytes(model: Any) -> int:
    """Return the bytes that a loaded model's weights take; a model that isn't torch's says so itself."""
    if isinstance(said := getattr(model, "weight_bytes", None), int):
        return said
    return sum(weights.numel() * weights.element_size() for weights in (*model.parameters(), *model.buffers()))


@contextmanager
def failing(name: str, texts: int) -> Iterator[None]:
    """Translate what running a model raises into a ModelError that says what to do."""
    try:
        yield
    except (RuntimeError, ValueError, IndexError) as error:
        raise ModelError(
            f"The model '{name}' failed on {texts} texts: {first_line(error)}. "
            "If memory ran out, close other programs or choose a smaller model."
        ) from error


def moved(features: Mapping[str, Any], device: Any) -> dict[str, Any]:
    """Return what a model is given with its tensors where the model is."""
    import torch

    return {key: value.to(device) if isinstance(value, torch.Tensor) else value for key, value in features.items()}


def first_line(error: Exception) -> str:
    """What an error of a library says, short enough for a sentence."""
    return (str(error).strip() or type(error).__name__).splitlines()[0].rstrip(".")


@contextmanager
def _listening() -> Iterator[list[str]]:
    """Keep transformers' progress bar and log off the terminal, and note the weights it found missing.

    It makes those up at random and reports it as a warning.
    """
    from transformers.utils import logging as said

    missing: list[str] = []

    def listen(record: logging.LogRecord) -> bool:
        missing.extend(_MISSING.findall(_COLOUR.sub("", record.getMessage())))
        return False

    level, bar, report = said.get_verbosity(), said.is_progress_bar_enabled(), logging.getLogger(_REPORT)
    before = report.level
    said.set_verbosity_error()
    said.disable_progress_bar()
    report.setLevel(logging.WARNING)
    report.addFilter(listen)
    try:
        yield missing
    finally:
        report.removeFilter(listen)
        report.setLevel(before)
        said.set_verbosity(level)
        if bar:
            said.enable_progress_bar()
