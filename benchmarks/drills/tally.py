"""What a drill tried, and what came of it."""

from dataclasses import dataclass, field


@dataclass
class Row:
    """Counts of one kind of attempt."""

    tried: int = 0
    survived: int = 0
    reported: int = 0
    lost: int = 0


@dataclass
class Tally:
    """The table of a drill, a row for each kind of attempt, and a line for each fault.

    `survived`: the program answered, or opened the workspace again, without a traceback, a crash or a hang.
    `reported`: a sentence said what was wrong, where something was. `lost`: data were missing or an answer was
    silently wrong.
    """

    name: str
    rows: dict[str, Row] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)

    def count(self, kind: str, *, reported: bool = False, died: str = "", lost: str = "") -> None:
        """Count an attempt; `died` and `lost` say what went wrong and how to see it again."""
        row = self.rows.setdefault(kind, Row())
        row.tried += 1
        row.survived += not died
        row.reported += reported
        row.lost += bool(lost)
        self.faults += [f"{kind}: {fault}" for fault in (died, lost) if fault]

    @property
    def total(self) -> Row:
        """The sum of all rows."""
        rows = self.rows.values()
        return Row(*(sum(getattr(row, name) for row in rows) for name in ("tried", "survived", "reported", "lost")))

    def __str__(self) -> str:
        """Return the table in Markdown, and the first faults."""
        lines = [f"| {self.name} | tried | survived | reported | lost |", "|---|---|---|---|---|"]
        for kind, row in [*self.rows.items(), ("all", self.total)]:
            lines.append(f"| {kind} | {row.tried} | {row.survived} | {row.reported} | {row.lost} |")
        return "\n".join([*lines, "", *self.faults[:50]])
