"""The operations of users and programs on a workspace: one declaration for each, which every door reads."""

from collections.abc import Mapping

from core.doors.operations import (
    answers,
    archives,
    backups,
    bases,
    chunks,
    clicks,
    concepts,
    doctor,
    documents,
    evaluation,
    findability,
    imports,
    index,
    jobs,
    learning,
    models,
    note_trash,
    note_versions,
    notes,
    packs,
    related,
    review,
    search,
    space,
    status,
    threads,
    uses,
)
from core.doors.operations.declaring import Operation

_NOUNS = (
    findability,  # before the path of a base, which matches all below it
    bases,
    imports,
    archives,
    notes,
    note_versions,
    note_trash,
    uses,
    clicks,
    related,
    concepts,
    review,
    documents,
    learning,
    chunks,
    search,
    answers,
    threads,
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
    var.name: var for noun in _NOUNS for var in vars(noun).values() if isinstance(var, Operation)
}
"""All operations by their names, in the order of their files."""
