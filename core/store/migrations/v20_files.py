"""Schema version 20, with more data from notes' files, such as omissions, encoding, stamp, properties and times.

Chunks get a breadcrumb in addition to their sections, because their vectors and token bits include the breadcrumb.
There is a new table for clicks. Pictures shown in notes get vectors, by file hash. `imaged` is a note's generation at
the time its pictures were last recorded.

Unreadable pictures are retried, because the stored data doesn't say whether the cause was in the picture itself.

Times without an offset used to be read as UTC. They are corrected to local times. Notes with unreadable front matter
are read again by their folder's next sync.
"""

import json
import re
import sqlite3
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from itertools import chain

_STATEMENTS = (
    "ALTER TABLE notes ADD COLUMN left_out TEXT NOT NULL DEFAULT '[]'",
    "CREATE INDEX notes_incomplete ON notes(base_id, path) WHERE left_out != '[]'",
    "ALTER TABLE notes ADD COLUMN encoding TEXT NOT NULL DEFAULT 'null'",
    "ALTER TABLE notes ADD COLUMN stamp TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE unread_files ADD COLUMN stamp TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE unread_files ADD COLUMN hash TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE version ADD COLUMN words INTEGER NOT NULL DEFAULT 0",
    "ALTER TABLE embedders ADD COLUMN unrelated BLOB",
    "ALTER TABLE pictures ADD COLUMN again INTEGER NOT NULL DEFAULT 0",
    "UPDATE pictures SET again = reason != ''",
    """
    CREATE TABLE properties (
        note_id TEXT NOT NULL REFERENCES notes ON DELETE CASCADE,
        name TEXT NOT NULL,
        value TEXT NOT NULL,
        PRIMARY KEY (note_id, name, value)
    ) WITHOUT ROWID
    """,
    "CREATE INDEX properties_name ON properties(name)",
    """
    CREATE TABLE clicks (
        note_id TEXT NOT NULL REFERENCES notes ON DELETE CASCADE,
        question TEXT NOT NULL,
        kind TEXT NOT NULL,
        day TEXT NOT NULL,
        chunk_id TEXT NOT NULL,
        PRIMARY KEY (note_id, question, kind, day, chunk_id)
    ) WITHOUT ROWID
    """,
    "CREATE INDEX notes_title ON notes(title COLLATE NOCASE)",
    "ALTER TABLE chunks ADD COLUMN sections TEXT NOT NULL DEFAULT '[]'",
    "ALTER TABLE chunks ADD COLUMN breadcrumb TEXT NOT NULL DEFAULT '[]'",
    "UPDATE chunks SET breadcrumb = parent_sections WHERE parent_sections != '[]' AND json_valid(parent_sections)",
    "UPDATE chunks SET sections = json_array(section_title), breadcrumb = json_insert(parent_sections, '$[#]',"
    " section_title) WHERE section_title != '' AND typeof(section_title) = 'text' AND json_valid(parent_sections)",
    "ALTER TABLE notes ADD COLUMN imaged INTEGER NOT NULL DEFAULT -1",
    """
    CREATE TABLE note_images (
        note_id TEXT NOT NULL REFERENCES notes ON DELETE CASCADE,
        target TEXT NOT NULL,
        start INTEGER NOT NULL,
        place TEXT NOT NULL,
        mtime_ns INTEGER NOT NULL,
        size INTEGER NOT NULL,
        hash TEXT NOT NULL,
        PRIMARY KEY (note_id, target)
    ) WITHOUT ROWID
    """,
    "CREATE INDEX note_images_hash ON note_images(hash)",
    """
    CREATE TABLE image_vectors (
        model TEXT NOT NULL,
        hash TEXT NOT NULL,
        vector BLOB,
        reason TEXT NOT NULL,
        PRIMARY KEY (model, hash)
    ) WITHOUT ROWID
    """,
    "DROP INDEX chunks_filters",
    "CREATE INDEX chunks_filters ON chunks(note_id, state, has_code, breadcrumb, sections)",
)
_KEYS = {
    "created_at": "created|created_at|date",
    "updated_at": "updated|updated_at|modified",
    "expires_at": "expires|expires_at|expiry",
}
# The expiry time in a note's file, if the user has overridden it.
_OF_FILE = "iif(typeof(overridden) = 'text' AND json_valid(overridden), json_extract(overridden, '$.expires_at'), NULL)"
_TIME = r"(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})[T ] ?(\d{1,2})(:\d\d(?::\d\d)?)"
_LINES = {
    column: re.compile(rf"^(?:{keys}):[ \t]*[\"\']?{_TIME}[\"\']?[ \t]*$", re.MULTILINE | re.IGNORECASE)
    for column, keys in _KEYS.items()
}

