"""Checks of backups, which the doctor makes."""

from datetime import UTC, datetime

from core.base.errors import SourceError
from core.base.messages import Message, message, plural, verbatim
from core.features.backups.collection import Backups
from core.model import Check, count_names

_OLD = 7
"""Days after which a backup is old."""
_READ = 200_000_000
"""Bytes of the newest backups that are read; of others only the list of their files is."""


def _age(backups: Backups) -> Message | None:
    if backups.problem:
        return backups.problem
    if not backups.has_notes():
        return None
    whole = [backup for backup in backups.all() if not backup.problem]
    if not whole:
        return message("There is no backup yet.")
    days = (datetime.now(UTC) - whole[0].made_at).days
    return (
        plural("The newest backup is {n} day old.", "The newest backup is {n} days old.", n=days)
        if days >= _OLD
        else None
    )


def _damage(backups: Backups) -> Message | None:
    bad, left = [], _READ
    for backup in backups.all():
        try:
            left -= backups.unpacked_bytes(backup)
            if left > 0:
                backups.check(backup)
        except SourceError:
            bad.append(backup.name)
    return count_names(bad, plural("{n} backup is damaged: {names}", "{n} backups are damaged: {names}"))


CHECKS = {
    "backups": Check(
        "look",
        message("There is a backup of the last days"),
        message("A disk can die at any time."),
        verbatim("tessera backup make"),
        _age,
        Backups.make,
    ),
    "damaged_backups": Check(
        "look",
        message("All backups are whole"),
        message("A damaged backup can't be brought back."),
        message("Delete it, and make another one: {command}", command="tessera backup make"),
        _damage,
    ),
}
"""The checks by their names."""
