"""The session of an editor: what the user has written, and its state between the browser and the stored note."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import Enum, auto
from typing import Any, Literal

from core.base.datetimes import utc_now
from core.base.errors import Conflict, TesseraError
from core.base.messages import Message
from core.base.text import with_line_ends
from core.model import NOTE_FIELDS, Note
from pages.ui.notes.offers import Offers

NEW = "new"
"""The first part of the key of a new note's draft; in other drafts it is the note's id."""

Action = Literal["rest", "save", "leave", "discard"]
"""An action on the text: `rest`, a pause, and `leave`, which closes the editor, save it automatically."""
SITTING = timedelta(minutes=5)
"""Pause after which an automatic save is another version: after a longer stop something else begins."""
_ALL = 2**53 - 1
"""JavaScript's largest whole number: no text of an editor has a higher one."""


class State(Enum):
    """How the text and the fields in the editor differ from the stored note."""

    CLEAN = auto()  # nothing differs
    SAVED = auto()  # nothing differs since this editor saved it
    UNSAVED = auto()  # the next pause saves the difference
    INCOMPLETE = auto()  # a new note lacks its base or its text
    CONFLICT = auto()  # the stored note was changed meanwhile: the user chooses
    REFUSED = auto()  # the last save was refused: the next change makes it unsaved
    UNDECIDED = auto()  # a save accepts a program's text, which only the user does


