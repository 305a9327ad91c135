"""The API as one ASGI app. FastAPI is imported at the first request, so that the pages start without it."""

from collections.abc import Callable
from functools import cached_property

from starlette.concurrency import run_in_threadpool
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from core.base.call_log import logged
from core.doors.api.guard import Guard
from core.doors.api.limits import Limit
from core.workspace import Workspace


class LazyApi:
    """The API of a workspace, made when it is first needed."""

    def __init__(self, workspace: Callable[[], Workspace]) -> None:
        self._workspace = workspace

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        app = await run_in_threadpool(lambda: self._app)
        await app(scope, receive, send)

    @cached_property
    def _app(self) -> ASGIApp:
        from core.doors.api.app import make

        return make(self._workspace)


class RequestLog:
    """The middleware by which each request leaves a line in the log."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        with logged("http", method=scope.get("method"), work="") as line:

            async def noting(sent: Message) -> None:
                if sent["type"] == "http.response.start":
                    line["status"] = sent["status"]
                await send(sent)

            await self._app(scope, receive, noting)


def api(workspace: Callable[[], Workspace], *, programs_only: bool = False) -> ASGIApp:
    """Return the API behind its guard."""
    return RequestLog(Guard(Limit(LazyApi(workspace)), workspace, programs_only=programs_only))
