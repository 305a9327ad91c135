"""Results of the doctor, and space on disk, as JSON."""

from core import model
from core.doors.operations.forms import Form

CHECKED = Form("Checked", model.Checked, "name level title about problem remedy mendable mended")
SPACE = Form(
    "Space",
    model.Space,
    "folder database index backups trash scratch replaced logs models unused tokens free total nearly_full",
)
COMPACTED = Form("Compacted", model.Compacted, "before after")
HEALTH = Form("Health", model.Health, "folder level", checks=([CHECKED], "checks"))
