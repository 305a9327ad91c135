"""Searching for pictures by what they show: the protocol for image embedders, and their registry."""

from collections.abc import Sequence
from typing import Protocol

from core.base.messages import message
from core.base.registry import Entry, Registry
from core.model import Matrix, Pixels


class ImageEmbedder(Protocol):
    """Embeds pictures and text in the same vector space.

    Creating an embedder is cheap, because the model is loaded only when a method needs it. The methods raise ModelError
    if the model can't be loaded or fails.
    """

    @property
    def fingerprint(self) -> str:
        """A string that identifies the model and its revision. Vectors are comparable if the fingerprints are equal."""

    @property
    def is_here(self) -> bool:
        """Whether the model is on this machine. Only the picture job downloads models. Searches never do."""

    def embed_images(self, images: Sequence[Pixels]) -> Matrix:
        """Return float32 vectors of unit length, with shape (images, dimension)."""

    def embed_texts(self, texts: Sequence[str]) -> Matrix:
        """Return a vector for each string. The vector is near those of pictures that show what the string describes."""

    def warm(self) -> None:
        """Load the model ahead of time."""


IMAGE_EMBEDDERS: Registry[ImageEmbedder] = Registry(
    message("model for pictures"),
    {"clip": Entry("core.retrieval.images.clip:Clip")},
    group="tessera.image_embedders",
    protocol=ImageEmbedder,
)


def build(model: str) -> ImageEmbedder:
    """Return the image embedder named in a setting.

    The name is a registry entry with an optional argument. Any other name is the argument of the `clip` entry. Raises
    the same errors as `Registry.make`.
    """
    return IMAGE_EMBEDDERS.build(model if model.partition(":")[0] in IMAGE_EMBEDDERS else f"clip:{model}")
