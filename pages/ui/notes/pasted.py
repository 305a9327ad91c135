"""The route that takes pictures for the note in the editor. An address holds a seal, which only pages of this run can make."""

from collections.abc import Callable
from urllib.parse import urlencode

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from core.base.errors import TesseraError
from core.base.messages import render
from core.workspace import Workspace
from pages.ui.notes.attachments import is_sealed, seal

_WHAT = "picture"
_ABOUT = ("base", "note", "language")


def address(base: str, note_id: str, language: str) -> str:
    """Return the address for the pictures of a note, or of a new one; refusals come in the language."""
    about = (base, note_id, language)
    return f"/{_WHAT}/{seal(_WHAT, *about)}?{urlencode(dict(zip(_ABOUT, about, strict=True)))}"


def route(workspace: Callable[[], Workspace]) -> Route:
    """Return the route: it answers with the `path` by which the note shows the picture, or why it is `refused`."""

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

    return Route(f"/{_WHAT}/{{seal}}", take, methods=["POST"])
