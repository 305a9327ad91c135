"""What a person or a program can do with a workspace: one declaration for each operation, which every door reads."""

from collections.abc import Mapping

from core.operations import archives, bases, chunks, notes, packs
from core.operations.declaring import Operation

_NOUNS = (bases, archives, notes, chunks, packs)

OPERATIONS: Mapping[str, Operation] = {
    one.name: one for noun in _NOUNS for one in vars(noun).values() if isinstance(one, Operation)
}
"""All operations by their names, in the order of their files."""
