"""Chats from Slack and Telegram exports, turned into notes with a section for each day."""

import html
import posixpath
import re
from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from functools import cached_property
from itertools import groupby, islice
from operator import attrgetter

from core.base.codec import objects
from core.base.frozen import TextValues, ValueMap, Values, frozen
from core.base.text import collapse_spaces, link_address
from core.intake.importers import (
    FilePart,
    FolderImporter,
    Imported,
    ImportedNotes,
    NoteFiles,
    Taken,
    add_front_matter,
    file_name,
    files,
    find,
    read_json,
    text_of,
    time_of,
    unique,
)
from core.model import Failed

# Maximum number of characters to quote from the message being replied to.
_QUOTED = 80
_FENCE = "```"


# A file in a message, its name, and the address to use if the file isn't in the export.
SharedFile = tuple[FilePart | None, str, str]


@frozen
class ChatMessage:
    """A chat message, with its `key`, time (ISO 8601), author's name, and paragraphs in Markdown.

    The first paragraph is the message itself. `answers` is the key of the message being replied to, or "" if the
    message isn't a reply.
    """

    key: str
    at: str
    name: str
    answers: str
    text: list[str]
    files: list[SharedFile]

    @property
    def day(self) -> str:
        """The message's day, or "" if unknown."""
        return self.at[:10] if re.match(r"\d{4}-\d\d-\d\d", self.at) else ""


def escape(words: str) -> str:
    """Escape a message's text so that no line becomes a heading or a horizontal rule."""
    return re.sub(r"(?m)^([ \t]{0,3})(#{1,6}(?=[ \t]|$)|(?:---+|===+)[ \t]*$)", r"\1\\\2", words)


def reactions(item: Values, name: str) -> str:
    """Return a message's reactions with their counts. `name` is the JSON key of the emoji."""
    return " · ".join(f"{text_of(given, name)} {text_of(given, 'count')}" for given in objects(item, "reactions"))


def write_chat(title: str, messages: Iterable[ChatMessage], taken: Taken) -> Iterator[Imported]:
    """Yield a chat's notes: one per month, or several for a busy month.

    A note is named after its first day. It ends with the month, or with the day on which it has enough messages. As a
    result, only the last note changes when a chat continues.
    """
    place = unique(f"{file_name(title)}.md", taken).removesuffix(".md")
    quotes: TextValues = {}
    note = list[ChatMessage]()
    filled = (message for message in messages if any(message.text) or message.files)
    for day, of_day in groupby(filled, key=attrgetter("day")):
        while part := list(islice(of_day, 1000)):  # a day may have more messages than fit into a note
            # Once a note has 200 messages, the next day starts a new note. A quieter month is a single note.
            if note and (note[0].day[:7] != day[:7] or len(note) >= 200):
                yield _note(title, place, note, quotes, taken)
                note = []
            note += part
    if note:
        yield _note(title, place, note, quotes, taken)


def _note(title: str, place: str, messages: list[ChatMessage], quotes: TextValues, taken: Taken) -> Imported:
    attached = NoteFiles()
    parts = []
    for day, of_day in groupby(messages, key=attrgetter("day")):
        parts += [f"## {day or title}", *(_paragraph(message, quotes, attached) for message in of_day)]
    first = messages[0]
    last = messages[-1]
    span = " – ".join(dict.fromkeys((first.day, last.day)))
    fields = {"title": f"{title} · {span}" if span else title, "created": first.at, "updated": last.at}
    return attached.note(
        unique(f"{place}/{first.day or 'undated'}.md", taken), add_front_matter(fields, "\n\n".join(parts) + "\n")
    )