_DIAGRAMS = "mermaid|plantuml|puml|uml|dot|graphviz|d2|ditaa|bpmn|wavedrom|nomnoml|vega|vega-lite|excalidraw"
_FENCE = re.compile(r"^[ \t>]*+(?:[-*+] )?(`{3,}|~{3,})([^\n]*)", re.MULTILINE)
_DIAGRAM = re.compile(rf"[ \t]*\{{?[ \t]*\.?(?:{_DIAGRAMS})\b", re.IGNORECASE)


def step(connection: sqlite3.Connection) -> None:
    for statement in _STATEMENTS:
        connection.execute(statement)
    columns = ", ".join(_KEYS)
    for note_id, front, extra, of_file, *times in connection.execute(
        f"SELECT id, iif(typeof(front) = 'text', front, ''), extra, {_OF_FILE}, {columns} FROM notes"
        " WHERE extra != '{}' OR front != ''"
    ).fetchall():
        connection.executemany(
            "INSERT OR IGNORE INTO properties VALUES (?, ?, ?)",
            [(note_id, name, text) for name, text in _properties(extra)],
        )
        for column, stored in zip(_KEYS, times, strict=True):
            if stored and (at := _local(_LINES[column], front, stored)):
                connection.execute(f"UPDATE notes SET {column} = ? WHERE id = ?", (at, note_id))
        if of_file and (at := _local(_LINES["expires_at"], front, of_file)):
            connection.execute(
                "UPDATE notes SET overridden = json_set(overridden, '$.expires_at', ?) WHERE id = ?", (at, note_id)
            )
    texts = connection.execute("SELECT rowid, lead || char(10) || text FROM chunks WHERE has_code")
    drawn = [(rowid,) for rowid, text in texts if _holds_only_diagrams(text)]
    connection.executemany("UPDATE chunks SET has_code = 0 WHERE rowid = ?", drawn)
    connection.execute(
        "UPDATE notes SET stamp = 'to read again' WHERE source = 'folder'"
        " AND instr(warnings, 'front matter') AND instr(warnings, 'is ignored')"
    )


def _holds_only_diagrams(text: str) -> bool:
    """Return whether a chunk's code fences contain only diagrams. Diagrams no longer count as code."""
    opening = ""
    diagrams = 0
    for fence, info in _FENCE.findall(text):
        if opening:
            opening = "" if fence.startswith(opening) and not info.strip() else opening
        elif _DIAGRAM.match(info):
            opening = fence
            diagrams = diagrams + 1
        else:
            return False
    return diagrams > 0


def _properties(extra: str) -> list[tuple[str, str]]:
    """Return (name, value) for each property value in a note's `extra`, or an empty list if `extra` can't be read."""
    try:
        loaded = json.loads(extra)
        items = loaded.items() if isinstance(loaded, dict) else ()
        pairs = [(name, text) for name, value in items for text in _texts(value)]
        "".join(chain.from_iterable(pairs)).encode()  # a lone surrogate can't be stored
    except (ValueError, TypeError, RecursionError):
        return []
    return pairs


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, list | dict):
        for part in value.values() if isinstance(value, dict) else value:
            yield from _texts(part)
    elif value is not None and (text := str(value).lower() if isinstance(value, bool) else str(value).strip()):
        yield text


def _local(line: re.Pattern[str], front: str, stored: str) -> str:
    """Return the correct UTC time if a local time was stored as if it were UTC, or "" otherwise."""
    for year, month, day, hour, clock in line.findall(front):
        with suppress(ValueError, OverflowError, OSError):
            written = datetime.fromisoformat(f"{year}-{int(month):02}-{int(day):02}T{int(hour):02}{clock}")
            if written.replace(tzinfo=UTC).isoformat() == stored:
                at = written.astimezone(UTC)
                # Avoid exactly midnight UTC, which stands for a date without a time.
                return at.replace(microsecond=int(not (at.hour or at.minute or at.second))).isoformat()
    return ""
