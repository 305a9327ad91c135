"""Uses of notes: where a note was found, read, cited or clicked, for what question, and with what verdict."""

from collections.abc import Mapping
from datetime import datetime
from typing import Literal

from core.base.frozen import frozen
from core.base.messages import Message, message_table

Verdict = Literal["helpful", "not_helpful", "harmful"]
Helpful = Literal[1, 0, -1]
# Numeric values of the user's verdicts on a use of a note.
VERDICTS: Mapping[Verdict, Helpful] = {"helpful": 1, "not_helpful": 0, "harmful": -1}

# Display names of the verdicts, keyed by numeric value.
HELPFUL: Mapping[Helpful | None, Message] = message_table(
    {
        1: "helpful",
        0: "not helpful",
        -1: "misleading",
    }
)
# Display names of the places where Tessera itself uses notes. Programs can name any other use.
USED_IN = message_table(
    {
        "found": "In search results",
        "search": "Opened from the hits",
        "context": "In a prompt's context",
        "answer": "In an answer",
        "read": "Read by a program",
    }
)
BY_USE = message_table(
    {
        "unfound": "Never found",
        "unhelpful": "Found but never helpful",
        "misleading": "Misleading",
    }
)
# Values of `used_in` for which the context is a question.
OF_QUESTIONS = ("search", "context", "answer")
# Maximum number of characters in `context` and in `used_in`.
LONGEST_CONTEXT = 10_000
# Number of neutral verdicts added to each note's verdicts, so that a single verdict carries little weight.
_CALM = 3

ClickKind = Literal["open", "copy", "cite"]

CLICKED: Mapping[ClickKind, Message] = message_table(
    {
        "open": "opened",
        "copy": "copied",
        "cite": "cited",
    }
)


def favour(total: float, count: float) -> float:
    """Return a note's score, between -1 and 1, given `count` verdicts or clicks that add up to `total`."""
    return total / (count + _CALM)


@frozen
class Use:
    """A use of a note or chunk. `used_in` says where it was used, and `context` gives the context, such as a question.

    Repeating the same use increments `times`. `used_at` is the time of the last use. `helpful` is 1, 0 or -1
    (misleading), or None if there is no verdict.
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
    """A verdict as stored in archives before schema version 20."""

    query: str
    note_id: str
    chunk_id: str
    verdict: Verdict
    at: datetime

    def use(self) -> Use:
        return Use(self.note_id, "search", self.query, self.at, VERDICTS[self.verdict], 0, self.chunk_id)


@frozen
class UseFigures:
    """Statistics on how often a note was found and used, when it was last used, and the verdicts on it."""

    found: int = 0
    used: int = 0
    last: datetime | None = None
    helpful: int = 0
    not_helpful: int = 0
    misleading: int = 0


@frozen
class Signal:
    """A click's weight, relative to 1 for a verdict, and its half-life in days."""

    weight: float
    half_life: float


SIGNALS: Mapping[ClickKind, Signal] = {"open": Signal(0.5, 30), "copy": Signal(1.0, 90), "cite": Signal(1.0, 90)}


@frozen
class Click:
    """A hit that was opened, copied or cited for a question.

    `day` is the user's date, represented as midnight UTC. `chunk_id` is "" for a whole note.
    """

    note_id: str
    question: str
    kind: ClickKind
    day: datetime
    chunk_id: str = ""
