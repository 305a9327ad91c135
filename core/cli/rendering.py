"""What commands print of the answers of operations, for people."""

from collections.abc import Mapping

from core.cli import lines, models, notelines, packs
from core.cli.output import Lines

LINES: Mapping[str, Lines] = {
    "note.history": notelines.of_history,
    "note.diff": notelines.of_difference,
    "note.archive": notelines.of_archived,
    "index.embed": lines.of_index,
    "index.rebuild": lines.of_rebuild,
    "model.tokens": models.tokens_lines,
    "pack.remove": packs.removed_lines,
}
"""What makes the lines of an answer, by the operation; those of another are its names and values."""
