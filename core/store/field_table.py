"""The fields of all notes: the words in use, expired and superseding notes, the files."""

from collections.abc import Iterable, Sequence
from datetime import datetime

from core.model import fields_of
from core.store.filters import EXPIRED, moments
from core.store.table import AMONG, StoreTable


class FieldTable(StoreTable):
    """The fields of all notes."""

    def classified(self) -> list[tuple[str, str]]:
        """Return the pairs of type and category that notes have, the most frequent first."""
        rows = self._database.rows(
            "SELECT type, category FROM notes GROUP BY type, category ORDER BY count(*) DESC, type, category"
        )
        return [(kind, category) for kind, category in rows]

    def words(self, field: str) -> list[str]:
        """Return the words that notes have in a field of the kind `word`, the most frequent first."""
        assert field in fields_of("word"), field
        return self._database.column(
            f"SELECT {field} FROM notes WHERE {field} != '' GROUP BY {field} ORDER BY count(*) DESC, {field}"
        )

    def any_lapsed(self) -> bool:
        """Return whether the time of a note may be over; bare dates count from their beginning."""
        source = "notes INDEXED BY notes_expiring WHERE expires_at IS NOT NULL AND expires_at <= ?"
        return bool(self._database.value(f"SELECT EXISTS (SELECT 1 FROM {source})", moments()[1]))

    def version(self) -> tuple[int, int]:
        """Return numbers that change with every note that is written, and with every note that expires."""
        return self._database.version(), self.expired()

    def expired(self) -> int:
        """Return the number of expired notes, which grows as time passes."""
        if not self.any_lapsed():
            return 0
        return int(
            self._database.value(
                f"SELECT count(*) FROM notes INDEXED BY notes_expiring WHERE expires_at IS NOT NULL AND {EXPIRED}",
                *moments(),
            )
        )

    def expiring(self, until: datetime) -> list[str]:
        """Return the ids of active notes that expire by a time in UTC, also of expired ones, by expiry."""
        return self._database.column(
            "SELECT id FROM notes INDEXED BY notes_expiring WHERE expires_at IS NOT NULL AND expires_at <= ?"
            " AND status = 'active' ORDER BY expires_at, id",
            until.isoformat(),
        )

    def superseding(self) -> list[str]:
        """Return the ids of the active notes that supersede others and aren't expired."""
        return self._database.column(
            "SELECT id FROM notes INDEXED BY notes_superseding WHERE supersedes != '[]' AND status = 'active'"
            f" AND NOT {EXPIRED} ORDER BY id",
            *moments(),
        )

    def stamps(self, note_ids: Iterable[str]) -> Sequence[tuple[str, str, str, int | None, int | None]]:
        """Return id, folder, path, time in ns and size of the notes that are files, as of the last sync."""
        rows = self._database.rows(
            "SELECT id, source_ref, path, mtime_ns, size FROM notes WHERE source = 'folder' AND path IS NOT NULL"
            f" AND id {AMONG}",
            list(note_ids),
        )
        return [tuple(row) for row in rows]
