"""Requests to an app as a server hands them on, with what no client would send."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import unquote

from starlette.types import ASGIApp, Message, Scope

_ADDRESS = "127.0.0.1", 8501
HOST = "127.0.0.1:8501"
_PATIENCE = 60.0
"""Seconds after which an answer counts as a hang."""


@dataclass(frozen=True, slots=True)
class Got:
    """What was answered to a request, and what is wrong with that, if anything."""

    status: int
    body: bytes
    wrong: str = ""


class Wire:
    """A loop in which apps answer one request after another."""

    def __init__(self) -> None:
        self._runner = asyncio.Runner()

    def close(self) -> None:
        self._runner.close()

    def ask(self, app: ASGIApp, method: str, path: bytes, headers: Mapping[str, str], body: bytes) -> Got:
        """Return the answer to a request; `path` is as it stands in its first line. Raises TimeoutError."""
        place, _, query = path.partition(b"?")
        scope: Scope = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": method,
            "scheme": "http",
            "path": unquote(place.decode("ascii", "replace")),
            "raw_path": place,
            "query_string": query,
            "root_path": "",
            "headers": [(name.lower().encode(), value.encode("latin-1")) for name, value in headers.items()],
            "client": ("127.0.0.1", 1),
            "server": _ADDRESS,
        }
        parts: list[Message] = [{"type": "http.request", "body": body}]
        sent: list[Message] = []

        async def receive() -> Message:
            return parts.pop() if parts else await asyncio.Future()

        async def send(message: Message) -> None:
            sent.append(message)

        async def answered() -> None:
            await asyncio.wait_for(app(scope, receive, send), _PATIENCE)

        self._runner.run(answered())
        return Got(sent[0]["status"], b"".join(part.get("body", b"") for part in sent[1:]))
