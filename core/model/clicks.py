"""Clicks: hits that were opened, copied or cited for a question."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from core.base.messages import Message, message

ClickKind = Literal["open", "copy", "cite"]

CLICKED: Mapping[ClickKind, Message] = {
    "open": message("opened"),
    "copy": message("copied"),
    "cite": message("cited"),
}
"""Actions on a hit."""


@dataclass(frozen=True, slots=True)
class Signal:
    """The weight of a click, where that of a verdict is 1, and the days after which half of it is left."""

    weight: float
    half_life: float


SIGNALS: Mapping[ClickKind, Signal] = {"open": Signal(0.5, 30), "copy": Signal(1.0, 90), "cite": Signal(1.0, 90)}


@dataclass(frozen=True, slots=True)
class Click:
    """A hit that was opened, copied or cited for a question on a bare `day`; without a `chunk_id` the whole note."""

    note_id: str
    question: str
    kind: ClickKind
    day: datetime
    chunk_id: str = ""
