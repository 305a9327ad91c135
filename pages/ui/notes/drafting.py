"""The drafts of what is written: a text is one as soon as the editor sends it, and belongs to the editor that claimed it."""

from dataclasses import replace
from datetime import UTC, datetime
from secrets import token_hex
from threading import Lock

from core.base.text import with_line_ends
from core.model import NoteDraft
from core.workspace import Workspace
from pages.ui.notes.written_text import NEW, EditorSession

_PUTTING = Lock()


def keep(workspace: Workspace, writing: EditorSession, *, claim: bool = False) -> None:
    """Store the text as a draft; delete the draft if nothing differs from the stored note.

    A draft belongs to the editor that claimed it last; another editor writes a draft of its own.
    """
    if workspace.readonly:
        return
    if not writing.changed:
        drop(workspace, writing)
    else:
        writing.saved = False
        key = put(workspace, draft_of(workspace, writing), "" if claim else writing.token)
        writing.draft = key.split(" ")[1]
    writing.stored = max(writing.stored, writing.number)


def draft_of(workspace: Workspace, writing: EditorSession) -> NoteDraft:
    """Return a text as a draft."""
    base = workspace.bases.find(writing.base)
    about = {
        "base": writing.base,
        "folder": writing.folder,
        "number": writing.number,
        "fields": writing.fields,
        "settles": writing.settles,
        "writer": writing.token,
    }
    title = str(writing.value("title") or "")
    version = writing.note.version if writing.note else 0
    return NoteDraft(writing.key, base.id if base else "", version, title, writing.body, about, datetime.now(UTC))


def put(workspace: Workspace, draft: NoteDraft, writer: str) -> str:
    """Store a draft and return its key, which is a new one if another editor claimed the draft."""
    with _PUTTING:
        stored = workspace.drafts.find(draft.key)
        if writer and stored and stored.fields.get("writer", writer) != writer:
            draft = replace(draft, key=f"{draft.key.split(' ')[0]} {token_hex(8)}")
        workspace.drafts.put(draft)
    return draft.key


def drop(workspace: Workspace, writing: EditorSession) -> None:
    """Delete the draft of a text, unless another editor claimed it."""
    with _PUTTING:
        stored = workspace.drafts.find(writing.key)
        if stored and stored.fields.get("writer", writing.token) == writing.token:
            workspace.drafts.delete_for_good(writing.key)


def is_saved(workspace: Workspace, draft: NoteDraft) -> bool:
    """Return whether a draft equals its stored note, or an empty note if it is of a new one."""
    note_id = draft.key.split(" ")[0]
    body = "" if note_id == NEW else workspace.notes.get(note_id).body
    return not draft.fields.get("fields") and with_line_ends(draft.body, body) == body


def number_of(draft: NoteDraft) -> int:
    """Return the number of a draft's text."""
    return int(str(draft.fields.get("number", 0)))
