"""Suggest notes from logs. Logs are parsed into events, events become facts, and facts become notes.

This module contains the protocol and the registry for log parsers.
"""

from collections.abc import Iterable
from typing import Protocol

from core.base.messages import message
from core.base.registry import Entry, Registry
from core.model import LogEvent

LogEvents = Iterable[LogEvent]


class LogParser(Protocol):
    """Splits a log's text into events.

    The text is already decoded, and its lines end in \\n. Secrets are masked after parsing.
    """

    @property
    def by_lines(self) -> bool:
        """Whether the parser reads line by line. If so, long lines are truncated before parsing."""

    def fits(self, name: str, sample: str) -> float:
        """Return how well the parser fits a log, from 0 to 1. `sample` contains the first characters of the log."""

    def events(self, text: str) -> LogEvents:
        """Yield a log's events in order. Raises ValueError if the text is in another format."""


LOG_PARSERS: Registry[LogParser] = Registry(
    message("log parser"),
    {
        "junit": Entry("core.features.learning.reports:JUnit"),
        "chat": Entry("core.features.learning.chats:Chats"),
        "jsonlines": Entry("core.features.learning.lines:JsonLines"),
        "pytest": Entry("core.features.learning.reports:Pytest"),
        "access": Entry("core.features.learning.lines:AccessLog"),
        "markdown": Entry("core.features.learning.chats:Markdown"),
        "plain": Entry("core.features.learning.lines:Plain"),
    },
    group="tessera.log_parsers",
    protocol=LogParser,
)
