"""Unfinished changes of embedder, as rows."""

from datetime import UTC, datetime

from core.base.messages import message
from core.model import KnowledgeBase, Switch
from core.store.reading import RowReader
from core.store.table import StoreTable


class SwitchTable(StoreTable):
    """The unfinished changes of embedder; a base has at most one."""

    def for_base(self, base: KnowledgeBase) -> Switch | None:
        row = self._database.row("SELECT embedder, fingerprint, started_at FROM switches WHERE base_id = ?", base.id)
        return _READER(dict(row), self._database.unread) if row else None

    def begin(self, base: KnowledgeBase, embedder: str, fingerprint: str) -> Switch:
        switch = Switch(embedder, fingerprint, datetime.now(UTC))
        self._database.execute(
            "INSERT OR REPLACE INTO switches VALUES (?, ?, ?, ?)",
            *(base.id, embedder, fingerprint, switch.started_at.isoformat()),
        )
        return switch

    def end(self, base: KnowledgeBase) -> None:
        self._database.execute("DELETE FROM switches WHERE base_id = ?", base.id)


_READER = RowReader(Switch, message("change of model"), "embedder", key="embedder")
