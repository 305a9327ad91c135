"""Start, edit, draft and save notes in the editor sessions of this browser session."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import PurePosixPath
from secrets import token_hex
from threading import Lock
from typing import Any, NotRequired, TypedDict

import streamlit as st
from streamlit import session_state

from core.base.datetimes import utc_now
from core.base.errors import NoteNotFound, TesseraError, VersionNotFound
from core.base.frozen import AnyMap, ValueMap, attributes
from core.base.text import with_line_ends
from core.model import NOTE_FIELDS, NOTE_SUFFIXES, Note, NoteDraft, Proposal, Submission
from pages.ui.notes import places
from pages.ui.notes.history import SEEN, clear_undo, offer_undo
from pages.ui.notes.places import base_of
from pages.ui.notes.session import NEW, EditorSession, State, fields_of, units, without_surrogates
from pages.ui.shared import links
from pages.ui.shared.names import draft_label, local
from pages.ui.shared.safe import plain
from pages.ui.shared.server import workspace
from pages.ui.shared.text import t
from pages.ui.shared.widgets import button, component, guarded, row, small

# Session key for the id of a note retitled in the editor, and the title that links may still use.
RETITLED = "retitled"
# Fields of an editor session that act on other notes. A draft may come from somebody else, so they aren't in drafts.
_WAY = ("back", "answers", "copy_of", "copied_version")
_WRITING = "writing"
_WRITINGS = "writings"
_PUTTING = Lock()
# Draft id -> those fields of the editor session that stored the draft.
_WAYS: dict[str, ValueMap] = {}
# Draft id -> note id, version and text number of its last save, which the browser may not know yet.
_SAVED: dict[str, tuple[str, int, int]] = {}


def current_session() -> EditorSession | None:
    """Return the open editor session, or None if no editor is open."""
    return session_state.get(_WRITING)


def session_texts() -> dict[str, EditorSession]:
    """Return this browser session's editor sessions, keyed by token."""
    writings: dict[str, EditorSession] = session_state.setdefault(_WRITINGS, {})
    return writings


def _open(note: Note | None, base: str, body: str = "", **more: Any) -> EditorSession:
    """Create and open an editor session. `more` has its other fields."""
    session = EditorSession(token_hex(8), note, base, body, **more)
    if note:
        seen: dict[str, int] = session_state.setdefault(SEEN, {})
        seen[note.id] = max(note.version, seen.get(note.id, 0))
    session_state[_WRITING] = session_texts()[session.token] = session
    return session


def begin(base: str = "", body: str = "", *, title: str = "", folder: str = "", **more: object) -> None:
    """Start a new note. Use this in callbacks. `more` has other fields of the editor session."""
    fields = {"title": title} if title else {}
    _open(None, base, body, folder=folder, **{"fields": fields, **more})


def begin_here(title: str = "", *, at_top: bool = False, **more: object) -> None:
    """Start a new note with `begin`, in the current base, and in the current folder unless `at_top` is True."""
    base, folder = places.current_place()
    begin(base, "", title=title, folder="" if at_top else folder, **more)


def title_of(path: str) -> str:
    """Return the default title of a note at a path: the file name, without a note's suffix such as `.md`."""
    pure = PurePosixPath(path)
    return pure.stem if pure.name.lower().endswith(NOTE_SUFFIXES) else pure.name


def edit(note_id: str, *, caret: int = 0, back: str = "") -> None:
    """Start editing a note. Use this in callbacks. `back` is the page to return to. Raises NoteNotFound."""
    note = workspace.notes.get(note_id)
    clear_undo()
    _open(note, base_of(note), note.body, caret=max(0, caret), back=back)


def edit_as(note: Note, body: str, fields: ValueMap, conflict: Note | None = None) -> None:
    """Start editing a note with an unsaved text and fields. Use this in callbacks.

    `conflict` is the stored note if it has changed in a conflicting way.
    """
    base = base_of(note)
    clear_undo()
    keep_draft(_open(note, base, body, fields=dict(fields), conflict=conflict, action="rest"))


