"""What a person writes at the moment, in this session: a new note, or a note in other words; stored as a draft."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from secrets import token_hex
from threading import Lock
from typing import Any, Literal

import streamlit as st

from core.errors import Conflict, NoteNotFound, VersionNotFound
from core.model import NOTE_FIELDS, KnowledgeBase, Note, NoteDraft, Proposal, Submission
from core.text import with_line_ends
from core.workspace import Workspace
from pages.ui.notes import offers

NEW = "new"
"""What the key of a new note's draft begins with; that of another draft begins with its note's id."""

_WRITING = "writing"
_WRITINGS = "writings"
_ALL = 2**53 - 1
"""The number of a text after which none comes: JavaScript's largest whole number."""
_PUTTING = Lock()

Wish = Literal["save", "leave", "discard"]
"""What a person may want done with what is written; that it is left keeps it as a draft."""


@dataclass
class Writing:
    """A text that a person writes, with its fields, and the note as it was when that began; None for a new one.

    `token` is the editor's own, and `draft` that of the editor that began the draft. `was` is the token of an editor that
    is in the window still and goes on with this text, after its session ended. `number` counts the texts that the editor
    sent, and `stored` is the number of the one that is in the draft. A new `drawn` draws the fields anew. `fields` are
    those that differ from the note's, as JSON holds them. `opposed` is the note as it is stored now, after a save that
    was refused. A save `settles` the change that a program proposes, where a person edits that. `wish` is what a person
    wants done and the page hasn't done yet; `wishes` counts those that the editor sent.
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
        """Whether there is anything that isn't saved."""
        return bool(self.fields) or self.body != (self.note.body if self.note else "")

    def typed(
        self, text: str, number: int, at: int, wish: Wish | None = None, wishes: int = 0, title: str | None = None
    ) -> None:
        """Take over what the editor sent, which knows one end of a line, unless a later text came before.

        `title` is what was typed as the title and the page doesn't know yet.
        """
        if number >= self.number:
            self.body = with_line_ends(whole(text), self.note.body if self.note else "")
            self.number, self.caret = number, at
            if title is not None:
                self.set("title", whole(title))
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


def of_session() -> dict[str, Writing]:
    """Return what was and is being written in this session, by the tokens of the editors."""
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
    _open(Writing(token_hex(8), note, base_of(workspace, note.base_id).name, note.body))


def edit_proposed(workspace: Workspace, one: Submission) -> None:
    """Begin to edit a note as it is once what waits of it is accepted; for callbacks. Raises NoteNotFound."""
    note, changed = workspace.notes.get(one.note.id), workspace.proposals.proposed(one)
    fields = {name: as_json(value) for name in NOTE_FIELDS if (value := getattr(changed, name)) != getattr(note, name)}
    _open(Writing(token_hex(8), note, one.note.base, changed.body, fields=fields, settles=one.change is not None))


def resume(workspace: Workspace, key: str) -> None:
    """Go on with a draft as it is now; for callbacks. Where its note is gone, it becomes a new one."""
    if draft := workspace.drafts.find(key):
        go_on(workspace, draft)


def go_on(workspace: Workspace, draft: NoteDraft, was: str = "") -> None:
    """Go on with a text; `was` is the token of the editor that is in the window still, where its session ended."""
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
    """Return the note of a draft as it was when the draft began, or as it is where the text was saved meanwhile."""
    note_id = draft.key.split(" ")[0]
    try:
        if note_id == NEW:
            return None
        now = workspace.notes.get(note_id)
        return now if is_saved(workspace, draft) else workspace.notes.at(note_id, draft.version)
    except (NoteNotFound, VersionNotFound):
        return None


def is_saved(workspace: Workspace, draft: NoteDraft) -> bool:
    """Whether a draft says what its note says as it is stored now; a new note without a text and fields says nothing."""
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
    """Store what isn't saved as a draft; without a difference there is none.

    A draft belongs to the editor that went on with it last, which claims it; another one writes a draft of its own.
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
    """Return what is written as a draft."""
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
    """Store a draft of an editor, and return its key, which is another one where the draft is another editor's now."""
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
    """Have the page do this; for callbacks, of which each reading of session state may be the end."""
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


def whole(text: str) -> str:
    """Return a text of a browser without halves of characters, which nothing can store."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
