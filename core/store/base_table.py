"""Tables for bases, their last syncs, background similarities, and unfinished embedder switches."""

import json
from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, Unpack

from core.base.codec import decode_or, to_plain
from core.base.datetimes import utc_now
from core.base.errors import UnknownChoice
from core.base.frozen import AnyValues, TextMap, TextValues, Values, frozen
from core.model import ChunkingOptions, Failed, Floor, KnowledgeBase, NewBaseFields, SearchSettings, Switch
from core.store.ids import fresh_id
from core.store.reading import RowReader, columns_of, loaded, stored
from core.store.table import Ids, StoreTable


class SwitchTable(StoreTable):
    """Unfinished embedder switches, at most one per base."""

    def for_base(self, base: KnowledgeBase) -> Switch | None:
        return next(
            iter(
                self._nouns(
                    _SWITCH_READER, "SELECT embedder, fingerprint, started_at FROM switches WHERE base_id = ?", base.id
                )
            ),
            None,
        )

    def begin(self, base: KnowledgeBase, embedder: str, fingerprint: str) -> Switch:
        switch = Switch(embedder, fingerprint, utc_now())
        self._insert("switches", {"base_id": base.id} | columns_of(switch), replace=True)
        return switch

    def end(self, base: KnowledgeBase) -> None:
        self._execute("DELETE FROM switches WHERE base_id = ?", base.id)


_SWITCH_READER = RowReader(Switch, "model switch", "embedder", key="embedder")


class FloorTable(StoreTable):
    """Bases' background similarities, which even unrelated questions reach."""

    def get(self, base: KnowledgeBase) -> Floor | None:
        """Return a base's background similarity.

        Return None if it hasn't been measured for the base's current model, or if the stored values are damaged.
        """
        found = self._value("SELECT floor FROM bases WHERE id = ? AND fingerprint = ?", base.id, base.fingerprint)
        floor: Floor | None = decode_or(Floor, loaded(found), None)
        return floor if floor and floor.spread > 0 and floor.windows > 0 else None

    def set(self, base: KnowledgeBase, floor: Floor) -> None:
        self._execute(
            "UPDATE bases SET floor = ? WHERE id = ? AND fingerprint = ?",
            json.dumps(to_plain(floor)),
            base.id,
            base.fingerprint,
            aside=True,
        )


# A stored sync report.
Report = AnyValues
# Key in a sync report for the patterns of unreadable files that the user ignores.
IGNORED = "ignored"
# Report key for files whose notes were permanently deleted. Each file is stored with its hash.
_DELETED_FILES = "deleted_files"
# The parts of a report that the next report of the folder keeps.
_KEPT = {IGNORED: list[str], _DELETED_FILES: TextValues}


@frozen
class SyncRecord:
    folder: str
    at: datetime
    report: Report


