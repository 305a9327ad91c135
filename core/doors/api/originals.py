"""The original file of a converted note."""

from http import HTTPStatus

from fastapi import APIRouter
from starlette.responses import FileResponse, Response

from core.base.call_log import log_call
from core.base.errors import EditError, SourceError
from core.doors.api.answers import Problem
from core.doors.api.shared import Opened, Text, documented
from core.doors.operations import documents as operations
from core.doors.operations import names
from core.doors.operations.declaring import PROGRAM

router = APIRouter(tags=["document"])


@router.get(
    "/notes/{note}/original",
    operation_id="document.original",
    response_class=Response,
    **documented("%PDF-1.7 …", form="application/octet-stream"),
)
def original(workspace: Opened, note: Text) -> Response:
    """Return the file that a note was converted from. A browser shows a PDF, and saves the others."""
    try:
        with log_call(operations.original.name, by=PROGRAM.author):
            file = workspace.documents.original(names.id_of(workspace, note))
    except (EditError, SourceError) as error:
        raise Problem(HTTPStatus.NOT_FOUND, error.message) from error
    return FileResponse(file.path, headers=file.headers) if file.path else Response(file.data, headers=file.headers)
