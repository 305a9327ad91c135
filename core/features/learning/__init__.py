"""Logs -> events -> facts -> suggested notes: the table of the parsers of logs."""

from core.base.messages import message
from core.base.registry import Entry, Registry
from core.features.learning.protocol import LogParser as LogParser

LOG_PARSERS: Registry[LogParser] = Registry(
    message("parser of logs"),
    {
        "junit": Entry("core.features.learning.parsers.junit:JUnit"),
        "chat": Entry("core.features.learning.parsers.chats:Chats"),
        "jsonlines": Entry("core.features.learning.parsers.jsonlines:JsonLines"),
        "pytest": Entry("core.features.learning.parsers.pytests:Pytest"),
        "access": Entry("core.features.learning.parsers.access:AccessLog"),
        "markdown": Entry("core.features.learning.parsers.markdowns:Markdown"),
        "plain": Entry("core.features.learning.parsers.plain:Plain"),
    },
    group="tessera.log_parsers",
    protocol=LogParser,
)
