"""The text that a person writes in this session, of a new note or of a stored one; it is stored as a draft."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from secrets import token_hex
from threading import Lock
from typing import Any, Literal

import streamlit as st

from core.errors import NoteNotFound, VersionNotFound
from core.model import NOTE_FIELDS, Note, NoteDraft, Submission
from core.text import with_line_ends, without_halves
from core.workspace import Workspace
from pages.ui.notes import offers

NEW = "new"
"""The first part of the key of a new note's draft; in other drafts it is the note's id."""

_WRITING = "writing"
_WRITINGS = "writings"
_ALL = 2**53 - 1
"""JavaScript's largest whole number: no text of an editor has a higher one."""
_PUTTING = Lock()

Wish = Literal["save", "leave", "discard"]
"""What a person wants done with the text; `leave` closes the editor, and the draft stays."""


@dataclass
class Writing:
    """A text in the editor, with its fields. `note` is the stored note as it was when editing began, None for a new one.

    `token` names the editor, `draft` the editor that began the draft, and `was` an editor of an ended session that is
    still in the window and continues with this text. `number` is that of the last text from the editor, `stored` that of
    the text in the draft. The widgets of the fields are drawn anew when `drawn` changes. `fields` are those that differ
    from the note's, in JSON form. `opposed` is the stored note after a save was refused. With `settles`, a save also
    decides on the proposed change that the person edits. `wish` is an action that the page hasn't done yet, and `wishes`
    counts those that the editor sent.
    """

    token: str
    note: Note | None
    base: str
    body: str = ""
    folder: str = ""
    fields: dict[str, Any] = field(default_factory=dict)
    number: int = 0
    stored: int = 0
    drawn: int = 0
    caret: int = 0
    opposed: Note | None = None
    saved: bool = False
    settles: bool = False
    wish: Wish | None = None
    wishes: int = 0
    offered: offers.Offers | None = None
    links: Any = None
    draft: str = ""
    was: str = ""

    def __post_init__(self) -> None:
        self.draft = self.draft or self.token

    @property
    def key(self) -> str:
        """The key of the draft."""
        return f"{self.note.id if self.note else NEW} {self.draft}"

    @property
    def changed(self) -> bool:
        """Whether the text or a field differs from the stored note."""
        return bool(self.fields) or self.body != (self.note.body if self.note else "")

    def typed(
        self, text: str, number: int, at: int, wish: Wish | None = None, wishes: int = 0, title: str | None = None
    ) -> None:
        """Take the text that the editor sent, unless a later one is here already. Its line ends become the note's.

        `title` is a title that the person typed and the page doesn't have yet.
        """
        if number >= self.number:
            self.body = with_line_ends(without_halves(text), self.note.body if self.note else "")
            self.number, self.caret = number, at
            if title is not None:
                self.set("title", without_halves(title))
        if wishes > self.wishes:
            self.wish, self.wishes = wish, wishes

    def value(self, name: str) -> Any:
        """Return the present value of a field in JSON form."""
        return self.fields[name] if name in self.fields else as_json(getattr(self.note, name, None))

    def set(self, name: str, value: Any) -> None:
        """Change a field."""
        stored = as_json(getattr(self.note, name, None))
        if value == stored or not (value or stored):
            self.fields.pop(name, None)
        else:
            self.fields[name] = value


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
        drop(workspace, writing)
    else:
        writing.saved = False
        key = put(workspace, draft_of(workspace, writing), "" if claim else writing.token)
        writing.draft = key.split(" ")[1]
    writing.stored = max(writing.stored, writing.number)


def draft_of(workspace: Workspace, writing: Writing) -> NoteDraft:
    """Return a text as a draft."""
    base = workspace.bases.find(writing.base)
    about = {name: getattr(writing, name) for name in ("base", "folder", "number", "fields", "settles")}
    title = str(writing.value("title") or "")
    version = writing.note.version if writing.note else 0
    return NoteDraft(
        writing.key,
        base.id if base else "",
        version,
        title,
        writing.body,
        about | {"writer": writing.token},
        datetime.now(UTC),
    )


def put(workspace: Workspace, draft: NoteDraft, writer: str) -> str:
    """Store a draft and return its key, which is a new one if another editor claimed the draft."""
    with _PUTTING:
        stored = workspace.drafts.find(draft.key)
        if writer and stored and stored.fields.get("writer", writer) != writer:
            draft = replace(draft, key=f"{draft.key.split(' ')[0]} {token_hex(8)}")
        workspace.drafts.put(draft)
    return draft.key


def drop(workspace: Workspace, writing: Writing) -> None:
    """Delete the draft of a text, unless it is another editor's now."""
    with _PUTTING:
        stored = workspace.drafts.find(writing.key)
        if stored and stored.fields.get("writer", writing.token) == writing.token:
            workspace.drafts.delete_for_good(writing.key)


def wish_for(writing: Writing, what: Wish) -> None:
    """Set a wish; for callbacks, which reading the session state may end."""
    writing.wish = what


def discard(workspace: Workspace, key: str) -> None:
    """Delete a draft, and close the editor if it is its text; for callbacks."""
    workspace.drafts.delete_for_good(key)
    for one in of_session().values():
        if one.key == key:
            one.stored = _ALL
    if (writing := now()) and writing.key == key:
        leave()


def as_json(value: Any) -> Any:
    """Return a field of a note in JSON form."""
    if isinstance(value, datetime):
        return value.date().isoformat()
    return list(value) if isinstance(value, tuple) else value
