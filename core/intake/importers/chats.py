"""Conversion of chats from other programs to notes, with a section for each day."""

import re
from collections.abc import Iterable, Iterator
from itertools import groupby, islice

from core.base.frozen import frozen
from core.intake.importers import Imported, Taken, add_front_matter, file_name, objects, text_of, unique
from core.intake.importers.attached import NoteFiles
from core.intake.importers.file_parts import FilePart

_MANY = 200
"""Number of messages in a note after which the next day begins a new note; quieter months are one note."""
_MOST = 1000
"""Maximum number of messages per day in one note."""
_QUOTED = 80
"""Maximum number of characters quoted from a message that is answered."""
_FENCE = "```"
_MARKS = re.compile(r"[*_~`>\\]+")
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_MARKUP = re.compile(r"(?m)^([ \t]{0,3})(#{1,6}(?=[ \t]|$)|(?:---+|===+)[ \t]*$)")


SharedFile = tuple[FilePart | None, str, str]
"""A file in a message, its name, and its address if it isn't in the export."""


@frozen
class ChatMessage:
    """A chat message: its `key`, its time (ISO 8601), the name of its author, and its paragraphs in Markdown.

    The first paragraph is the message itself. `answers` is the key of the message that it answers.
    """

    key: str
    at: str
    name: str
    answers: str
    text: list[str]
    files: list[SharedFile]

    @property
    def day(self) -> str:
        """Day of the message, "" if unknown."""
        return self.at[:10] if _DAY.match(self.at) else ""


def escape(words: str) -> str:
    """Escape the text of a message so that none of its lines becomes a heading or a rule."""
    return _MARKUP.sub(r"\1\\\2", words)


def reactions(item: dict[str, object], name: str) -> str:
    """Return the reactions to a message with their counts; `name` is the JSON key of the emoji."""
    return " · ".join(f"{text_of(given, name)} {text_of(given, 'count')}" for given in objects(item, "reactions"))


def write_chat(title: str, messages: Iterable[ChatMessage], taken: Taken) -> Iterator[Imported]:
    """Yield the notes of a chat, one per month, or several for a busy month.

    A note is named after its first day, and ends with the month or with the day on which it has enough messages, so
    that only the last note changes when a chat goes on.
    """
    place = unique(f"{file_name(title)}.md", taken).removesuffix(".md")
    quotes: dict[str, str] = {}
    note: list[ChatMessage] = []
    said = (message for message in messages if any(message.text) or message.files)
    for day, of_day in groupby(said, key=lambda message: message.day):
        while part := [*islice(of_day, _MOST)]:
            if note and (note[0].day[:7] != day[:7] or len(note) >= _MANY):
                yield _note(title, place, note, quotes, taken)
                note = []
            note += part
    if note:
        yield _note(title, place, note, quotes, taken)


def _note(title: str, place: str, messages: list[ChatMessage], quotes: dict[str, str], taken: Taken) -> Imported:
    attached = NoteFiles()
    parts = []
    for day, of_day in groupby(messages, key=lambda message: message.day):
        parts += [f"## {day or title}", *(_paragraph(message, quotes, attached) for message in of_day)]
    first, last = messages[0], messages[-1]
    span = " – ".join(dict.fromkeys((first.day, last.day)))
    fields = {"title": f"{title} · {span}" if span else title, "created": first.at, "updated": last.at}
    path = unique(f"{place}/{first.day or 'undated'}.md", taken)
    return attached.note(path, add_front_matter(fields, "\n\n".join(parts) + "\n"))


def _paragraph(message: ChatMessage, quotes: dict[str, str], attached: NoteFiles) -> str:
    """Return a message as Markdown, with a quotation of the message that it answers."""
    links = [attached.link(*file) for file in message.files]
    text = "\n\n".join(filter(None, (text.strip() for text in (*message.text, *links))))
    name, words = (" ".join(_MARKS.sub(" ", said).split()) for said in (message.name or "?", message.text[0] or text))
    quote = f"{quotes[message.answers]}\n\n" if message.answers in quotes else ""
    quotes[message.key] = f"> {name}: {words if len(words) <= _QUOTED else f'{words[:_QUOTED]}…'}"
    end = f"\n{_FENCE}" if text.count(_FENCE) % 2 else ""
    return f"**{name}** {message.at[11:16]}  \n{quote}{text}{end}"