def edit_proposed(submission: Submission) -> None:
    """Start editing a note that awaits review, or a proposed change. Use this in callbacks. Raises NoteNotFound."""
    note = workspace.notes.get(submission.note.id)
    changed = workspace.proposals.proposed(submission)
    proposed = str(submission.change.at) if submission.change else ""
    _open(note, submission.note.base, changed.body, fields=fields_of(changed, note), proposed=proposed)


def open_draft(draft: NoteDraft, predecessor: str = "") -> None:
    """Open a draft in the editor, as the draft of a new note if its note no longer exists. Use this in callbacks.

    `predecessor` is the token of an open editor whose session has ended.
    """
    token = draft.key.split(" ")[1]
    about: AnyMap = draft.fields
    fields = about.get("fields")
    note = _draft_origin(draft)
    session = _open(
        note,
        str(about.get("base", "")),
        with_line_ends(draft.body, note.body if note else ""),
        folder=str(about.get("folder", "")),
        fields={name: fields[name] for name in NOTE_FIELDS if name in fields} if isinstance(fields, Mapping) else {},
        number=number_of(draft),
        proposed=settles if isinstance(settles := about.get("settles"), str) else "",
        draft_id=token,
        predecessor=predecessor,
        **_WAYS.get(token, {}),
    )
    keep_draft(session, claim=True)
    session.request("rest")
    if session.key != draft.key and not workspace.readonly:
        workspace.drafts.delete_for_good(draft.key)


def _draft_origin(draft: NoteDraft) -> Note | None:
    """Return the note version that a draft is based on, or the stored note if the draft is already saved.

    Return None for the draft of a new or deleted note.
    """
    note_id, draft_id = draft.key.split(" ")
    version = draft.version
    if (saved := _SAVED.get(draft_id)) and saved[2] <= number_of(draft):
        note_id, version, _ = saved
    try:
        now = workspace.notes.get(note_id)
        return now if is_saved(draft) else workspace.versions.get(note_id, version)
    except NoteNotFound:  # a new or a deleted note
        return None
    except VersionNotFound:  # replaced by a later version from the same sitting
        return replace(now, version=version)


def leave() -> None:
    """Close the editor and save its text. If the text can't be saved, it stays a draft."""
    if session := session_state.pop(_WRITING, None):
        session.offers = session.links = None
        save_left(None)
        if session.note and session.note.title != session.title_before != "":
            note_id, before = session_state.get(RETITLED, ("", ""))
            before = before if note_id == session.note.id else session.title_before
            session_state[RETITLED] = session.note.id, before


def discard(key: str) -> None:
    """Delete a draft, closing the editor if the draft is open there. Use this in callbacks."""
    workspace.drafts.delete_for_good(key)
    for text in session_texts().values():
        if text.key == key:
            text.revert()
    if (session := current_session()) and session.key == key:
        leave()


def save(session: EditorSession, *, over: Note | None = None, automatic: bool = False) -> None:
    """Save text and fields as a new version, overriding the note `over` if given. Indexing follows in the background.

    The version replaces the previous one if that was an automatic save from the same sitting. If other lines and fields
    of the note have been changed in the meantime, both changes are merged. Text that can't be saved stays a draft.

    During a long save, Streamlit may run the page again. The second save then waits for the first, because it would
    otherwise add the note again or conflict with the version just saved.
    """
    with session.turn:
        is_first = session.note is None
        try:
            note = _store(session, over)
        except TesseraError as error:
            session.refuse(error)
            if session.conflict and over is None:
                with suppress(TesseraError):  # changed again, so the user has to choose
                    _merge(session, automatic=automatic)
            return
        drop_draft(session)
        _SAVED[session.draft_id] = note.id, note.version, session.number
        session.save(note, automatic=automatic)
        if session.answers and session.body.strip():
            workspace.searches.mark(session.answers, unanswered=False)
        if session.copy_of and is_first:
            with suppress(TesseraError):  # for example because the original was deleted in the meantime
                original = workspace.notes.get(session.copy_of)
                if original.version == session.copied_version:
                    workspace.notes.archive([original.id])
                    session.copied_version = workspace.notes.get(original.id).version
                else:
                    session.copy_of = ""


