"""The table `properties` in SQL: which notes have a property or a value, and what words find its note."""

from collections.abc import Iterable

from core.base.text import fold
from core.model import Condition
from core.store.phrases import is_inside_word

NAMES = """
    WITH RECURSIVE names(name) AS (
        SELECT min(name) FROM properties
        UNION ALL SELECT (SELECT min(name) FROM properties WHERE name > names.name) FROM names WHERE name IS NOT NULL
    )
    SELECT name FROM names WHERE name IS NOT NULL
"""
"""Each name once; SQLite would read all rows for DISTINCT."""
_NAMED = f"SELECT note_id FROM properties WHERE name IN (SELECT name FROM ({NAMES}) WHERE fold(name) = ?)"
"""The notes that have a property, by its folded name."""
TEXT = """
    SELECT group_concat(iif(instr(name, ' '), name || ' ', '') || value, char(10))
    FROM (SELECT name, value FROM properties WHERE note_id = notes.id ORDER BY name, value)
    WHERE value NOT IN ('true', 'false')
"""
PROPERTY_TEXT = f"""(
    SELECT ({TEXT}) FROM notes WHERE notes.id = chunks.note_id AND chunks."index" =
        (SELECT min("index") FROM chunks AS own WHERE own.note_id = notes.id AND own.state != 'deleted')
)"""
"""What words of properties find a row of `chunks`: the first one of its note has them all, others NULL.

A name of several words is a text too: a line of prose with a colon in it reads as one.
"""

PROPERTY_TEXTS = f"""
    WITH found(note_id, "index", beside) AS MATERIALIZED (
        SELECT id, (SELECT min("index") FROM chunks WHERE note_id = notes.id AND state != 'deleted'), ({TEXT})
        FROM notes WHERE id IN (SELECT note_id FROM properties)
    )
"""
"""The table `found`: PROPERTY_TEXT of each first chunk with properties, read once for a scan of all chunks."""


def notes_with_condition(names: Iterable[str], column: str = "notes.id") -> tuple[str, list[object]]:
    """Return the condition that a note, by a column with its id, has one of some properties."""
    values: list[object] = [*map(fold, names)]
    return " OR ".join([f"{column} IN ({_NAMED})"] * len(values)) or "0", values


def property_condition(condition: Condition) -> tuple[str, list[object]]:
    """Return the condition that a property of a note holds one of some phrases."""
    values = [part for value in condition.values for part in map(fold, (condition.field, value))]
    return " OR ".join([f"notes.id IN ({_NAMED} AND holds_phrase(value, ?))"] * len(condition.values)) or "0", [*values]


def holds_phrase(text: str, folded: str) -> bool:
    """The SQL function for a text that holds a folded phrase; Latin words at its edges must be whole."""
    text = fold(text)
    at = text.find(folded)
    while at >= 0 and (is_inside_word(text, at) or is_inside_word(text, at + len(folded))):
        at = text.find(folded, at + 1)
    return at >= 0
