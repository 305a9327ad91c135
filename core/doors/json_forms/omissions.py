"""Missing parts of notes as JSON."""

from core import model
from core.base.messages import Message
from core.doors.operations.forms import Form

OMISSION = Form("Omission", model.Omission, "kind count place", explanation=(Message, "message"))
INCOMPLETE = Form("IncompleteNote", model.IncompleteNote, "note_id path", left_out=([OMISSION], "left_out"))
