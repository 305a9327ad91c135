"""Markdown: paragraphs and list items are messages, and code blocks are read as logs are."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from core.features.learning.parsers.plain import Plain
from core.model import LogEvent

_FENCE = re.compile(r" {0,3}(?P<marks>`{3,}|~{3,}) *(?P<language>[\w+-]{0,30}).*")
_HEADING = re.compile(r" {0,3}#{1,6} +(?P<text>\S.*)")
_ITEM = re.compile(r" {0,12}(?:[-*+]|\d{1,3}[.)]) +\S")
_SHELLS = ("sh", "bash", "shell", "console", "zsh", "")


class Markdown:
    """Reads notes, such as those of an incident or a session."""

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
    """Yield the events of a text in Markdown whose first line has a number; `source` is who wrote it."""
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
        text = "\n".join(part.strip() for part in parts)
        yield LogEvent(text=text, line=first, end=first + len(parts) - 1, source=source, kind="message")


def _code(parts: list[str], first: int, source: str) -> Iterator[LogEvent]:
    for event in Plain().events("\n".join(parts)):
        named = event.source or source
        yield replace(event, line=event.line + first - 1, end=event.end + first - 1, source=named)
