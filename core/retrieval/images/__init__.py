"""Pictures by what they show: the protocol of a model that sees, and the table of those models."""

from collections.abc import Sequence
from typing import Protocol

from core.base.messages import message
from core.base.registry import Entry, Registry
from core.model import Matrix, Pixels


class ImageEmbedder(Protocol):
    """Turns pictures and texts into vectors of one space. Building one is cheap: only the methods load the model.

    They raise ModelError where it can't be loaded or fails.
    """

    @property
    def fingerprint(self) -> str:
        """Model and revision: equal for models whose vectors are comparable."""

    @property
    def is_here(self) -> bool:
        """Whether it is on this machine, so that a search may use it: only the job of pictures downloads one."""

    def embed_images(self, images: Sequence[Pixels]) -> Matrix:
        """Return float32 vectors of unit length, shape (images, dimension)."""

    def embed_texts(self, texts: Sequence[str]) -> Matrix:
        """Return a vector for each text, which is near those of the pictures that show what it says."""

    def warm(self) -> None:
        """Load the model."""


IMAGE_EMBEDDERS: Registry[ImageEmbedder] = Registry(
    message("model for pictures"),
    {"clip": Entry("core.retrieval.images.clip:Clip")},
    group="tessera.image_embedders",
    protocol=ImageEmbedder,
)


def build(model: str) -> ImageEmbedder:
    """Return the model of a setting: a name of the table, with its argument, or else a model for `clip`.

    Raises the errors of `Registry.make`.
    """
    return IMAGE_EMBEDDERS.build(model if model.partition(":")[0] in IMAGE_EMBEDDERS else f"clip:{model}")
