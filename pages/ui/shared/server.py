"""The web server's workspace, its response headers, the front end's configuration, and patches to Streamlit."""

from typing import TYPE_CHECKING, cast

import streamlit as st
from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from core.base.frozen import TextMap, frozen

if TYPE_CHECKING:
    from streamlit.proto.ClientState_pb2 import ClientState

    from core.workspace import Workspace


class OpenWorkspace:
    """Proxy for the open workspace. The workspace behind it is replaced when a backup is restored."""

    opened: "Workspace | None" = None

    def __getattr__(self, name: str) -> object:
        return getattr(self.opened, name)


current = OpenWorkspace()
# The open workspace, as used by all pages.
workspace = cast("Workspace", current)


def address() -> str:
    """Return the URL of this server, for use on this machine. It is known before any page is drawn."""
    host = st.get_option("server.address") or "127.0.0.1"
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)
    scheme = "https" if st.get_option("server.sslCertFile") else "http"
    return f"{scheme}://{f'[{host}]' if ':' in host else host}:{st.get_option('server.port')}"


# Patches to Streamlit.

# Streamlit releases that can be patched, because their private names are known. Any other starts more slowly.
_KNOWN = "1.67."


def adjust() -> None:
    """Patch Streamlit to skip unnecessary work, and to ignore requests from pages that the user has left."""
    if not st.__version__.startswith(_KNOWN):
        return
    from streamlit import delta_generator, string_util
    from streamlit.components.v2.bidi_component import serialization
    from streamlit.components.v2.component_manager import BidiComponentManager
    from streamlit.elements.widgets import text_widgets
    from streamlit.runtime.app_session import AppSession

    request_rerun = AppSession.request_rerun

    def request_rerun_of_page(session: AppSession, state: "ClientState | None") -> None:
        # A timer or a second click may come from a page that is being replaced. Streamlit would run the fragment as
        # part of the old page: the browser would remove the new page's elements and go blank on the next message.
        if state and state.fragment_id:
            if state.page_script_hash != session._pages_manager.current_page_script_hash:
                return
            # A timer's request carries no input by the user, and it may have been sent before the browser received the
            # last run's values and query parameters. If the fragment then redrew the page, the user's last click would
            # be undone.
            if state.is_auto_rerun:
                if session._scriptrunner is not None:
                    return  # the timer will ask again
                state.query_string = session._client_state.query_string
                state.ClearField("widget_states")
        request_rerun(session, state)

    parts = (
        # Components in installed packages. To find them, Streamlit searches every package.
        (BidiComponentManager, "discover_and_register_components", lambda _manager, **_options: None),
        # Data frames in the data of components. To detect them, Streamlit imports pandas.
        (serialization, "is_dataframe_like", lambda _value: False),
        # Durations in words. To parse them, Streamlit imports pandas. All durations in this app are in milliseconds.
        (text_widgets, "time_to_seconds", lambda text: float(text.removesuffix("ms")) / 1000),
        # Emoji icons in options. To detect them, Streamlit compiles a pattern of all emojis.
        (string_util, "extract_leading_emoji", lambda text: ("", text)),
        # The warning for users who run a page outside Streamlit. It resolves the file paths of all modules.
        (delta_generator, "_use_warning_has_been_displayed", True),
        (AppSession, "request_rerun", request_rerun_of_page),
    )
    for owner, name, substitute in parts:
        setattr(owner, name, substitute)


# The configuration of Streamlit's front end. It turns off messages about lost connections, which take the focus.


@frozen
class FrontEnd:
    """Middleware that answers the front end's request for its configuration, in place of Streamlit."""

    app: ASGIApp

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        answers = scope["type"] == "http" and scope["path"] == "/_stcore/host-config" and Request(scope).method == "GET"
        await (_ANSWER if answers else self.app)(scope, receive, send)


_ANSWER = JSONResponse({"allowedOrigins": [], "blockErrorDialogs": True}, headers={"Cache-Control": "no-cache"})


SOURCES = {
    "default-src": "'none'",
    # Scripts of components are loaded as blobs. The hash allows the only inline script in Streamlit's own page.
    "script-src": "'self' blob: 'sha256-THxz9J9+wf7rhwR2YkXJoSZ13UCmYyC+3lNDv2+8ugA='",
    "style-src": "'self' 'unsafe-inline'",
    "img-src": "'self' data:",
    "font-src": "'self' data:",
    "connect-src": "'self'",
    "base-uri": "'none'",
    "form-action": "'none'",
    "frame-ancestors": "'none'",
}

HEADERS: TextMap = {
    "Content-Security-Policy": "; ".join(f"{name} {sources}" for name, sources in SOURCES.items()),
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}


@frozen
class Policy:
    """Middleware that adds HEADERS to every response, including a refused WebSocket connection."""

    app: ASGIApp

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def guarded(message: Message) -> None:
            if message["type"] in ("http.response.start", "websocket.http.response.start"):
                MutableHeaders(scope=message).update(HEADERS)
            await send(message)

        await self.app(scope, receive, guarded)


def failure(_: Request, __: Exception) -> Response:
    """Return the response to an internal error. It has HEADERS, because it doesn't pass through the middleware."""
    return PlainTextResponse("Internal Server Error", 500, HEADERS)
