"""Logs -> events -> facts -> suggested notes: the protocol and the table of the parsers of logs."""

from collections.abc import Iterable
from typing import Protocol

from core.base.messages import message
from core.base.registry import Entry, Registry
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


LOG_PARSERS: Registry[LogParser] = Registry(
    message("parser of logs"),
    {
        "junit": Entry("core.features.learning.parsers.reports:JUnit"),
        "chat": Entry("core.features.learning.parsers.chats:Chats"),
        "jsonlines": Entry("core.features.learning.parsers.jsonlines:JsonLines"),
        "pytest": Entry("core.features.learning.parsers.reports:Pytest"),
        "access": Entry("core.features.learning.parsers.plain:AccessLog"),
        "markdown": Entry("core.features.learning.parsers.chats:Markdown"),
        "plain": Entry("core.features.learning.parsers.plain:Plain"),
    },
    group="tessera.log_parsers",
    protocol=LogParser,
)
