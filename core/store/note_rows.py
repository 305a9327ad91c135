"""Conversion of notes to rows, and of rows to notes, summaries and names."""

import json
from collections.abc import Callable, Iterable
from functools import lru_cache
from sqlite3 import Row
from typing import get_type_hints

from core.base.codec import DAMAGE, decoder, to_plain
from core.base.frozen import Texts, Values, attributes, frozen
from core.base.messages import message
from core.model import (
    NOTE_FIELDS,
    ORIGIN,
    RELATIONS,
    ChunkingOptions,
    Note,
    NoteSummary,
)
from core.store.reading import Noun, RowReader, Unread, loaded, stored

_FIELDS = [name for name in NOTE_FIELDS if name != "tags"]
COLUMNS = [
    *"id base_id generation body body_start content_hash path source source_ref source_url mtime_ns size stamp".split(),
    *_FIELDS,
    *"links created_at updated_at front overridden version extra document warnings left_out encoding".split(),
    *"strategy cut_by chunking".split(),
]
_JSON = ["links", "overridden", "extra", "document", "warnings", "left_out", "encoding", *RELATIONS]
# Maximum number of cached summaries, and of cached names. Pages that list all notes read these on every click.
_REMEMBERED = 20_000
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


@frozen
class Moved:
    """A note whose file was renamed, with the file's new path and stamp."""

    note_id: str
    path: str
    source_ref: str
    title: str
    mtime_ns: int
    size: int
    stamp: str


@frozen
class ActiveFile:
    """An active note, with its path in the folder `source_ref`. The `generation` increases with every change."""

    id: str
    generation: int
    base_id: str
    source_ref: str
    path: str


@frozen
class NoteNames:
    id: str
    base_id: str
    source_ref: str
    path: str | None
    title: str
    aliases: Texts

    @property
    def location(self) -> str:
        """The note's path, or "" if it has none."""
        return self.path or ""


@frozen
class _Chunked:
    id: str
    title: str
    chunking: ChunkingOptions | None = None


@frozen
class Joined:
    """A note in the workspace that becomes linked to a file in the folder `source_ref`.

    `overridden` holds the field values in the file for fields that the note overrides.
    """

    note_id: str
    source_ref: str
    path: str
    content_hash: str
    overridden: Values


def data_of(note: Note) -> Values:
    """Return a note's fields as JSON values, without the id, base, title, body, version and generation."""
    return {
        name: to_plain(getattr(note, name))
        for name in (*COLUMNS, "tags")
        if hasattr(note, name) and name not in _ELSEWHERE
    }


def described(note: Note) -> Values:
    row = data_of(note) | attributes(note, _ELSEWHERE)
    del row["tags"]
    return row | {name: json.dumps(row[name], ensure_ascii=False) for name in _JSON}


def note_of(row: Row, unread: Unread) -> Note:
    return _NOTE_READER(dict(row) | {name: loaded(row[name]) for name in (*_JSON, "tags")}, unread)


def _remembering(reader: RowReader[Noun]) -> Callable[[Row, Unread], Noun]:
    """Return a function that decodes a row's JSON columns and reads the row with `reader`. Its results are cached."""

    def values(columns: Iterable[str], row: Iterable[object]) -> Values:
        pairs = dict(zip(columns, row, strict=True))
        read = {name: loaded(value) if value else () for name, value in pairs.items() if name in _LISTS}
        return pairs | read | ({"document": loaded(pairs["document"])} if "document" in pairs else {})

    @lru_cache(_REMEMBERED)
    def whole(columns: Texts, row: tuple[object, ...]) -> Noun:
        return reader.whole(values(columns, row))

    def read(row: Row, unread: Unread) -> Noun:
        try:
            return whole(tuple(row.keys()), tuple(row))
        except DAMAGE:
            return reader(values(row.keys(), row), unread)

    return read


def overridden(values: Values) -> Values:
    return {name: decoder(_HINTS[name])(value) for name, value in values.items()}


def extra(values: Values) -> Values:
    """Decode the JSON values of user-defined properties. Raises DAMAGE if `aliases` isn't a list of strings."""
    decoder(Texts)(values.get("aliases", ()))
    read: Values = decoder(Values)(values)
    return read


_HINTS = get_type_hints(Note)
_WHAT = message("note")
_NOTE_READER = RowReader(Note, _WHAT, "title", overridden=overridden, extra=extra)
# A function that reads a note's summary from a row with the `CARD` columns.
card_of = _remembering(RowReader(NoteSummary, _WHAT, "title"))
# A function that reads a note's names from a row with the `NAMED` columns.
named_of = _remembering(RowReader(NoteNames, _WHAT, "title"))
CHUNKING_READER = RowReader(_Chunked, _WHAT, "title", chunking=lambda value: value and stored(ChunkingOptions)(value))
