"""Translates filters to SQL conditions on the tables `notes`, `chunks` and `properties`."""

from collections.abc import Callable, Iterable, Sized
from dataclasses import dataclass, field, replace
from datetime import datetime

from core.base.datetimes import utc_now
from core.base.text import fold
from core.markdown.inline import tag_key
from core.markdown.parts import has_diagram, has_image, has_link, has_table, has_task
from core.model import Condition, Filters, day_of, fields_of, in_utc, on_clock
from core.model.limits import check_filters
from core.store.phrases import holds_phrase
from core.store.reading import texts

# An SQL condition with the values for its placeholders.
Term = tuple[str, list[object]]

# SQL on the table `properties`: notes with a given property or value, and the text to index for properties.

# Query that finds each distinct property name with one index lookup. With DISTINCT, SQLite would read all rows.
NAMES = """
    WITH RECURSIVE names(name) AS (
        SELECT min(name) FROM properties
        UNION ALL SELECT (SELECT min(name) FROM properties WHERE name > names.name) FROM names WHERE name IS NOT NULL
    )
    SELECT name FROM names WHERE name IS NOT NULL
"""
# Query for the notes that have a property with a given folded name.
_NAMED = f"SELECT note_id FROM properties WHERE name IN (SELECT name FROM ({NAMES}) WHERE fold(name) = ?)"
TEXT = """
    SELECT group_concat(iif(instr(name, ' '), name || ' ', '') || value, char(10))
    FROM (SELECT name, value FROM properties WHERE note_id = notes.id ORDER BY name, value)
    WHERE value NOT IN ('true', 'false')
"""
# SQL expression for the property text of a row in `chunks`. It is NULL for all but a note's first chunk.
#
# Any line with a colon is read as a property, so a name that consists of several words may be prose. Such names are
# included in the text.
PROPERTY_TEXT = f"""(
    SELECT ({TEXT}) FROM notes WHERE notes.id = chunks.note_id AND chunks."index" =
        (SELECT min("index") FROM chunks AS own WHERE own.note_id = notes.id AND own.state != 'deleted')
)"""

# WITH clause for the table `found`, which holds each first chunk's PROPERTY_TEXT.
#
# With it, a scan of all chunks reads each text only once.
PROPERTY_TEXTS = f"""
    WITH found(note_id, "index", beside) AS MATERIALIZED (
        SELECT id, (SELECT min("index") FROM chunks WHERE note_id = notes.id AND state != 'deleted'), ({TEXT})
        FROM notes WHERE id IN (SELECT note_id FROM properties)
    )
"""


def notes_with_condition(names: Iterable[str], column: str = "notes.id") -> Term:
    """Return the condition for notes with any of the given properties. `column` is the column with the note's id."""
    values: list[object] = list(map(fold, names))
    return _each(f"{column} IN ({_NAMED})", values), values


def property_condition(condition: Condition, column: str = "notes.id") -> Term:
    """Return the condition for notes with a property that contains any of the phrases in `condition`.

    `column` is the column with the note's id.
    """
    return _each(f"{column} IN ({_NAMED} AND holds_phrase(value, ?))", condition.values), [
        part for value in condition.values for part in map(fold, (condition.field, value))
    ]


# The filters.

CHUNK_FIELDS = ("section", "has", "page", "language", "level")
# A number above any priority.
_FAR = 1 << 62
# A string that sorts after any time.
_LAST = "~"


@dataclass(slots=True)
class Where:
    """SQL conditions that must all be true, with the values for their placeholders."""

    terms: list[str] = field(default_factory=list)
    values: list[object] = field(default_factory=list)

    def add(self, term: str, *values: object, negated: bool = False) -> None:
        """Add a condition, or its negation if `negated`. The condition must never evaluate to NULL."""
        self.terms.append(f"NOT ({term})" if negated else f"({term})")
        self.values += values

    def __bool__(self) -> bool:
        return bool(self.terms)

    def __str__(self) -> str:
        return " AND ".join(self.terms) or "1"


def note_conditions(filters: Filters) -> Where:
    """Return the filters' conditions on rows in `notes`. Raises QueryError if the filters exceed the limits."""
    check_filters(filters)
    where = Where()
    if filters.bases:
        where.add("base_id IN (SELECT id FROM bases WHERE name IN (SELECT value FROM json_each(?)))", filters.bases)
    for condition in filters.conditions:
        if not _is_chunk_condition(condition):
            term, values = _NOTE.get(condition.field, property_condition)(condition)
            where.add(term, *values, negated=condition.negated)
    if filters.after or filters.before:
        where.add(_WITHIN.format(column="notes.updated_at"), *_ends(filters.after, filters.before))
    return where


