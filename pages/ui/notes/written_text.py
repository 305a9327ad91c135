"""A text that the user writes, with its fields, between what the editor sends and what is stored."""

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, Literal

from core.base.messages import Message
from core.base.text import with_line_ends
from core.model import NOTE_FIELDS, Note
from pages.ui.notes import offers

NEW = "new"
"""The first part of the key of a new note's draft; in other drafts it is the note's id."""

Wish = Literal["rest", "save", "leave", "discard"]
"""What is to be done with the text: `rest`, a pause, and `leave`, which closes the editor, save it by themselves."""
SITTING = timedelta(minutes=5)
"""Pause after which an automatic save is another version: after a longer stop something else begins."""


@dataclass
class EditorSession:
    """A text in the editor, with its fields. `note` is the stored note as it was when editing began, None for a new one.

    `token` names the editor, `draft` the editor that began the draft, and `was` an editor of an ended session that is
    still in the window and continues with this text. `number` is that of the last text from the editor, `stored` that of
    the text in the draft. The widgets of the fields are drawn anew when `drawn` changes. `fields` are those that differ
    from the note's, in JSON form. `rested` is the time of the last automatic save, None if another one came
    later. `opposed` is the stored note after a save was refused because of it, `refusal` any other reason, and `newer` a
    note that was stored since. With `settles`, a save also decides on the proposed change that the user edits. `made`: this editor made the note. `wish`
    is an action that the page hasn't done yet, and `wishes` counts those that the editor sent.
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
    rested: datetime | None = None
    opposed: Note | None = None
    refusal: Message | None = None
    newer: Note | None = None
    saved: bool = False
    made: bool = False
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
        """Whether the text or a field differs from the stored note; of a new one, once something was typed."""
        has_content = self.note is not None or self.number > 0 or self.body != ""
        return has_content and (bool(self.fields) or self.body != (self.note.body if self.note else ""))

    @property
    def complete(self) -> bool:
        """Whether the text or its title is enough for a note."""
        return self.note is not None or bool(self.base and (self.body.strip() or self.value("title")))

    @property
    def decides(self) -> bool:
        """Whether a save accepts the text of a program, which only the user does."""
        return self.settles or (self.note is not None and self.note.status == "pending")

    @property
    def saves(self) -> bool:
        """Whether changes are saved automatically: nothing prevents a save, and it decides on no proposal."""
        return self.changed and self.complete and not (self.opposed or self.refusal or self.decides)

    @property
    def joins(self) -> bool:
        """Whether a save joins the version before, which was automatic and of this sitting."""
        return self.rested is not None and datetime.now(UTC) - self.rested < SITTING

    def take_text(
        self, text: str, number: int, at: int, wish: Wish | None = None, wishes: int = 0, title: str | None = None
    ) -> None:
        """Take the text that the editor sent, unless a later one is here already. Its line ends become the note's.

        `title` is a title that the user typed and the page doesn't have yet.
        """
        if number >= self.number:
            self.body = with_line_ends(without_surrogates(text), self.note.body if self.note else "")
            self.number, self.caret = number, at
            self.refusal = None
            if title is not None:
                self.set("title", without_surrogates(title))
        if wishes > self.wishes:
            self.wish, self.wishes = wish, wishes

    def value(self, name: str) -> Any:
        """Return the present value of a field in JSON form."""
        return self.fields[name] if name in self.fields else as_json(getattr(self.note, name, None))

    def set(self, name: str, value: Any) -> None:
        """Change a field."""
        self.refusal = None
        stored = as_json(getattr(self.note, name, None))
        if value == stored or not (value or stored):
            self.fields.pop(name, None)
        else:
            self.fields[name] = value


def fields_of(note: Note) -> dict[str, Any]:
    """Return the fields of a note that differ from those of a new note, in JSON form."""
    new = Note("", "", title="", body="", content_hash="")
    return {name: as_json(value) for name in NOTE_FIELDS if (value := getattr(note, name)) != getattr(new, name)}


def as_json(value: Any) -> Any:
    """Return a field of a note in JSON form."""
    if isinstance(value, datetime):
        return value.date().isoformat()
    return list(value) if isinstance(value, tuple) else value


def without_surrogates(text: str) -> str:
    """Return a text of a browser without halves of characters, which nothing can store."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
