"""What operations on models return."""

from typing import Self

from core.base.codec import assemble
from core.base.frozen import frozen
from core.base.messages import Message
from core.model import (
    Device,
    ModelCard,
    Part,
)


@frozen
class RecheckData:
    """The data of a base for reranking word by word; `windows` are its pieces of text."""

    base: str
    keep_tokens: bool
    embedded_windows: int
    windows: int
    windows_with_bits: int
    bytes: int


@frozen
class ModelDetails:
    """A model, as `ModelCard` explains it."""

    name: str
    part: Part
    folder: str | None
    bytes: int
    languages: tuple[str, ...]
    dimension: int | None
    input_tokens: int | None
    downloadable: bool
    usable: bool
    problem: str | Message
    download_bytes: int | None
    server: str | None
    loaded: bool
    memory_bytes: int | None
    device: Device | None

    @classmethod
    def from_card(cls, card: ModelCard) -> Self:
        from core.indexing.models import Models  # takes half a second, which --help avoids

        return assemble(
            cls,
            card,
            folder=str(card.folder) if card.folder else None,
            bytes=card.bytes_on_disk,
            usable=not card.problem,
            problem=card.problem or "",
            download_bytes=card.download_bytes or None,
            server=card.server or None,
            loaded=card.running is not None,
            memory_bytes=card.running.bytes if card.running else None,
            device=Models.device_of(card),
        )


@frozen
class ModelList:
    """The models there are."""

    models: tuple[ModelDetails, ...]
