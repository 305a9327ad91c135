"""The configuration of Streamlit's front end: it shows no boxes about lost connections, which would take the focus."""

from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

_PLACE = "/_stcore/host-config"


class FrontEnd:
    """The middleware that answers the front end's request for its configuration in place of Streamlit."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        answers = scope["type"] == "http" and scope["path"] == _PLACE and Request(scope).method == "GET"
        await (_ANSWER if answers else self._app)(scope, receive, send)


_ANSWER = JSONResponse({"allowedOrigins": [], "blockErrorDialogs": True}, headers={"Cache-Control": "no-cache"})
