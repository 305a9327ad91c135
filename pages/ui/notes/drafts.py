"""Unsaved texts: offering drafts, and moving texts from the browser into a draft or the open editor."""

from collections.abc import Mapping
from contextlib import suppress
from secrets import token_hex
from typing import Any, NotRequired, TypedDict

import streamlit as st

from core.base.datetimes import utc_now
from core.base.errors import NoteNotFound
from core.model import NoteDraft
from pages.ui.notes import composer
from pages.ui.notes.session import NEW, EditorSession, without_surrogates
from pages.ui.shared import links, names, widgets
from pages.ui.shared.safe import plain
from pages.ui.shared.server import workspace
from pages.ui.shared.text import t
from pages.ui.shared.widgets import component


def draw_note_drafts(note_id: str) -> None:
    """Draw the drafts of a note."""
    for draft in workspace.drafts.all():
        if draft.key.startswith(f"{note_id} "):
            _offer(draft, t("You changed this note at {at} and didn't save it.", at=names.local(draft.at)))


def draw_new_drafts() -> None:
    """Draw the drafts of new and of deleted notes."""
    drafts = workspace.drafts.all()
    there = workspace.notes.cards_of(draft.key.split(" ")[0] for draft in drafts)
    for draft in drafts:
        if draft.key.split(" ")[0] not in there:
            title = plain(draft.title or draft.body.strip().split("\n")[0][:60])
            _offer(draft, t("Unsaved draft: {title} ({at}).", title=title, at=names.local(draft.at)))


def _offer(draft: NoteDraft, text: str) -> None:
    def resume() -> None:
        _take_sent()  # the last letters, which the browser sent together with the click
        composer.resume(draft.key)

    with widgets.row(f"draft_{draft.key}", border=True):
        st.markdown(f":material/edit_note: {text}", width="stretch")
        widgets.button(
            t("Continue writing"),
            f"resume_{draft.key}",
            "edit",
            type="primary",
            on_click=resume,
        )
        widgets.small(t("Discard"), f"discard_{draft.key}", "delete", on_click=composer.discard, args=(draft.key,))


_KEY = "letters"
_STORED = "letters_stored"
_SESSION = "letters_session"

LETTERS = component("letters", __file__, before="shelf.js")
"""Component; triggers `typed` with the unsaved texts, and with the token of an editor whose session ended."""


class UnstoredText(TypedDict):
    """A text of an editor that isn't stored; `about` is what `about` returned for its draft."""

    token: str
    number: int
    at: int
    text: str
    title: NotRequired[str | None]
    about: Mapping[str, Any]


def session_id() -> str:
    """Return this session's random id, from which the browser window notices a new session."""
    return str(st.session_state.setdefault(_SESSION, token_hex(4)))


def about(draft: NoteDraft) -> dict[str, object]:
    """Return the data about an editor's draft that the browser sends back: key, base, version and fields."""
    return {"key": draft.key, "base": draft.base_id, "version": draft.version, "fields": draft.fields}


def listen() -> None:
    """Receive the unsaved texts of this window's editors, open and closed."""

    session = composer.current_session()
    composer.save_left(session if st.session_state["page"] == "notes" else None)
    stored = st.session_state.get(_STORED, {}) | {
        token: session.stored for token, session in composer.session_texts().items()
    }
    data = {
        "open": session.token if session and st.session_state["page"] == "notes" else "",
        "session": session_id(),
        "stored": stored,
        "place": workspace.name,
        "readonly": workspace.readonly,
        "away": t("Tessera isn't responding. What you type stays on this page; start Tessera again to continue."),
    }
    with st.container(key="letters_box"):
        LETTERS(key=_KEY, data=data, on_typed_change=widgets.guarded(_take_sent))


def _take_sent() -> None:
    sent = (st.session_state.get(_KEY) or {}).get("typed")
    if sent and not workspace.readonly:
        for item in sent["items"]:
            with suppress(KeyError, TypeError, ValueError):  # malformed data, which no editor wrote
                _take(item, goes_on=item["token"] == sent["resume"])


def _take(item: UnstoredText, *, goes_on: bool) -> None:
    """Hand a text to the editor session that sent it, else to a draft; `goes_on` reopens the editor."""
    token, number = str(item["token"]), int(item["number"])
    draft_id = str(item["about"]["key"]).partition(" ")[2]

    def continues(session: EditorSession) -> bool:
        if token in (session.token, session.predecessor):
            return True
        return session.draft_id == draft_id and not (session.heard or goes_on)

    if mine := next(filter(continues, reversed(composer.session_texts().values())), None):
        if number > mine.stored:
            mine.take_text(item["text"], number, int(item["at"]), title=item.get("title"))
            composer.keep_draft(mine)
            mine.request(mine.action or "rest")
        number = min(number, mine.stored)
    elif goes_on:
        links.set_value("note", st.query_params.get("note", ""))  # so that the address doesn't count as a link
        composer.open_draft(_draft(item), token)
    elif not _is_known(draft := _draft(item)):
        composer.put_draft(draft, token)
    st.session_state.setdefault(_STORED, {})[token] = number


def _draft(item: UnstoredText) -> NoteDraft:
    about, text = item["about"], without_surrogates(item["text"])
    fields = dict(about["fields"]) | {"number": int(item["number"]), "writer": str(item["token"])}
    title = item.get("title")
    if title is not None:
        fields["fields"] = dict(fields.get("fields") or {}) | {"title": without_surrogates(title)}
    title = str((fields.get("fields") or {}).get("title") or "")
    return NoteDraft(str(about["key"]), str(about["base"]), int(about["version"]), title, text, fields, utc_now())


_COMPARED = 5
"""Maximum number of versions to compare with a text that arrives late."""


def _is_known(draft: NoteDraft) -> bool:
    """Return whether the text, or a later one from the same editor, is already stored in a draft or in the note."""
    stored = workspace.drafts.find(draft.key)
    if stored is None:
        with suppress(NoteNotFound):
            return composer.is_saved(draft) or _is_in_history(draft)
        return False
    mine = stored.fields.get("writer") == draft.fields["writer"]
    return stored.body == draft.body or (mine and composer.number_of(stored) >= composer.number_of(draft))


def _is_in_history(draft: NoteDraft) -> bool:
    """Return whether a version after the draft's has the same text; raises NoteNotFound."""
    note_id = draft.key.split(" ")[0]
    if note_id == NEW:
        return False
    later = [version.number for version in workspace.versions.all(note_id) if version.number > draft.version]
    return any(workspace.versions.get(note_id, number).body == draft.body for number in later[:_COMPARED])