def _merge(session: EditorSession, *, automatic: bool) -> None:
    """Merge the user's text with the stored change and save it, unless both changed the same lines or fields."""
    note = session.known_note
    stored = stored_note(session)
    if session.decides or any(getattr(stored, name) != getattr(note, name) for name in session.fields):
        return
    mine = session.body
    body = workspace.versions.merge_texts(note.body, mine, stored.body)
    if body is None:
        return
    if body == mine:  # the stored text is the same, for example if the connection broke during this editor's save
        save(session, over=stored, automatic=automatic)
        return
    about: Any = {"author": "person", "embed": False}
    merged = workspace.notes.update(note.id, body=body, expected_version=stored.version, **about, **session.fields)

    def undo() -> None:
        workspace.notes.update(note.id, body=mine, expected_version=merged.version, **about)
        if current_session():
            edit(note.id)

    drop_draft(session)
    session.abandon()
    if session is current_session():
        moved = units(body) - units(mine) if body[: session.caret] != mine[: session.caret] else 0
        edit(note.id, caret=session.caret + moved)
        for name in _WAY:
            setattr(current_session(), name, getattr(session, name))
    offer_undo(
        t("'{title}' was changed elsewhere while you were writing. Both changes were kept.", title=merged.title),
        undo,
    )


def stored_note(session: EditorSession) -> Note:
    """Return the stored note that conflicts with the editor's text. If it is a file, the file is read first."""
    assert session.conflict is not None
    if workspace.files.is_owned(session.known_note):
        return workspace.files.read(session.note_id)
    return session.conflict


def _store(session: EditorSession, over: Note | None) -> Note:
    fields: Any = session.fields
    if session.note is None:
        session.created = True
        folder = session.folder.strip("/ ")
        return workspace.notes.add(
            session.base, session.body, path=f"{folder}/" if folder else "", author="person", embed=False, **fields
        )
    stored = over or session.note
    body = None if session.body == stored.body else session.body
    if session.proposed:
        session.check_proposal()
        return workspace.proposals.make(Proposal(session.note.id, stored.version, body, fields, utc_now()), embed=False)
    return workspace.notes.update(
        session.note.id,
        body=body,
        expected_version=stored.version,
        author="person",
        embed=False,
        joins=session.joins and over is None,  # never replaces somebody else's version
        **fields,
    )


def move_to(session: EditorSession, base: str, folder: str) -> None:
    """Set the base and folder of a new note. If the note is already saved, create it again there.

    The text is stored as a draft first, so nothing is lost if the process is killed. At worst, the text is in both
    locations.
    """
    before = (session.base, session.folder)
    session.base = base
    session.folder = folder
    if not (made := session.note) or before == (base, folder):
        keep_draft(session)
        return
    session.detach(has_title=has_own_title(session))
    keep_draft(session)
    with suppress(TesseraError):  # the file was changed or can't be deleted, so the old note is kept too
        workspace.trash.take_back(made.id)
        workspace.trash.delete_for_good([made.id])
    session.request("rest")


def save_left(open_session: EditorSession | None) -> None:
    """Save the text of this session's closed editors, skipping `open_session`.

    A note that was created and then emptied goes to the trash.
    """
    for text in session_texts().values():
        if text is open_session or workspace.readonly:
            continue
        if is_blank(text):
            drop_draft(text)
            with suppress(TesseraError):  # the note has since been changed or deleted
                workspace.trash.take_back(text.note_id, expected_version=text.known_note.version)
            text.note = None
            text.refusal = None
            text.created = False
            text.body = ""  # anything the editor still sends becomes a new note
            text.fields = {}
        elif text.state is State.UNSAVED:
            save(text, automatic=True)


def is_blank(session: EditorSession) -> bool:
    """Return whether the note was created in this editor and has neither text nor a title of its own."""
    if session.note is None or not session.created or session.conflict or session.body.strip():
        return False
    return not has_own_title(session)


def has_own_title(session: EditorSession) -> bool:
    """Return whether the note in the editor has a title other than the default title, which is taken from its text."""
    if "title" in session.fields or session.note is None:
        return bool(session.fields.get("title"))
    if session.created:
        return not workspace.texts.is_titled_by_text(session.note)
    return session.note.title != workspace.texts.title_of(session.note.body)


