"""Constants of the built-in model, computed ahead and shipped with Tessera."""

from functools import cache
from pathlib import Path

from core.model import Matrix


@cache
def arrays(file: Path) -> dict[str, Matrix]:
    """Return the arrays in a file by the fingerprints of their models; none without the file."""
    from safetensors.numpy import load_file

    return dict(load_file(file)) if file.is_file() else {}