class BaseTable(StoreTable):
    def all(self) -> list[KnowledgeBase]:
        return self._nouns(_READER, "SELECT * FROM bases ORDER BY name")

    def chosen(self, names: Sequence[str]) -> list[KnowledgeBase]:
        """Return the bases with the given names, or all bases if no names are given.

        Raises UnknownChoice, listing the known bases, if there is no base with one of the names.
        """
        return [self.named(name) for name in names] if names else self.all()

    def named(self, name: str) -> KnowledgeBase:
        """Return the base with the given name. Raises UnknownChoice, listing the known bases."""
        return self._only("name", name)

    def by_id(self, base_id: str) -> KnowledgeBase:
        """Return the base with the given id. Raises UnknownChoice if the base was deleted."""
        return self._only("id", base_id)

    def for_notes(self, note_ids: Ids) -> list[KnowledgeBase]:
        """Return the given notes' bases. Notes that aren't stored are ignored."""
        return self._nouns(
            _READER, "SELECT * FROM bases WHERE id IN (SELECT base_id FROM notes WHERE id IN ?) ORDER BY name", note_ids
        )

    def for_model(self, fingerprint: str) -> list[KnowledgeBase]:
        """Return the bases whose vectors come from the model with the given fingerprint."""
        return self._nouns(_READER, "SELECT * FROM bases WHERE fingerprint = ? ORDER BY name", fingerprint)

    def _only(self, column: str, value: str) -> KnowledgeBase:
        for base in self._nouns(_READER, f"SELECT * FROM bases WHERE {column} = ?", value):
            return base
        raise UnknownChoice("base", value, [base.name for base in self.all()])

    def add(
        self,
        name: str,
        *,
        embedder: str,
        fingerprint: str,
        dimension: int,
        chunking: ChunkingOptions,
        **fields: Unpack[NewBaseFields],
    ) -> KnowledgeBase:
        with self._write():
            base = KnowledgeBase(
                fresh_id(name, self._column("SELECT id FROM bases")),
                name,
                embedder,
                fingerprint,
                dimension,
                chunking,
                utc_now(),
                **fields,
            )
            self.put(base)
        return base

    def put(self, base: KnowledgeBase) -> None:
        """Insert a base that already has an id."""
        self._insert("bases", _row(base))

    def change(self, base: KnowledgeBase, **fields: Any) -> KnowledgeBase:
        """Update some of a base's fields, and return the changed base."""
        if not fields:
            return base
        changed = replace(base, **fields)
        row = _row(changed)
        assignments = ", ".join(f"{name} = ?" for name in fields)
        self._execute(f"UPDATE bases SET {assignments} WHERE id = ?", *(row[name] for name in fields), base.id)
        return changed

    def delete(self, base: KnowledgeBase) -> None:
        with self._write():
            self._execute(
                "DELETE FROM words WHERE rowid IN (SELECT chunks.rowid FROM chunks JOIN notes ON notes.id = note_id"
                " WHERE base_id = ?)",
                base.id,
            )
            self._execute("DELETE FROM bases WHERE id = ?", base.id)

    # vector index

    def switch_index(self, base: KnowledgeBase) -> None:
        """Store a base's embedder and index generation. Reset its background similarity and count of added windows."""
        self._execute_many(
            "UPDATE bases SET kind = :kind, embedder = :embedder, fingerprint = :fingerprint, dimension = :dimension,"
            " wish = :wish, index_generation = :index_generation, index_added = 0, floor = NULL WHERE id = :id",
            [columns_of(base)],
        )

    def count_index_added(self, base: KnowledgeBase, windows: int | None) -> None:
        """Increase the count of windows added to a base's index since the index was built.

        Pass None to reset the count.
        """
        self._execute(
            "UPDATE bases SET index_added = coalesce(index_added + ?, 0) WHERE id = ?", windows, base.id, aside=True
        )

    def index_added(self, base: KnowledgeBase) -> int:
        """Return the number of windows added to a base's index since the index was built."""
        return int(self._value("SELECT index_added FROM bases WHERE id = ?", base.id))

    # syncs

    def put_sync(self, base: KnowledgeBase, sync: SyncRecord) -> None:
        self._insert("syncs", {"base_id": base.id} | columns_of(sync), replace=True)

    def record_sync(self, base: KnowledgeBase, folder: str, report: Report, added: Collection[str]) -> None:
        """Store a sync report.

        Patterns ignored in the folder's previous report are kept. So are deleted files, unless they were `added` again.
        """
        now = utc_now()
        with self._write():
            kept = _kept(self._last_report(base, folder))
            for path in added:
                kept[_DELETED_FILES].pop(path, None)
            self.put_sync(base, SyncRecord(folder, now, report | kept))
            self._execute("UPDATE bases SET synced_at = ? WHERE id = ?", now.isoformat(), base.id)

    def ignore(self, base: KnowledgeBase, patterns: Sequence[str]) -> None:
        """Store patterns of files to ignore. Each sync report of the base's folders gets these patterns."""
        with self._write():
            for sync in self.syncs(base):
                self.put_sync(base, replace(sync, report=sync.report | {IGNORED: list(patterns)}))

    def deleted_files(self, base: KnowledgeBase, folder: str) -> TextValues:
        """Return the files in a folder whose notes were permanently deleted, with each file's hash at that time."""
        return dict(_kept(self._last_report(base, folder))[_DELETED_FILES])

    def record_deleted_files(self, base: KnowledgeBase, folder: str, files: TextMap) -> None:
        """Record that the given files' notes were permanently deleted. `files` maps paths to hashes."""
        with self._write():
            report = self._last_report(base, folder)
            report[_DELETED_FILES] = _kept(report)[_DELETED_FILES] | files
            self._execute(
                "UPDATE syncs SET report = ? WHERE base_id = ? AND folder = ?",
                json.dumps(report),
                base.id,
                folder,
            )

    def is_synced(self, base_id: str, folder: str) -> bool:
        return self._exists("syncs WHERE base_id = ? AND folder = ?", base_id, folder)

    def syncs(self, base: KnowledgeBase) -> list[SyncRecord]:
        """Return the most recent sync of each of the base's folders, newest first."""
        return self._nouns(_SYNC, "SELECT folder, at, report FROM syncs WHERE base_id = ? ORDER BY at DESC", base.id)

    def _last_report(self, base: KnowledgeBase, folder: str) -> Report:
        """Return the report of a folder's most recent sync, or {} if there is none or it can't be read."""
        found = self._value("SELECT report FROM syncs WHERE base_id = ? AND folder = ?", base.id, folder)
        report: Report = loaded(found)
        return report if isinstance(report, dict) else {}


def _row(base: KnowledgeBase) -> Values:
    return columns_of(base) | {"search": json.dumps(base.search.chosen())}


def _kept(report: Report) -> Report:
    """Return the parts of a report that the next report keeps. Missing and damaged parts are empty."""
    return {name: decode_or(kind, report.get(name), kind()) for name, kind in _KEPT.items()}


def _report(value: object) -> Report:
    report: Report = stored(Values)(value)
    _ = [str(Failed.from_dict(item).error) for item in report.get("failed", ())]
    return report | _kept(report)


_READER = RowReader(
    KnowledgeBase,
    "base",
    "name",
    dimension=range(65_537).index,  # the settings allow no more
    chunking=stored(ChunkingOptions),
    search=stored(SearchSettings),
)
_SYNC = RowReader(SyncRecord, "last update of the folder", "folder", key="folder", report=_report)
