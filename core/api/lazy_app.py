"""The API as one ASGI app. FastAPI is imported at the first request, so that the pages start without it."""

from collections.abc import Callable
from functools import cached_property

from starlette.concurrency import run_in_threadpool
from starlette.types import ASGIApp, Receive, Scope, Send

from core.api.guard import Guard
from core.api.limits import Limit
from core.workspace import Workspace


class LazyApp:
    """The API of a workspace, made when it is first needed."""

    def __init__(self, workspace: Callable[[], Workspace]) -> None:
        self._workspace = workspace

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        app = await run_in_threadpool(lambda: self._app)
        await app(scope, receive, send)

    @cached_property
    def _app(self) -> ASGIApp:
        from core.api.app import make

        return make(self._workspace)


def api(workspace: Callable[[], Workspace], *, programs_only: bool = False) -> ASGIApp:
    """Return the API behind its guard."""
    return Guard(Limit(LazyApp(workspace)), workspace, programs_only=programs_only)
