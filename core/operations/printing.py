"""Formatting of results for people by their fields: a sentence, a table of rows, or names with values."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any, get_type_hints
from unicodedata import east_asian_width

from core.base.codec import encode
from core.base.messages import Message, as_message, message_table
from core.base.terminal import _, minute, say
from core.base.text import one_line
from core.model import (
    AUTHORS,
    BACKUP_REASONS,
    BASE_KINDS,
    CLICKED,
    MATTERS,
    NOTE_FIELDS,
    SETTINGS,
    SUBMISSIONS,
    VERSION_KINDS,
    Author,
    BackupReason,
    BaseKind,
    ClickKind,
    MatterKind,
    SubmissionKind,
    VersionKind,
)

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Lines = Callable[[Any], list[str]]
"""Function that formats a result as lines."""

NAMES: dict[str, Message] = {
    **SETTINGS,
    **{name: field.title for name, field in NOTE_FIELDS.items()},
    **message_table(
        {
            "asked": "Questions asked",
            "at": "Time",
            "author": "By",
            "base": "Base",
            "bases": "Bases",
            "beginning": "First words",
            "bytes": "Size",
            "chunks": "Chunks",
            "day": "Day",
            "deleted_at": "Deleted",
            "description": "Description",
            "encoding": "Encoding",
            "encrypted": "Encrypted",
            "folder": "Folder",
            "id": "ID",
            "key": "Key",
            "kind": "Kind",
            "kinds": "Kinds",
            "language": "Language",
            "made_at": "Time",
            "merged": "Merged",
            "name": "Name",
            "note_id": "Note",
            "notes": "Notes",
            "number": "Number",
            "other_path": "Other path",
            "path": "Path",
            "path_before": "Path before",
            "pinned": "Pinned",
            "pipeline": "Setup",
            "problem": "Problem",
            "question": "Question",
            "quotes": "Sentences",
            "reason": "Reason",
            "questions": "Questions",
            "set_name": "Question set",
            "times": "Times",
            "title": "Title",
            "version": "Version",
        }
    ),
}
"""Display names of fields; other fields are shown by their own names."""

CHOICES: dict[Any, Mapping[Any, Message]] = {
    Author: AUTHORS,
    BackupReason: BACKUP_REASONS,
    BaseKind: BASE_KINDS,
    ClickKind: CLICKED,
    MatterKind: {kind: matter.title for kind, matter in MATTERS.items()},
    SubmissionKind: SUBMISSIONS,
    VersionKind: VERSION_KINDS,
}
"""Display names of values, by the type of their field."""


def sentence(text: str | Message) -> Lines:
    """Return a function that formats a result as a sentence with its fields; `n` is the first field or its length."""

    def lines(result: "DataclassInstance") -> list[str]:
        values = {field.name: getattr(result, field.name) for field in fields(result)}
        first = next(iter(values.values()))
        return [
            say(replace(as_message(text), fields=values | {"n": len(first) if isinstance(first, tuple) else first}))
        ]

    return lines


def table(*columns: str, empty: str) -> Lines:
    """Return a function that formats the rows in the first field of a result, without empty columns."""

    def lines(result: "DataclassInstance") -> list[str]:
        rows = getattr(result, fields(result)[0].name)
        cells = [[_cell(row, column) for row in rows] for column in columns]
        drawn = [[_name(column), *cell] for column, cell in zip(columns, cells, strict=True) if any(cell)]
        return _aligned(drawn) if rows else [say(Message(empty))]

    return lines


def details(result: object) -> list[str]:
    """Return the names and values in a result, one per line."""
    return [*_details(encode(result), "")]


def _details(values: Mapping[str, object], indent: str) -> Iterator[str]:
    for name, value in values.items():
        if isinstance(value, Mapping):
            yield f"{indent}{_name(name)}:"
            yield from _details(value, f"{indent}  ")
        elif isinstance(value, list) and any(isinstance(item, Mapping) for item in value):
            yield f"{indent}{_name(name)}:"
            for item in value:
                yield f"{indent}  - {', '.join(f'{_name(key)}: {say(part)}' for key, part in item.items())}"
        else:
            yield f"{indent}{_name(name)}: {', '.join(map(say, value)) if isinstance(value, list) else say(value)}"


def _name(field: str) -> str:
    return say(NAMES.get(field, field))


def _cell(row: object, column: str) -> str:
    """Return the value of a field on one line, "" for None and False."""
    value = getattr(row, column)
    if isinstance(value, datetime):
        return minute(value)
    if value is True:
        return _("yes")
    if column == "bytes":
        return f"{value / 1e6:,.1f} MB"
    if isinstance(value, (tuple, list)):
        return one_line(", ".join(map(say, value)))
    choices = CHOICES.get(get_type_hints(type(row)).get(column), {})
    return one_line(say(choices.get(value, "" if value is None or value is False else value)))


def _aligned(columns: Sequence[Sequence[str]]) -> list[str]:
    """Return the lines of a table with these columns; wide characters count as two."""
    widths = [max(map(_width, column)) for column in columns]
    return ["  ".join(map(_padded, row, widths)).rstrip() for row in zip(*columns, strict=True)]


def _padded(cell: str, width: int) -> str:
    """Pad a cell to the width of its column; numbers are right-aligned."""
    space = " " * (width - _width(cell))
    return space + cell if cell.isdecimal() else cell + space


def _width(text: str) -> int:
    return sum(2 if east_asian_width(letter) in "WF" else 1 for letter in text)
