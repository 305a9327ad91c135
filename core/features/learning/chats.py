"""Parse Markdown and chats, such as ChatGPT and Claude exports, messages with roles, and plain-text transcripts."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from core.base.frozen import ValueMap
from core.features.learning import LogEvents
from core.features.learning.lines import Plain
from core.model import LogEvent

_FENCE = re.compile(r" {0,3}(?P<marks>`{3,}|~{3,}) *(?P<language>[\w+-]{0,30}).*")
_HEADING = re.compile(r" {0,3}#{1,6} +(?P<text>\S.*)")

_SPEAKER = re.compile(
    r"(?i)(?:#{1,4} |\*\*)?(?P<name>User|Human|You|Assistant|AI|ChatGPT|Claude|System|用户|助手|我|系统)"
    r"(?:\*\*)?[:：](?:\*\*)?[ \t]*(?P<text>.*)",
)


class Markdown:
    """Parses Markdown notes, such as notes about an incident or a session."""

    by_lines = True

    def fits(self, name: str, sample: str) -> float:
        if name.lower().endswith((".md", ".markdown")):
            return 0.5
        lines = sample.split("\n")
        marks = sum(bool(_HEADING.fullmatch(line) or _FENCE.fullmatch(line)) for line in lines)
        return 0.3 if marks >= 2 and 20 * marks > len(lines) else 0.0

    def events(self, text: str) -> LogEvents:
        return _marked_up(text)


def _marked_up(text: str, source: str = "", *, chat: bool = False) -> LogEvents:
    """Yield the events in Markdown text.

    `source` names the text's author. If `chat` is True, a line may start with a speaker's name.
    """
    parts = list[str]()
    heading = source
    fence = ""
    for number, whole in enumerate([*text.split("\n"), None], 1):
        speaker = _SPEAKER.match(whole) if chat and whole else None
        line = speaker["text"] if speaker else whole or ""
        match = _FENCE.fullmatch(line)
        begin = number - len(parts)
        closes = not speaker and match and match["marks"].startswith(fence) and not match["language"]
        if fence and not (closes or speaker or whole is None):
            parts.append(line)
            continue
        if fence:
            for event in Plain().events("\n".join(parts)):
                yield replace(
                    event, line=event.line + begin - 1, end=event.end + begin - 1, source=event.source or heading
                )
            parts = []
            fence = ""
            if closes:
                continue
        title = _HEADING.fullmatch(line)
        item = re.match(r" {0,12}(?:[-*+]|\d{1,3}[.)]) +\S", line)
        if parts and (speaker or match or title or item or not line.strip()):
            yield LogEvent(
                text="\n".join(map(str.strip, parts)), line=begin, end=number - 1, source=heading, kind="message"
            )
            parts = []
        if speaker:
            heading = source = speaker["name"].lower()
        if match:
            fence = match["marks"]
        elif title:
            heading = source or title["text"].strip("# ")
        elif line.strip():
            parts.append(line)


def is_export(text: str) -> bool:
    """Return whether the text of a conversation is a JSON export."""
    return text.lstrip().startswith(("[", "{"))


class Chats:
    """Parses conversations. In a JSON export, an event's line number is the number of the event's message."""

    by_lines = False

    def fits(self, name: str, sample: str) -> float:
        if is_export(sample) and re.search(r'"(?:role|sender|author)"\s*:', sample):
            return 0.95
        speakers = {match["name"].lower() for line in sample.split("\n") if (match := _SPEAKER.match(line))}
        return 0.7 if len(speakers) > 1 else 0.0

    def events(self, text: str) -> LogEvents:
        return _json_events(text) if is_export(text) else _marked_up(text, chat=True)


def _json_events(text: str) -> LogEvents:
    try:
        whole = json.loads(text)
    except ValueError:
        whole = [json.loads(line) for line in text.split("\n") if line.strip()]
    for number, (speaker, body, time) in enumerate(_messages(whole), 1):
        for event in _marked_up(body, speaker):
            yield replace(event, line=number, end=number, time=time)


def _messages(whole: object) -> Iterator[tuple[str, str, str]]:
    """Yield the speaker, text and time of each message in each conversation, in order."""
    for item in whole if isinstance(whole, list) else [whole]:
        if not isinstance(item, Mapping):
            continue
        get = item.get
        tree = get("mapping")
        inner = get("chat_messages") or get("messages")
        if isinstance(tree, Mapping):  # a ChatGPT export is a tree of nodes
            nodes = (node.get("message") for node in tree.values() if isinstance(node, Mapping))
            yield from _messages(sorted((node for node in nodes if isinstance(node, Mapping)), key=_time))
        elif isinstance(inner, list):
            yield from _messages(inner)
        elif text := _text(get("text") or get("content") or get("parts")).strip():
            author = get("role") or get("sender") or get("author") or ""
            speaker = author.get("role", "") if isinstance(author, Mapping) else author
            yield str(speaker), text, str(get("created_at") or get("create_time") or "")


def _time(item: ValueMap) -> float:
    at = item.get("create_time")
    return float(at) if isinstance(at, (int, float)) else 0.0


def _text(content: object) -> str:
    """Return the text in a message's content. The content may be a string, an object or a list of parts."""
    if isinstance(content, Mapping):
        return _text(content.get("text") or content.get("parts"))
    if isinstance(content, list):
        return "\n\n".join(filter(None, map(_text, content)))
    return content if isinstance(content, str) else ""