@dataclass
class EditorSession:
    """A text in the editor, with its fields, and what was done with it."""

    token: str
    """The name of the editor."""
    note: Note | None
    """The stored note as it was when editing began or at the last save, None for a new one."""
    base: str
    body: str = ""
    folder: str = ""
    fields: dict[str, Any] = field(default_factory=dict)
    """The fields that differ from the note's, in JSON form."""
    caret: int = 0

    number: int = 0
    """The number of the last text from the editor."""
    stored: int = 0
    """The number of the last text that is stored, in the draft or in the note."""
    action: Action | None = None
    """The action that the page hasn't done yet."""
    actions: int = 0
    """How many actions the editor sent."""
    draft_id: str = ""
    """The editor that began the draft."""
    predecessor: str = ""
    """An editor of an ended session that is still in the window and continues with this text."""
    heard: bool = False
    """Whether the editor sent anything; until then it takes what the one before it typed into its draft."""

    saved: bool = False
    """Whether this editor saved the note and nothing was changed since."""
    autosaved_at: datetime | None = None
    """The time of the last automatic save, None if another save came later."""
    conflict: Note | None = None
    """The stored note because of which a save was refused."""
    refusal: Message | None = None
    """Any other reason for which a save was refused."""
    newer: Note | None = None
    """A note that was stored since."""
    created: bool = False
    """Whether this editor made the note."""
    title_before: str = ""
    """The title of the note as editing began, "" for a new one."""
    proposed: bool = False
    """Whether a save also decides on the proposed change that the user edits."""

    redraws: int = 0
    """The widgets of the fields are drawn anew when it changes."""
    offers: Offers | None = None
    links: Any = None

    def __post_init__(self) -> None:
        self.draft_id = self.draft_id or self.token
        self.title_before = self.note.title if self.note else ""

    @property
    def key(self) -> str:
        """The key of the draft."""
        return f"{self.note.id if self.note else NEW} {self.draft_id}"

    @property
    def state(self) -> State:
        """The present state."""
        if not self.changed:
            return State.SAVED if self.saved else State.CLEAN
        if not self.complete:
            return State.INCOMPLETE
        if self.conflict:
            return State.CONFLICT
        if self.refusal:
            return State.REFUSED
        return State.UNDECIDED if self.decides else State.UNSAVED

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
        """Whether a save accepts the text of a program."""
        return self.proposed or (self.note is not None and self.note.status == "pending")

    @property
    def joins(self) -> bool:
        """Whether a save joins the version before, which was automatic and of this sitting."""
        return self.autosaved_at is not None and utc_now() - self.autosaved_at < SITTING

    def value(self, name: str) -> Any:
        """Return the present value of a field in JSON form."""
        return self.fields[name] if name in self.fields else as_json(getattr(self.note, name, None))

    # What the user does.

    def take_text(
        self, text: str, number: int, at: int, action: Action | None = None, actions: int = 0, title: str | None = None
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
        if actions > self.actions:
            self.action, self.actions = action, actions

    def set(self, name: str, value: object) -> None:
        """Change a field."""
        self.refusal = None
        stored = as_json(getattr(self.note, name, None))
        if value == stored or not (value or stored):
            self.fields.pop(name, None)
        else:
            self.fields[name] = value

    def request(self, action: Action) -> None:
        """Set the action that the next run does; for callbacks: one that reads the session state may be broken off."""
        self.action = action

    def detach(self, *, has_title: bool) -> None:
        """Make the text that of a new note, with the fields of the note that it was, its title if that is its own."""
        assert self.note is not None
        self.fields = fields_of(self.note) | self.fields
        if not has_title:
            self.fields.pop("title", None)
        self.note = self.autosaved_at = self.conflict = None
        self.saved = False

    def revert(self) -> None:
        """Discard what differs from the stored note, and what the editor still sends."""
        self.stored = _ALL
        self.abandon()

    def abandon(self) -> None:
        """Discard what differs from the stored note; what the editor still sends differs again."""
        self.body, self.fields, self.conflict = self.note.body if self.note else "", {}, None

    # What becomes of it.

    def keep(self, draft_id: str) -> None:
        """Note that the text is stored as a draft."""
        self.saved = False
        self.draft_id = draft_id
        self.acknowledge()

    def acknowledge(self) -> None:
        """Note that the last text of the editor is stored."""
        self.stored = max(self.stored, self.number)

    def save(self, note: Note, *, automatic: bool) -> None:
        """Note that the text is saved as this note."""
        self.proposed = False
        self.autosaved_at = utc_now() if automatic else None
        self.adopt(note)
        self.saved = True
        self.acknowledge()

    def refuse(self, error: TesseraError) -> None:
        """Note why the text wasn't saved."""
        if isinstance(error, Conflict):
            self.conflict = error.stored
        else:
            self.refusal = error.message

    def adopt(self, note: Note) -> None:
        """Continue on the stored note; fields that it has in another form than they were set are drawn anew.

        The title isn't: the user may be typing it.
        """
        if any(as_json(getattr(note, name)) != value for name, value in self.fields.items() if name != "title"):
            self.redraws += 1
        self.note, self.conflict, self.refusal, self.fields = note, None, None, {}

    def give_back(self, note: Note, name: str) -> None:
        """Continue on the note in which a field is the file's own again."""
        fields = {other: value for other, value in self.fields.items() if other != name}
        self.adopt(note)
        self.fields = fields
        self.redraws += 1

    def overtake(self, stored: Note) -> bool:
        """Compare with the stored note; return whether it is newer than at the last call. It conflicts with a change."""
        assert self.note is not None
        if stored.version <= max(self.note.version, self.newer.version if self.newer else 0):
            return False
        self.newer = stored
        self.conflict = stored if self.changed else None
        return True


def fields_of(note: Note) -> dict[str, Any]:
    """Return the fields of a note that differ from those of a new note, in JSON form."""
    new = Note("", "", title="", body="", content_hash="")
    return {name: as_json(value) for name in NOTE_FIELDS if (value := getattr(note, name)) != getattr(new, name)}


def as_json(value: object) -> object:
    """Return a field of a note in JSON form."""
    if isinstance(value, datetime):
        return value.date().isoformat()
    return list(value) if isinstance(value, tuple) else value


def without_surrogates(text: str) -> str:
    """Return a text of a browser without halves of characters, which nothing can store."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
