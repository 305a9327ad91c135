"""Commands: the lines that they print for people, and their work in addition to the operation."""

from collections.abc import Mapping

from core.doors.cli import (
    bases,
    costs,
    notes,
    searches,
)
from core.doors.cli.binding import Command
from core.doors.operations import bases as operations
from core.doors.operations import search
from core.doors.operations.text import notes as note_text

COMMANDS: Mapping[str, Command] = {
    "base.change": Command(run=bases.set_, also=(operations.cost,)),
    "base.delete": Command(run=bases.delete),
    "base.import": Command(run=bases.import_),
    "base.connect": Command(run=bases.connect),
    "base.switch": Command(costs.format_switched, costs.switch),
    "note.export": Command(shown=("to",)),
    "note.new": Command(note_text.format_written, notes.new),
    "note.update": Command(note_text.format_change, notes.edit),
    "note.revert": Command(note_text.format_change, notes.revert),
    "search.find": Command(run=searches.search, also=(search.context,), shown=("full", "explain")),
    "search.context": Command(run=searches.context),
}
"""Additions by operation; a command without one prints the names and values of the answer."""
