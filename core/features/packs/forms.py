"""Packs as JSON."""

from core import model
from core.doors.operations.forms import Form

INSTALLED = Form(
    "InstalledPack", model.InstalledPack, "name version base notes chunks initialized_at last_check=checked_at"
)
FOUND = Form("FoundPack", model.Pack, "version base language description folder")
CARD = Form("Pack", model.PackCard, "name", found=(FOUND | None, "found"), installed=(INSTALLED | None, "installed"))
CARDS = Form("Packs", list, packs=([CARD], list))
EDITED = Form("EditedNote", model.EditedNote, "note_id path title own offered")
REPORT = Form(
    "PackReport", model.PackReport, "name version added changed removed unchanged", edited=([EDITED], "edited")
)
