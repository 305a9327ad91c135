"""The versions of notes as JSON."""

from typing import Any

from typing_extensions import TypedDict

from core import model
from core.json_forms.forms import formed


class Version(TypedDict):
    """A version of a note, without its text."""

    number: int
    kind: model.VersionKind
    author: model.Author
    title: str
    at: str


class Versions(TypedDict):
    """The versions of a note, the newest first."""

    versions: list[Version]


class FieldChange(TypedDict):
    """A field that differs, with both values."""

    name: str
    before: Any
    after: Any


class Piece(TypedDict):
    """A part of the text: equal in both, removed from the first or added in the second."""

    kind: str
    text: str


class Difference(TypedDict):
    """What differs between two versions of a note."""

    first: int
    second: int
    fields: list[FieldChange]
    pieces: list[Piece]


def of_version(version: model.Version) -> Version:
    return formed(Version, version)


def of_history(history: list[model.Version]) -> Versions:
    return {"versions": [*map(of_version, history)]}


def of_difference(difference: model.NoteDifference, first: int, second: int) -> Difference:
    return formed(Difference, difference, first=first, second=second)
