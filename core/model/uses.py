"""Uses of notes: where each was found, read, cited or clicked, for which question, and whether it helped."""

from collections.abc import Mapping
from datetime import datetime
from typing import Literal

from core.base.frozen import frozen
from core.base.messages import Message, message_table

Verdict = Literal["helpful", "not_helpful", "harmful"]
Helpful = Literal[1, 0, -1]
VERDICTS: Mapping[Verdict, Helpful] = {"helpful": 1, "not_helpful": 0, "harmful": -1}
"""The user's verdicts, with the value of each in a use."""

HELPFUL: Mapping[Helpful | None, Message] = message_table(
    {
        1: "helpful",
        0: "not helpful",
        -1: "misleading",
    }
)
"""The verdicts by their values."""
USED_IN = message_table(
    {
        "found": "Among the hits of a search",
        "search": "Opened from the hits",
        "context": "In a context for a prompt",
        "answer": "In an answer",
        "read": "Read by a program",
    }
)
"""Places where Tessera itself uses notes; programs name others."""
BY_USE = message_table(
    {
        "unfound": "Never found",
        "unhelpful": "Found, never helpful",
        "misleading": "Misleading",
    }
)
"""Filters of notes by their use."""
OF_QUESTIONS = ("search", "context", "answer")
"""Places whose context is a question."""
LONGEST_CONTEXT = 10_000
"""Most characters of a context, and of a place."""
_CALM = 3
"""Neutral verdicts that every note starts with, so that a single verdict counts little."""

ClickKind = Literal["open", "copy", "cite"]

CLICKED: Mapping[ClickKind, Message] = message_table(
    {
        "open": "opened",
        "copy": "copied",
        "cite": "cited",
    }
)
"""Actions on a hit."""


def favour(total: float, count: float) -> float:
    """Return the score of a note from `count` verdicts or clicks, worth `total` together: above -1 and below 1."""
    return total / (count + _CALM)


@frozen
class Use:
    """A use of a note, or of one of its chunks, in a place and a context, such as the question that was answered.

    The same use again raises `times`; `used_at` is the last one. `helpful` is 1, 0 or -1 (misleading), None without a
    verdict.
    """

    note_id: str
    used_in: str
    context: str
    used_at: datetime
    helpful: Helpful | None = None
    times: int = 1
    chunk_id: str = ""

    @property
    def verdict(self) -> Verdict | None:
        return next((name for name, value in VERDICTS.items() if value == self.helpful), None)


@frozen
class Feedback:
    """A verdict in archives before version 20 of the schema."""

    query: str
    note_id: str
    chunk_id: str
    verdict: Verdict
    at: datetime

    def use(self) -> Use:
        return Use(self.note_id, "search", self.query, self.at, VERDICTS[self.verdict], 0, self.chunk_id)


@frozen
class UseFigures:
    """How often a note was `found` and `used`, when it was used last, and the verdicts on it."""

    found: int = 0
    used: int = 0
    last: datetime | None = None
    helpful: int = 0
    not_helpful: int = 0
    misleading: int = 0


@frozen
class Signal:
    """The weight of a click, where that of a verdict is 1, and the days after which half of it is left."""

    weight: float
    half_life: float


SIGNALS: Mapping[ClickKind, Signal] = {"open": Signal(0.5, 30), "copy": Signal(1.0, 90), "cite": Signal(1.0, 90)}


@frozen
class Click:
    """A hit that was opened, copied or cited for a question on a bare `day`; without a `chunk_id` the whole note."""

    note_id: str
    question: str
    kind: ClickKind
    day: datetime
    chunk_id: str = ""
