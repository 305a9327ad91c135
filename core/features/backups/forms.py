"""Backups as JSON."""

from core import model
from core.doors.operations.forms import Form

BACKUP = Form(
    "Backup",
    model.Backup,
    "name file made_at=at bytes reason workspace program schema bases notes encrypted problem",
)
BACKUPS = Form("Backups", list, backups=([BACKUP], list))
RESTORED = Form("RestoredBackup", model.RestoredBackup, "folder aside waits", backup=(BACKUP, "backup"))
