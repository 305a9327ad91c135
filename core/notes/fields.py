"""Validation of note fields that the user or a program sets."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from typing import Any, get_args

from core.base.errors import EditError, UnknownChoice
from core.base.text import escape_halves, find_half_character
from core.intake.encoding import MAX_BYTES
from core.markdown.body import MAX_TITLE, distinct_tags
from core.markdown.frontmatter import moment
from core.markdown.tags import normalize
from core.model import NOTE_FIELDS, FieldKind, Note, NoteStatus, exact

MOST_PRIORITY = 999_999
_AROUND = 100
"""Number of characters to show on each side of a mistake."""


def with_fields(note: Note, fields: Mapping[str, object]) -> Note:
    """Return a note with some fields changed; raises EditError, and UnknownChoice for a field or a status."""
    return replace(note, **check_fields(fields))


def check_fields(fields: Mapping[str, object]) -> dict[str, Any]:
    """Validate and normalize note fields; raises EditError, and UnknownChoice for a field or a status."""
    for name in fields:
        if name not in NOTE_FIELDS:
            raise UnknownChoice("field", name, NOTE_FIELDS)
    return {name: _CHECKS[NOTE_FIELDS[name].kind](name, value) for name, value in fields.items()}


def overriding(note: Note, changed: Note) -> Note:
    """Return a changed note, with the file's values for differing fields in `overridden`; the file isn't written."""
    overridden = dict(changed.overridden)
    for name in NOTE_FIELDS:
        value = getattr(changed, name)
        if value != getattr(note, name) and name not in note.overridden:
            overridden[name] = getattr(note, name)
        if name in overridden and overridden[name] == value:
            del overridden[name]
    return replace(changed, overridden=overridden)


def check_text(name: str, text: str) -> None:
    """Raise EditError for a text with a lone surrogate or a NUL, which no file or database can hold."""
    half = find_half_character(text)
    if half is None and "\0" not in text:
        return
    half = text.index("\0") if half is None else half
    around = escape_halves(text[max(0, half - _AROUND) : half + _AROUND])
    raise EditError("The {name} '{value}' contains half a character. Type it again.", name=name, value=around)


def check_body(body: str) -> None:
    """Raise EditError for a text that no file can hold, or that exceeds the size limit of imported files."""
    check_text("text", body)
    if (size := len(body.encode("utf-8"))) > MAX_BYTES:
        raise EditError(
            "The text is {size:.1f} MB; the limit for a note is {limit} MB. Split it into several notes.",
            size=size / 2**20,
            limit=MAX_BYTES // 2**20,
        )


def _text(name: str, value: object) -> str:
    text = " ".join(str(value or "").split())
    check_text(name, text)
    return text


def _title(name: str, value: object) -> str:
    title = _text(name, value)
    if len(title) > MAX_TITLE:
        raise EditError("The title has {n} characters; the limit is {most}.", n=len(title), most=MAX_TITLE)
    return title


def _tags(name: str, value: object) -> tuple[str, ...]:
    return distinct_tags(filter(None, map(normalize, _texts(name, value))))


def _texts(name: str, value: object) -> tuple[str, ...]:
    values = [value] if isinstance(value, str) else list(value or ())  # type: ignore[call-overload]
    return tuple(filter(None, dict.fromkeys(_text(name, item) for item in values)))


def _priority(name: str, value: object) -> int:
    try:
        number = value if type(value) is int else int(str(value))
    except ValueError:
        number = MOST_PRIORITY + 1
    if abs(number) > MOST_PRIORITY:
        raise EditError(
            "The priority '{value}' isn't a whole number from {least} to {most}.",
            value=value if isinstance(value, int) else str(value),
            least=-MOST_PRIORITY,
            most=MOST_PRIORITY,
        )
    return number


def _status(name: str, value: object) -> str:
    if value not in get_args(NoteStatus):
        raise UnknownChoice(name, str(value), get_args(NoteStatus))
    return str(value)


def _time(name: str, value: object) -> datetime | None:
    if not value:
        return None
    if isinstance(value, datetime):
        with suppress(ValueError):
            return exact(value)
    when = moment(str(value).strip())
    if when is None:
        raise EditError("'{value}' is not a date like 2026-01-31.", value=str(value))
    return when


_CHECKS: dict[FieldKind, Callable[[str, object], Any]] = {
    "title": _title,
    "tags": _tags,
    "word": _text,
    "notes": _texts,
    "number": _priority,
    "status": _status,
    "day": _time,
}
