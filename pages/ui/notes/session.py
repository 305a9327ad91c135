"""An editor session: what the user has written, and its state between the browser and the stored note."""

import posixpath
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import Enum, auto
from typing import Any, Literal

from core.base.datetimes import utc_now
from core.base.errors import Conflict, TesseraError
from core.base.messages import Message
from core.base.text import with_line_ends
from core.model import NOTE_FIELDS, Note
from pages.ui.shared.server import workspace

# Completions for the editor and its fields: notes, tags and folders.

_NOT_IN_LINKS = set("[]|#^\n")


@dataclass(frozen=True)
class Offers:
    """Completions: notes as (link name, title, folder), tags as (tag, count), and folders."""

    notes: list[tuple[str, str, str]]
    tags: list[tuple[str, str]]
    folders: dict[str, list[str]]
    """Folders by the base's name."""


def load_offers() -> Offers:
    """Collect the current notes, tags and folders of the workspace."""
    cards = workspace.notes.all()
    folders = {
        base.name: sorted(
            {posixpath.dirname(card.path or "") for card in cards if card.base == base.name} - {""}, key=str.casefold
        )
        for base in workspace.bases.all()
    }
    tags = sorted(workspace.vocabulary.tags().items(), key=lambda tag: (-tag[1], tag[0]))
    offered, links = [], workspace.notes.links()
    for card in cards:
        if card.id not in links.names:  # the note is newer than the links
            continue
        name = links.name(card.id)
        folder = posixpath.dirname(card.path or "") if "/" not in name else ""
        if not _NOT_IN_LINKS & set(name):
            offered.append((name, card.title if card.title != name else "", folder))
    return Offers(
        sorted(offered, key=lambda offer: (offer[1] or offer[0].rpartition("/")[2]).casefold()),
        [(tag, str(count)) for tag, count in tags],
        folders,
    )


NEW = "new"
"""First part of the draft key of a new note, in place of the note's id."""

Action = Literal["rest", "save", "leave", "discard"]
"""An action on the text; `rest`, a typing pause, and `leave`, which closes the editor, save automatically."""
SITTING = timedelta(minutes=5)
"""Time after the last automatic save from which the next one makes a new version."""
_ALL = 2**53 - 1
"""JavaScript's largest safe integer, larger than the number of any text."""


class State(Enum):
    """How text and fields in the editor differ from the stored note."""

    CLEAN = auto()  # nothing differs
    SAVED = auto()  # nothing differs since this editor saved it
    UNSAVED = auto()  # the next pause saves the difference
    INCOMPLETE = auto()  # a new note has no base or no text yet
    CONFLICT = auto()  # the stored note was changed meanwhile: the user chooses
    REFUSED = auto()  # the last save was refused: the next change makes it unsaved
    UNDECIDED = auto()  # a save would accept a program's text, which only the user can do


