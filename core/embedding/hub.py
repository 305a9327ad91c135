"""A model's name on the hub -> its folder in the hub's own cache, downloaded where it isn't there."""

import json
from errno import EACCES, ENOSPC, EPERM, EROFS
from io import StringIO
from pathlib import Path
from typing import Any, Literal

from core.embedding.e5 import models_dir
from core.errors import Cancelled, ModelError
from core.model import Progress, unheard

Kind = Literal["sentence", "cross-encoder"]

FILES = ["*.json", "*.txt", "*.model", "*.safetensors", "README.md"]
PICKLED = ["pytorch_model*.bin", "*/pytorch_model*.bin"]
OTHER_ENGINES = ["onnx/*", "openvino/*", "*.onnx"]

WEIGHTS = ("*.safetensors", "pytorch_model*.bin")
WANTED: dict[Kind, tuple[tuple[str, ...], ...]] = {
    "sentence": (("modules.json",), ("tokenizer.json",), WEIGHTS),
    "cross-encoder": (("config.json",), ("tokenizer.json", "vocab.txt", "*.model"), WEIGHTS),
}
"""What a whole model has: of each row one."""

UNWRITABLE = (ENOSPC, EACCES, EPERM, EROFS)


def cached(name: str, kind: Kind = "sentence") -> Path | None:
    """Return the model's folder where it is on this machine whole; raises ModelError for what can't be a name."""
    return next((folder for folder in _folders(name, kind) if _lacking(folder, kind) is None), None)


def begun(name: str, kind: Kind = "sentence") -> bool:
    """Whether a part of the model is on this machine; raises as `cached` does."""
    return bool(_folders(name, kind))


def _folders(name: str, kind: Kind) -> list[Path]:
    from huggingface_hub import try_to_load_from_cache
    from huggingface_hub.errors import HFValidationError
    from huggingface_hub.utils import validate_repo_id  # type: ignore[attr-defined]

    try:
        validate_repo_id(name)
    except HFValidationError as error:
        raise ModelError(f"'{name}' is neither a folder nor a model's name such as BAAI/bge-m3.") from error
    mark = WANTED[kind][0][0]
    folders = [by_hand(name)] if (by_hand(name) / mark).is_file() else []
    # Not snapshot_download: it misses the files that were not asked for, such as other engines' weights.
    if isinstance(found := try_to_load_from_cache(name, mark), str):
        folders.append(Path(found).parent)
    return folders


def by_hand(name: str) -> Path:
    """Where a person may put the files of `owner/model`, who can't download them here."""
    return models_dir() / name


def names() -> list[str]:
    """Return the names of the models that are on this machine, whole or not."""
    from huggingface_hub import constants

    found = [
        folder.name.split("--", 1)[1].replace("--", "/") for folder in Path(constants.HF_HUB_CACHE).glob("models--*")
    ]
    # Where a folder above has one too, that is the model, and this a part of it.
    found += [
        config.parent.relative_to(models_dir()).as_posix()
        for config in models_dir().glob("*/*/config.json")
        if not (config.parents[1] / "config.json").is_file()
    ]
    return sorted(set(found))


def snapshot(name: str, kind: Kind = "sentence", progress: Progress = unheard) -> Path:
    """Return the folder of `owner/model`; what is in the cache is used without asking the hub.

    `progress` counts bytes. Raises ModelError where the name is unknown, the hub can't be reached or
    may not be asked, and Cancelled as `progress` does: what is there by then stays for the next time.
    """
    from huggingface_hub import constants, snapshot_download
    from huggingface_hub.errors import GatedRepoError, RepositoryNotFoundError

    if (there := cached(name, kind)) is not None:
        return there
    if constants.is_offline_mode():
        raise ModelError(
            f"The model '{name}' isn't on this machine, and the environment variable HF_HUB_OFFLINE (or "
            f"TRANSFORMERS_OFFLINE) is set, so nothing is downloaded. Unset it, or put the model's files into "
            f"{by_hand(name)}"
        )
    bar = _bar(name, progress)
    try:
        folder = Path(snapshot_download(name, allow_patterns=FILES, ignore_patterns=OTHER_ENGINES, tqdm_class=bar))
        if not any(folder.rglob("*.safetensors")):
            folder = Path(
                snapshot_download(
                    name, allow_patterns=[*FILES, *PICKLED], ignore_patterns=OTHER_ENGINES, tqdm_class=bar
                )
            )
    except GatedRepoError as error:
        raise ModelError(
            f"The model '{name}' asks for an agreement: accept it on the hub, then log in with 'hf auth login'."
        ) from error
    except RepositoryNotFoundError as error:
        raise ModelError(f"The hub has no model '{name}'. Check the name, or use {kind}:/path/to/folder.") from error
    except Cancelled:
        raise
    except Exception as error:  # the hub's client lets every error of the network through
        if isinstance(error, OSError) and error.errno in UNWRITABLE:
            raise ModelError(
                f"The model '{name}' can't be written to {constants.HF_HUB_CACHE} ({error.strerror}). Make room, or "
                "name another folder in the environment variable HF_HOME."
            ) from error
        raise ModelError(
            f"The model '{name}' isn't on this machine and the hub at {constants.ENDPOINT} can't be reached. Name a "
            f"mirror in the environment variable HF_ENDPOINT, or put the model's files into {by_hand(name)}"
        ) from error
    # Where the hub can't be reached, its client gives the part that is in the cache.
    lacking = _lacking(folder, kind)
    if lacking:
        raise ModelError(
            f"The model '{name}' lacks {lacking}: its download was interrupted and the hub can't be reached, "
            f"or it is no model for '{kind}'. Choose another model, or use {kind}:/path/to/folder."
        )
    return folder


def _bar(name: str, progress: Progress) -> type:
    """A class for the client's progress bars that draws nothing and tells `progress` of the bytes."""
    from tqdm import tqdm

    class Bar(tqdm):  # type: ignore[misc]
        def __init__(self, *args: Any, **options: Any) -> None:
            self.counts_bytes = options.get("unit") == "B"
            super().__init__(*args, **options | {"file": StringIO()})

        def update(self, n: float | None = 1) -> None:
            super().update(n)
            if self.counts_bytes and self.total:
                progress(self.n, self.total, name)

    return Bar


def _lacking(folder: Path, kind: Kind) -> str | None:
    """Name a file that a whole model has and this one doesn't: an interrupted download leaves a part of it."""
    for patterns in WANTED[kind]:
        if not any(any(folder.rglob(pattern)) for pattern in patterns):
            return patterns[0]
    # Large weights are in several files, which an index names.
    for index in folder.rglob("*.safetensors.index.json"):
        try:
            named = set(json.loads(index.read_text(encoding="utf-8"))["weight_map"].values())
        except (OSError, ValueError, KeyError, AttributeError):
            return f"a sound {index.name}"
        for file in sorted(named):
            if not (index.parent / file).is_file():
                return str(file)
    return None