def is_overtaken(session: EditorSession) -> bool:
    """Return whether a newer version of the note has been stored since the last call.

    Unsaved text is then saved, which merges it with that version if possible.
    """
    try:
        overtaken = session.overtake(workspace.notes.get(session.note_id))
    except NoteNotFound:
        return False
    if session.conflict and not session.decides:
        session.conflict = None
        save(session, automatic=True)
    return overtaken


def take_newer(session: EditorSession) -> None:
    """Edit the newer version, or show a conflict if the text has changed. Use in callbacks. Raises NoteNotFound."""
    if session.changed:
        session.conflict = session.newer
    else:
        edit(session.note_id)


# Drafts, stored as soon as the editor sends its text; a draft belongs to the editor that claimed it last.


def keep_draft(session: EditorSession, *, claim: bool = False) -> None:
    """Store the text as a draft, or delete the draft if the text equals the stored note.

    A draft belongs to the editor that claimed it last. Any other editor writes a separate draft.

    If the session is being saved, wait for that. Otherwise, the draft of a new note would outlive the note's first save.
    """
    if workspace.readonly:
        return
    with session.turn:
        if session.changed:
            session.draft_id = put_draft(draft_of(session), "" if claim else session.token).split(" ")[1]
            session.saved = False
            _WAYS[session.draft_id] = attributes(session, _WAY)
        else:
            drop_draft(session)
        session.acknowledge()


def draft_of(session: EditorSession) -> NoteDraft:
    """Build the draft of an editor session."""
    base = workspace.bases.find(session.base)
    return NoteDraft(
        session.key,
        base.id if base else "",
        session.note.version if session.note else 0,
        str(session.value("title") or ""),
        session.body,
        {
            "base": session.base,
            "folder": session.folder,
            "number": session.number,
            "fields": session.fields,
            "settles": session.proposed,
            "writer": session.token,
        },
        utc_now(),
    )


def put_draft(draft: NoteDraft, writer: str) -> str:
    """Store a draft and return its key, which is new if another editor has claimed the draft."""
    with _PUTTING:
        stored = workspace.drafts.find(draft.key)
        if writer and stored and stored.fields.get("writer", writer) != writer:
            draft = replace(draft, key=f"{draft.note_id} {token_hex(8)}")
        workspace.drafts.put(draft)
    return draft.key


def drop_draft(session: EditorSession) -> None:
    """Delete an editor session's draft, unless another editor has claimed it."""
    with _PUTTING:
        stored = workspace.drafts.find(session.key)
        if stored and stored.fields.get("writer", session.token) == session.token:
            workspace.drafts.delete_for_good(session.key)


def is_saved(draft: NoteDraft) -> bool:
    """Return whether a draft has no changes: it equals the stored note, or is empty if new. Raises NoteNotFound."""
    body = "" if draft.note_id == NEW else workspace.notes.get(draft.note_id).body
    return not draft.fields.get("fields") and with_line_ends(draft.body, body) == body


def number_of(draft: NoteDraft) -> int:
    """Return the number that the editor gave the draft's text. Later texts have higher numbers."""
    return int(str(draft.fields.get("number", 0)))


# Unsaved text: offering drafts, and moving text from the browser into a draft or the open editor.


def draw_drafts(note_id: str = "") -> None:
    """Show the drafts of a note, or by default those of new notes and of deleted notes."""
    drafts = workspace.drafts.all()
    there = workspace.notes.cards_of(draft.note_id for draft in drafts)
    for draft in drafts:
        if draft.note_id == note_id:
            _offer(draft, t("You changed this note at {at} and didn't save it.", at=local(draft.at)))
        elif not note_id and draft.note_id not in there:
            _offer(draft, plain(draft_label(draft)))


def _offer(draft: NoteDraft, text: str) -> None:
    def go_on() -> None:
        _take_sent()  # the last keystrokes, sent by the browser together with the click
        if stored := workspace.drafts.find(draft.key):
            open_draft(stored)

    with row(f"draft_{draft.key}", border=True):
        st.markdown(f":material/edit_note: {text}", width="stretch")
        button("Continue writing", f"resume_{draft.key}", "edit", go_on, type="primary")
        small("Discard", f"discard_{draft.key}", "delete", discard, draft.key)


