"""What a person or a program can do with a workspace: one declaration for each operation, which every door reads."""

from collections.abc import Mapping

from core.operations import (
    answers,
    archives,
    backups,
    bases,
    chunks,
    doctor,
    documents,
    evaluation,
    imports,
    index,
    jobs,
    learning,
    models,
    note_trash,
    notes,
    packs,
    review,
    search,
    space,
    status,
)
from core.operations.declaring import Operation

_NOUNS = (
    bases,
    imports,
    archives,
    notes,
    note_trash,
    review,
    documents,
    learning,
    chunks,
    search,
    answers,
    evaluation,
    index,
    models,
    packs,
    backups,
    doctor,
    space,
    jobs,
    status,
)

OPERATIONS: Mapping[str, Operation] = {
    one.name: one for noun in _NOUNS for one in vars(noun).values() if isinstance(one, Operation)
}
"""All operations by their names, in the order of their files."""
