"""Models as JSON."""

from typing import Any

from core.doors.operations.forms import Form
from core.model import Device, ModelCard


def _device(card: ModelCard) -> Device | None:
    from core.indexing.models import Models  # takes half a second, which --help avoids

    return Models.device_of(card)


CARD = Form(
    "ModelCard",
    ModelCard,
    "name part folder bytes=bytes_on_disk languages dimension input_tokens downloadable",
    usable=(bool, lambda card: not card.problem),
    problem=(str, lambda card: card.problem or ""),
    download_bytes=(int | None, lambda card: card.download_bytes or None),
    server=(str | None, lambda card: card.server or None),
    loaded=(bool, lambda card: card.running is not None),
    memory_bytes=(int | None, lambda card: card.running.bytes if card.running else None),
    device=(Device | None, _device),
)
CARDS: Any = Form("ModelCards", list, models=([CARD], list))
