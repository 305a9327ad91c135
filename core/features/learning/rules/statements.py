"""What people state in chats and notes: causes, fixes, decisions."""

import re
from collections.abc import Iterator
from dataclasses import replace

from core.base.messages import Message, message
from core.features.learning.rules.common import abbreviate, fact, normalise_exact
from core.model import Fact, LogText

_SENTENCE = re.compile(r"(?:[^.!?。！？\n]|\.(?=\S)){1,600}[.!?。！？]?")
_STATEMENTS: tuple[tuple[str, re.Pattern[str], Message], ...] = (
    (
        "cause",
        re.compile(
            r"(?i)\b(?:root cause|the cause|the reason|the culprit)(?: was| is|:)|\bturned out (?:that|to"
            r" be)\b|(?:根本)?原因(?:是|为|[：:])|根因"
        ),
        message("Cause: {sentence}"),
    ),
    (
        "fix",
        re.compile(
            r"(?i)^\W{0,3}(?:fix|fixed|solution|workaround|resolution)(?: was| is|:)|\b(?:fixed|solved"
            r"|resolved) (?:it |this |that )?by\b"
            r"|解决(?:办法|方法|方案)(?:是|为|[：:])|(?:修复|解决)(?:了)?[：:]"
        ),
        message("Fix: {sentence}"),
    ),
    (
        "decision",
        re.compile(
            r"(?i)\b(?:we|the team) (?:have |has )?(?:decided|agreed|chose|settled)\b|^\W{0,3}decision:|"
            r"(?:我们|大家|团队)?(?:决定|商定|约定)(?:把|将|用|采用|不|改|在|：|:)"
        ),
        message("Decision: {sentence}"),
    ),
)
_UNSURE = re.compile(
    r"(?i)\b(?:may|might|maybe|perhaps|possibly|probably|usually|often|common|could|if|whether|why|what)\b|常见|可能|也许|一般|通常|是否|如果|怎么"
)
_SHORTEST, _SHORTEST_CHINESE = 25, 8
_LABEL = re.compile(r"(?i)^\W{0,3}(?:root cause|cause|fix|solution|decision|解决(?:办法|方法|方案)|原因)[：:]\s*")


def statements(log: LogText) -> Iterator[Fact]:
    """Yield the sentences of chats and notes that state a cause, a fix or a decision; questions and guesses aren't."""
    for event in log.events:
        if event.kind != "message":
            continue
        for match in _SENTENCE.finditer(event.text):
            sentence = match[0].strip()
            for name, pattern, label in _STATEMENTS:
                if pattern.search(sentence) and _is_stated(sentence):
                    statement = _LABEL.sub("", sentence)
                    title = message("{statement}", statement=_with(label, abbreviate(statement)))
                    text = _with(label, abbreviate(statement, 600))
                    kind = ("module_context", "")
                    yield fact(f"stated_{name}", [normalise_exact(statement)], title, text, [event], kind)
                    break


def _with(label: Message, sentence: str) -> Message:
    return replace(label, fields={"sentence": sentence})


def _is_stated(sentence: str) -> bool:
    least = _SHORTEST if sentence.isascii() else _SHORTEST_CHINESE
    return len(sentence) >= least and sentence[-1] not in "?？" and not _UNSURE.search(sentence)
