"""The days on which a workspace was opened, by which what is in the trash grows old; a clock may be wrong."""

from collections.abc import Mapping
from datetime import date, timedelta

from core.store.table import AMONG, StoreTable, decoding


class OpeningTable(StoreTable):
    """The openings of a workspace, and at which of them each item of the trash was seen first.

    A day is past when two openings on different days say so: one opening with a clock that is ahead proves nothing. The
    item's own time counts where it is between the two openings between which it came; else the item
    counts from the opening that saw it first, whatever the clock said before.
    """

    def begin(self, day: date) -> None:
        """Record an opening; those that follow each other on one day are one."""
        if self._database.value("SELECT day FROM openings ORDER BY number DESC") != day.isoformat():
            self._database.execute("INSERT INTO openings (day) VALUES (?)", day.isoformat(), aside=True)

    @decoding
    def overdue(self, items: Mapping[str, tuple[date | None, timedelta]]) -> set[str]:
        """Return the items that are in the trash for longer than they stay; each has its day, if known.

        The items are all that there are: others are forgotten, and new ones are seen now.
        """
        self._see(set(items))
        days = [date.fromisoformat(day) for day in self._database.column("SELECT day FROM openings ORDER BY number")]
        if len(days) < 2:
            return set()
        past = min(days[-2:])
        statement = (
            "SELECT item, day, (SELECT day FROM openings WHERE number < opening ORDER BY number DESC LIMIT 1) AS before"
            " FROM overdue JOIN openings ON number = opening"
        )
        return {
            row["item"]
            for row in self._database.rows(statement)
            if past - _since(items[row["item"]][0], row["before"], row["day"]) > items[row["item"]][1]
        }

    def _see(self, items: set[str]) -> None:
        known = set(self._database.column("SELECT item FROM overdue"))
        if items == known:
            return
        with self._database.write(aside=True):
            self._database.execute(f"DELETE FROM overdue WHERE item {AMONG}", list(known - items))
            self._database.execute(
                "INSERT INTO overdue SELECT value, (SELECT max(number) FROM openings) FROM json_each(?)",
                list(items - known),
            )


def _since(own: date | None, before: str | None, seen: str) -> date:
    """Return the day from which an item counts; `before` is the day of the opening before it was seen."""
    first = date.fromisoformat(seen)
    earliest = date.fromisoformat(before) if before else date.min
    return own if own and earliest <= own <= first else first
