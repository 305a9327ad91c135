"""Texts that were typed and aren't stored yet: every page takes them from the browser, into a draft or the open editor."""

from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime
from secrets import token_hex
from typing import Any

import streamlit as st

from core.base.errors import NoteNotFound
from core.model import NoteDraft
from core.workspace import Workspace
from pages.ui.notes import composer, drafting
from pages.ui.notes.written_text import without_surrogates
from pages.ui.shared import links, shell
from pages.ui.shared.component import component
from pages.ui.shared.text import t

_KEY = "letters"
_STORED = "letters_stored"
_SESSION = "letters_session"

LETTERS = component("letters", __file__, before="shelf.js")
"""Triggers `take_text`: the texts that aren't stored, and the token of an editor whose session ended."""


def session() -> str:
    """Return the name of this session, by which the window notices a new one."""
    return str(st.session_state.setdefault(_SESSION, token_hex(4)))


def about(draft: NoteDraft) -> dict[str, Any]:
    """Return the key, the base, the version and the fields of a draft for the browser."""
    return {"key": draft.key, "base": draft.base_id, "version": draft.version, "fields": draft.fields}


def listen(workspace: Workspace) -> None:
    """Take the texts that aren't stored, of this window's editors and of closed ones."""

    def take() -> None:
        sent = (st.session_state.get(_KEY) or {}).get("typed")
        if sent and not workspace.readonly:
            for item in sent["items"]:
                with suppress(KeyError, TypeError, ValueError):  # no editor wrote it
                    _take(workspace, item, goes_on=item["token"] == sent["resume"])

    now = composer.current_session()
    composer.settle(workspace, now if st.session_state["page"] == "notes" else None)
    stored = st.session_state.get(_STORED, {}) | {
        token: writing.stored for token, writing in composer.session_texts().items()
    }
    data = {
        "open": now.token if now and st.session_state["page"] == "notes" else "",
        "session": session(),
        "stored": stored,
        "place": workspace.name,
        "readonly": workspace.readonly,
        "away": t("Tessera doesn't answer. What you type stays on this page; start Tessera again to go on."),
    }
    with st.container(key="letters_box"):
        LETTERS(key=_KEY, data=data, on_typed_change=shell.guarded(take))


def _take(workspace: Workspace, item: Mapping[str, Any], *, goes_on: bool) -> None:
    """Store a text in the editor of this session that it is from, else as a draft; with `goes_on` its editor reopens."""
    token, number = str(item["token"]), int(item["number"])
    if mine := next(
        (writing for writing in composer.session_texts().values() if token in (writing.token, writing.was)), None
    ):
        if number > mine.stored:
            mine.take_text(item["text"], number, int(item["at"]), title=item.get("title"))
            drafting.keep(workspace, mine)
        number = min(number, mine.stored)
    elif goes_on:
        links.say("note", st.query_params.get("note", ""))  # no link brought it
        composer.go_on(workspace, _draft(item), token)
    elif not _is_known(workspace, draft := _draft(item)):
        drafting.put(workspace, draft, token)
    st.session_state.setdefault(_STORED, {})[token] = number


def _draft(item: Mapping[str, Any]) -> NoteDraft:
    about, text = item["about"], without_surrogates(item["text"])
    fields = dict(about["fields"]) | {"number": int(item["number"]), "writer": str(item["token"])}
    title = item.get("title")
    if title is not None:
        fields["fields"] = dict(fields.get("fields") or {}) | {"title": without_surrogates(title)}
    title = str((fields.get("fields") or {}).get("title") or "")
    return NoteDraft(
        str(about["key"]), str(about["base"]), int(about["version"]), title, text, fields, datetime.now(UTC)
    )


def _is_known(workspace: Workspace, draft: NoteDraft) -> bool:
    """Return whether this text, or a later one of its editor, is stored as a draft or in the note."""
    stored = workspace.drafts.find(draft.key)
    if stored is None:
        with suppress(NoteNotFound):
            return drafting.is_saved(workspace, draft)
        return False
    mine = stored.fields.get("writer") == draft.fields["writer"]
    return stored.body == draft.body or (mine and drafting.number_of(stored) >= drafting.number_of(draft))
