"""A model's name on the hub -> its folder in the hub's own cache, downloaded where it isn't there."""

from pathlib import Path

from core.errors import ModelError

FILES = ["*.json", "*.txt", "*.model", "*.safetensors"]
PICKLED = ["pytorch_model*.bin", "*/pytorch_model*.bin"]
OTHER_ENGINES = ["onnx/*", "openvino/*", "*.onnx"]


def snapshot(name: str) -> Path:
    """Return the folder of `owner/model`; what is in the cache is used without asking the hub.

    Raises ModelError where the name is unknown or the hub can't be reached.
    """
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import (
        GatedRepoError,
        HFValidationError,
        LocalEntryNotFoundError,
        RepositoryNotFoundError,
    )

    try:
        folder = Path(snapshot_download(name, local_files_only=True))
        if _complete(folder):
            return folder
    except LocalEntryNotFoundError:
        pass  # not in the cache yet
    except HFValidationError as error:
        raise ModelError(f"'{name}' is neither a folder nor a model's name such as BAAI/bge-m3.") from error
    try:
        folder = Path(snapshot_download(name, allow_patterns=FILES, ignore_patterns=OTHER_ENGINES))
        if not any(folder.rglob("*.safetensors")):
            folder = Path(snapshot_download(name, allow_patterns=[*FILES, *PICKLED], ignore_patterns=OTHER_ENGINES))
    except GatedRepoError as error:
        raise ModelError(
            f"The model '{name}' asks for an agreement: accept it on the hub, then log in with 'hf auth login'."
        ) from error
    except RepositoryNotFoundError as error:
        raise ModelError(f"The hub has no model '{name}'. Check the name, or use sentence:/path/to/folder.") from error
    except Exception as error:  # the hub's client lets every error of the network through
        raise ModelError(
            f"The model '{name}' isn't on this machine and the hub can't be reached. Name a mirror in the "
            "environment variable HF_ENDPOINT, or copy the model's folder here and use sentence:/path/to/folder."
        ) from error
    return folder


def _complete(folder: Path) -> bool:
    """Whether the cache holds the whole model: an interrupted download leaves a part of it."""
    wanted = ("modules.json",), ("tokenizer.json",), ("*.safetensors", "pytorch_model*.bin")
    return all(any(any(folder.rglob(pattern)) for pattern in patterns) for patterns in wanted)
