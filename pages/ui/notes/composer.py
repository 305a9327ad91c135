"""The text that a person writes in this session, of a new note or of a stored one; it is stored as a draft."""

import posixpath
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import PurePosixPath
from secrets import token_hex
from threading import Lock
from typing import Any

import streamlit as st

from core.errors import Conflict, NoteNotFound, VersionNotFound
from core.model import NOTE_FIELDS, NOTE_SUFFIXES, Note, NoteDraft, Proposal, Submission
from core.text import with_line_ends
from core.workspace import Workspace
from pages.ui.notes.written_text import NEW, Wish, Writing, as_json

_WRITING = "writing"
_WRITINGS = "writings"
_ALL = 2**53 - 1
"""JavaScript's largest whole number: no text of an editor has a higher one."""
_PUTTING = Lock()


def now() -> Writing | None:
    """Return the text that is being written in this session, None without one."""
    return st.session_state.get(_WRITING)


def of_session() -> dict[str, Writing]:
    """Return all texts of this session, by the tokens of their editors."""
    writings: dict[str, Writing] = st.session_state.setdefault(_WRITINGS, {})
    return writings


def _open(writing: Writing) -> Writing:
    st.session_state[_WRITING] = of_session()[writing.token] = writing
    return writing


def begin(base: str = "", *, title: str = "", folder: str = "") -> None:
    """Begin a new note; for callbacks."""
    fields = {"title": title} if title else {}
    _open(Writing(token_hex(8), None, base, folder=folder, fields=fields))


def begin_linked(base: str, target: str) -> None:
    """Begin the note that a link in a note of this base leads to; for callbacks."""
    begin(base, title=_title(target), folder=_folder(target))


def _title(target: str) -> str:
    name = PurePosixPath(target).name
    return name[: -len(PurePosixPath(name).suffix)] if name.lower().endswith(NOTE_SUFFIXES) else name


def _folder(target: str) -> str:
    """Return the folder that a link names, as far as it is in the base."""
    folder = posixpath.dirname(posixpath.normpath(target).lstrip("/"))
    return "" if folder.startswith("..") else folder


def edit(workspace: Workspace, note_id: str) -> None:
    """Begin to edit a note; for callbacks. Raises NoteNotFound."""
    note = workspace.notes.get(note_id)
    _open(Writing(token_hex(8), note, workspace.bases.of_id(note.base_id).name, note.body))


def edit_proposed(workspace: Workspace, one: Submission) -> None:
    """Begin to edit a note with its proposed change; for callbacks. Raises NoteNotFound."""
    note, changed = workspace.notes.get(one.note.id), workspace.proposals.proposed(one)
    fields = {name: as_json(value) for name in NOTE_FIELDS if (value := getattr(changed, name)) != getattr(note, name)}
    _open(Writing(token_hex(8), note, one.note.base, changed.body, fields=fields, settles=one.change is not None))


def resume(workspace: Workspace, key: str) -> None:
    """Open a draft in the editor; for callbacks. Where its note is gone, it is the draft of a new one."""
    if draft := workspace.drafts.find(key):
        go_on(workspace, draft)


def go_on(workspace: Workspace, draft: NoteDraft, was: str = "") -> None:
    """Open a draft in the editor. `was` is the token of an editor of an ended session that is still in the window."""
    token = draft.key.split(" ")[1]
    about = draft.fields
    fields = about.get("fields")
    note = _begun(workspace, draft)
    writing = Writing(
        token_hex(8),
        note,
        str(about.get("base", "")),
        with_line_ends(draft.body, note.body if note else ""),
        folder=str(about.get("folder", "")),
        fields=dict(fields) if isinstance(fields, Mapping) else {},
        number=number_of(draft),
        settles=bool(about.get("settles")),
        draft=token,
        was=was,
    )
    _open(writing)
    keep(workspace, writing, claim=True)
    if writing.key != draft.key and not workspace.readonly:
        workspace.drafts.delete_for_good(draft.key)


def _begun(workspace: Workspace, draft: NoteDraft) -> Note | None:
    """Return the note of a draft in the version that the draft began with; the stored note if the draft is saved."""
    note_id = draft.key.split(" ")[0]
    try:
        if note_id == NEW:
            return None
        now = workspace.notes.get(note_id)
        return now if is_saved(workspace, draft) else workspace.notes.at(note_id, draft.version)
    except (NoteNotFound, VersionNotFound):
        return None


def is_saved(workspace: Workspace, draft: NoteDraft) -> bool:
    """Return whether a draft equals its stored note, or an empty note if it is of a new one."""
    note_id = draft.key.split(" ")[0]
    body = "" if note_id == NEW else workspace.notes.get(note_id).body
    return not draft.fields.get("fields") and with_line_ends(draft.body, body) == body


def number_of(draft: NoteDraft) -> int:
    """Return the number of a draft's text."""
    return int(str(draft.fields.get("number", 0)))


def leave() -> None:
    """Close the editor; the draft stays."""
    if writing := st.session_state.pop(_WRITING, None):
        writing.offered = writing.links = None


def keep(workspace: Workspace, writing: Writing, *, claim: bool = False) -> None:
    """Store the text as a draft; delete the draft if nothing differs from the stored note.

    A draft belongs to the editor that claimed it last; another editor writes a draft of its own.
    """
    if workspace.readonly:
        return
    if not writing.changed:
        _drop(workspace, writing)
    else:
        writing.saved = False
        key = put(workspace, draft_of(workspace, writing), "" if claim else writing.token)
        writing.draft = key.split(" ")[1]
    writing.stored = max(writing.stored, writing.number)


def draft_of(workspace: Workspace, writing: Writing) -> NoteDraft:
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


def _drop(workspace: Workspace, writing: Writing) -> None:
    with _PUTTING:
        stored = workspace.drafts.find(writing.key)
        if stored and stored.fields.get("writer", writing.token) == writing.token:
            workspace.drafts.delete_for_good(writing.key)


def wish_for(writing: Writing, what: Wish) -> None:
    """Set the action that the next run does; for callbacks: one that reads the session state may be broken off."""
    writing.wish = what


def discard(workspace: Workspace, key: str) -> None:
    """Delete a draft, and close the editor if it is its text; for callbacks."""
    workspace.drafts.delete_for_good(key)
    for one in of_session().values():
        if one.key == key:
            one.stored = _ALL
    if (writing := now()) and writing.key == key:
        leave()


def save(workspace: Workspace, writing: Writing, *, over: Note | None = None) -> None:
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
    _drop(workspace, writing)
    writing.settles = False
    workspace.start_indexing()
    adopt(writing, note)
    writing.saved = True
    writing.stored = max(writing.stored, writing.number)


def adopt(writing: Writing, note: Note) -> None:
    """Continue on the stored note; its fields replace those that were set in the editor."""
    writing.note, writing.opposed, writing.fields = note, None, {}
    writing.drawn += 1
