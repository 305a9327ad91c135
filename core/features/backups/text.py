"""Output of `tessera backup` for people."""

from pathlib import Path

from core.base.messages import plural
from core.base.terminal import _, minute, say
from core.features.backups.views import BackupList, EncryptedBackups, NotRestored
from core.model import BACKUP_REASONS, Backup, RestoredBackup


def format_list(listed: BackupList) -> list[str]:
    return [*map(_line, listed.backups)] or [
        _("There is no backup yet. To make one: {command}", command="tessera backup make")
    ]


def _line(backup: Backup) -> str:
    head = f"{minute(backup.made_at)} UTC  {backup.bytes / 1e6:,.1f} MB  {backup.name}"
    if backup.problem:
        return f"{head}\n    {say(backup.problem)}"
    about = [say(BACKUP_REASONS[backup.reason])]
    if backup.encrypted:
        about.append(_("encrypted"))
    elif backup.program:
        about += [
            say(plural("{n} base", "{n} bases", n=backup.bases)),
            say(plural("{n} note", "{n} notes", n=backup.notes)),
        ]
    return f"{head}\n    {', '.join(about)}"


def format_made(backup: Backup, to: Path | None) -> list[str]:
    size = backup.bytes / 1e6
    if to:
        return [_("The backup is made and checked: {file} ({size:,.1f} MB)", file=str(backup.file), size=size)]
    return [_("The backup is made: {file} ({size:,.1f} MB)", file=str(backup.file), size=size)]


def format_verified(backup: Backup) -> list[str]:
    return [_("The backup is whole: {file}", file=str(backup.file))]


def format_restored(restored: RestoredBackup | NotRestored) -> list[str]:
    if isinstance(restored, NotRestored):
        return [_("Nothing was changed.")]
    at, folder = minute(restored.backup.made_at), str(restored.folder)
    lines = [_("The backup of {at} UTC is in {folder}.", at=at, folder=folder)]
    if restored.waits:
        lines = [_("The backup is ready. Close Tessera and start it again: then everything is as it was.")]
    if restored.aside:
        aside = str(restored.aside)
        lines.append(_("What was there is kept in {aside}. Delete it when you don't need it.", aside=aside))
    return lines


def format_encrypted(backups: EncryptedBackups) -> list[str]:
    if backups.encrypted:
        return [_("Later backups are encrypted. Keep the passphrase: without it nobody can bring one back.")]
    return [_("Later backups are not encrypted.")]