def _paragraph(message: ChatMessage, quotes: TextValues, attached: NoteFiles) -> str:
    """Return a message as Markdown. If it is a reply, it begins with a quote from the message it replies to."""
    parts = (*message.text, *(attached.link(*file) for file in message.files))
    text = "\n\n".join(filter(None, map(str.strip, parts)))
    name, words = (
        collapse_spaces(re.sub(r"[*_~`>\\]+", " ", part)) for part in (message.name or "?", message.text[0] or text)
    )
    quote = f"{quotes[message.answers]}\n\n" if message.answers in quotes else ""
    quotes[message.key] = f"> {name}: {words if len(words) <= _QUOTED else f'{words[:_QUOTED]}…'}"
    end = f"\n{_FENCE}" if text.count(_FENCE) % 2 else ""
    return f"**{name}** {message.at[11:16]}  \n{quote}{text}{end}"


_DAY_FILE = re.compile(r"(.+)/\d{4}-\d\d-\d\d\.json")


# People's names, keyed by id.
_People = TextValues


class Slack(FolderImporter):
    """Reads a Slack export. Files shared in messages aren't part of the export, but stay on Slack's servers."""

    name = "Slack"

    @property
    def knows(self) -> bool:
        """Whether there is a user list next to daily channel files, and no file outside their folder."""
        paths = list(files(self._folder))
        users = next(filter(None, map(re.compile(r"((?:[^/]+/)?)users\.json").fullmatch, paths)), None)
        return bool(users and any(map(_DAY_FILE.fullmatch, paths)) and all(path.startswith(users[1]) for path in paths))

    def notes(self, paths: Collection[str] = ()) -> ImportedNotes:
        failed = list[Failed]()
        taken: Taken = {}
        there = list(files(self._folder))

        def listed(name: str) -> list[Values]:
            places = [path for path in there if path.rpartition("/")[2] == f"{name}.json"][:1]
            return [item for path in places for item in objects(read_json(self._folder, path, failed))]

        people = {
            text_of(user, "id"): text_of(user, "profile", "real_name") or text_of(user, "name")
            for user in listed("users")
        }
        # Unnamed conversations are named after their members.
        talks = {
            text_of(talk, "id"): ", ".join(
                people.get(member, member) for member in text_of(talk, "members").split(", ")
            )
            for name in ("dms", "mpims")
            for talk in listed(name)
        }
        for channel, days in groupby(filter(None, map(_DAY_FILE.fullmatch, there)), key=lambda day: day[1]):
            name = channel.rpartition("/")[2]
            items = (item for day in days for item in objects(read_json(self._folder, day[0], failed)))
            yield from write_chat(talks.get(name) or name, (_message(item, people) for item in items), taken)
        yield from failed


def _message(item: Values, people: _People) -> ChatMessage:
    key = text_of(item, "ts")
    thread = text_of(item, "thread_ts")
    user = text_of(item, "user")
    profile = text_of(item, "user_profile", "real_name") or text_of(item, "bot_profile", "name")
    edited = time_of(text_of(item, "edited", "ts"))
    text = [
        _text(text_of(item, "text") or " ".join(_words(item.get("blocks"))), people),
        *(_shared(shared, people) for shared in objects(item, "attachments")),
        reactions(item, "name"),
        f"(edited: {edited})" if edited else "",
    ]
    name = people.get(user) or profile or text_of(item, "username") or user
    # Drop the query from the address, because it lets anyone read the file.
    shared_files: list[SharedFile] = [
        (None, text_of(file, "name"), text_of(file, "url_private").partition("?")[0]) for file in objects(item, "files")
    ]
    return ChatMessage(key, time_of(key), name, thread if thread != key else "", text, shared_files)


def _shared(shared: Values, people: _People) -> str:
    """Return a message's link preview as a Markdown quote."""
    title = text_of(shared, "title")
    address = text_of(shared, "title_link") or text_of(shared, "from_url")
    link = f"[{title or address}]({address})\n" if address else f"{title}\n"
    words = _text(text_of(shared, "text") or text_of(shared, "fallback"), people)
    return "> " + f"{link}{words}".strip().replace("\n", "\n> ")


def _words(node: object) -> Iterator[str]:
    """Yield the text in nested blocks."""
    for block in objects(node):
        for name in ("elements", "fields"):
            yield from _words(block.get(name))
        yield text_of(block, "text", "text") or text_of(block, "text")


