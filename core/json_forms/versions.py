"""The versions of notes as JSON."""

from datetime import datetime
from typing import Any

from typing_extensions import TypedDict

from core import model


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
    return {
        "number": version.number,
        "kind": version.kind,
        "author": version.author,
        "title": version.title,
        "at": version.at.isoformat(),
    }


def of_history(history: list[model.Version]) -> Versions:
    return {"versions": [*map(of_version, history)]}


def of_difference(difference: model.NoteDifference, first: int, second: int) -> Difference:
    return {
        "first": first,
        "second": second,
        "fields": [
            {"name": one.name, "before": _plain(one.before), "after": _plain(one.after)} for one in difference.fields
        ],
        "pieces": [{"kind": piece.kind, "text": piece.text} for piece in difference.pieces],
    }


def _plain(value: Any) -> Any:
    return value.isoformat() if isinstance(value, datetime) else value
