"""Chats and Markdown: exports of ChatGPT and Claude, messages with roles, chats as text, paragraphs and lists."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import islice

from core.features.learning.parsers.plain import Plain
from core.model import LogEvent

_FENCE = re.compile(r" {0,3}(?P<marks>`{3,}|~{3,}) *(?P<language>[\w+-]{0,30}).*")
_HEADING = re.compile(r" {0,3}#{1,6} +(?P<text>\S.*)")
_ITEM = re.compile(r" {0,12}(?:[-*+]|\d{1,3}[.)]) +\S")

_SPEAKER = re.compile(
    r"(?i)(?:#{1,4} |\*\*)?(?P<name>User|Human|You|Assistant|AI|ChatGPT|Claude|System|用户|助手|我|系统)"
    r"(?:\*\*)?[:：](?:\*\*)?[ \t]*(?P<text>.*)",
)
_ROLED = re.compile(r'"(?:role|sender|author)"\s*:')
_CONVERSED = re.compile(r'"(?:mapping|chat_messages|messages)"\s*:')
_MOST_MESSAGES = 100_000


class Markdown:
    """Reads notes in Markdown, such as notes about an incident or a session."""

    by_lines = True

    def fits(self, name: str, sample: str) -> float:
        if name.lower().endswith((".md", ".markdown")):
            return 0.5
        lines = sample.split("\n")
        marks = sum(bool(_HEADING.fullmatch(line) or _FENCE.fullmatch(line)) for line in lines)
        return 0.3 if marks >= 2 and 20 * marks > len(lines) else 0.0

    def events(self, text: str) -> Iterable[LogEvent]:
        return marked_up(text)


def marked_up(text: str, first: int = 1, source: str = "") -> Iterator[LogEvent]:
    """Yield the events of a Markdown text; `first` is the number of its first line, `source` its author."""
    parts: list[str] = []
    begin, heading, fence = first, source, ""
    for number, line in enumerate(text.split("\n"), first):
        match = _FENCE.fullmatch(line)
        if fence:
            if match and match["marks"].startswith(fence) and not match["language"]:
                yield from _code(parts, begin, heading)
                parts, fence = [], ""
            else:
                parts.append(line)
            continue
        if match or not line.strip() or _ITEM.match(line) or _HEADING.fullmatch(line):
            yield from _paragraph(parts, begin, heading)
            parts = []
        if match:
            fence, begin = match["marks"], number + 1
        elif title := _HEADING.fullmatch(line):
            heading = source or title["text"].strip("# ")
        elif line.strip():
            begin = begin if parts else number
            parts.append(line)
    yield from _code(parts, begin, heading) if fence else _paragraph(parts, begin, heading)


def _paragraph(parts: list[str], first: int, source: str) -> Iterator[LogEvent]:
    if parts:
        yield LogEvent(
            text="\n".join(part.strip() for part in parts),
            line=first,
            end=first + len(parts) - 1,
            source=source,
            kind="message",
        )


def _code(parts: list[str], first: int, source: str) -> Iterator[LogEvent]:
    for event in Plain().events("\n".join(parts)):
        yield replace(event, line=event.line + first - 1, end=event.end + first - 1, source=event.source or source)


class Chats:
    """Reads conversations; in a JSON export, the line of an event is the number of its message."""

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


def _messages(whole: object) -> Iterator[tuple[str, str, str]]:
    """Yield speaker, text and time of the messages of each conversation, in order."""
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


def _tree_messages(nodes: Mapping[str, object]) -> Iterator[tuple[str, str, str]]:
    """Yield the messages of a ChatGPT export, which is a tree of nodes, sorted by time."""
    messages = [node.get("message") for node in nodes.values() if isinstance(node, Mapping)]
    messages_ = [message for message in messages if isinstance(message, Mapping)]
    for item in sorted(messages_, key=lambda item: _number(item.get("create_time"))):
        content = item.get("content")
        text = _text(content.get("parts") if isinstance(content, Mapping) else content)
        if text.strip():
            yield _name(item.get("author")), text, str(item.get("create_time") or "")


def _number(value: object) -> float:
    return float(value) if isinstance(value, (int, float)) else 0.0


def _name(author: object) -> str:
    return str(author.get("role", "")) if isinstance(author, Mapping) else str(author or "")


def _text(content: object) -> str:
    """Return the text of a message's content, which is a text, an object, or a list of parts."""
    if isinstance(content, str):
        return content
    if isinstance(content, Mapping):
        return _text(content.get("text") or content.get("parts") or "")
    return "\n\n".join(filter(None, map(_text, content))) if isinstance(content, list) else ""
