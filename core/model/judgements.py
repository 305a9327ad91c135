"""Verdicts of a language model on the answers of a run."""

from dataclasses import dataclass
from typing import Literal

from core.base.messages import Message, message

JudgedBy = Literal["none", "model"]

Agreement = Literal["agrees", "partly", "no"]

AGREED: dict[Agreement, float] = {"agrees": 1.0, "partly": 0.5, "no": 0.0}
"""The value of a verdict in the metric `agreed`."""

_VERDICTS: dict[Agreement | None, Message] = {
    "agrees": message("Agrees with what you wish"),
    "partly": message("Agrees in part"),
    "no": message("Doesn't agree"),
    None: message("No judgement"),
}


@dataclass(frozen=True, slots=True)
class Judgement:
    """The verdict of a language model on an answer, in its own words; without one, the `problem` says why."""

    verdict: Agreement | None = None
    reason: str = ""
    problem: Message | None = None

    @property
    def label(self) -> Message:
        """The verdict as people read it."""
        return _VERDICTS[self.verdict]

    @property
    def why(self) -> str | Message:
        """The reason of the verdict, or why there is none."""
        return self.problem or self.reason
