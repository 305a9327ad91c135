"""Format the results of operations for people as a sentence, a table, or names with values."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any, get_type_hints
from unicodedata import east_asian_width

from core.base.frozen import attributes
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

# A function that formats a result as lines.
Lines = Callable[[Any], list[str]]

# Display names for fields. A field without a display name is shown under its own name.
NAMES = {
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
            "chunking": "Splitting",
            "deleted_at": "Deleted",
            "device": "Processor",
            "dimension": "Numbers per passage",
            "dtype": "Number format",
            "embed_at_once": "New notes are indexed at once",
            "embedded_windows": "Pieces of text indexed",
            "explanation": "Explanation",
            "failed": "Failed",
            "flagged": "Edits that no longer match the text",
            "description": "Description",
            "encoding": "Encoding",
            "encrypted": "Encrypted",
            "folder": "Folder",
            "folders": "Folders",
            "id": "ID",
            "index": "Search index",
            "indexed": "Indexed",
            "keep_tokens": "Data for fast reranking is kept",
            "key": "Key",
            "kind": "Kind",
            "kinds": "Kinds",
            "language": "Language",
            "languages": "Languages",
            "linking": "Notes that link to this note",
            "made_at": "Time",
            "memory_bytes": "Bytes of memory",
            "merged": "Merged",
            "ms_per_text": "Milliseconds per passage",
            "name": "Name",
            "note_id": "Note",
            "notes": "Notes",
            "number": "Number",
            "other_path": "Other path",
            "part": "Used for",
            "path": "Path",
            "path_before": "Previous path",
            "pending": "Passages not indexed yet",
            "pinned": "Pinned",
            "pipeline": "Setup",
            "problem": "Problem",
            "process_bytes": "Memory used by the process, in bytes",
            "question": "Question",
            "quotes": "Sentences",
            "ranking": "Ranking test, by language",
            "read_pictures": "Text in pictures is read",
            "reason": "Reason",
            "refusal": "Reason",
            "refused": "Passages that the model rejects",
            "questions": "Questions",
            "right": "Correct",
            "search": "Search settings",
            "seconds": "Seconds",
            "seconds_to_load": "Seconds to load",
            "set_name": "Question set",
            "synced_at": "Last update",
            "times": "Times",
            "title": "Title",
            "title_before": "Previous title",
            "to_embed": "Pieces of text to index",
            "trusts_programs": "Programs may write without asking",
            "unchanged": "Unchanged",
            "usable": "Usable",
            "version": "Version",
            "waiting": "To review",
            "watch": "Folders are watched",
            "windows": "Pieces of text for the model",
            "windows_with_bits": "Pieces of text with data for fast reranking",
            "write_files": "Edits are saved to the files",
        }
    ),
}

# Display names for values, by field type.
CHOICES: dict[Any, Mapping[Any, Message]] = {
    Author: AUTHORS,
    BackupReason: BACKUP_REASONS,
    BaseKind: BASE_KINDS,
    ClickKind: CLICKED,
    MatterKind: {kind: matter.title for kind, matter in MATTERS.items()},
    SubmissionKind: SUBMISSIONS,
    VersionKind: VERSION_KINDS,
}


def sentence(text: str | Message) -> Lines:
    """Return a function that fills in a sentence with a result's fields.

    `{n}` is replaced by the first field, or by the field's length if it is a tuple.
    """

    def lines(result: "DataclassInstance") -> list[str]:
        values = {field.name: getattr(result, field.name) for field in fields(result)}
        first = next(iter(values.values()))
        return [
            say(replace(as_message(text), fields=values | {"n": len(first) if isinstance(first, tuple) else first}))
        ]

    return lines


def table(*columns: str, empty: str) -> Lines:
    """Return a function that formats the rows in a result's first field as a table, omitting empty columns.

    If there are no rows, the function returns `empty`.
    """

    def lines(result: "DataclassInstance") -> list[str]:
        rows = getattr(result, fields(result)[0].name)
        drawn = [[_name(column), *cell] for column in columns if any(cell := [_cell(row, column) for row in rows])]
        if not rows:
            return [say(Message(empty))]
        widths = [max(map(_width, column)) for column in drawn]
        return ["  ".join(map(_padded, line, widths)).rstrip() for line in zip(*drawn, strict=True)]

    return lines


def details(result: object) -> list[str]:
    """Return a result's names and values, one per line, omitting empty values."""
    return list(_details(result, ""))


def _details(result: object, indent: str) -> Iterator[str]:
    for name, value, text in _parts(result):
        if text:
            yield f"{indent}{name}: {text}"
            continue
        yield f"{indent}{name}:"
        if isinstance(value, (tuple, list)):
            for item in value:
                yield f"{indent}  - {', '.join(f'{part}: {shown}' for part, _value, shown in _parts(item) if shown)}"
        else:
            yield from _details(value, f"{indent}  ")


def _parts(result: object) -> Iterator[tuple[str, object, str]]:
    """Yield each non-empty field's display name, value and text. The text is "" if the value has fields of its own."""
    hints = {} if isinstance(result, Mapping) else get_type_hints(type(result))
    values = result if isinstance(result, Mapping) else attributes(result, hints)
    for name, value in values.items():
        if value is not None and value not in ("", (), [], {}):
            first = value[0] if isinstance(value, (tuple, list)) else value
            has_parts = isinstance(first, Mapping) or (is_dataclass(first) and not isinstance(first, Message))
            yield _name(name), value, "" if has_parts else _text(value, CHOICES.get(hints.get(name), {}))


def _name(field: str) -> str:
    return say(NAMES.get(field, field))


def _cell(row: object, column: str) -> str:
    """Return a field's value on one line. None and False become ""."""
    value = getattr(row, column)
    if column == "bytes":
        return f"{value / 1e6:,.1f} MB"
    return (
        "" if value is None or value is False else _text(value, CHOICES.get(get_type_hints(type(row)).get(column), {}))
    )


def _text(value: object, choices: Mapping[str, Message]) -> str:
    """Return a value on one line, in human-readable form."""
    if isinstance(value, datetime):
        return minute(value)
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    if isinstance(value, (tuple, list)):
        return one_line(", ".join(map(say, value)))
    return one_line(say(choices.get(value, value) if isinstance(value, str) else value))


def _padded(cell: str, width: int) -> str:
    """Pad a cell to its column's width, right-aligning numbers."""
    space = " " * (width - _width(cell))
    return space + cell if cell.isdecimal() else cell + space


def _width(text: str) -> int:
    """Return the number of columns that text takes up. Wide characters take up two."""
    return sum(2 if east_asian_width(letter) in "WF" else 1 for letter in text)
