"""The app that `tessera app` serves: pages, the HTTP API, tools for assistants, and routes for commands.

A thread opens the workspace and imports modules that only pages need, while the browser loads the front end.
"""

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from threading import Thread
from typing import TYPE_CHECKING

import streamlit as st
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.routing import Mount, Route

from core import desktop
from core.base.log import print_nothing
from core.doors.api import PLACE
from core.doors.api.guard import Entrance, Front, Guard, address, api
from core.doors.assistants import PLACES, LazyTools, refusal
from core.doors.remote.calls import Calls
from core.settings import access
from pages.ui.notes.routes import routes
from pages.ui.shared import server
from pages.ui.shared.server import FrontEnd, Policy, failure

if TYPE_CHECKING:
    from core.workspace import Workspace

server.adjust()
print_nothing()

# Host names that the app answers to. Streamlit checks them only for WebSockets, and writes IPv6 without brackets.
HOSTS = [
    f"[{host}]" if ":" in host else host for host in st.get_option("server.allowedHosts") or ("127.0.0.1", "localhost")
]


def workspace() -> "Workspace":
    """Return the workspace of this server, opening it if necessary."""
    from pages.ui.shared import shell

    return shell.open_workspace()


needs_token = access.pages_need_token()
# Runs operations sent by commands on this machine. The commands use the address stored by `shell`.
calls = Calls(workspace)
assistants = Guard(LazyTools(workspace), workspace, refusal=refusal)

# Routes for programs. Each route checks the token itself.
with_tokens = [
    *calls.routes,
    Mount(PLACE, api(workspace)),
    *(Route(place, assistants) for place in PLACES),
]

middleware = [
    Middleware(Policy),
    # A redirect would repeat the requested host name.
    Middleware(TrustedHostMiddleware, allowed_hosts=HOSTS, www_redirect=False),
    Middleware(Front),
    Middleware(FrontEnd),
    *([Middleware(Entrance, token=access.PAGES, others=with_tokens)] if needs_token else []),
]


def prepare() -> None:
    """Open the workspace, and load the review service for the count in the menu. The first page reports any error."""
    with suppress(Exception):
        _ = workspace().review


@asynccontextmanager
async def lifespan(_: st.App) -> AsyncIterator[None]:
    """Open the workspace in a thread on startup, and close it on shutdown.

    The signal that stops the server skips exit handlers, so they can't close it. If pages need a token, the address
    with the token is printed.
    """
    calls.close_at_signals()
    desktop.address = address(server.address(), access.PAGES) if needs_token else server.address()
    if needs_token and not st.get_option("logger.hideWelcomeMessage"):  # otherwise `tessera app` has already printed it
        sys.stdout.write(f"{desktop.address}\n")
        sys.stdout.flush()
    # On shutdown, don't wait for it, because a migration may take minutes. The next opening begins it again.
    Thread(target=prepare, name="open", daemon=True).start()
    yield
    st.cache_resource.clear()


app = st.App(
    "pages/main.py",
    lifespan=lifespan,
    routes=[
        *routes(workspace),
        *with_tokens,
    ],
    middleware=middleware,
    exception_handlers={Exception: failure},
)
