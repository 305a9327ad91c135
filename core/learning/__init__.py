"""Logs -> events -> facts -> suggested notes: the table of the parsers of logs."""

from core.base.messages import message
from core.base.registry import Entry, Table
from core.learning.protocol import LogParser as LogParser

LOG_PARSERS: Table[LogParser] = Table(
    message("parser of logs"),
    {
        "junit": Entry("core.learning.parsers.junit:JUnit"),
        "chat": Entry("core.learning.parsers.chats:Chats"),
        "jsonlines": Entry("core.learning.parsers.jsonlines:JsonLines"),
        "pytest": Entry("core.learning.parsers.pytests:Pytest"),
        "access": Entry("core.learning.parsers.access:Access"),
        "markdown": Entry("core.learning.parsers.markdowns:Markdown"),
        "plain": Entry("core.learning.parsers.plain:Plain"),
    },
    group="tessera.log_parsers",
    protocol=LogParser,
)
