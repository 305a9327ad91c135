"""An editor session: the text and fields in the editor, and how they differ from the stored note."""

import posixpath
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import Enum, auto
from threading import RLock
from typing import Any, Literal

from core.base.datetimes import utc_now
from core.base.errors import Conflict, EditError, TesseraError
from core.base.frozen import AnyValues, Values
from core.base.messages import Message
from core.base.text import with_line_ends
from core.model import NOTE_FIELDS, Note, NoteDraft
from pages.ui.shared.server import workspace

# Completions for the editor and its fields: notes, tags and folders.

_NOT_IN_LINKS = set("[]|#^\n")


@dataclass(frozen=True)
class Offers:
    """Completions for the editor, with notes as (link name, title, folder), tags as (tag, count), and folders."""

    notes: list[tuple[str, str, str]]
    tags: list[tuple[str, str]]
    # Folders in each base, keyed by the base's name.
    folders: dict[str, list[str]]


def load_offers() -> Offers:
    """Collect completions from all notes, tags and folders. Notes are sorted by title, and tags by frequency."""
    cards = workspace.notes.all()
    folders = {
        base.name: sorted(
            {posixpath.dirname(card.location) for card in cards if card.base == base.name} - {""}, key=str.casefold
        )
        for base in workspace.bases.all()
    }
    tags = sorted(workspace.vocabulary.tags().items(), key=lambda tag: (-tag[1], tag[0]))
    links = workspace.notes.links()
    offered = [
        (name, card.title if card.title != name else "", posixpath.dirname(card.location) if "/" not in name else "")
        for card in cards
        if card.id in links.names  # the note may be newer than the links
        if _NOT_IN_LINKS.isdisjoint(name := links.name(card.id))
    ]
    return Offers(
        sorted(offered, key=lambda offer: (offer[1] or offer[0].rpartition("/")[2]).casefold()),
        [(tag, str(count)) for tag, count in tags],
        folders,
    )


# First part of the draft key for a new note, used instead of the note's id.
NEW = "new"

# An action on the text. A pause in typing (`rest`) and closing the editor (`leave`) save the text automatically.
Action = Literal["rest", "save", "leave", "discard"]
# Time after an automatic save during which the next save replaces the saved version.
SITTING = timedelta(minutes=5)
# JavaScript's largest safe integer, larger than any text number.
_ALL = 2**53 - 1


class State(Enum):
    """How the text and fields in the editor differ from the stored note."""

    CLEAN = auto()  # nothing differs
    SAVED = auto()  # nothing differs, and this editor has saved the note
    UNSAVED = auto()  # the changes are saved at the next pause in typing
    INCOMPLETE = auto()  # a new note has no base or no text yet
    CONFLICT = auto()  # the stored note was changed in the meantime, so the user must choose a version
    REFUSED = auto()  # the last save was refused; the next change sets the state to UNSAVED
    UNDECIDED = auto()  # saving would accept text written by a program, so the user must do it


