"""The sections of chunks that an earlier version stored by their first heading only."""

import json
import re
import sqlite3
from contextlib import suppress

from core.base.codec import DAMAGE
from core.base.errors import SourceError
from core.chunking.describe import Sections, short_for
from core.markdown.outline import parse

_HEADING = re.compile(r"[\r\n] {0,3}(?:#|[=-]+[ \t]*(?:[\r\n]|\Z))")
"""What a text with a heading below its first line has."""
_FIELDS = ("section_title", "parent_sections", "hierarchy_level", "sections")


def write_sections(connection: sqlite3.Connection) -> None:
    """Write the sections of chunks that may hold several; their breadcrumb stays, for their vectors have it."""
    marked = "line = 0 AND (instr(text, '#') OR instr(text, '=') OR instr(text, '-'))"
    texts = connection.execute(f"SELECT note_id, text FROM chunks WHERE {marked} AND typeof(text) = 'text'")
    for note_id in {note_id for note_id, text in texts if _HEADING.search(text)}:
        with suppress(SourceError, *DAMAGE):
            _write_of_note(connection, note_id)


def _write_of_note(connection: sqlite3.Connection, note_id: str) -> None:
    ((body,),) = connection.execute("SELECT body FROM notes WHERE id = ?", (note_id,))
    rows = connection.execute(
        "SELECT rowid, kind, start, \"end\", overlap_tokens FROM chunks WHERE note_id = ? AND picture = ''"
        ' ORDER BY "index"',
        (note_id,),
    )
    sections, before = Sections(body, parse(body).headings), 0
    for rowid, kind, start, end, overlap in rows.fetchall():
        found = sections.for_slice(max(start, before) if overlap else start, end, short=short_for(kind))._asdict()
        values = [json.dumps(found[name], ensure_ascii=False) for name in _FIELDS]
        before = end
        values[0] = found["section_title"]
        columns = ", ".join(f"{name} = ?" for name in _FIELDS)
        connection.execute(f"UPDATE chunks SET {columns} WHERE rowid = ?", (*values, rowid))