@dataclass
class EditorSession:
    """A text in the editor with its fields, and the state of saving it."""

    token: str
    """Token that identifies the editor."""
    note: Note | None
    """Stored note when editing began or at the last save, or None for a new note."""
    base: str
    body: str = ""
    folder: str = ""
    fields: dict[str, Any] = field(default_factory=dict)
    """Fields that differ from the note's, in JSON form."""
    caret: int = 0

    number: int = 0
    """Number of the last text from the editor."""
    stored: int = 0
    """Number of the last text that is stored, in the draft or in the note."""
    action: Action | None = None
    """Action that the page still has to do."""
    actions: int = 0
    """Number of actions that the editor has sent."""
    draft_id: str = ""
    """Token of the editor that began the draft."""
    predecessor: str = ""
    """Token of an editor from an ended session that is still in the window; this session continues its text."""
    heard: bool = False
    """Whether the editor has sent anything; until then it accepts late texts of its predecessor."""

    saved: bool = False
    """Whether this editor saved the note and nothing has changed since."""
    autosaved_at: datetime | None = None
    """Time of the last automatic save, or None if the user has saved since."""
    conflict: Note | None = None
    """Stored note that conflicts with the text."""
    refusal: Message | None = None
    """Reason other than a conflict why a save was refused."""
    newer: Note | None = None
    """Newer version of the note, stored since."""
    created: bool = False
    """Whether this editor created the note."""
    title_before: str = ""
    """Title of the note when editing began, or "" for a new note."""
    proposed: bool = False
    """Whether a save also accepts the proposed change that the user is editing."""

    redraws: int = 0
    """Counter whose change redraws the widgets of the fields."""
    offers: Offers | None = None
    links: Any = None

    def __post_init__(self) -> None:
        self.draft_id = self.draft_id or self.token
        self.title_before = self.note.title if self.note else ""

    @property
    def completions(self) -> Offers:
        """Completions for the text and its fields, as they were when they were first needed."""
        self.offers = self.offers or load_offers()
        return self.offers

    @property
    def key(self) -> str:
        """Key of the draft."""
        return f"{self.note.id if self.note else NEW} {self.draft_id}"

    @property
    def state(self) -> State:
        """State of the text compared with the stored note."""
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
        """Whether the text or a field differs from the stored note; for a new note, also whether anything was typed."""
        has_content = self.note is not None or self.number > 0 or self.body != ""
        return has_content and (bool(self.fields) or self.body != (self.note.body if self.note else ""))

    @property
    def complete(self) -> bool:
        """Whether there is enough for a note: a text or a title."""
        return self.note is not None or bool(self.base and (self.body.strip() or self.value("title")))

    @property
    def decides(self) -> bool:
        """Whether saving accepts a program's text."""
        return self.proposed or (self.note is not None and self.note.status == "pending")

    @property
    def joins(self) -> bool:
        """Whether a save replaces the previous version, an automatic save of this sitting."""
        return self.autosaved_at is not None and utc_now() - self.autosaved_at < SITTING

    def value(self, name: str) -> Any:
        """Return the current value of a field in JSON form."""
        return self.fields[name] if name in self.fields else as_json(getattr(self.note, name, None))

    # Actions by the user.

    def take_text(
        self, text: str, number: int, at: int, action: Action | None = None, actions: int = 0, title: str | None = None
    ) -> None:
        """Apply a text from the editor, unless a later one has arrived; it gets the note's line ends.

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
        """Set the action for the next run; for callbacks.

        A callback that reads the session state may be interrupted, so this one doesn't.
        """
        self.action = action

    def detach(self, *, has_title: bool) -> None:
        """Turn the text into that of a new note with the note's fields; the title is kept only with `has_title`."""
        assert self.note is not None
        self.fields = fields_of(self.note) | self.fields
        if not has_title:
            self.fields.pop("title", None)
        self.note = self.autosaved_at = self.conflict = None
        self.saved = False

    def revert(self) -> None:
        """Discard the changes, and ignore what the editor still sends."""
        self.stored = _ALL
        self.abandon()

    def abandon(self) -> None:
        """Discard the changes; what the editor still sends counts as a new change."""
        self.body, self.fields, self.conflict = self.note.body if self.note else "", {}, None

    # Results of saving and loading.

    def keep(self, draft_id: str) -> None:
        """Record that the text is stored as a draft."""
        self.saved = False
        self.draft_id = draft_id
        self.acknowledge()

    def acknowledge(self) -> None:
        """Record that the editor's last text is stored."""
        self.stored = max(self.stored, self.number)

    def save(self, note: Note, *, automatic: bool) -> None:
        """Record that the text is saved as the given note."""
        self.proposed = False
        self.autosaved_at = utc_now() if automatic else None
        self.adopt(note)
        self.saved = True
        self.acknowledge()

    def refuse(self, error: TesseraError) -> None:
        """Record why the text wasn't saved."""
        if isinstance(error, Conflict):
            self.conflict = error.stored
        else:
            self.refusal = error.message

    def adopt(self, note: Note) -> None:
        """Continue from the stored note; redraw fields that were stored differently from what was entered.

        The title isn't redrawn, because the user may be typing it.
        """
        if any(as_json(getattr(note, name)) != value for name, value in self.fields.items() if name != "title"):
            self.redraws += 1
        self.note, self.conflict, self.refusal, self.fields = note, None, None, {}

    def give_back(self, note: Note, name: str) -> None:
        """Continue from a note in which a field has the file's value again."""
        fields = {other: value for other, value in self.fields.items() if other != name}
        self.adopt(note)
        self.fields = fields
        self.redraws += 1

    def overtake(self, stored: Note) -> bool:
        """Return whether the stored note is newer than at the last call; if the text has changed, set a conflict."""
        assert self.note is not None
        if stored.version <= max(self.note.version, self.newer.version if self.newer else 0):
            return False
        self.newer = stored
        self.conflict = stored if self.changed else None
        return True


def fields_of(note: Note, before: Note | None = None) -> dict[str, Any]:
    """Return the fields of a note that differ from those of `before`, by default a new note, in JSON form."""
    before = before or Note("", "", title="", body="", content_hash="")
    return {name: as_json(value) for name in NOTE_FIELDS if (value := getattr(note, name)) != getattr(before, name)}


def as_json(value: object) -> object:
    """Return the value of a note's field in JSON form."""
    if isinstance(value, datetime):
        return value.date().isoformat()
    return list(value) if isinstance(value, tuple) else value


def without_surrogates(text: str) -> str:
    """Replace lone surrogates in a text from a browser, because they can't be stored."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
