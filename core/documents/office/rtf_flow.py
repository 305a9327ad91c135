"""Paragraphs of a Rich Text document one after another, in lists and tables."""

from dataclasses import dataclass, field
from typing import Any

from core.documents.office import blocks
from core.documents.office.blocks import BREAK, SPACE, Blocks, Inlines, Item
from core.documents.office.runs import Look, joined


@dataclass(slots=True)
class Flow:
    """The document, a note, a header or a box. `behind` comes after the paragraph or the table that is open.

    A table within a table is the text of its cell.
    """

    label: str = ""
    heading: int = 0
    level: int = 0
    in_table: bool = False
    behind: Blocks = field(default_factory=list)
    _made: Blocks = field(default_factory=list)
    _parts: Inlines = field(default_factory=list)
    _runs: list[tuple[Look, str]] = field(default_factory=list)
    _items: list[Item] = field(default_factory=list)
    _rows: list[list[Inlines]] = field(default_factory=list)
    _cells: list[Inlines] = field(default_factory=list)
    _cell: Inlines = field(default_factory=list)

    def write(self, look: Look, text: str) -> None:
        """Add text to the paragraph that is open."""
        self._runs.append((look, text))

    def note(self, content: Blocks) -> None:
        """Add a footnote."""
        self._end_runs()
        self._parts.append({"t": "Note", "c": content})

    def end_paragraph(self) -> None:
        """Put the paragraph that is complete into its cell, its list, or below the last one."""
        self._end_runs()
        content, label = self._parts, self.label
        self._parts, self.label = [], ""
        said = label if any(map(str.isalnum, label)) and label != "o" else ""
        if self.in_table:
            content = [blocks.raw(said), SPACE, *content] if said and content else content
            self._cell += [SPACE, *content] if self._cell and content else content
            return
        self._end_table()
        if label and content and not self.heading:
            self._items.append(Item(self.level, said, content))
        elif content or self.behind:
            self._end_list()
            self._made += self._paragraph(said, content) if content else []
        if self.behind and not self._items:
            self._end_behind()

    def end_cell(self) -> None:
        """Close the cell that is open."""
        self.in_table = True
        self.end_paragraph()
        self._cells.append(self._cell)
        self._cell = []

    def end_row(self) -> None:
        """Close the row that is open."""
        if self._cell:
            self._cells.append(self._cell)
        self._rows += [self._cells] if self._cells else []
        self._cells, self._cell = [], []

    def complete(self) -> Blocks:
        """Return all blocks."""
        self.end_paragraph()
        self._end_table()
        self._end_list()
        self._end_behind()
        return self._made

    def _paragraph(self, label: str, content: Inlines) -> Blocks:
        if not self.heading:
            return [blocks.para(content)]
        line = [SPACE if item == BREAK else item for item in content]
        return [blocks.heading(self.heading, [*blocks.inlines(label), SPACE, *line] if label else line)]

    def _end_runs(self) -> None:
        content: list[Any] = joined(self._runs)
        self._parts += [SPACE, *content] if self._parts and self._runs and self._runs[0][1][:1].isspace() else content
        self._runs = []

    def _end_table(self) -> None:
        self.end_row()
        if any(map(any, self._rows)):
            self._end_list()
            self._made.append(blocks.table(self._rows))
            self._end_behind()
        self._rows = []

    def _end_list(self) -> None:
        self._made += blocks.listed(self._items)
        self._items = []

    def _end_behind(self) -> None:
        self._made += self.behind
        self.behind = []
