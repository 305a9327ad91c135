"""The check of programs: a request needs the person's token, and the person's permission for programs."""

from collections.abc import Callable
from http import HTTPStatus

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from core.base.errors import TesseraError
from core.base.messages import message, reason_of
from core.doors.api.answers import Problem, listen, problem
from core.workspace import Workspace

SHUT = message(
    "Tessera lets no program in. Turn it on, on the page Settings under Other programs, or by enabled = true in the "
    "section [http] of tessera.toml."
)
UNKNOWN = message(
    "This request shows no valid token. Send the header Authorization: Bearer TOKEN with the token that the page "
    "Settings shows under Other programs."
)


class Guard:
    """The middleware that refuses requests without a token. A server with `programs_only` needs no permission."""

    def __init__(self, app: ASGIApp, workspace: Callable[[], Workspace], *, programs_only: bool = False) -> None:
        self._app = app
        self._workspace, self._programs_only = workspace, programs_only

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = Headers(scope=scope)
        listen(headers)
        refusal = await run_in_threadpool(self._refusal, headers)  # the first one opens the workspace
        await (refusal or self._app)(scope, receive, send)

    def _refusal(self, headers: Headers) -> Response | None:
        try:
            workspace = self._workspace()
            programs = self._programs_only or workspace.open_to_programs
            scheme, _, token = headers.get("authorization", "").partition(" ")
            if scheme.lower() == "bearer" and workspace.access.admits(token.strip(), programs=programs):
                return None
        except TesseraError as error:
            return problem(error, HTTPStatus.SERVICE_UNAVAILABLE)
        except OSError as error:
            return problem(TesseraError(reason_of(error)), HTTPStatus.SERVICE_UNAVAILABLE)
        if not programs:
            return problem(Problem(HTTPStatus.FORBIDDEN, SHUT))
        return problem(Problem(HTTPStatus.UNAUTHORIZED, UNKNOWN), WWW_Authenticate="Bearer")