def _text(text: str, people: _People) -> str:
    """Convert a message's text from Slack's markup to Markdown."""

    def refer(match: re.Match[str]) -> str:
        kind, target, words = match.groups()
        if kind:
            return f"@{people.get(target, words or target)}" if kind == "@" else words or target
        return f"[{words}]({target})" if words else f"<{target}>"

    text = re.sub(r"<([@#!])?([^<>|\s]+)(?:\|([^<>]*))?>", refer, escape(text))
    return html.unescape(re.sub(r"(?s)```\n?(.+?)\n?```", r"\n```\n\1\n```\n", text))


# Message fields shown with their names.
_ABOUT = (
    "forwarded_from saved_from action title members duration_seconds performer sticker_emoji place_name address"
    " location_information contact_information game_title game_description edited".split()
)


class Telegram(FolderImporter):
    """Reads the chats in a folder of Telegram exports."""

    name = "Telegram"

    @property
    def knows(self) -> bool:
        """Whether there are files that begin like chat exports, and all other files are in or below their folders."""
        tops = tuple(path.removesuffix("result.json") for path in self._exports)
        return bool(tops) and all(path.startswith(tops) for path in files(self._folder))

    @cached_property
    def _exports(self) -> list[str]:
        found = []
        for path in filter(re.compile(r"(?:[^/]+/)*result\.json").fullmatch, files(self._folder)):
            with suppress(OSError), (self._folder / path).open("rb") as file:
                if re.search(rb'"(?:messages|list)"\s*:\s*\[', file.read(64 * 1024)):
                    found.append(path)
        return found

    def notes(self, paths: Collection[str] = ()) -> ImportedNotes:
        """Yield the chats' notes in order of chat id. If two chats have the same name, the later one gets a number."""
        failed = list[Failed]()
        taken: Taken = {}
        for path in self._exports:
            # Reading an export takes up to eight times its size in memory.
            export = read_json(self._folder, path, failed, 100 << 20)
            all_chats = [*objects(export, "chats", "list"), *objects(export, "left_chats", "list")]
            for chat in sorted(all_chats or objects([export]), key=lambda chat: text_of(chat, "id")):
                yield from write_chat(
                    text_of(chat, "name") or text_of(chat, "type") or self.name,
                    (self._message(item, posixpath.dirname(path)) for item in objects(chat, "messages")),
                    taken,
                )
        yield from failed

    def _message(self, item: Values, place: str) -> ChatMessage:
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
        shared_files = []
        for path in filter(None, (text_of(item, "photo"), text_of(item, "file"))):
            file = find(self._folder, posixpath.join(place, path))
            name = posixpath.basename(path) if file else text_of(item, "media_type") or "photo"
            shared_files.append((file, text_of(item, "file_name") or name, ""))
        name = text_of(item, "from") or text_of(item, "actor") or text_of(item, "from_id")
        return ChatMessage(key, at, name, answers, text, shared_files)


def _parts(item: ValueMap) -> Iterator[str]:
    """Yield the parts of a message's text as Markdown."""
    text = item.get("text_entities") or item.get("text")
    for part in text if isinstance(text, list) else [text]:
        kind = text_of(part, "type")
        words = text_of(part, "text") if isinstance(part, dict) else text_of(part)
        mark = {"bold": "**", "italic": "*", "strikethrough": "~~", "code": "`"}.get(kind, "")
        if address := text_of(part, "href"):
            yield f"[{words}]({link_address(address, plain=':#?=&%')})"
        elif kind == "pre":
            yield f"\n```{text_of(part, 'language')}\n{words}\n```\n"
        elif kind == "blockquote":
            yield "\n> " + words.strip().replace("\n", "\n> ") + "\n\n"
        elif mark and (inner := words.strip()):
            yield words.replace(inner, f"{mark}{inner}{mark}", 1)
        else:
            yield escape(words)
