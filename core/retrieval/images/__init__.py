"""Searching pictures by content: the protocol of image embedders, and their table."""

from collections.abc import Sequence
from typing import Protocol

from core.base.messages import message
from core.base.registry import Entry, Registry
from core.model import Matrix, Pixels


class ImageEmbedder(Protocol):
    """Embeds pictures and texts into one vector space. Building one is cheap: only the methods load the model.

    They raise ModelError if the model can't be loaded or fails.
    """

    @property
    def fingerprint(self) -> str:
        """The model and its revision; models with equal fingerprints have comparable vectors."""

    @property
    def is_here(self) -> bool:
        """Whether the model is on this machine. Searches never download a model; only the job for pictures does."""

    def embed_images(self, images: Sequence[Pixels]) -> Matrix:
        """Return float32 vectors of unit length, shape (images, dimension)."""

    def embed_texts(self, texts: Sequence[str]) -> Matrix:
        """Return a vector for each text, near the vectors of pictures that show it."""

    def warm(self) -> None:
        """Load the model."""


IMAGE_EMBEDDERS: Registry[ImageEmbedder] = Registry(
    message("model for pictures"),
    {"clip": Entry("core.retrieval.images.clip:Clip")},
    group="tessera.image_embedders",
    protocol=ImageEmbedder,
)


def build(model: str) -> ImageEmbedder:
    """Return the model named in a setting: an entry of the table with its argument, else a model for `clip`.

    Raises the errors of `Registry.make`.
    """
    return IMAGE_EMBEDDERS.build(model if model.partition(":")[0] in IMAGE_EMBEDDERS else f"clip:{model}")
