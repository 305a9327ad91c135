"""A workspace in two languages, the app beside it, and the real client of the protocol over both transports."""

import json
import os
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import pytest
from anyio.from_thread import BlockingPortal, start_blocking_portal
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client

from core.settings.access import AccessTokens
from core.workspace import Workspace
from tests.browser.conftest import serving

ENGLISH = {
    "ovens/bread.md": "---\ntitle: Bread\ntags: [baking]\n---\n# Bread\n\nHeat the Oven first.\n\nThe OVEN steams.\n",
    "plan.md": "# Plan\n\nThe quarterly budget is due in March.\n\n## Risks\n\nThe supplier may be late.\n",
    "wide.md": "# Wide\n\n" + "ballast " * 8000,
}
CHINESE = {
    "读书/深度 学习.md": "---\r\ntitle: 深度学习\r\n---\r\n# 深度\r\n\r\n卷积网络识别图像。\r\n\r\n循环網絡處理。\r\n",
    "日记/一月.md": "# 一月\n\n今天读了关于注意力机制的文章。\n",
}


@dataclass
class Assistant:
    """A session of the real client."""

    client: Client
    portal: BlockingPortal

    def call(self, tool: str, /, **arguments: Any) -> Any:
        return self.portal.call(self.client.call_tool, tool, arguments)

    def items(self, tool: str, /, **arguments: Any) -> Any:
        """What a tool gives, as JSON in its text."""
        result = self.call(tool, **arguments)
        assert not result.is_error, result.content[0].text
        return json.loads(result.content[0].text)

    def refused(self, tool: str, /, **arguments: Any) -> str:
        """The text of a tool's error."""
        result = self.call(tool, **arguments)
        assert result.is_error
        return str(result.content[0].text)


@contextmanager
def connected(transport: Any) -> Iterator[Assistant]:
    with start_blocking_portal() as portal, portal.wrap_async_context_manager(Client(transport)) as client:
        yield Assistant(client, portal)


def by_stdio(*command: str) -> Any:
    """The transport of an assistant that starts a command."""
    program, *arguments = command
    return stdio_client(StdioServerParameters(command=program, args=arguments, env=dict(os.environ)))


def tessera(folder: Path) -> Any:
    return by_stdio(sys.executable, "-m", "core.doors.cli", "mcp", "--workspace", str(folder))


@asynccontextmanager
async def by_http(url: str, token: str) -> AsyncIterator[Any]:
    """The transport of an assistant that asks an app."""
    headers = {"Authorization": f"Bearer {token}"}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=60, trust_env=False) as http,
        streamable_http_client(url, http_client=http) as streams,
    ):
        yield streams


def write_notes(place: Path) -> Path:
    """A workspace with the base `kitchen` in English, `笔记` in Chinese, and `own`, which trusts programs."""
    folder = place / "workspace"
    with Workspace(folder) as workspace:
        workspace.set_program_access(True)
        for name, notes in (("kitchen", ENGLISH), ("笔记", CHINESE)):
            workspace.bases.add(name, embedder="tfidf", keep_tokens=False)
            for path, text in notes.items():
                file = place / name / path
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_bytes(text.encode())
            workspace.imports.apply(workspace.imports.plan_folder(place / name, name))
    return folder


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_notes(tmp_path)


@pytest.fixture(scope="package")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, str]]:
    """A workspace and the address of the app that has it open."""
    folder = write_notes(tmp_path_factory.mktemp("assistants"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TESSERA_SEARCH__RERANKER", "none")  # which would load the built-in model
        with serving(folder) as url:
            yield folder, url


@pytest.fixture(scope="package", params=["stdio", "http"])
def assistant(request: pytest.FixtureRequest, shared: tuple[Path, str]) -> Iterator[Assistant]:
    """An assistant beside the open app."""
    folder, url = shared
    app = by_http(f"{url}/mcp", AccessTokens(folder).token)
    with connected(app) as over_http:
        over_http.call("knowledge_list")  # the app opens its workspace
        if request.param == "http":
            yield over_http
        else:
            with connected(tessera(folder)) as over_stdio:
                yield over_stdio
