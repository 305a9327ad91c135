"""What a person writes at the moment, in this session: a new note, or a note in other words; stored as a draft."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from secrets import token_hex
from typing import Any, Literal

import streamlit as st

from core.errors import Conflict, NoteNotFound, VersionNotFound
from core.model import FIELDS, KnowledgeBase, Note, NoteDraft, Proposal, Submission
from core.text import with_line_ends
from core.workspace import Workspace
from pages.ui.notes import offers

NEW = "new"
"""What the key of a new note's draft begins with; that of another draft begins with its note's id."""

_WRITING = "writing"

Wish = Literal["save", "leave", "discard"]
"""What a person may want done with what is written; that it is left keeps it as a draft."""


@dataclass
class Writing:
    """A text that a person writes, with its fields, and the note as it was when that began; None for a new one.

    `number` counts the texts that the editor sent. A new `stamp` loads `loaded` into the editor, and a new `drawn` the
    fields. `fields` are those that differ from the note's, as JSON holds them. `opposed` is the note as it is stored
    now, after a save that was refused. A save `settles` the change that a program proposes, where a person edits that.
    `wish` is what a person wants done and the page hasn't done yet; `wishes` counts those that the editor sent.
    """

    token: str
    note: Note | None
    base: str
    body: str = ""
    folder: str = ""
    fields: dict[str, Any] = field(default_factory=dict)
    number: int = 0
    stamp: int = 0
    drawn: int = 0
    loaded: str = ""
    loaded_number: int = 0
    caret: int = 0
    opposed: Note | None = None
    saved: bool = False
    settles: bool = False
    wish: Wish | None = None
    wishes: int = 0
    offered: offers.Offers | None = None
    links: Any = None

    def __post_init__(self) -> None:
        self.load()

    @property
    def key(self) -> str:
        """The key of the draft."""
        return f"{self.note.id if self.note else NEW} {self.token}"

    @property
    def changed(self) -> bool:
        """Whether there is anything that isn't saved."""
        return bool(self.fields) or self.body != (self.note.body if self.note else "")

    def load(self) -> None:
        """Let the editor show the text in place of what is there."""
        self.loaded, self.loaded_number = self.body, self.number
        self.stamp += 1

    def typed(self, text: str, number: int, at: int, wish: Wish | None = None, wishes: int = 0) -> None:
        """Take over what the editor sent, which knows one end of a line, unless a later text came before."""
        if number >= self.number:
            self.body = with_line_ends(text, self.note.body if self.note else "")
            self.number, self.caret = number, at
        if wishes > self.wishes:
            self.wish, self.wishes = wish, wishes

    def value(self, name: str) -> Any:
        """Return a field as it is now, as JSON holds it."""
        return self.fields[name] if name in self.fields else as_json(getattr(self.note, name, None))

    def set(self, name: str, value: Any) -> None:
        """Change a field."""
        stored = as_json(getattr(self.note, name, None))
        if value == stored or not (value or stored):
            self.fields.pop(name, None)
        else:
            self.fields[name] = value


def now() -> Writing | None:
    """Return what is being written in this session."""
    return st.session_state.get(_WRITING)


def begin(base: str = "", *, title: str = "", folder: str = "") -> None:
    """Begin a new note; for callbacks."""
    fields = {"title": title} if title else {}
    st.session_state[_WRITING] = Writing(token_hex(8), None, base, folder=folder, fields=fields)


def edit(workspace: Workspace, note_id: str) -> None:
    """Begin to edit a note; for callbacks. Raises NoteNotFound."""
    note = workspace.notes.get(note_id)
    st.session_state[_WRITING] = Writing(token_hex(8), note, base_of(workspace, note.base_id).name, note.body)


def edit_proposed(workspace: Workspace, one: Submission) -> None:
    """Begin to edit a note as it is once what waits of it is accepted; for callbacks. Raises NoteNotFound."""
    note, changed = workspace.notes.get(one.note.id), workspace.proposals.proposed(one)
    fields = {name: as_json(value) for name in FIELDS if (value := getattr(changed, name)) != getattr(note, name)}
    st.session_state[_WRITING] = Writing(
        token_hex(8), note, one.note.base, changed.body, fields=fields, settles=one.change is not None
    )


def resume(workspace: Workspace, draft: NoteDraft) -> None:
    """Go on with a draft; for callbacks. Where its note is gone, it becomes a new one."""
    note_id, token = draft.key.split(" ")
    note = None
    if note_id != NEW:
        try:
            workspace.notes.get(note_id)
            note = workspace.notes.at(note_id, draft.version)
        except (NoteNotFound, VersionNotFound):
            note = None
    about = draft.fields
    fields = about.get("fields")
    st.session_state[_WRITING] = Writing(
        token,
        note,
        str(about.get("base", "")),
        draft.body,
        folder=str(about.get("folder", "")),
        fields=dict(fields) if isinstance(fields, Mapping) else {},
        number=int(str(about.get("number", 0))),
        settles=bool(about.get("settles")),
    )
    if note is None and note_id != NEW:
        workspace.notes.drop_draft(draft.key)
        keep(workspace, st.session_state[_WRITING])


def leave() -> None:
    """Close the editor; the draft stays."""
    st.session_state.pop(_WRITING, None)


def keep(workspace: Workspace, writing: Writing) -> None:
    """Store what isn't saved as a draft; without a difference there is none."""
    if workspace.readonly:
        return
    if not writing.changed:
        workspace.notes.drop_draft(writing.key)
        return
    writing.saved = False
    base = workspace.bases.find(writing.base)
    about = {
        "base": writing.base,
        "folder": writing.folder,
        "number": writing.number,
        "fields": writing.fields,
        "settles": writing.settles,
    }
    title = str(writing.value("title") or "")
    version = writing.note.version if writing.note else 0
    at = datetime.now(UTC)
    workspace.notes.save_draft(NoteDraft(writing.key, base.id if base else "", version, title, writing.body, about, at))


def wish_for(what: Wish) -> None:
    """Have the page do this; for callbacks."""
    if writing := now():
        writing.wish = what


def discard(workspace: Workspace, key: str) -> None:
    """Delete a draft, and close the editor if it is its text; for callbacks."""
    workspace.notes.drop_draft(key)
    if (writing := now()) and writing.key == key:
        leave()


def save(workspace: Workspace, writing: Writing, *, over: Note | None = None) -> None:
    """Save the text and the fields as a new version, or `over` the one that is stored; then index in the background.

    A note that was changed meanwhile becomes `opposed`. Raises what `Notes.add` and `Notes.update` do.
    """
    fields: Any = writing.fields
    draft = writing.key
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
    workspace.notes.drop_draft(draft)
    writing.settles = False
    workspace.start_indexing()
    adopt(writing, note)
    writing.saved = True
    writing.load()


def adopt(writing: Writing, note: Note) -> None:
    """Let the note be as it is stored now, with the fields of that."""
    writing.note, writing.opposed, writing.fields = note, None, {}
    writing.drawn += 1


def as_json(value: Any) -> Any:
    """Return a field of a note as JSON holds it."""
    if isinstance(value, datetime):
        return value.date().isoformat()
    return list(value) if isinstance(value, tuple) else value


def base_of(workspace: Workspace, base_id: str) -> KnowledgeBase:
    """Return the base of this id."""
    return next(base for base in workspace.bases.all() if base.id == base_id)
