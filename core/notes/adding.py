"""New notes: their titles, places and ids, in time linear in their number."""

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from itertools import islice
from typing import Any

from core.errors import TesseraError
from core.indexing.cutter import Draft
from core.intake.notefile import look_into
from core.messages import Message
from core.model import Added, Author, KnowledgeBase, Note, Revision
from core.notes import naming
from core.notes.fields import check_body, checked
from core.notes.texts import with_body
from core.notes.writer import Writer
from core.store import Store
from core.store.ids import fresh_id

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


class Adding:
    """Adds notes to one base, in groups; each group is given its places and written while nothing else writes."""

    def __init__(self, store: Store, writer: Writer, base: KnowledgeBase, author: Author) -> None:
        self._store = store
        self._writer = writer
        self._base = base
        self._author = author
        self._paths = _Taken(partial(store.notes.has_path, base))
        self._ids = _Taken(store.versions.has)
        self._note_ids: list[str] = []
        self._failed: list[tuple[int, Message]] = []

    def add(self, items: Iterable[Mapping[str, Any]], *, strict: bool) -> Added:
        """Write a note of each item; return their ids and what failed, the first of which is raised with `strict`."""
        numbered = enumerate(items)
        while group := list(islice(numbered, _GROUP)):
            with self._store.changing:
                self._write(group, strict=strict)
        return Added(tuple(self._note_ids), tuple(self._failed))

    def _write(self, items: Sequence[tuple[int, Mapping[str, Any]]], *, strict: bool) -> None:
        numbers: dict[str | None, int] = {}
        drafts = []
        for number, item in items:
            try:
                note = self._new(dict(item))
            except TesseraError as error:
                self._fail(number, error, strict=strict)
                continue
            numbers[note.path] = number
            drafts.append(Draft(note, change=Revision("create", self._author)))
        written = self._writer.write_sound(self._base, drafts)
        for failed in written.failed:
            self._fail(numbers[failed.path], failed, strict=strict)
        self._note_ids += written.notes

    def _fail(self, number: int, error: TesseraError, *, strict: bool) -> None:
        if strict:
            raise error
        self._failed.append((number, error.message))

    def _new(self, item: dict[str, Any]) -> Note:
        """Return a new note with a fresh id, at a free path."""
        body, path = item.pop("body", ""), item.pop("path", "")
        fields = checked(item)
        check_body(body)
        in_folder = not path or path.endswith("/")
        inside = look_into(body, "note.md" if in_folder else path, plain=self._base.plain)
        name = "" if in_folder else naming.stem(path)
        title = fields.pop("title", "") or inside.title or name or naming.first_words(body)
        path = f"{path}{naming.of_title(title)}" if in_folder else path
        path = naming.free(naming.checked(path), self._paths)
        note_id = fresh_id(f"{self._base.id}/{path}", self._ids)
        now = datetime.now(UTC)
        note = Note(
            id=note_id,
            base_id=self._base.id,
            title=title,
            body="",
            content_hash="",
            path=path,
            source=self._author,
            created_at=now,
            updated_at=now,
            plain=self._base.plain,
            **fields,
        )
        note = with_body(note, body)
        self._paths.add(path)
        self._ids.add(note_id)
        return note
