"""The text that the user writes in this session, of a new note or of a stored one; it is stored as a draft."""

import posixpath
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import PurePosixPath
from secrets import token_hex
from typing import Any

import streamlit as st

from core.base.errors import Conflict, NoteNotFound, TesseraError, VersionNotFound
from core.base.text import with_line_ends
from core.model import NOTE_FIELDS, NOTE_SUFFIXES, Note, NoteDraft, NoteSummary, Proposal, Submission
from core.workspace import Workspace
from pages.ui.notes import drafting
from pages.ui.notes.written_text import NEW, EditorSession, Wish, as_json, fields_of
from pages.ui.shared.text import t

# The current base and folder, where a new note goes if nothing else is chosen.

_LATEST = 20
"""Notes that changed last, among which one of a base of notes is looked for."""


def place(workspace: Workspace) -> tuple[str, str]:
    """Return the base and the folder of the open note, else the base that the list shows, else that of the last change.

    A base of text files is none, for it is written elsewhere. Without any base it is one that the note makes.
    """
    bases = [base.name for base in workspace.bases.all() if not base.plain]
    note_id, listed = st.session_state.get("open_note", ""), st.session_state.get("notes_base", "")
    for card in _in(bases, workspace.notes.cards_of([note_id]).values()):
        if listed in ("", card.base):
            return card.base, posixpath.dirname(card.path or "")
    if listed in bases:
        return listed, ""
    latest = (card.base for card in _in(bases, workspace.notes.switch("", _LATEST)))
    return next(latest, bases[0] if bases else t("notes")), ""


def _in(bases: Iterable[str], cards: Iterable[NoteSummary]) -> Iterable[NoteSummary]:
    return (card for card in cards if card.base in bases)


_WRITING = "writing"
_WRITINGS = "writings"
_ALL = 2**53 - 1
"""JavaScript's largest whole number: no text of an editor has a higher one."""


def current_session() -> EditorSession | None:
    """Return the text that is being written in this session, None without one."""
    return st.session_state.get(_WRITING)


def session_texts() -> dict[str, EditorSession]:
    """Return all texts of this session, by the tokens of their editors."""
    writings: dict[str, EditorSession] = st.session_state.setdefault(_WRITINGS, {})
    return writings


def _open(writing: EditorSession) -> EditorSession:
    st.session_state[_WRITING] = session_texts()[writing.token] = writing
    return writing


def begin(base: str = "", *, title: str = "", folder: str = "") -> None:
    """Begin a new note; for callbacks."""
    fields = {"title": title} if title else {}
    _open(EditorSession(token_hex(8), None, base, folder=folder, fields=fields))


def begin_here(workspace: Workspace) -> None:
    """Begin a new note in the current base and folder; for callbacks."""
    base, folder = place(workspace)
    begin(base, folder=folder)


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
    _open(EditorSession(token_hex(8), note, workspace.bases.by_id(note.base_id).name, note.body))


def edit_proposed(workspace: Workspace, submission: Submission) -> None:
    """Begin to edit a note with its proposed change; for callbacks. Raises NoteNotFound."""
    note, changed = workspace.notes.get(submission.note.id), workspace.proposals.proposed(submission)
    fields = {name: as_json(value) for name in NOTE_FIELDS if (value := getattr(changed, name)) != getattr(note, name)}
    _open(
        EditorSession(
            token_hex(8), note, submission.note.base, changed.body, fields=fields, settles=submission.change is not None
        )
    )


def resume(workspace: Workspace, key: str) -> None:
    """Open a draft in the editor; for callbacks. Where its note is gone, it is the draft of a new one."""
    if draft := workspace.drafts.find(key):
        go_on(workspace, draft)


def go_on(workspace: Workspace, draft: NoteDraft, was: str = "") -> None:
    """Open a draft in the editor. `was` is the token of an editor of an ended session that is still in the window."""
    token = draft.key.split(" ")[1]
    about = draft.fields
    fields = about.get("fields")
    note = _draft_origin(workspace, draft)
    writing = EditorSession(
        token_hex(8),
        note,
        str(about.get("base", "")),
        with_line_ends(draft.body, note.body if note else ""),
        folder=str(about.get("folder", "")),
        fields=dict(fields) if isinstance(fields, Mapping) else {},
        number=drafting.number_of(draft),
        settles=bool(about.get("settles")),
        draft=token,
        was=was,
    )
    _open(writing)
    drafting.keep(workspace, writing, claim=True)
    wish_for(writing, "rest")
    if writing.key != draft.key and not workspace.readonly:
        workspace.drafts.delete_for_good(draft.key)


def _draft_origin(workspace: Workspace, draft: NoteDraft) -> Note | None:
    """Return the note of a draft in the version that the draft began with; the stored note if the draft is saved."""
    note_id = draft.key.split(" ")[0]
    try:
        if note_id == NEW:
            return None
        now = workspace.notes.get(note_id)
    except NoteNotFound:
        return None
    try:
        return now if drafting.is_saved(workspace, draft) else workspace.notes.at(note_id, draft.version)
    except VersionNotFound:  # a later one of its sitting took its place
        return replace(now, version=draft.version)


