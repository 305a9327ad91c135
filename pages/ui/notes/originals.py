"""The documents that notes were converted from: the line that says so, the route of their files, another conversion."""

import hmac
import secrets
from collections.abc import Callable
from urllib.parse import quote

import streamlit as st
from starlette.requests import Request
from starlette.responses import FileResponse, PlainTextResponse, Response
from starlette.routing import Route

from core.base.errors import TesseraError
from core.model import Chunk, Note
from core.workspace import Workspace
from pages.ui.shared.safe import plain
from pages.ui.shared.text import t

_KEY = secrets.token_bytes(32)
"""The key of this run's seals."""


def provenance(note: Note, chunk: Chunk | None) -> None:
    """Draw what a note was converted from and by what, and the link to that where no passage is shown."""
    if note.document is None:
        return
    kind, converter = note.document.kind, note.document.converter
    with st.container(horizontal=True, vertical_alignment="center", key="provenance"):
        st.caption(plain(t("Converted from a .{kind} file by {converter}", kind=kind, converter=converter)))
        if chunk is None:
            link(note)


def link(note: Note, page: int = 0) -> None:
    """Draw the link to the document of a note, of a PDF at a page; nothing for a note without one."""
    if note.document:
        label = t("Open the original at page {n}", n=page) if page else t("Open the original")
        st.link_button(label, _address(note.id, page), icon=":material/draft:", type="tertiary")


def route(workspace: Callable[[], Workspace]) -> Route:
    """Return the route of the originals of notes."""

    def original(request: Request) -> Response:
        note_id, seal = request.path_params["note"], request.path_params["seal"]
        if not hmac.compare_digest(_seal(note_id).encode(), seal.encode()):
            return PlainTextResponse("Not Found", 404)
        try:
            file = workspace().documents.original(note_id)
        except TesseraError:
            return PlainTextResponse("Not Found", 404)
        headers = file.headers
        return FileResponse(file.path, headers=headers) if file.path else Response(file.data, headers=headers)

    return Route("/original/{seal}/{note}", original)


def _address(note_id: str, page: int) -> str:
    place = f"#page={page}" if page else ""
    return f"/original/{_seal(note_id)}/{quote(note_id, safe='')}{place}"


def _seal(note_id: str) -> str:
    return hmac.new(_KEY, note_id.encode(), "sha256").hexdigest()
