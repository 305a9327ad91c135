"""Checks of the trash of bases, which the doctor makes."""

from core.base.messages import Message, message, plural
from core.features.archives.collection import Archives
from core.model import Check, count_names


def _trash(archives: Archives) -> Message | None:
    names = [trashed_base.name for trashed_base in archives.trash() if trashed_base.problem]
    return count_names(
        names,
        plural("{n} deleted base can't be restored: {names}", "{n} deleted bases can't be restored: {names}"),
    )


CHECKS = {
    "trash": Check(
        "look",
        message("Deleted bases can be restored"),
        message("A file in the trash that is damaged can't come back."),
        message("Delete it for good on the page Bases."),
        _trash,
    ),
}
"""The checks by their names."""
