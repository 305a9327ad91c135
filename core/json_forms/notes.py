"""Notes as JSON."""

from collections.abc import Iterable

from typing_extensions import TypedDict

from core import model
from core.json_forms.forms import formed
from core.json_forms.versions import Difference


class Card(TypedDict):
    """A note without its text."""

    base: str
    id: str
    title: str
    path: str | None
    version: int
    tags: list[str]
    type: str
    category: str
    project: str
    scope: str
    priority: int
    status: str
    source: str
    created_at: str | None
    updated_at: str | None
    expires_at: str | None


class Note(Card):
    """A note with its text in Markdown."""

    body: str
    supersedes: list[str]
    related: list[str]
    depends_on: list[str]


class Listed(TypedDict):
    """Notes without their texts."""

    notes: list[Card]


class Cards(Listed):
    """Notes, and how many more there are."""

    left_out: int


class Written(TypedDict):
    """A note that was written; `pending` while what was written waits for the person."""

    id: str
    version: int
    path: str | None
    base: str
    status: str


class Trashed(TypedDict):
    """A deleted note; `version` is its last one."""

    id: str
    base: str
    path: str | None
    title: str
    author: model.Author
    version: int
    deleted_at: str


class Trash(TypedDict):
    """The deleted notes, the last deleted first."""

    trash: list[Trashed]


class Submission(TypedDict):
    """What waits for the person: a new note, or a change, a `conflict` if the note has another version now."""

    id: str
    base: str
    path: str | None
    title: str
    version: int
    kind: model.SubmissionKind
    author: model.Author
    at: str


class Proposed(Submission, Difference):
    """What waits of a note: `text` is the note as it becomes, the rest what differs from it as it is."""

    text: Note


def of_note(note: model.Note, base: str) -> Note:
    return formed(Note, note, base=base)


def of_card(card: model.NoteCard) -> Card:
    return formed(Card, card)


def of_cards(cards: Iterable[model.NoteCard]) -> Listed:
    return {"notes": [*map(of_card, cards)]}


def of_trashed(one: model.Trashed, base: str) -> Trashed:
    version = one.version
    place = {"id": version.note_id, "base": base, "path": one.path}
    return formed(Trashed, version, **place, version=version.number, deleted_at=version.at.isoformat())


def of_submission(one: model.Submission) -> Submission:
    return formed(Submission, one.note, kind=one.kind, author=one.author, at=one.at.isoformat())
