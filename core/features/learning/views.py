"""What the operations on logs return in addition to the nouns."""

from dataclasses import dataclass

from core.model import RuleCard


@dataclass(frozen=True, slots=True)
class RuleList:
    """The rules that read facts from logs."""

    rules: tuple[RuleCard, ...]
