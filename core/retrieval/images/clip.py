"""CLIP models for sentence-transformers, loaded from the hub or a folder.

They embed pictures and text in the same vector space.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from core.base.errors import ConfigError, ModelError
from core.base.text import make_storable
from core.embedding import hub, sentence
from core.embedding.loading import Turns, choose_device, explain_failure, load
from core.embedding.model_folder import digest, explain_read_error, parts_of, read_json, refuse_own_code, weights
from core.model import Matrix, Pixels

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer

# Maximum number of tokens per string if the model's configuration doesn't specify it.
_TOKENS = 77


class Clip:
    """A CLIP model in the sentence-transformers or transformers folder format."""

    def __init__(self, name: str = "") -> None:
        """Choose a model by its name on the hub or by its folder. Raises ConfigError if `name` is empty."""
        if not name.strip():
            raise ConfigError("'clip' needs a model: clip:clip-ViT-B-32 or clip:/path/to/folder")
        self._named = name
        self._name, self._find = sentence.find(name, "clip")
        self._turns = Turns()
        self._loading = Lock()

    @cached_property
    def fingerprint(self) -> str:
        folder = self._folder
        with explain_read_error(folder):
            return f"clip:{self._name}@{digest(weights(folder, _parts(folder)))}"

    @property
    def is_here(self) -> bool:
        name = sentence.on_hub(self._named)
        return not name or hub.cached(name, "clip") is not None

    def embed_images(self, images: Sequence[Pixels]) -> Matrix:
        from PIL import Image

        return self._embed(list(map(Image.fromarray, images)))

    def embed_texts(self, texts: Sequence[str]) -> Matrix:
        return self._embed(list(map(make_storable, texts)))

    def warm(self) -> None:
        with self._loading:
            _ = self._model

    def _embed(self, things: Sequence[object]) -> Matrix:
        self.warm()
        with self._turns.take(), explain_failure(self._name, len(things)):
            vectors: Matrix = self._model.encode(things, normalize_embeddings=True, show_progress_bar=False)
        return vectors

    @cached_property
    def _folder(self) -> Path:
        """The model's folder. Raises ModelError if it contains no model or files are missing."""
        folder = self._find()
        if not any((folder / file).is_file() for file in ("modules.json", "config.json")):
            raise ModelError(
                (
                    "{folder} contains no model for pictures because it has no modules.json. Choose the model's own "
                    "folder."
                ),
                folder=str(folder),
            )
        with explain_read_error(folder):
            _parts(folder)
        return folder

    @cached_property
    def _model(self) -> "SentenceTransformer":
        # Half precision would save little time, since each picture is embedded only once.
        model = load("SentenceTransformer", self._folder, self._name, replace(choose_device(), dtype="float32"))
        if not {"text", "image"} <= {*model.modalities}:
            raise ModelError(
                "The model '{name}' can't handle both pictures and text. Choose a CLIP model, such as clip-ViT-B-32.",
                name=self._name,
            )
        with explain_read_error(self._folder):
            text = read_json(_parts(self._folder)[0] / "config.json").get("text_config") or {}
        model.max_seq_length = text.get("max_position_embeddings", _TOKENS)  # not every tokenizer sets a limit
        return model


def _parts(folder: Path) -> list[Path]:
    """Return the folders of a model's modules. Raises ModelError if the model requires its own code to run."""
    if (folder / "modules.json").is_file():
        refuse_own_code(folder, read_json(folder / "modules.json"))
    return parts_of(folder)
