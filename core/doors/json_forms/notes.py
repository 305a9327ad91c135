"""Notes, their versions and the items to review as JSON."""

from operator import itemgetter

from core import model
from core.doors.json_forms.omissions import OMISSION
from core.doors.operations.forms import Form
from core.model import NOTE_FIELDS, RELATIONS, fields_of

_OTHERS = (name for name in NOTE_FIELDS if name not in ("title", *RELATIONS, *fields_of("day")))
_NAMES = " ".join(("id title path version", *_OTHERS, "source"))
_TIMES = " ".join(("created_at updated_at", *fields_of("day")))
_FIRST, _SECOND, _THIRD = map(itemgetter, range(3))

CARD = Form("Note", model.NoteSummary, f"base {_NAMES} {_TIMES}")
LISTED = Form("ListedNotes", list, notes=([CARD], list))
CARDS = Form("Notes", tuple, notes=([CARD], _FIRST), left_out=(int, _SECOND))
NOTE = Form(
    "WholeNote",
    tuple,
    base=(str, _SECOND),
    missing_attachments=(list[str], lambda shown: list(shown[2])),
    unread_attachments=([Form("UnreadAttachment", model.Failed, "path", reason=(str, "error"))], itemgetter(3)),
    left_out=([OMISSION], lambda shown: shown[0].left_out),
    encoding=(str, lambda shown: shown[0].encoding.name if shown[0].encoding else "UTF-8"),
    **Form("", model.Note, f"{_NAMES} body {' '.join(RELATIONS)} {_TIMES} properties=extra").through(_FIRST),
)
"""From a note, the name of its base, its missing attachments, and its unreadable pictures."""
FILE = Form("NoteFile", tuple, text=(str, _SECOND), **Form("", model.Note, "id version path").through(_FIRST))
"""From a note, and the text of a file with its content."""
WRITTEN = Form(
    "WrittenNote",
    tuple,
    base=(str, _SECOND),
    status=(str, _THIRD),
    **Form("", model.Note, "id version path").through(_FIRST),
)
"""From a note, the name of its base, and its status, `pending` while a change waits for the user."""
_TRASHED = Form(
    "DeletedNote",
    tuple,
    base=(str, _SECOND),
    **Form(
        "",
        model.Trashed,
        "id=version.note_id path version.title version.author version=version.number deleted_at=version.at",
    ).through(_FIRST),
)
TRASH = Form("DeletedNotes", list, trash=([_TRASHED], list))
"""From deleted notes, each with the name of its base."""

VERSION = Form("Version", model.Version, "number kind author title at")
VERSIONS = Form("Versions", list, versions=([VERSION], list))
DIFFERENCE = Form(
    "Difference",
    tuple,
    first=(int, _SECOND),
    second=(int, _THIRD),
    **Form("", model.NoteDifference, "fields pieces").through(_FIRST),
)
"""From a difference, and the numbers of both versions."""

SUBMISSION = Form(
    "Submission",
    model.Submission,
    "note.id note.base note.path note.title note.version kind author at note.source note.origin",
)
PROPOSED = Form("Proposed", tuple, text=(NOTE, _THIRD), **SUBMISSION.through(_FIRST), **DIFFERENCE.through(_SECOND))
"""From an item to review, its difference from the note, and the resulting note."""
