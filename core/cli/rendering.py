"""How commands differ from their operations: what they print for people, and what they do besides."""

from collections.abc import Mapping

from core.cli import archives, bases, connecting, costs, lines, models, notelines, notes, packs, searches
from core.cli.binding import Command
from core.operations import bases as operations
from core.operations import search

COMMANDS: Mapping[str, Command] = {
    "base.list": Command(bases.list_lines),
    "base.show": Command(bases.lines),
    "base.new": Command(bases.lines),
    "base.change": Command(bases.lines, bases.set_, (operations.cost,)),
    "base.rename": Command(bases.lines),
    "base.delete": Command(bases.deleted_lines, bases.delete),
    "base.import": Command(lines.of_import, connecting.import_),
    "base.connect": Command(connecting.connected_lines, connecting.connect),
    "base.scan": Command(lines.of_scan),
    "base.rechunk": Command(lines.of_rechunk),
    "base.switch": Command(costs.switched_lines, costs.switch),
    "base.export": Command(archives.exported_lines),
    "base.empty_trash": Command(bases.emptied_lines, bases.empty_trash),
    "note.show": Command(notelines.of_note),
    "note.history": Command(notelines.of_history),
    "note.diff": Command(notelines.of_difference),
    "note.new": Command(notelines.of_written, notes.new),
    "note.update": Command(notelines.of_change, notes.edit),
    "note.set": Command(notelines.of_list),
    "note.revert": Command(notelines.of_change, notes.revert),
    "note.archive": Command(notelines.of_archived),
    "note.delete": Command(notelines.of_deleted),
    "note.restore": Command(notelines.of_restored),
    "note.accept": Command(notelines.of_accepted),
    "note.reject": Command(notelines.of_rejected),
    "search.find": Command(searches.found_lines, searches.search, (search.context,)),
    "search.context": Command(lines.of_context, searches.context),
    "chunk.index": Command(lines.of_index),
    "index.embed": Command(lines.of_index),
    "index.rebuild": Command(lines.of_rebuild),
    "model.tokens": Command(models.tokens_lines),
    "pack.remove": Command(packs.removed_lines),
}
"""By the operation; a command of another prints the names and values of the answer."""
