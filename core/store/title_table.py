"""Notes by their whole titles."""

from collections.abc import Iterable

from core.base.text import compose, make_storable
from core.model import KnowledgeBase, Rowids
from core.store.table import AMONG, StoreTable

_TITLED = f"title COLLATE NOCASE {AMONG}"


class TitleTable(StoreTable):
    """The titles of notes, sign for sign; only the case of ASCII letters makes no difference."""

    def is_title(self, text: str) -> bool:
        """Return whether a note has this title."""
        return bool(self._database.value(f"SELECT EXISTS (SELECT 1 FROM notes WHERE {_TITLED})", _forms([text])))

    def first_chunks(self, titles: Iterable[str], bases: Iterable[KnowledgeBase], allowed: Rowids | None) -> list[int]:
        """Return the first chunk of each note of the bases that has one of these titles, of those allowed."""
        rows = self._database.rows(
            f"SELECT chunks.rowid, note_id FROM notes JOIN chunks ON note_id = notes.id WHERE {_TITLED}"
            f" AND base_id {AMONG} AND state != 'deleted' ORDER BY updated_at DESC, notes.id, \"index\"",
            _forms(titles),
            [base.id for base in bases],
        ).fetchall()
        passing = None if allowed is None or not rows else set(allowed.tolist())
        first: dict[str, int] = {}
        for rowid, note_id in rows:
            if passing is None or rowid in passing:
                first.setdefault(note_id, rowid)
        return [*first.values()]


def _forms(titles: Iterable[str]) -> list[str]:
    """Return titles as notes may have them: with single spaces, and with letters and their accents as one character."""
    stripped = {
        form for title in map(make_storable, titles) for form in (title.strip(), " ".join(title.split())) if form
    }
    return [*stripped, *map(compose, stripped)]
