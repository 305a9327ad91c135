"""The protocol of a parser of logs."""

from collections.abc import Iterable
from typing import Protocol

from core.model import LogEvent


class LogParser(Protocol):
    """Parts the text of a log into events.

    The text is decoded and its lines end in \\n; a line may hold anything else. What it returns is masked afterwards: a
    parser masks nothing itself.
    """

    @property
    def by_lines(self) -> bool:
        """Whether it reads line by line: then long lines are cut before, else the text comes whole."""

    def fits(self, name: str, sample: str) -> float:
        """Return how well a log suits, 0 to 1, by its file's name and its first characters; 0 is not at all."""

    def events(self, text: str) -> Iterable[LogEvent]:
        """Yield the events in order. Raises ValueError for a text that isn't of its format."""
