"""A program that calls a workspace over HTTP, and all doors of one."""

import json
from typing import Any

from starlette.applications import Starlette
from starlette.routing import Mount
from starlette.testclient import TestClient
from typer.testing import CliRunner

from core.doors import cli
from core.doors.api import PLACE
from core.doors.api.guard import api
from core.doors.assistants import server
from core.workspace import Workspace


def connected(workspace: Workspace) -> TestClient:
    """Return a client that shows the person's token; programs are let in before."""
    client = TestClient(Starlette(routes=[Mount(PLACE, api(lambda: workspace))]))
    client.headers["Authorization"] = f"Bearer {workspace.access.token}"
    return client


class Doors:
    """The doors to a workspace, each a call that returns its JSON."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._program = connected(workspace)

    def http(self, method: str, path: str, **more: Any) -> Any:
        answer = self._program.request(method, f"{PLACE}{path}", **more)
        assert answer.status_code in (200, 201), answer.text
        return answer.json()

    def refused(self, method: str, path: str, **more: Any) -> int:
        return self._program.request(method, f"{PLACE}{path}", **more).status_code

    def tool(self, name: str, **arguments: Any) -> Any:
        result: Any = server.run(lambda: self._workspace, name, arguments)
        assert not result.is_error, result.content
        return json.loads(result.content[0].text)

    def command(self, *arguments: str) -> Any:
        place = ["--json", "--workspace", str(self._workspace.store.folder)]
        done = CliRunner().invoke(cli.app, [*arguments, *place])
        assert done.exit_code == 0, done.output
        return json.loads(done.stdout)
