"""Chats, as exports of Slack and of Telegram have them: a note for each, a section for each day."""

import html
import re
from collections.abc import Collection, Iterable, Iterator
from datetime import UTC, datetime
from functools import cached_property
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

from core.intake.importers import (
    Imported,
    ImportedNotes,
    add_front_matter,
    file_name,
    files,
    objects,
    read_json,
    text_of,
    unique,
)

_DAY = re.compile(r"(.+)/\d{4}-\d\d-\d\d\.json")


class _Said(NamedTuple):
    """A message: its day and time, as they are written, who wrote it, and what."""

    day: str
    time: str
    name: str
    text: str


def _chat(title: str, said: Iterable[_Said], path: str) -> Imported:
    """Return a chat as Markdown."""
    days = groupby((item for item in said if item.text.strip()), key=lambda item: item.day)
    sections = (
        "\n\n".join([f"## {day}", *(f"**{item.name}** {item.time}  \n{item.text.strip()}" for item in items)])
        for day, items in days
    )
    return Imported(path, add_front_matter({"title": title}, "\n\n".join(sections) + "\n"))


class Slack:
    """Reads the channels of an export."""

    name = "Slack"
    keeps_files = False

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @property
    def knows(self) -> bool:
        """Whether there are users, and days of a channel next to them."""
        return self._users is not None and any(map(_DAY.fullmatch, files(self._folder)))

    @cached_property
    def _users(self) -> str | None:
        """The path of the list of users, None for no export."""
        return next((path for path in files(self._folder) if re.fullmatch(r"(?:[^/]+/)?users\.json", path)), None)

    def notes(self, paths: Collection[str] = ()) -> ImportedNotes:
        """Yield the channels."""
        users = objects(read_json(self._folder, self._users or ""))
        names = {text_of(user, "id"): _name_of(user) for user in users}
        taken: set[str] = set()
        days = filter(None, map(_DAY.fullmatch, files(self._folder)))
        for channel, of_channel in groupby(days, key=lambda day: day[1]):
            title = channel.rpartition("/")[2]
            said = (self._said(item, names) for day in of_channel for item in objects(read_json(self._folder, day[0])))
            yield _chat(title, said, unique(f"{file_name(title)}.md", taken))

    def _said(self, item: dict[str, Any], names: dict[str, str]) -> _Said:
        def named(match: re.Match[str]) -> str:
            kind, target, words = match.groups()
            if kind:
                return f"@{names.get(target, words or target)}" if kind == "@" else words or target
            return f"[{words}]({target})" if words else f"<{target}>"

        text = html.unescape(re.sub(r"<([@#!])?([^<>|\s]+)(?:\|([^<>]*))?>", named, text_of(item, "text")))
        attached = [text_of(file, "name") for file in objects(item, "files")]
        try:
            day, _, time = (
                datetime.fromtimestamp(float(text_of(item, "ts")), UTC).isoformat(" ", "minutes").partition(" ")
            )
        except (ValueError, OverflowError, OSError):
            day = time = ""
        name = names.get(text_of(item, "user")) or text_of(item, "username") or text_of(item, "user")
        return _Said(day, time[:5], name, "  \n".join([text, *filter(None, attached)]))


def _name_of(user: dict[str, Any]) -> str:
    return text_of(user.get("profile"), "real_name") or text_of(user, "real_name") or text_of(user, "name")


class Telegram:
    """Reads the chats of an export in JSON."""

    name = "Telegram"
    keeps_files = False

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @cached_property
    def _chats(self) -> list[dict[str, Any]]:
        places = (path for path in files(self._folder) if re.fullmatch(r"(?:[^/]+/)?result\.json", path))
        export = read_json(self._folder, next(places, ""))
        chats = export.get("chats") if isinstance(export, dict) else None
        return [chat for chat in objects(chats, "list") or [export] if objects(chat, "messages")]

    @property
    def knows(self) -> bool:
        """Whether there is a file with chats."""
        return bool(self._chats)

    def notes(self, paths: Collection[str] = ()) -> ImportedNotes:
        """Yield the chats."""
        taken: set[str] = set()
        for chat in self._chats:
            title = text_of(chat, "name") or "Telegram"
            said = map(_telegram, objects(chat, "messages"))
            yield _chat(title, said, unique(f"{file_name(title)}.md", taken))


def _telegram(item: dict[str, Any]) -> _Said:
    day, _, time = text_of(item, "date").partition("T")
    return _Said(day, time[:5], text_of(item, "from"), "".join(_parts(item.get("text"))))


def _parts(text: Any) -> Iterator[str]:
    """Yield the parts of a text, an address after the words that lead to it."""
    for part in text if isinstance(text, list) else [text]:
        words, address = text_of(part, "text"), text_of(part, "href")
        yield f"[{words}]({address})" if address else part if isinstance(part, str) else words
