"""The route of pictures and files next to notes. An address holds a seal, which only pages of this run can make."""

import hmac
import secrets
from collections.abc import Callable
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import FileResponse, PlainTextResponse, Response
from starlette.routing import Route

from core.base.errors import TesseraError
from core.model import Attachment
from core.workspace import Workspace

_KEY = secrets.token_bytes(32)
"""The key of this run's seals."""


def address(note_id: str, place: str) -> str:
    """Return the address of a file, given by its path from the top of its note's folder."""
    return f"/attachment/{seal(note_id, place)}/{quote(note_id, safe='')}/{quote(place)}"


def route(workspace: Callable[[], Workspace]) -> Route:
    """Return the route of the files next to the notes of a workspace."""

    def attachment(request: Request) -> Response:
        note_id, place, sealed = (request.path_params[name] for name in ("note", "place", "seal"))
        is_linked = is_sealed(sealed, note_id, place)
        try:
            file = workspace().notes.attachment(note_id, f"/{place}") if is_linked else None
        except TesseraError:
            file = None
        return _answer(file) if file else PlainTextResponse("Not Found", 404)

    return Route("/attachment/{seal}/{note}/{place:path}", attachment)


def _answer(file: Attachment) -> Response:
    """Answer with a file. A browser shows pictures, and saves other files and pictures that could hold a script."""
    return FileResponse(
        file.path,
        media_type=file.type or "application/octet-stream",
        filename=file.path.name,
        content_disposition_type="inline" if is_shown(file) else "attachment",
        headers={"Cache-Control": "private, no-cache"},
    )


def is_shown(file: Attachment) -> bool:
    """Return whether a browser shows a file as a picture."""
    return bool(file.type) and file.type != "image/svg+xml"


def seal(*parts: str) -> str:
    """Return what proves that a page of this run made an address of these parts."""
    return hmac.new(_KEY, "\0".join(parts).encode(), "sha256").hexdigest()


def is_sealed(sealed: str, *parts: str) -> bool:
    """Return whether this is the seal of these parts."""
    return hmac.compare_digest(seal(*parts).encode(), sealed.encode())
