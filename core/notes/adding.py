"""New notes: their titles, places and ids, in time linear in their number."""

import json
from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from itertools import islice
from typing import Any

import yaml

from core.base.errors import EditError, TesseraError, UnknownChoice
from core.base.messages import Message
from core.base.text import one_line, stem
from core.intake.folder import free_path
from core.markdown.body import look_into
from core.model import NOTE_SOURCES, ORIGIN, Added, Author, KnowledgeBase, Note, Revision
from core.notes import naming
from core.notes.fields import check_body, check_fields, check_text
from core.notes.texts import with_body
from core.notes.writer import Writer
from core.store import Store
from core.store.ids import fresh_id
from core.store.note_to_index import NoteToIndex

# Where a new note comes from, as who writes it says: its source, its place there, its writer, and other values.

NAMES = ("source", ORIGIN, "created_by", "metadata")
"""The values of a new note besides its text, its path and its fields."""
_MOST = 500
"""Characters of a place or a name."""
_MOST_METADATA = 16 * 1024


@dataclass(frozen=True, slots=True)
class Provenance:
    """The source of a new note, "" for none, and the properties that say more of it."""

    source: str
    properties: dict[str, object]


def take_provenance(item: dict[str, Any]) -> Provenance:
    """Take these values out of an item.

    Raises UnknownChoice for a source, EditError for values that are too long or no JSON.
    """
    source, place, writer, metadata = (item.pop(name, None) for name in NAMES)
    if source and source not in NOTE_SOURCES:
        raise UnknownChoice("source", str(source), NOTE_SOURCES)
    texts = {name: _text(name, value) for name, value in ((ORIGIN, place), ("created_by", writer)) if value}
    return Provenance(str(source or ""), texts | ({"metadata": _metadata(metadata)} if metadata else {}))


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


_GROUP = 256
"""Notes that are written together."""


class _Taken(Container[str]):
    """Names that are stored, as a function says, or given here."""

    def __init__(self, is_stored: Callable[[str], bool]) -> None:
        self._is_stored = is_stored
        self._given: set[str] = set()

    def __contains__(self, name: object) -> bool:
        return name in self._given or self._is_stored(str(name))

    def add(self, name: str) -> None:
        self._given.add(name)


def add(
    store: Store,
    writer: Writer,
    base: KnowledgeBase,
    author: Author,
    items: Iterable[Mapping[str, Any]],
    *,
    strict: bool,
) -> Added:
    """Write a note of each item into a base; return their ids and what failed, which is raised with `strict`.

    They are written in groups; each group is given its places and written while nothing else writes.
    """
    paths, ids = _Taken(partial(store.notes.has_path, base)), _Taken(store.versions.has)
    note_ids: list[str] = []
    failed: list[tuple[int, Message]] = []
    numbered = enumerate(items)
    while group := list(islice(numbered, _GROUP)):
        with store.changing:
            notes: list[NoteToIndex] = []
            numbers: dict[str | None, int] = {}
            for number, item in group:
                try:
                    notes.append(_new(base, author, dict(item), paths, ids))
                except TesseraError as error:
                    if strict:
                        raise
                    failed.append((number, error.message))
                else:
                    numbers[notes[-1].note.path] = number
            written = writer.write(base, notes, strict=False)
        for source_error in written.failed:
            if strict:
                raise source_error
            failed.append((numbers[source_error.path], source_error.message))
        note_ids += written.notes
    return Added(tuple(note_ids), tuple(failed))


def _new(base: KnowledgeBase, author: Author, item: dict[str, Any], paths: _Taken, ids: _Taken) -> NoteToIndex:
    """Return a new note with a fresh id, at a free path."""
    body, path = item.pop("body", ""), item.pop("path", "")
    provenance = take_provenance(item)
    front = "" if base.plain else front_of(provenance.properties)
    fields = check_fields(item)
    check_body(body)
    in_folder = not path or path.endswith("/")
    inside = look_into(body, "note.md" if in_folder else path, plain=base.plain)
    name = "" if in_folder else stem(path)
    title = fields.pop("title", "") or inside.title or name or naming.first_words(body)
    path = f"{path}{naming.title_filename(title)}" if in_folder else path
    path = free_path(naming.check_path(path), paths)
    note_id = fresh_id(f"{base.id}/{path}", ids)
    now = datetime.now(UTC)
    note = Note(
        id=note_id,
        base_id=base.id,
        title=title,
        body="",
        content_hash="",
        path=path,
        source=provenance.source or author,
        front=front,
        body_start=len(front),
        extra=provenance.properties,
        created_at=now,
        updated_at=now,
        plain=base.plain,
        **fields,
    )
    note = with_body(note, body, inside).note
    paths.add(path)
    ids.add(note_id)
    return NoteToIndex(note, change=Revision("create", author), outline=inside.outline)
