"""Chats: exports of ChatGPT and Claude, lists of messages with roles, and chats as text."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import islice
from typing import Any

from core.features.learning.parsers.markdowns import marked_up
from core.model import LogEvent

_SPEAKER = re.compile(
    r"(?:#{1,4} |\*\*)?(?P<name>User|Human|You|Assistant|AI|ChatGPT|Claude|System|用户|助手|我|系统)"
    r"(?:\*\*)?[:：](?:\*\*)?[ \t]*(?P<text>.*)",
    re.IGNORECASE,
)
_ROLED = re.compile(r'"(?:role|sender|author)"\s*:')
_CONVERSED = re.compile(r'"(?:mapping|chat_messages|messages)"\s*:')
_MOST_MESSAGES = 100_000


class Chats:
    """Reads conversations; the events of an export have the number of their message in place of a line."""

    by_lines = False

    def fits(self, name: str, sample: str) -> float:
        start = sample.lstrip()[:1]
        if start and start in "[{" and _ROLED.search(sample):
            whole = _CONVERSED.search(sample) or start == "["
            return 0.95 if whole else 0.85
        speakers = {match["name"].lower() for line in sample.split("\n") if (match := _SPEAKER.match(line))}
        return 0.7 if len(speakers) > 1 else 0.0

    def events(self, text: str) -> Iterable[LogEvent]:
        if text.lstrip()[:1] in ("[", "{"):
            return _json_events(text)
        return _text_events(text)


def _text_events(text: str) -> Iterator[LogEvent]:
    parts: list[str] = []
    first, speaker = 1, ""
    for number, line in enumerate(text.split("\n"), 1):
        if match := _SPEAKER.match(line):
            yield from marked_up("\n".join(parts), first, speaker)
            parts, first, speaker = [match["text"]], number, match["name"].lower()
        else:
            parts.append(line)
    yield from marked_up("\n".join(parts), first, speaker)


def _json_events(text: str) -> Iterator[LogEvent]:
    try:
        whole = json.loads(text)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error
    except ValueError:
        whole = [json.loads(line) for line in text.split("\n") if line.strip()]
    for number, (speaker, body, time) in enumerate(islice(_messages(whole), _MOST_MESSAGES), 1):
        for event in marked_up(body, 1, speaker):
            yield replace(event, line=number, end=number, time=time)


def _messages(whole: Any) -> Iterator[tuple[str, str, str]]:
    """Yield who says what and when, of each conversation in its order."""
    for item in whole if isinstance(whole, list) else [whole]:
        if not isinstance(item, Mapping):
            continue
        if isinstance(item.get("mapping"), Mapping):
            yield from _tree_messages(item["mapping"])
        elif isinstance(inner := item.get("chat_messages") or item.get("messages"), list):
            yield from _messages(inner)
        elif "content" in item or "text" in item or "parts" in item:
            author = item.get("role") or item.get("sender") or item.get("author") or ""
            text = _text(item.get("text") or item.get("content") or item.get("parts"))
            yield _name(author), text, str(item.get("created_at") or item.get("create_time") or "")


def _tree_messages(nodes: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Yield the messages of an export of ChatGPT, whose nodes name their parents, by their times."""
    messages = [node.get("message") for node in nodes.values() if isinstance(node, Mapping)]
    messages_ = [message for message in messages if isinstance(message, Mapping)]
    for item in sorted(messages_, key=lambda item: _number(item.get("create_time"))):
        content = item.get("content")
        text = _text(content.get("parts") if isinstance(content, Mapping) else content)
        if text.strip():
            yield _name(item.get("author")), text, str(item.get("create_time") or "")


def _number(value: Any) -> float:
    return float(value) if isinstance(value, (int, float)) else 0.0


def _name(author: Any) -> str:
    return str(author.get("role", "")) if isinstance(author, Mapping) else str(author or "")


def _text(content: Any) -> str:
    """Return the text of a message, whose content is a text or a list of parts."""
    if isinstance(content, str):
        return content
    if isinstance(content, Mapping):
        return _text(content.get("text") or content.get("parts") or "")
    return "\n\n".join(filter(None, map(_text, content))) if isinstance(content, list) else ""
