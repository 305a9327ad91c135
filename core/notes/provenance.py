"""Where a new note comes from, as who writes it says: its source, its place there, its writer, and other values."""

import json
from collections.abc import Mapping
from typing import Any

import yaml

from core.base.errors import EditError, UnknownChoice
from core.base.text import one_line
from core.model import NOTE_SOURCES, ORIGIN
from core.notes.fields import check_text

NAMES = ("source", ORIGIN, "created_by", "metadata")
"""The values of a new note beside its text, its path and its fields."""
_MOST = 500
"""Characters of a place or a name."""
_MOST_METADATA = 16 * 1024


def taken(item: dict[str, Any]) -> tuple[str, dict[str, object]]:
    """Take these values out of an item; return the source, "" for none, and the properties of the note.

    Raises UnknownChoice for a source, EditError for values that are too long or no JSON.
    """
    source, place, writer, metadata = (item.pop(name, None) for name in NAMES)
    if source and source not in NOTE_SOURCES:
        raise UnknownChoice("source", str(source), NOTE_SOURCES)
    texts = {name: _text(name, value) for name, value in ((ORIGIN, place), ("created_by", writer)) if value}
    return str(source or ""), texts | ({"metadata": _metadata(metadata)} if metadata else {})


def front_of(properties: Mapping[str, object]) -> str:
    """Return front matter with properties, "" for none."""
    dumped = yaml.safe_dump(dict(properties), allow_unicode=True, sort_keys=False, width=10_000)
    return f"---\n{dumped}---\n" if properties else ""


def _text(name: str, value: object) -> str:
    text = one_line(str(value))
    check_text(name, text)
    if len(text) > _MOST:
        raise EditError(
            "The {name} has {n} characters; at most {most} are possible.", name=name, n=len(text), most=_MOST
        )
    return text


def _metadata(values: object) -> dict[str, object]:
    try:
        dumped = json.dumps(values, allow_nan=False, ensure_ascii=False)
        dumped.encode()
        plain = json.loads(dumped)
    except (TypeError, ValueError, RecursionError) as error:
        raise EditError("The metadata is no object of JSON. Send names and values.") from error
    if not isinstance(plain, dict) or len(dumped) > _MOST_METADATA or "\\u0000" in dumped:
        raise EditError("The metadata must be an object of JSON of at most {limit} KB.", limit=_MOST_METADATA // 1024)
    return plain
