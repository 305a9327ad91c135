"""A note as a row, and a row as a note, a card or a name."""

import json
from collections.abc import Callable
from dataclasses import asdict
from functools import lru_cache
from sqlite3 import Row
from typing import Any, get_type_hints

from core.base.codec import DAMAGE, decoder, to_plain
from core.base.frozen import frozen
from core.base.messages import message
from core.model import (
    NOTE_FIELDS,
    ORIGIN,
    RELATIONS,
    ChunkingOptions,
    Note,
    NoteSummary,
)
from core.store.note_to_index import NoteToIndex
from core.store.reading import Noun, RowReader, Unread, loaded, stored

_FIELDS = [name for name in NOTE_FIELDS if name != "tags"]
COLUMNS = [
    *"id base_id generation body body_start content_hash path source source_ref source_url mtime_ns size stamp".split(),
    *_FIELDS,
    *"links created_at updated_at front overridden version extra document warnings left_out encoding".split(),
    *"strategy cut_by chunking".split(),
]
_JSON = ["links", "overridden", "extra", "document", "warnings", "left_out", "encoding", *RELATIONS]
_REMEMBERED = 20_000
"""Rows of each kind that are read once while they stay as they are: pages with all notes need them at each click."""
_LISTS = ["tags", "aliases", "warnings", *RELATIONS]
_ELSEWHERE = "id base_id generation title body version".split()
_ALIASES = "iif(json_valid(extra), json_extract(extra, '$.aliases'), extra) AS aliases"
_ORIGIN = (
    f"coalesce(iif(json_valid(extra) AND json_type(extra, '$.{ORIGIN}') = 'text',"
    f" json_extract(extra, '$.{ORIGIN}'), ''), '') AS origin"
)
_TAGS = "(SELECT json_group_array(tag) FROM tags WHERE note_id = notes.id) AS tags"
NOTE = ", ".join([*COLUMNS, _TAGS, "(SELECT kind FROM bases WHERE bases.id = base_id) = 'lines' AS plain"])
CARD = f"""
    SELECT notes.id, base_id, bases.name AS base, path, body_start, {", ".join(_FIELDS)}, source, notes.updated_at,
           strategy, warnings, document, version, source_ref, source_url, notes.created_at,
           {_ALIASES}, {_ORIGIN}, {_TAGS},
           (SELECT count(*) FROM chunks WHERE note_id = notes.id AND state != 'deleted') AS chunks,
           (SELECT count(*) FROM chunks WHERE note_id = notes.id AND state = 'pending') AS pending
    FROM notes JOIN bases ON bases.id = base_id
"""
NAMED = f"""
    SELECT id, base_id, source_ref, path, title,
           {_ALIASES}
    FROM notes
"""


Values = dict[str, Any]
"""Values of a row by their columns, or of a note by its fields."""


@frozen
class Moved:
    """The new place of a note's file."""

    note_id: str
    path: str
    source_ref: str
    title: str
    mtime_ns: int
    size: int
    stamp: str


@frozen
class ActiveFile:
    """An active note with its path in the folder `source_ref`; `generation` grows with every change of it."""

    id: str
    generation: int
    base_id: str
    source_ref: str
    path: str


@frozen
class NoteNames:
    """The names of a note."""

    id: str
    base_id: str
    source_ref: str
    path: str | None
    title: str
    aliases: tuple[str, ...]


@frozen
class _Chunked:
    """A note's own chunking options."""

    id: str
    title: str
    chunking: ChunkingOptions | None = None


@frozen
class Joined:
    """A note of the workspace that becomes that of a file in `source_ref`; `overridden` are the fields of the file."""

    note_id: str
    source_ref: str
    path: str
    content_hash: str
    overridden: dict[str, object]


def data_of(note: Note) -> Values:
    """Return a note's values other than its id, base, title and text, as JSON values."""
    names = [name for name in COLUMNS if hasattr(note, name) and name not in _ELSEWHERE]
    return {name: to_plain(getattr(note, name)) for name in (*names, "tags")}


def described(note: Note) -> Values:
    elsewhere = {name: getattr(note, name) for name in _ELSEWHERE}
    row = {name: value for name, value in (data_of(note) | elsewhere).items() if name != "tags"}
    return row | {name: json.dumps(row[name], ensure_ascii=False) for name in _JSON}


def row_of(cut: NoteToIndex) -> Values:
    return described(cut.note) | {
        "mtime_ns": cut.mtime_ns,
        "size": cut.size,
        "stamp": cut.stamp,
        "strategy": cut.strategy,
        "cut_by": cut.cut_by,
        "chunking": json.dumps(asdict(cut.options)) if cut.options else None,
    }


def _read_texts(stored: object) -> object:
    return loaded(stored) if stored else ()


def note_of(row: Row, unread: Unread) -> Note:
    """Return the note of a row of `NOTE`."""
    return _NOTE_READER(dict(row) | {name: loaded(row[name]) for name in (*_JSON, "tags")}, unread)


def _remembering(reader: RowReader[Noun], values: Callable[[Values], Values]) -> Callable[[Row, Unread], Noun]:
    """Return what reads rows, with other values, as nouns; a row that was read before has the same."""

    @lru_cache(_REMEMBERED)
    def whole(columns: tuple[str, ...], row: tuple[object, ...]) -> Noun:
        return reader.whole(values(dict(zip(columns, row, strict=True))))

    def read(row: Row, unread: Unread) -> Noun:
        try:
            return whole(tuple(row.keys()), tuple(row))
        except DAMAGE:
            return reader(values(dict(row)), unread)

    return read


def _card_values(row: Values) -> Values:
    return row | {name: _read_texts(row[name]) for name in _LISTS} | {"document": loaded(row["document"])}


def _named_values(row: Values) -> Values:
    return row | {"aliases": _read_texts(row["aliases"])}


def options_of(note_id: str, chunking: str | None, unread: Unread) -> ChunkingOptions | None:
    """Return the own chunking options of a note, None where it has its base's."""
    return _CHUNKING_READER({"id": note_id, "title": note_id, "chunking": chunking}, unread).chunking


def texts(stored: object) -> tuple[str, ...]:
    """Return a stored list of texts, an empty one where it can't be read."""
    items = loaded(stored)
    return tuple(item for item in items if isinstance(item, str)) if isinstance(items, list) else ()


def overridden(values: Values) -> Values:
    """Return values of fields of a note from their JSON values."""
    return {name: decoder(_HINTS[name])(value) for name, value in values.items()}


def extra(values: Values) -> Values:
    """Return the values without a field from their JSON values; aliases are texts."""
    decoder(tuple[str, ...])(values.get("aliases", ()))
    read: dict[str, object] = decoder(dict[str, object])(values)
    return read


_HINTS = get_type_hints(Note)
_WHAT = message("note")
_NOTE_READER = RowReader(Note, _WHAT, "title", overridden=overridden, extra=extra)
card_of = _remembering(RowReader(NoteSummary, _WHAT, "title"), _card_values)
"""The card of a row of `CARD`."""
named_of = _remembering(RowReader(NoteNames, _WHAT, "title"), _named_values)
"""What a note is called, of a row of `NAMED`."""
_CHUNKING_READER = RowReader(_Chunked, _WHAT, "title", chunking=lambda value: value and stored(ChunkingOptions)(value))
