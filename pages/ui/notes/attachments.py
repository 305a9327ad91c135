"""The pictures and files beside notes, for the browser: only those of a note's own folder, by the note's id."""

from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import FileResponse, PlainTextResponse, Response
from starlette.routing import Route

from core.errors import TesseraError
from pages.ui.shared import shell


def address(note_id: str, place: str) -> str:
    """Return the address of a file, given by its path from the top of its note's folder."""
    return f"/attachment/{quote(note_id, safe='')}/{quote(place)}"


def attachment(request: Request) -> Response:
    """Answer with a file; what isn't a picture, and a picture that could hold a script, is saved and not shown."""
    try:
        file = shell.workspace().notes.attachment(request.path_params["note"], f"/{request.path_params['place']}")
    except TesseraError:
        file = None
    if file is None:
        return PlainTextResponse("Not Found", 404)
    shown = file.type and file.type != "image/svg+xml"
    return FileResponse(
        file.path,
        media_type=file.type or "application/octet-stream",
        filename=file.path.name,
        content_disposition_type="inline" if shown else "attachment",
        headers={"Cache-Control": "private, no-cache"},
    )


ROUTE = Route("/attachment/{note}/{place:path}", attachment)