def chunk_conditions(filters: Filters) -> Where:
    where = Where()
    for condition in filters.conditions:
        if _is_chunk_condition(condition):
            term, values = _CHUNK[condition.field](condition)
            where.add(term, *values, negated=condition.negated)
    return where


def _folded(condition: Condition) -> list[str]:
    return list(map(fold, condition.values))


def _is_chunk_condition(condition: Condition) -> bool:
    """Return whether a condition applies to chunks. `has:` applies to notes if all its values are property names."""
    return condition.field in CHUNK_FIELDS and not (
        condition.field == "has" and _HAS.keys().isdisjoint(_folded(condition))
    )


def answerable_conditions(filters: Filters, *, inactive: bool = True, lapsed: bool = True) -> Where:
    """Return the conditions for notes that searches may find.

    These notes pass the filters, are active and haven't expired. If there is a filter on the status, notes needn't be
    active, and expired notes are included if the filter asks for them. To save time, pass `inactive=False` if the
    workspace has no inactive notes, and `lapsed=False` if no note may have expired. Hidden chunks must be left out
    separately.
    """
    where = note_conditions(filters)
    on_status = [condition for condition in filters.conditions if condition.field == "status"]
    if inactive and not on_status:
        where.add("status = 'active'")
    if lapsed and not any(not condition.negated and "expired" in _folded(condition) for condition in on_status):
        where.add(EXPIRED, *moments(), negated=True)
    return where


# Condition for expired notes.
#
# Its placeholders take the values from `moments()`. A date without a time is stored as midnight UTC.
EXPIRED = (
    "(status = 'active' AND expires_at IS NOT NULL AND iif(substr(expires_at, 11) = 'T00:00:00+00:00',"
    " substr(expires_at, 1, 10) < ?, expires_at <= ?))"
)


def moments() -> tuple[str, str]:
    """Return the user's current date and the current time in UTC, in the stored format."""
    now = utc_now()
    return on_clock(now).date().isoformat(), now.isoformat()


def _tag(condition: Condition) -> Term:
    # There are few distinct tags, but many tagged notes.
    return (
        "notes.id IN (SELECT note_id FROM tags WHERE tag IN"
        " (WITH used AS MATERIALIZED (SELECT DISTINCT tag FROM tags) SELECT tag FROM used WHERE EXISTS"
        " (SELECT 1 FROM json_each(?) WHERE"
        " tag_key(tag) = value OR substr(tag_key(tag), 1, length(value) + 1) = value || '/')))",
        [list(map(tag_key, condition.values))],
    )


def _word(condition: Condition) -> Term:
    return f"fold({condition.field}) IN (SELECT value FROM json_each(?))", [_folded(condition)]


def _status(condition: Condition) -> Term:
    return f"iif({EXPIRED}, 'expired', status) IN (SELECT value FROM json_each(?))", [*moments(), _folded(condition)]


def _number(condition: Condition) -> Term:
    ends = [
        max(-_FAR, min(_FAR, int(end or far)))
        for value in condition.values
        for end, far in zip(value.partition("..")[::2], (-_FAR, _FAR), strict=True)
    ]
    return _each(f"{condition.field} BETWEEN ? AND ?", condition.values), list(ends)


def _page(condition: Condition) -> Term:
    """Return the condition for chunks on given pages.

    A chunk is on the page where it begins, and on every page that begins within the chunk.
    """
    term, ends = _number(condition)
    last_page = (
        "max(page, (SELECT count(*) FROM json_each(iif(json_valid(document), document, '{}'), '$.pages')"
        ' WHERE value < chunks."end"))'
    )
    return term.replace("page BETWEEN ? AND ?", f"{last_page} >= ? AND page BETWEEN 1 AND ?"), ends


def _day(condition: Condition) -> Term:
    ends = [
        [datetime.fromisoformat(at) if at else None for at in value.partition("..")[::2]] for value in condition.values
    ]
    return _each(_WITHIN.format(column=f"notes.{condition.field}_at"), ends), [
        value for start, end in ends for value in _ends(start, end)
    ]


# Condition for times within a span. It takes the values `_ends()`. A date without a time is stored as midnight UTC.
_WITHIN = (
    "coalesce(iif(substr({column}, 11) = 'T00:00:00+00:00',"
    " substr({column}, 1, 10) >= ? AND substr({column}, 1, 10) < ?, {column} >= ? AND {column} < ?), 0)"
)


def _ends(start: datetime | None, end: datetime | None) -> list[object]:
    """Return a span's start and end as dates in the user's time zone, then as UTC times, in the stored format."""
    return [
        day_of(start) if start else "",
        day_of(end) if end else _LAST,
        in_utc(start).isoformat() if start else "",
        in_utc(end).isoformat() if end else _LAST,
    ]