@dataclass
class EditorSession:
    """The text and fields in an editor, the stored note that they belong to, and what has been saved."""

    # Token that identifies this session's editor in the browser.
    token: str
    # The note as stored when editing began or at the last save, or None for a new note.
    note: Note | None
    base: str
    body: str = ""
    folder: str = ""
    # Values of the fields that the user has changed, in JSON form.
    fields: AnyValues = field(default_factory=dict)
    caret: int = 0

    # Number of the last text received from the editor.
    number: int = 0
    # Number of the last text stored in the draft or in the note.
    stored: int = 0
    # Action that the page has yet to perform, or None.
    action: Action | None = None
    # Number of actions that the editor has sent so far.
    actions: int = 0
    # Token of the editor that started the draft.
    draft_id: str = ""
    # Token of an editor whose session has ended but which is still open in the browser window, or "".
    #
    # This session continues with that editor's text.
    predecessor: str = ""
    # Whether the editor has sent anything. Until it has, late text from its predecessor is accepted.
    heard: bool = False

    # Whether this editor has saved the note and the text has stayed the same since then.
    saved: bool = False
    # Time of the last automatic save, or None if there was none or the user has saved the note since then.
    autosaved_at: datetime | None = None
    # The stored note that conflicts with the text, or None.
    conflict: Note | None = None
    # The reason why the last save was refused, or None. Conflicts are in `conflict` instead.
    refusal: Message | None = None
    # The newer version of the note found in the store, or None.
    newer: Note | None = None
    # Whether another page has been drawn since the editor was drawn last.
    left: bool = False
    # Whether this editor created the note.
    created: bool = False
    # Title of the note when editing began, or "" for a new note.
    title_before: str = ""
    # Tags that the user has just removed from the field but not from the text. The note keeps them.
    kept_tags: Sequence[str] = ()
    # Time of the proposed change that the user is editing and that a save accepts, or "".
    proposed: str = ""
    # The page to return to when the editor is closed, or "" for the Notes page.
    back: str = ""
    # Unanswered questions that the note answers once it is saved.
    answers: Sequence[str] = ()
    # Id and version of the note that is archived once its copy, which is written here, is saved.
    copy_of: str = ""
    copied_version: int = 0

    # Lock held while the text is being saved.
    turn: Any = field(default_factory=RLock, repr=False, compare=False)
    # Counter in the keys of the field widgets. Increasing it redraws them with the stored values.
    redraws: int = 0
    offers: Offers | None = None
    links: Any = None

    def __post_init__(self) -> None:
        self.draft_id = self.draft_id or self.token
        if self.note:
            self.title_before = self.note.title

    @property
    def completions(self) -> Offers:
        """Completions for the text and the fields. They are loaded on first use."""
        self.offers = self.offers or load_offers()
        return self.offers

    @property
    def note_id(self) -> str:
        """The id of the note, or "" for a new note."""
        return self.note.id if self.note else ""

    @property
    def known_note(self) -> Note:
        """The note as stored when editing began or at the last save. Use this only if the note isn't new."""
        assert self.note is not None
        return self.note

    @property
    def key(self) -> str:
        """The key of the draft with this session's text."""
        return f"{self.note_id or NEW} {self.draft_id}"

    @property
    def state(self) -> State:
        """How the text and fields compare with the stored note."""
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
        """Whether the text or a field differs from the stored note. A new note is unchanged until the user types."""
        has_content = self.note is not None or self.number > 0 or (self.body != "" and not self.copy_of)
        return has_content and (bool(self.fields) or self.body != (self.note.body if self.note else ""))

    @property
    def complete(self) -> bool:
        """Whether the text can be saved. A new note needs a base, and text or a title."""
        return self.note is not None or bool(self.base and (self.body.strip() or self.value("title")))

    @property
    def decides(self) -> bool:
        """Whether saving would accept text written by a program."""
        return bool(self.proposed) or (self.note is not None and self.note.status == "pending")

    @property
    def joins(self) -> bool:
        """Whether a save replaces the previous version, which was saved automatically in the same sitting."""
        return self.autosaved_at is not None and utc_now() - self.autosaved_at < SITTING

    def value(self, name: str) -> Any:
        """Return the current value of a field in JSON form."""
        return self.fields[name] if name in self.fields else as_json(getattr(self.note, name, None))

    def check_proposal(self) -> None:
        """Raise EditError if a program has proposed another change to the note since the user began to edit one."""
        for item in workspace.proposals.all():
            if item.change and item.note.id == self.note_id and str(item.change.at) != self.proposed:
                raise EditError(
                    "The proposed text of '{title}' has changed since you looked at it. Look at "
                    "it again, then accept or reject it.",
                    title=item.note.title,
                )

    # Actions by the user.

    def take_text(
        self, text: str, number: int, at: int, action: Action | None = None, actions: int = 0, title: str | None = None
    ) -> None:
        """Apply a message from the editor. The text is ignored if later text has already arrived.

        The text gets the note's line endings. `at` is the caret's offset, and `actions` the number of actions so far.
        `title` is a title typed by the user that the page hasn't received yet.
        """
        if number >= self.number:
            self.body = with_line_ends(without_surrogates(text), self.note.body if self.note else "")
            self.number = number
            self.caret = at
            self.refusal = None
            if title is not None:
                self.set("title", without_surrogates(title))
        if actions > self.actions:
            if self.action in (None, "rest"):  # a click on Done that arrived in the same run takes precedence
                self.action = action
            self.actions = actions

    def set(self, name: str, value: object) -> None:
        """Change a field. If the value is the stored note's, the field counts as unchanged."""
        self.refusal = None
        stored = as_json(getattr(self.note, name, None))
        if value == stored or not (value or stored):
            self.fields.pop(name, None)
        else:
            self.fields[name] = value

    def request(self, action: Action) -> None:
        """Set the action to perform in the next rerun. Use this in callbacks.

        This doesn't read Streamlit's session state, because a callback that does may be interrupted.
        """
        self.action = action

    def detach(self, *, has_title: bool) -> None:
        """Turn the text into that of a new note with the old note's fields. Keep the title only if `has_title`."""
        self.fields = fields_of(self.known_note) | self.fields
        if not has_title:
            self.fields.pop("title", None)
        self.note = self.autosaved_at = self.conflict = None
        self.saved = False

    def revert(self) -> None:
        """Discard the changes, and ignore anything the editor still sends."""
        self.stored = _ALL
        self.abandon()

    def abandon(self) -> None:
        """Discard the changes. Anything the editor still sends counts as a new change."""
        self.body = self.note.body if self.note else ""
        self.fields = {}
        self.conflict = None

    # Results of saving and loading.

    def acknowledge(self) -> None:
        """Record that the last text received from the editor is stored, in the note or in a draft."""
        self.stored = max(self.stored, self.number)

    def save(self, note: Note, *, automatic: bool) -> None:
        """Record that the text is saved as the given note."""
        self.proposed = ""
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
        """Set the stored note to `note`, and forget all changes.

        If a field was stored differently from how the user entered it, the fields are redrawn. The title isn't redrawn,
        because the user may still be typing it.
        """
        if any(as_json(getattr(note, name)) != value for name, value in self.fields.items() if name != "title"):
            self.redraws += 1
        self.note = note
        self.conflict = None
        self.refusal = None
        self.fields = {}

    def give_back(self, note: Note, name: str) -> None:
        """Set the stored note to `note`, whose field `name` was restored from the file. Keep the other changes."""
        fields = {other: value for other, value in self.fields.items() if other != name}
        self.adopt(note)
        self.fields = fields
        self.redraws += 1

    def overtake(self, stored: Note) -> bool:
        """Record a newer stored version of the note, and return whether it is new since the last call.

        If the user has changed the text, record a conflict.
        """
        if stored.version <= max(self.known_note.version, self.newer.version if self.newer else 0):
            return False
        self.newer = stored
        self.conflict = stored if self.changed else None
        return True


def fields_of(note: Note, before: Note | None = None) -> AnyValues:
    """Return the fields in which a note differs from `before`, in JSON form. By default, `before` is an empty note."""
    before = before or Note("", "", title="", body="", content_hash="")
    return {name: as_json(value) for name in NOTE_FIELDS if (value := getattr(note, name)) != getattr(before, name)}


def as_json(value: object) -> object:
    """Convert a field's value to JSON form. A time becomes its date as a string, and a tuple becomes a list."""
    if isinstance(value, datetime):
        return value.date().isoformat()
    return list(value) if isinstance(value, tuple) else value


def draft_about(draft: NoteDraft) -> Values:
    """Return the draft data that the browser sends back: the key, base, version and fields."""
    return {"key": draft.key, "base": draft.base_id, "version": draft.version, "fields": draft.fields}


def units(text: str) -> int:
    """Return the length of `text` in UTF-16 code units, as JavaScript counts it."""
    return len(text.encode("utf-16-le")) // 2


def without_surrogates(text: str) -> str:
    """Replace lone surrogates, which text from a browser may contain but which can't be stored."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