def leave(workspace: Workspace) -> None:
    """Close the editor and save its text; what can't be saved stays a draft."""
    if writing := st.session_state.pop(_WRITING, None):
        writing.offered = writing.links = None
        settle(workspace, None)


def wish_for(writing: EditorSession, what: Wish) -> None:
    """Set the action that the next run does; for callbacks: one that reads the session state may be broken off."""
    writing.wish = what


def discard(workspace: Workspace, key: str) -> None:
    """Delete a draft, and close the editor if it is its text; for callbacks."""
    workspace.drafts.delete_for_good(key)
    for text in session_texts().values():
        if text.key == key:
            text.stored = _ALL
            text.body, text.fields = text.note.body if text.note else "", {}
    if (writing := current_session()) and writing.key == key:
        leave(workspace)


def save(workspace: Workspace, writing: EditorSession, *, over: Note | None = None, rests: bool = False) -> None:
    """Save the text and the fields as a new version, or `over` the one that is stored; then index in the background.

    It joins the version before if that was automatic and of the same sitting; with `rests` it is automatic too. What
    can't be saved stays a draft: a note that was changed meanwhile becomes `opposed`, any other reason the `refusal`.
    """
    try:
        note = _saved(workspace, writing, over)
    except Conflict as conflict:
        writing.opposed = conflict.stored
        return
    except TesseraError as error:
        writing.refusal = error.message
        return
    drafting.drop(workspace, writing)
    writing.settles = False
    writing.rested = datetime.now(UTC) if rests else None
    workspace.start_indexing()
    adopt(writing, note)
    writing.saved = True
    writing.stored = max(writing.stored, writing.number)


def _saved(workspace: Workspace, writing: EditorSession, over: Note | None) -> Note:
    fields: Any = writing.fields
    if writing.note is None:
        writing.made = True
        folder = writing.folder.strip("/ ")
        path = f"{folder}/" if folder else ""
        return workspace.notes.add(writing.base, writing.body, path=path, author="person", embed=False, **fields)
    body = None if writing.body == writing.note.body else writing.body
    version = (over or writing.note).version
    if writing.settles:
        change = Proposal(writing.note.id, version, body, fields, datetime.now(UTC))
        return workspace.proposals.make(change, embed=False)
    joins = writing.joins and over is None  # never in place of a version that somebody else wrote
    about: Any = {"body": body, "expected_version": version, "author": "person", "embed": False, "joins": joins}
    return workspace.notes.update(writing.note.id, **about, **fields)


def put_into(workspace: Workspace, writing: EditorSession, base: str, folder: str) -> None:
    """Let a new note go into a base and a folder; one that this editor made is made again there.

    Its text is a draft first: a kill leaves it there, at most in both places.
    """
    made, before = writing.note, (writing.base, writing.folder)
    writing.base, writing.folder = base, folder
    if made is None or before == (base, folder):
        drafting.keep(workspace, writing)
        return
    writing.fields = fields_of(made) | writing.fields
    if made.title == workspace.notes.title_of(made.body):
        writing.fields.pop("title", None)
    writing.note = writing.rested = writing.opposed = None
    drafting.keep(workspace, writing)
    workspace.notes.delete(made.id)
    workspace.notes.delete_for_good([made.id])
    wish_for(writing, "rest")


def settle(workspace: Workspace, open_session: EditorSession | None) -> None:
    """Save the texts of this session whose editors were left, but for one that is open."""
    for text in session_texts().values():
        if text is not open_session and text.saves and not workspace.readonly:
            save(workspace, text, rests=True)


def is_overtaken(workspace: Workspace, writing: EditorSession) -> bool:
    """Return whether the stored note has a newer version than at the last call; it opposes a text that differs."""
    assert writing.note is not None
    try:
        stored = workspace.notes.get(writing.note.id)
    except NoteNotFound:
        return False
    if stored.version <= (writing.newer or writing.note).version or stored.version <= writing.note.version:
        return False
    writing.newer = stored
    writing.opposed = stored if writing.changed else None
    return True


def take_newer(workspace: Workspace, writing: EditorSession) -> None:
    """Edit the newer version, or oppose it to a text that differs; for callbacks. Raises NoteNotFound."""
    assert writing.note is not None
    if writing.changed:
        writing.opposed = writing.newer
    else:
        edit(workspace, writing.note.id)


def adopt(writing: EditorSession, note: Note) -> None:
    """Continue on the stored note; fields that it has in another form than they were set are drawn anew.

    The title isn't: the user may be typing it.
    """
    if any(as_json(getattr(note, name)) != value for name, value in writing.fields.items() if name != "title"):
        writing.drawn += 1
    writing.note, writing.opposed, writing.refusal, writing.fields = note, None, None, {}