def _kind(condition: Condition) -> Term:
    return _any("coalesce(iif(json_valid(document), json_extract(document, '$.kind'), '') = ?, 0)", condition)


def _use(condition: Condition) -> Term:
    return " OR ".join(_USES[value] for value in _folded(condition) if value in _USES) or "0", []


_USES = {
    "unfound": "NOT EXISTS (SELECT 1 FROM uses WHERE uses.note_id = notes.id AND used_in != 'read')",
    "unhelpful": "(EXISTS (SELECT 1 FROM uses WHERE uses.note_id = notes.id AND used_in != 'read')"
    " AND NOT EXISTS (SELECT 1 FROM uses WHERE uses.note_id = notes.id AND helpful = 1))",
    "misleading": "EXISTS (SELECT 1 FROM uses WHERE uses.note_id = notes.id AND helpful = -1)",
}


def _either(first: Term, second: Term) -> Term:
    return f"{first[0]} OR {second[0]}", first[1] + second[1]


def _url(condition: Condition) -> Term:
    return _either(_any("instr(fold(source_url), ?)", condition), property_condition(condition))


def _language(condition: Condition) -> Term:
    codes = [_LANGUAGES.get(value, value) for value in _folded(condition)]
    return _either(("language IN (SELECT value FROM json_each(?))", [codes]), property_condition(condition, "note_id"))


# Language codes of chunks, by language name or alias.
_LANGUAGES = dict(
    pair.split() for pair in "chinese zh|中文 zh|english en|英文 en|英语 en|中英混合 mixed|代码 code".split("|")
)


def _level(condition: Condition) -> Term:
    ranges = tuple(value for value in condition.values if ".." in value)
    least = tuple(filter(None, (value.partition("..")[0] for value in condition.values)))
    return _either(
        _number(replace(condition, field="hierarchy_level", values=ranges)),
        property_condition(replace(condition, values=least), "note_id"),
    )


def _in(condition: Condition) -> Term:
    return _either(_any("instr(fold(title), ?)", condition), _any("instr(fold(coalesce(path, '')), ?)", condition))


def _path(condition: Condition) -> Term:
    patterns: list[object] = [
        value if "*" in value or "?" in value else f"{value.replace('[', '[[]')}*" for value in _folded(condition)
    ]
    return _each("coalesce(fold(path) GLOB ?, 0)", patterns), patterns


def _has(condition: Condition) -> Term:
    terms = [_HAS[value] for value in _folded(condition) if value in _HAS]
    properties, values = notes_with_condition([value for value in _folded(condition) if value not in _HAS], "note_id")
    return " OR ".join((*terms, properties)), values


# Conditions by value of the `has:` filter. `instr` is fast and avoids most calls to the slower functions.
_HAS = {
    "code": "has_code",
    "table": "instr(lead || text, '|') AND has_table(lead || char(10) || text)",
    "task": "instr(text, '[') AND has_task(text)",
    "diagram": "(picture != '' OR instr(lead || text, '```') OR instr(lead || text, '~~~') OR instr(text, '![')) AND"
    " has_diagram(iif(picture = '', lead, '![](' || picture || ')') || char(10) || text,"
    " titles(breadcrumb, sections) || char(10) || title)",
    "link": "(instr(text, '[') OR instr(text, '://')) AND has_link(text)",
    "image": "(picture != '' OR instr(text, '![') AND has_image(text))",
}

_Terms = dict[str, Callable[[Condition], Term]]

_NOTE: _Terms = {
    "tag": _tag,
    **dict.fromkeys(fields_of("word"), _word),
    "status": _status,
    "priority": _number,
    "kind": _kind,
    "use": _use,
    "url": _url,
    "in": _in,
    "path": _path,
    "created": _day,
    "updated": _day,
    "has": lambda condition: notes_with_condition(condition.values),
    "like": lambda _: ("1", []),  # applies only to pictures, so every passage passes
}
_CHUNK: _Terms = {
    "section": lambda condition: _any("instr(titles(breadcrumb, sections), ?)", condition),
    "has": _has,
    "page": _page,
    "language": _language,
    "level": _level,
}


def titles(breadcrumb: str, sections: str) -> str:
    """Return a chunk's folded section titles, joined by NUL characters, which never occur in text. Called from SQL."""
    return fold("\0".join(texts(breadcrumb) + texts(sections)))


def _any(term: str, condition: Condition) -> Term:
    return _each(term, condition.values), [*_folded(condition)]


def _each(term: str, values: Sized) -> str:
    """Return the SQL condition that `term` is true for any of the given values."""
    return " OR ".join([term] * len(values)) or "0"


FUNCTIONS = (
    fold,
    titles,
    holds_phrase,
    has_table,
    has_task,
    has_image,
    has_diagram,
    has_link,
)
