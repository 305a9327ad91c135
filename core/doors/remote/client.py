"""The client through which a command uses the running app's workspace."""

import hmac
import json
import secrets
from collections.abc import Iterator
from contextlib import closing
from http import HTTPStatus
from http.client import HTTPConnection, HTTPException
from importlib.metadata import version
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from core.base.errors import StoreError
from core.base.frozen import ValueMap, frozen
from core.base.messages import from_json
from core.doors import remote as wire
from core.doors.remote import PATH
from core.model import Progress, no_progress
from core.operations import program
from core.operations.declaring import PERSON, Caller, Operation, Result
from core.settings.access import AccessTokens, RunningProgram
from core.settings.config import settings

# Seconds within which the app must prove its identity. Calls themselves have no time limit.
_GREETING = 10.0
_LONGEST_GREETING = 10_000


@frozen
class Remote:
    """A workspace that another process has open. Operations run in that process."""

    _run: RunningProgram

    def __enter__(self) -> "Remote":
        return self

    def __exit__(self, *_: object) -> None:
        """Leave the workspace open, because the app owns it."""

    def run(
        self,
        operation: Operation[Result],
        arguments: ValueMap,
        progress: Progress = no_progress,
        *,
        caller: Caller = PERSON,
    ) -> Result:
        """Run an operation in the app, and return its result.

        Raises the operation's error, or StoreError if the app ends before it responds. An exception raised by
        `progress` in this process, such as KeyboardInterrupt, stops the operation in the app.
        """
        connection = self.greet()
        if connection is None:
            raise _ended_error()
        with closing(connection):
            for kind, value in self._lines(
                connection,
                f"{PATH}/{operation.name}?caller={caller.author}",
                json.dumps(arguments, default=_absolute_path).encode(),
            ):
                match kind:
                    case "step":
                        done, total, what = value
                        progress(done, total, from_json(what) if isinstance(what, dict) else what)
                    case "error":
                        raise value
                    case "answer":
                        return operation.decode(value)
        raise _ended_error()

    def greet(self) -> HTTPConnection | None:
        """Return a connection to the process, or None if it can't prove that it wrote the file with its address.

        If another process now uses a dead app's address, that process learns no secrets. Raises StoreError if the app
        is another version of Tessera.
        """
        address = urlsplit(self._run.address)
        challenge = secrets.token_urlsafe()
        connection = HTTPConnection(address.hostname or "", address.port, timeout=_GREETING)
        try:
            connection.request("GET", f"{PATH}?challenge={challenge}")
            greeting = json.loads(connection.getresponse().read(_LONGEST_GREETING))
            proven = hmac.compare_digest(greeting["proof"], self._run.proof(challenge))
        except (OSError, HTTPException, ValueError, LookupError, TypeError):
            proven = False
        if not proven or connection.sock is None:
            connection.close()
            return None
        if greeting["version"] != (own := version("tessera-notes")):
            connection.close()
            raise StoreError(
                "The open app is Tessera {theirs}, but this command is Tessera {own}. Restart the app.",
                theirs=greeting["version"],
                own=own,
            )
        connection.sock.settimeout(None)
        return connection

    def _lines(self, connection: HTTPConnection, place: str, body: bytes) -> Iterator[tuple[str, Any]]:
        try:
            connection.request(
                "POST", place, body, {"Authorization": f"Bearer {self._run.token}", "Content-Type": "application/json"}
            )
            response = connection.getresponse()
            while response.status == HTTPStatus.OK and (line := response.readline()):
                kind, value = wire.read(line)
                yield kind, wire.error_of(value) if kind == "error" else value
        except (OSError, HTTPException, ValueError) as error:
            raise _ended_error() from error


def connect_running(folder: Path) -> Remote | None:
    """Return a client for the app that has the workspace in a folder open, or None if no app responds."""
    known = AccessTokens(folder).run
    remote = Remote(known) if known else None
    connection = remote.greet() if remote else None
    if connection is None:
        return None
    connection.close()
    return remote


def differing(remote: Remote) -> list[str]:
    """Return the names of the settings, except `workspace`, that differ in the app.

    The app may have another environment or another `tessera.toml`.
    """
    here = settings().model_dump(mode="json")
    there = remote.run(program.settings, {}).values
    return [name for name in here if name != "workspace" and here[name] != there.get(name)]


def _absolute_path(path: Path) -> str:
    """Return an absolute path, because the app has a different working folder."""
    return str(path.expanduser().absolute())


def _ended_error() -> StoreError:
    return StoreError(
        "The app closed before the command finished. Everything done so far was kept. Repeat the command."
    )
