"""What Streamlit's page in the browser is told at its start: it shows no boxes of its own, which take the keys away."""

from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

_PLACE = "/_stcore/host-config"


class FrontEnd:
    """The middleware that answers in Streamlit's place what its page may do."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        answers = scope["type"] == "http" and scope["path"] == _PLACE and Request(scope).method == "GET"
        await (_ANSWER if answers else self._app)(scope, receive, send)


_ANSWER = JSONResponse({"allowedOrigins": [], "blockErrorDialogs": True}, headers={"Cache-Control": "no-cache"})
