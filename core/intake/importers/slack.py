"""Slack exports: channels, groups and direct messages, with the names of their members."""

import html
import re
from collections.abc import Collection, Iterator
from itertools import groupby

from core.intake.importers import (
    FolderImporter,
    ImportedNotes,
    Taken,
    files,
    lie_below,
    objects,
    read_json,
    text_of,
    time_of,
)
from core.intake.importers.chats import ChatMessage, SharedFile, escape, reactions, write_chat
from core.model import Failed

_DAY = re.compile(r"(.+)/\d{4}-\d\d-\d\d\.json")
_USERS = re.compile(r"((?:[^/]+/)?)users\.json")
_TALKS = ("dms", "mpims")
"""Lists of conversations that have no name, and are named after their members."""
_REFERENCE = re.compile(r"<([@#!])?([^<>|\s]+)(?:\|([^<>]*))?>")
_CODE = re.compile(r"```\n?(.+?)\n?```", re.DOTALL)

_People = dict[str, str]
"""People's names by their ids."""


class Slack(FolderImporter):
    """Reads an export; files shared in messages stay at Slack and aren't part of the export."""

    name = "Slack"

    @property
    def knows(self) -> bool:
        """Whether there is a list of users next to channel files by day, and no file outside their folder."""
        paths = [*files(self._folder)]
        tops = [match[1] for match in map(_USERS.fullmatch, paths) if match][:1]
        return any(map(_DAY.fullmatch, paths)) and lie_below(paths, tops)

    def notes(self, paths: Collection[str] = ()) -> ImportedNotes:
        """Yield the notes of all channels."""
        failed: list[Failed] = []
        taken: Taken = {}
        there = [*files(self._folder)]

        def listed(name: str) -> list[dict[str, object]]:
            places = [path for path in there if path.rpartition("/")[2] == f"{name}.json"][:1]
            return [item for path in places for item in objects(read_json(self._folder, path, failed))]

        people = {
            text_of(user, "id"): text_of(user, "profile", "real_name") or text_of(user, "name")
            for user in listed("users")
        }
        talks = {
            text_of(talk, "id"): ", ".join(
                people.get(member, member) for member in text_of(talk, "members").split(", ")
            )
            for name in _TALKS
            for talk in listed(name)
        }
        for channel, days in groupby(filter(None, map(_DAY.fullmatch, there)), key=lambda day: day[1]):
            name = channel.rpartition("/")[2]
            items = (item for day in days for item in objects(read_json(self._folder, day[0], failed)))
            yield from write_chat(talks.get(name) or name, (_message(item, people) for item in items), taken)
        yield from failed


def _message(item: dict[str, object], people: _People) -> ChatMessage:
    key, thread, user = text_of(item, "ts"), text_of(item, "thread_ts"), text_of(item, "user")
    profile = text_of(item, "user_profile", "real_name") or text_of(item, "bot_profile", "name")
    edited = time_of(text_of(item, "edited", "ts"))
    text = [
        _text(text_of(item, "text") or " ".join(_words(item.get("blocks"))), people),
        *(_shared(shared, people) for shared in objects(item, "attachments")),
        reactions(item, "name"),
        f"(edited: {edited})" if edited else "",
    ]
    name = people.get(user) or profile or text_of(item, "username") or user
    # The query of the address lets anyone read the file.
    shared_files: list[SharedFile] = [
        (None, text_of(file, "name"), text_of(file, "url_private").partition("?")[0]) for file in objects(item, "files")
    ]
    return ChatMessage(key, time_of(key), name, thread if thread != key else "", text, shared_files)


def _shared(shared: dict[str, object], people: _People) -> str:
    """Return the link preview in a message as a quotation."""
    title, address = text_of(shared, "title"), text_of(shared, "title_link") or text_of(shared, "from_url")
    link = f"[{title or address}]({address})\n" if address else f"{title}\n"
    words = _text(text_of(shared, "text") or text_of(shared, "fallback"), people)
    return "> " + f"{link}{words}".strip().replace("\n", "\n> ")


def _words(node: object) -> Iterator[str]:
    """Yield the texts of nested blocks."""
    for block in objects(node):
        for name in ("elements", "fields"):
            yield from _words(block.get(name))
        yield text_of(block, "text", "text") or text_of(block, "text")


def _text(text: str, people: _People) -> str:
    """Convert the text of a message from Slack's markup to Markdown."""

    def refer(match: re.Match[str]) -> str:
        kind, target, words = match.groups()
        if kind:
            return f"@{people.get(target, words or target)}" if kind == "@" else words or target
        return f"[{words}]({target})" if words else f"<{target}>"

    return html.unescape(_CODE.sub(r"\n```\n\1\n```\n", _REFERENCE.sub(refer, escape(text))))
