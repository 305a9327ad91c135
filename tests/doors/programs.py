"""A program that calls a workspace over HTTP."""

from starlette.applications import Starlette
from starlette.routing import Mount
from starlette.testclient import TestClient

from core.doors.api import PLACE
from core.doors.api.server import api
from core.workspace import Workspace


def connected(workspace: Workspace) -> TestClient:
    """Return a client that shows the person's token; programs are let in before."""
    client = TestClient(Starlette(routes=[Mount(PLACE, api(lambda: workspace))]))
    client.headers["Authorization"] = f"Bearer {workspace.access.token}"
    return client
