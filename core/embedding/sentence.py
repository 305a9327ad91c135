"""Any sentence-transformers model, by its name on the hub or by a folder."""

import re
from collections.abc import Sequence
from pathlib import Path

from core.embedding import hub
from core.embedding.device import Device
from core.embedding.encoder import Encoder
from core.errors import ConfigError
from core.model import Matrix, Role, Spans

DEFAULT_OWNER = "sentence-transformers"


class Sentence:
    """The model `name`: `BAAI/bge-m3`, `all-MiniLM-L6-v2`, or a folder's path.

    Raises ConfigError for an empty name, and ModelError at once for a path without a model.
    """

    def __init__(self, name: str = "", *, device: Device | None = None) -> None:
        if not name.strip():
            raise ConfigError("The embedder 'sentence' needs a model: sentence:BAAI/bge-m3 or sentence:/path/to/folder")
        folder = Path(name).expanduser()
        if folder.is_dir() or _is_path(name):
            self._encoder = Encoder(folder.name, lambda: folder, device=device)
            _ = self._encoder.facts
        else:
            full = name if "/" in name else f"{DEFAULT_OWNER}/{name}"
            self._encoder = Encoder(full, lambda: hub.snapshot(full), device=device)

    @property
    def fingerprint(self) -> str:
        return self._encoder.fingerprint

    @property
    def dimension(self) -> int:
        return self._encoder.facts.dimension

    @property
    def input_tokens(self) -> int:
        return self._encoder.input_tokens

    def tokens(self, text: str) -> Spans:
        return self._encoder.tokens(text)

    def embed(self, texts: Sequence[str], *, role: Role) -> Matrix:
        return self._encoder.embed(texts, role)

    def warm(self) -> None:
        self._encoder.warm()


def _is_path(name: str) -> bool:
    return name.startswith(("/", ".", "~")) or "\\" in name or name.count("/") > 1 or bool(re.match("[A-Za-z]:", name))
