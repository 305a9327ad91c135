"""The API by itself, without the pages."""

from collections.abc import Iterable

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.routing import BaseRoute, Mount

from core.doors.api import PLACE
from core.doors.api.lazy_app import api
from core.doors.api.limits import ShortHead
from core.doors.api.same_origin import SameOrigin
from core.workspace import Workspace

_NAMES = ("127.0.0.1", "localhost")


def server(workspace: Workspace, address: str, more: Iterable[BaseRoute] = ()) -> Starlette:
    """Return an app that answers requests to its address and to this machine, but none from a page.

    It has the routes of the API and some more.
    """
    return guarded([Mount(PLACE, api(lambda: workspace, programs_only=True)), *more], address)


def guarded(routes: Iterable[BaseRoute], address: str) -> Starlette:
    """Return an app with these routes that answers as the API by itself does."""
    return Starlette(
        routes=[*routes],
        middleware=[
            Middleware(ShortHead),
            Middleware(TrustedHostMiddleware, allowed_hosts=[*_NAMES, address], www_redirect=False),
            Middleware(SameOrigin),
        ],
    )