_KEY = "letters"
_STORED = "letters_stored"
_SESSION = "letters_session"

# Component that triggers `typed` with unsaved text and the token of an editor whose session has ended.
LETTERS = component("letters", __file__, before="shelf.js")


class UnstoredText(TypedDict):
    """Editor text that isn't stored yet. `about` is the result of `draft_about` for the text's draft."""

    token: str
    number: int
    at: int
    text: str
    title: NotRequired[str | None]
    about: AnyMap


def session_id() -> str:
    """Return this session's random id, which lets the browser window detect a new session."""
    return str(session_state.setdefault(_SESSION, token_hex(4)))


def listen() -> None:
    """Save the text of closed editors, and receive unsaved text from this window's open and closed editors."""
    session = current_session()
    if session and session_state["page"] != "notes":
        session.left = True
        session = None
    save_left(session)
    stored = {token: text.stored for token, text in session_texts().items()}
    with st.container(key="letters_box"):
        LETTERS(
            key=_KEY,
            data={
                "open": session.token if session else "",
                "session": session_id(),
                "stored": session_state.get(_STORED, {}) | stored,
                "place": workspace.name,
                "readonly": workspace.readonly,
                "away": t(
                    "Tessera isn't responding. What you type stays on this page. Start Tessera again to continue."
                ),
            },
            on_typed_change=guarded(_take_sent),
        )


def _take_sent() -> None:
    sent = (session_state.get(_KEY) or {}).get("typed")
    if sent and not workspace.readonly:
        for item in sent["items"]:
            with suppress(KeyError, TypeError, ValueError):  # malformed data, not written by an editor
                _take(item, goes_on=item["token"] == sent["resume"])


def _take(item: UnstoredText, *, goes_on: bool) -> None:
    """Pass text on to the editor session that sent it, or store it in a draft.

    If `goes_on` is True, the editor is reopened.
    """
    token = str(item["token"])
    number = int(item["number"])
    draft_id = str(item["about"]["key"]).partition(" ")[2]

    def continues(session: EditorSession) -> bool:
        if token in (session.token, session.predecessor):
            return True
        return session.draft_id == draft_id and not (session.heard or goes_on)

    if mine := next(filter(continues, reversed(session_texts().values())), None):
        if number > mine.stored:
            mine.take_text(item["text"], number, int(item["at"]), title=item.get("title"))
            keep_draft(mine)
            mine.request(mine.action or "rest")
        number = min(number, mine.stored)
    elif goes_on:
        links.set_value("note", st.query_params.get("note", ""))  # otherwise, the URL would count as a link
        open_draft(_draft_of_letters(item), token)
    elif not _is_known(draft := _draft_of_letters(item)):
        put_draft(draft, token)
    session_state.setdefault(_STORED, {})[token] = number


def _draft_of_letters(item: UnstoredText) -> NoteDraft:
    about = item["about"]
    kept = dict(about["fields"])
    fields = dict(kept.get("fields") or {})
    if (title := item.get("title")) is not None:
        fields["title"] = without_surrogates(title)
    return NoteDraft(
        str(about["key"]),
        str(about["base"]),
        int(about["version"]),
        str(fields.get("title") or ""),
        without_surrogates(item["text"]),
        kept | {"fields": fields, "number": int(item["number"]), "writer": str(item["token"])},
        utc_now(),
    )


# Maximum number of versions to compare with text that arrives late.
_COMPARED = 5


def _is_known(draft: NoteDraft) -> bool:
    """Return whether this text, or later text from the same editor, is already stored in a draft or in the note."""
    stored = workspace.drafts.find(draft.key)
    if stored is None:
        with suppress(NoteNotFound):
            if is_saved(draft):
                return True
            versions = workspace.versions  # a later one may have the same text
            later = [version.number for version in versions.all(draft.note_id) if version.number > draft.version]
            return any(versions.get(draft.note_id, number).body == draft.body for number in later[:_COMPARED])
        return False
    mine = stored.fields.get("writer") == draft.fields["writer"]
    return stored.body == draft.body or (mine and number_of(stored) >= number_of(draft))
