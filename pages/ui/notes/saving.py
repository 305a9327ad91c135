"""Saving: the text in the editor becomes a version of its note."""

from datetime import UTC, datetime
from typing import Any

from core.errors import Conflict
from core.model import Note, Proposal
from core.workspace import Workspace
from pages.ui.notes import composer


def save(workspace: Workspace, writing: composer.Writing, *, over: Note | None = None) -> None:
    """Save the text and the fields as a new version, or `over` the one that is stored; then index in the background.

    A note that was changed meanwhile becomes `opposed`. Raises what `Notes.add` and `Notes.update` do.
    """
    fields: Any = writing.fields
    try:
        if writing.note is None:
            folder = writing.folder.strip("/ ")
            path = f"{folder}/" if folder else ""
            note = workspace.notes.add(writing.base, writing.body, path=path, author="person", embed=False, **fields)
        else:
            body = None if writing.body == writing.note.body else writing.body
            version = (over or writing.note).version
            if writing.settles:
                change = Proposal(writing.note.id, version, body, fields, datetime.now(UTC))
                note = workspace.proposals.make(change, embed=False)
            else:
                note = workspace.notes.update(
                    writing.note.id, body=body, expected_version=version, author="person", embed=False, **fields
                )
    except Conflict as conflict:
        writing.opposed = conflict.stored
        return
    composer.drop(workspace, writing)
    writing.settles = False
    workspace.start_indexing()
    adopt(writing, note)
    writing.saved = True
    writing.stored = max(writing.stored, writing.number)


def adopt(writing: composer.Writing, note: Note) -> None:
    """Continue on the stored note; its fields replace those that were set in the editor."""
    writing.note, writing.opposed, writing.fields = note, None, {}
    writing.drawn += 1
