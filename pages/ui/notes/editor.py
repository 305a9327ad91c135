"""The component in which a note is written: CodeMirror, with completion of links and tags.

The editor belongs to the window, not to the page: while the page is drawn anew, it keeps the focus. A message to the
server may be lost, so the editor repeats it until the answer confirms it. Until a text is stored as a draft, the
browser's storage holds it (`shelf.js`).
"""

import hashlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import streamlit as st
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from core.base.errors import TesseraError
from core.base.messages import Message, in_context, message, render
from core.workspace import Workspace
from pages.ui.notes import composer, drafts
from pages.ui.notes.files import is_sealed, seal
from pages.ui.notes.offers import Offers
from pages.ui.notes.session import EditorSession
from pages.ui.shared.text import session_language, t, text_of
from pages.ui.shared.widgets import component

# The route of the editor's script: one file, which a browser loads once per version.

FILE = Path(__file__).with_name("codemirror") / "codemirror.js"
ADDRESS = f"/editor/codemirror-{hashlib.sha256(FILE.read_bytes()).hexdigest()[:16]}.js"


async def _script(_: Request) -> FileResponse:
    return FileResponse(FILE, media_type="text/javascript", headers={"Cache-Control": "max-age=31536000, immutable"})


# The route that takes pictures for the note in the editor. An address holds a seal, which only pages of this run can make.

_WHAT = "picture"
_ABOUT = ("base", "note", "language")


def address(base: str, note_id: str, language: str) -> str:
    """Return the address for the pictures of a note, or of a new one; refusals come in the language."""
    about = (base, note_id, language)
    return f"/{_WHAT}/{seal(_WHAT, *about)}?{urlencode(dict(zip(_ABOUT, about, strict=True)))}"


def routes(workspace: Callable[[], Workspace]) -> list[Route]:
    """Return the routes of the script and of pictures.

    The answer to a picture is the `path` by which the note shows it, or why it is `refused`.
    """

    async def take(request: Request) -> Response:
        base, note_id, language = about = [request.query_params.get(name, "") for name in _ABOUT]
        if not is_sealed(request.path_params["seal"], _WHAT, *about):
            return PlainTextResponse("Not Found", 404)
        notes, data = workspace().notes, bytearray()
        async for part in request.stream():
            if len(data) <= notes.picture_bytes:
                data += part
        name = request.query_params.get("name", "")
        try:
            path = await run_in_threadpool(notes.attach, base, name, bytes(data), note_id=note_id)
        except TesseraError as error:
            return JSONResponse({"refused": render(error.message, language)}, 422)
        return JSONResponse({"path": path})

    return [Route(ADDRESS, _script), Route(f"/{_WHAT}/{{seal}}", take, methods=["POST"])]


FORMATS: dict[str, Message] = {
    "heading": message("Heading"),
    "bold": message("Bold"),
    "italic": message("Italic"),
    "list": message("List"),
    "box": message("Checkbox"),
    "quote": message("Quote"),
    "code": in_context("format of text", "Code"),
    "link": message("Link"),
    "table": message("Table"),
    "picture": message("Picture"),
}
"""The names of the formats in `codemirror/formats.js`."""

WRITE = component(
    "note_editor", __file__, "<p class='notice' role='alert'></p><div class='paper'></div>", before="shelf.js"
)
"""Triggers `typed`: the text, its number, the place of the caret, a typed title, and the last action with its number.

Numbers of texts and of actions rise.
"""


def write(
    workspace: Workspace, session: EditorSession, offered: Offers, typed: Callable[[Mapping[str, Any]], None]
) -> None:
    """Draw the editor; `typed` gets its messages before the page is drawn."""
    key = f"editor_{session.token}"

    def take() -> None:
        # The last message of a closed editor comes too late for the page; `drafts` takes its text.
        if sent := (st.session_state.get(key) or {}).get("typed"):
            typed(sent)

    data = {
        "token": session.token,
        "predecessor": session.predecessor,
        "text": session.body,
        "number": session.number,
        "taken": session.number,
        "stored": session.stored,
        "saved": not session.changed,
        "actions": session.actions,
        "about": drafts.about(composer.draft_of(workspace, session)),
        "place": workspace.name,
        "session": drafts.session_id(),
        "notes": offered.notes,
        "tags": offered.tags,
        "script": ADDRESS,
        "pictures": address(session.base, session.note.id if session.note else "", session_language()),
        "words": {
            "label": t("Text of the note"),
            "hint": t("Write in Markdown. [[ offers notes, # offers tags, / offers formats."),
            "bar": t("Formats"),
            **{name: text_of(label) for name, label in FORMATS.items()},
            "adding": t("Saving the picture…"),
            "lost": t("The picture wasn't saved: Tessera isn't responding."),
        },
    }
    with st.container(key="note_editor"):
        WRITE(key=key, data=data, on_typed_change=take)
