"""A text that a person writes, with its fields, between what the editor sends and what is stored."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from core.model import Note
from core.text import with_line_ends
from pages.ui.notes import offers

NEW = "new"
"""What the key of a new note's draft begins with; that of another draft begins with its note's id."""

Wish = Literal["save", "leave", "discard"]
"""What a person may want done with what is written; that it is left keeps it as a draft."""


@dataclass
class Writing:
    """A text that a person writes, with its fields, and the note as it was when that began; None for a new one.

    `token` is the editor's own, and `draft` that of the editor that began the draft. `was` is the token of an editor that
    is in the window still and goes on with this text, after its session ended. `number` counts the texts that the editor
    sent, and `stored` is the number of the one that is in the draft. A new `drawn` draws the fields anew. `fields` are
    those that differ from the note's, as JSON holds them. `opposed` is the note as it is stored now, after a save that
    was refused. A save `settles` the change that a program proposes, where a person edits that. `wish` is what a person
    wants done and the page hasn't done yet; `wishes` counts those that the editor sent.
    """

    token: str
    note: Note | None
    base: str
    body: str = ""
    folder: str = ""
    fields: dict[str, Any] = field(default_factory=dict)
    number: int = 0
    stored: int = 0
    drawn: int = 0
    caret: int = 0
    opposed: Note | None = None
    saved: bool = False
    settles: bool = False
    wish: Wish | None = None
    wishes: int = 0
    offered: offers.Offers | None = None
    links: Any = None
    draft: str = ""
    was: str = ""

    def __post_init__(self) -> None:
        self.draft = self.draft or self.token

    @property
    def key(self) -> str:
        """The key of the draft."""
        return f"{self.note.id if self.note else NEW} {self.draft}"

    @property
    def changed(self) -> bool:
        """Whether there is anything that isn't saved."""
        return bool(self.fields) or self.body != (self.note.body if self.note else "")

    def typed(
        self, text: str, number: int, at: int, wish: Wish | None = None, wishes: int = 0, title: str | None = None
    ) -> None:
        """Take over what the editor sent, which knows one end of a line, unless a later text came before.

        `title` is what was typed as the title and the page doesn't know yet.
        """
        if number >= self.number:
            self.body = with_line_ends(whole(text), self.note.body if self.note else "")
            self.number, self.caret = number, at
            if title is not None:
                self.set("title", whole(title))
        if wishes > self.wishes:
            self.wish, self.wishes = wish, wishes

    def value(self, name: str) -> Any:
        """Return a field as it is now, as JSON holds it."""
        return self.fields[name] if name in self.fields else as_json(getattr(self.note, name, None))

    def set(self, name: str, value: Any) -> None:
        """Change a field."""
        stored = as_json(getattr(self.note, name, None))
        if value == stored or not (value or stored):
            self.fields.pop(name, None)
        else:
            self.fields[name] = value


def as_json(value: Any) -> Any:
    """Return a field of a note as JSON holds it."""
    if isinstance(value, datetime):
        return value.date().isoformat()
    return list(value) if isinstance(value, tuple) else value


def whole(text: str) -> str:
    """Return a text of a browser without halves of characters, which nothing can store."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
