"""HTTP routes for files in notes, source documents, picture uploads from the editor, and the editor's script.

A file's URL contains a signature that only this process can create. The server imports this module when it starts, so
modules needed only by pages aren't imported here.
"""

import hashlib
import hmac
import secrets
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote, urlencode

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from core.base.errors import TesseraError
from core.base.messages import render

if TYPE_CHECKING:
    from core.model import Attachment
    from core.workspace import Workspace

SCRIPT = Path(__file__).with_name("codemirror") / "codemirror.js"
# URL path of the editor's script. It contains a hash, so that browsers can cache the script until it changes.
SCRIPT_ADDRESS = f"/editor/codemirror-{hashlib.sha256(SCRIPT.read_bytes()).hexdigest()[:16]}.js"

# Secret key for URL signatures, which changes each time the process starts.
_KEY = secrets.token_bytes(32)
_ORIGINAL = "original"
_PICTURE = "picture"
_ABOUT = ("base", "note", "language")


def file_address(note_id: str, place: str) -> str:
    """Return the URL of a file in a note. `place` is the file's path relative to the top of the note's folder."""
    return f"/attachment/{_seal(note_id, place)}/{quote(note_id, safe='')}/{quote(place)}"


def original_address(note_id: str, page: int) -> str:
    """Return the URL of a note's source document. `page` is the PDF page to open, or 0 for none."""
    place = f"#page={page}" if page else ""
    return f"/original/{_seal(_ORIGINAL, note_id)}/{quote(note_id, safe='')}{place}"


def picture_address(base: str, note_id: str, language: str) -> str:
    """Return the URL for pictures in a note, which may be new (`note_id` is ""). Error messages use `language`.

    A POST request uploads a picture. A GET request with `path` redirects to the picture that this path refers to in the
    note.
    """
    about = (base, note_id, language)
    return f"/{_PICTURE}/{_seal(_PICTURE, *about)}?{urlencode(dict(zip(_ABOUT, about, strict=True)))}"


def routes(workspace: "Callable[[], Workspace]") -> list[Route]:
    """Return the HTTP routes for notes.

    The response to a picture upload contains either the `path` to use in the note's text, or the reason why the picture
    was `refused`.
    """

    def find(note_id: str, target: str) -> "Attachment":
        with suppress(TesseraError):
            if file := workspace().attachments.find(note_id, target):
                return file
        raise HTTPException(404)

    def attachment(request: Request) -> Response:
        note_id, place = (request.path_params[name] for name in ("note", "place"))
        _check_seal(request, note_id, place)
        file = find(note_id, f"/{place}")
        return FileResponse(  # browsers download other files, and pictures that may contain scripts
            file.path,
            media_type=file.type or "application/octet-stream",
            filename=file.path.name,
            content_disposition_type="inline" if is_shown(file) else "attachment",
            headers={"Cache-Control": "private, no-cache"},
        )

    def original(request: Request) -> Response:
        note_id = request.path_params["note"]
        _check_seal(request, _ORIGINAL, note_id)
        try:
            file = workspace().documents.original(note_id)
        except TesseraError:
            raise HTTPException(404) from None
        headers = file.headers
        return FileResponse(file.path, headers=headers) if file.path else Response(file.data, headers=headers)

    def show_picture(request: Request) -> Response:
        _, note_id, _ = _about_picture(request)
        file = find(note_id, request.query_params.get("path", ""))
        if not is_shown(file):
            raise HTTPException(404)
        return RedirectResponse(file_address(note_id, file.place), 303, {"Cache-Control": "private, no-cache"})

    async def take_picture(request: Request) -> Response:
        base, note_id, language = _about_picture(request)
        attachments = workspace().attachments
        data = bytearray()
        async for part in request.stream():
            if len(data) <= attachments.most_bytes:
                data += part
        name = request.query_params.get("name", "")
        try:
            path = await run_in_threadpool(attachments.add, base, name, bytes(data), note_id=note_id)
        except TesseraError as error:
            return JSONResponse({"refused": render(error.message, language)}, 422)
        return JSONResponse({"path": path})

    return [
        Route("/attachment/{seal}/{note}/{place:path}", attachment),
        Route("/original/{seal}/{note}", original),
        Route(SCRIPT_ADDRESS, _script),
        Route(f"/{_PICTURE}/{{seal}}", show_picture),
        Route(f"/{_PICTURE}/{{seal}}", take_picture, methods=["POST"]),
    ]


async def _script(_: Request) -> FileResponse:
    return FileResponse(SCRIPT, media_type="text/javascript", headers={"Cache-Control": "max-age=31536000, immutable"})


def is_shown(file: "Attachment") -> bool:
    """Return whether a browser may show the file as a picture. SVG is excluded, because it may contain scripts."""
    return bool(file.type) and file.type != "image/svg+xml"


def _seal(*parts: str) -> str:
    """Return the signature for a URL made from the given parts."""
    return hmac.new(_KEY, "\0".join(parts).encode(), "sha256").hexdigest()


def _check_seal(request: Request, *parts: str) -> None:
    """Raise HTTPException unless the URL has the signature for the given parts."""
    if not hmac.compare_digest(_seal(*parts).encode(), request.path_params["seal"].encode()):
        raise HTTPException(404)


def _about_picture(request: Request) -> list[str]:
    """Return the base, note and language in the URL for pictures. Raise HTTPException if they aren't signed."""
    about = [request.query_params.get(name, "") for name in _ABOUT]
    _check_seal(request, _PICTURE, *about)
    return about
