"""Telegram exports in JSON: the chats, with their photos and files."""

import posixpath
import re
from collections.abc import Collection, Iterator, Mapping
from functools import cached_property

from core.base.text import link_address
from core.intake.importers import FolderImporter, ImportedNotes, Taken, files, lie_below, objects, read_json, text_of
from core.intake.importers.chats import ChatMessage, SharedFile, escape, reactions, write_chat
from core.intake.importers.file_parts import find
from core.model import Failed

_MOST_BYTES = 100 * 1024 * 1024
"""Maximum size of an export in bytes; reading it takes up to eight times as much memory."""
_HEAD = 64 * 1024
_EXPORT = re.compile(rb'"(?:messages|list)"\s*:\s*\[')
_RESULT = re.compile(r"(?:[^/]+/)*result\.json")
_ABOUT = (
    *("forwarded_from", "saved_from", "action", "title", "members", "duration_seconds", "performer", "sticker_emoji"),
    *("place_name", "address", "location_information", "contact_information", "game_title", "game_description"),
    *("edited",),
)
"""Values of a message that are shown with their names."""
_MARKS = {"bold": "**", "italic": "*", "strikethrough": "~~", "code": "`"}


class Telegram(FolderImporter):
    """Reads the chats in the exports in a folder."""

    name = "Telegram"

    @property
    def knows(self) -> bool:
        """Whether there is a file that starts with chats, and no file outside its folder."""
        return lie_below(files(self._folder), [path.removesuffix("result.json") for path in self._exports])

    @cached_property
    def _exports(self) -> list[str]:
        return [path for path in files(self._folder) if _RESULT.fullmatch(path) and self._begins_with_chats(path)]

    def _begins_with_chats(self, path: str) -> bool:
        try:
            with (self._folder / path).open("rb") as file:
                return _EXPORT.search(file.read(_HEAD)) is not None
        except OSError:
            return False

    def notes(self, paths: Collection[str] = ()) -> ImportedNotes:
        """Yield the notes of the chats, ordered by id, so that the newer of two chats with one name gets a number."""
        failed: list[Failed] = []
        taken: Taken = {}
        for path in self._exports:
            export = read_json(self._folder, path, failed, _MOST_BYTES)
            all_chats = [*objects(export, "chats", "list"), *objects(export, "left_chats", "list")]
            for chat in sorted(all_chats or objects([export]), key=lambda chat: text_of(chat, "id")):
                messages = (self._message(item, posixpath.dirname(path)) for item in objects(chat, "messages"))
                title = text_of(chat, "name") or text_of(chat, "type") or self.name
                yield from write_chat(title, messages, taken)
        yield from failed

    def _message(self, item: dict[str, object], place: str) -> ChatMessage:
        key, at, answers = (text_of(item, name) for name in ("id", "date", "reply_to_message_id"))
        about = ((name, text_of(item, name)) for name in _ABOUT)
        options = (
            f"- [{'x' if answer.get('chosen') is True else ' '}] {text_of(answer, 'text')}: {text_of(answer, 'voters')}"
            for answer in objects(item, "poll", "answers")
        )
        text = [
            "".join(_parts(item)),
            escape(text_of(item, "poll", "question")),
            "\n".join(options),
            reactions(item, "emoji"),
            " ".join(f"({name.replace('_', ' ')}: {words})" for name, words in about if words),
        ]
        shared_files: list[SharedFile] = []
        for path in filter(None, (text_of(item, "photo"), text_of(item, "file"))):
            file = find(self._folder, posixpath.join(place, path))
            name = posixpath.basename(path) if file else text_of(item, "media_type") or "photo"
            shared_files.append((file, text_of(item, "file_name") or name, ""))
        name = text_of(item, "from") or text_of(item, "actor") or text_of(item, "from_id")
        return ChatMessage(key, at, name, answers, text, shared_files)


def _parts(item: Mapping[str, object]) -> Iterator[str]:
    """Yield the parts of a text as Markdown."""
    text = item.get("text_entities") or item.get("text")
    for part in text if isinstance(text, list) else [text]:
        kind, words = text_of(part, "type"), text_of(part, "text") if isinstance(part, dict) else text_of(part)
        mark, address = _MARKS.get(kind, ""), text_of(part, "href")
        if address:
            yield f"[{words}]({link_address(address, plain=':#?=&%')})"
        elif kind == "pre":
            yield f"\n```{text_of(part, 'language')}\n{words}\n```\n"
        elif kind == "blockquote":
            yield "\n> " + words.strip().replace("\n", "\n> ") + "\n\n"
        elif mark and (inner := words.strip()):
            yield words.replace(inner, f"{mark}{inner}{mark}", 1)
        else:
            yield escape(words)
