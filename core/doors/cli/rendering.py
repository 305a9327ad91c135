"""Commands: the lines that they print for people, and their work in addition to the operation."""

from collections.abc import Mapping

from core.doors.cli import (
    archives,
    backups,
    bases,
    costs,
    health,
    lines,
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
    "base.export": Command(archives.exported_lines),
    "base.empty_trash": Command(bases.emptied_lines, bases.empty_trash),
    "note.export": Command(shown=("to",)),
    "note.new": Command(note_text.format_written, notes.new),
    "note.update": Command(note_text.format_change, notes.edit),
    "note.revert": Command(note_text.format_change, notes.revert),
    "search.find": Command(searches.found_lines, searches.search, (search.context,), ("full", "explain")),
    "search.context": Command(lines.format_context, searches.context),
    "search.retrieve": Command(searches.found_lines),
    "space.show": Command(health.format_space),
    "space.compact": Command(health.format_compacted),
    "backup.list": Command(backups.format_list, backups.listed),
    "backup.make": Command(backups.format_made, shown=("to",)),
    "backup.verify": Command(backups.format_verified, backups.verified),
    "backup.restore": Command(backups.format_restored, backups.restore),
    "backup.encrypt": Command(backups.format_encrypted, backups.encrypt),
}
"""Additions by operation; a command without one prints the names and values of the answer."""
