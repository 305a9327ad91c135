"""The user's decisions on concepts, by name."""

from core.store.table import StoreTable


class ConceptTable(StoreTable):
    """Which concepts are pinned, hidden or merged into another one; no search depends on them."""

    def choices(self) -> dict[str, tuple[str, str]]:
        """Return each concept's decision, and the concept that it is merged into, else ""."""
        rows = self._database.rows("SELECT name, choice, into_name FROM concepts")
        return {name: (choice, into) for name, choice, into in rows}

    def put(self, name: str, choice: str, into: str = "") -> None:
        """Decide on a concept, in place of what was decided before."""
        self._database.execute("INSERT OR REPLACE INTO concepts VALUES (?, ?, ?)", name, choice, into, aside=True)

    def drop(self, name: str) -> None:
        """Take back what was decided on a concept, and what was merged into it."""
        self._database.execute("DELETE FROM concepts WHERE name = ? OR into_name = ?", name, name, aside=True)
