"""A command's side: the workspace of the app beside it."""

import hmac
import json
import secrets
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from http import HTTPStatus
from http.client import HTTPConnection, HTTPException
from importlib.metadata import version
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from core.access import Access, Run
from core.config import settings
from core.errors import StoreError
from core.model import Progress, no_progress
from core.operations.declaring import PERSON, Caller, Operation
from core.remote import frames, wire
from core.remote.frames import PATH, Answer, Call, Failure, Listener, Reference, Step, Unreadable

_GREETING = 10.0
"""Seconds that the app may take to say who it is; a call may take any time."""
_LONGEST_GREETING = 10_000


class Remote:
    """A workspace, a collection or a method in the app: attributes are looked up and calls are made there.

    A path is made absolute, for the app works in another folder. Raises what the call raises there, and StoreError
    where the app ends before its answer. An exception that `progress` raises here, such as KeyboardInterrupt, stops
    the call there.
    """

    def __init__(self, line: "Line", names: tuple[str, ...] = ()) -> None:
        self._line, self._names = line, names

    def __enter__(self) -> "Remote":
        return self

    def __exit__(self, *_: object) -> None:
        """Leave the workspace open: it is the app's."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        names = (*self._names, name)
        value = self._line.answer(Call(names))
        return Remote(self._line, names) if isinstance(value, Reference) else value

    def __call__(self, *values: Any, **keywords: Any) -> Any:
        progress: Any = next(filter(callable, (*values, *keywords.values())), no_progress)
        sent = {name: _sent(value) for name, value in keywords.items()}
        return self._line.answer(Call(self._names, True, tuple(map(_sent, values)), sent), progress)

    def run(
        self, one: Operation, arguments: Mapping[str, Any], progress: Progress = no_progress, *, caller: Caller = PERSON
    ) -> Any:
        """Run an operation in the app, and return its answer; raises its error."""
        return self._line.run_operation(f"{one.name}?caller={caller.author}", arguments, progress)


@dataclass(frozen=True, slots=True)
class Line:
    """The way to a process that has the workspace open."""

    run: Run

    def greet(self) -> HTTPConnection | None:
        """Return a connection to the process once it has proved that it is the one of the run file; None else.

        Another process may have the address of one that was killed; it learns nothing. Raises StoreError for another
        version of Tessera.
        """
        address, challenge = urlsplit(self.run.address), secrets.token_urlsafe()
        connection = HTTPConnection(address.hostname or "", address.port, timeout=_GREETING)
        try:
            connection.request("GET", f"{PATH}?challenge={challenge}")
            greeting = json.loads(connection.getresponse().read(_LONGEST_GREETING))
            proven = hmac.compare_digest(greeting["proof"], self.run.proof(challenge))
        except (OSError, HTTPException, ValueError, LookupError, TypeError):
            proven = False
        if not proven or connection.sock is None:
            connection.close()
            return None
        if greeting["version"] != (own := version("tessera-notes")):
            connection.close()
            raise StoreError(
                "The open app is version {theirs} of Tessera, and this command version {own}. Restart the app.",
                theirs=greeting["version"],
                own=own,
            )
        connection.sock.settimeout(None)
        return connection

    def answer(self, call: Call, progress: Progress = no_progress) -> Any:
        """Make a call and return its value; raises its error, and StoreError where the app ends before that."""
        connection = self.greet()
        if connection is None:
            raise _gone()
        with closing(connection):
            for frame in self._frames(connection, frames.dump(call)):
                match frame:
                    case Step():
                        progress(frame.done, frame.total, frame.what)
                    case Failure():
                        raise frame.error
                    case Answer():
                        return frame.value
        raise _gone()

    def run_operation(self, name: str, arguments: Mapping[str, Any], progress: Progress = no_progress) -> Any:
        """Run an operation and return its answer; raises its error, and StoreError where the app ends before that."""
        connection = self.greet()
        if connection is None:
            raise _gone()
        with closing(connection):
            for kind, value in self._lines(connection, name, json.dumps(arguments, default=str).encode()):
                match kind:
                    case "step":
                        progress(*value)
                    case "error":
                        raise wire.error_of(value)
                    case "answer":
                        return value
        raise _gone()

    def _lines(self, connection: HTTPConnection, name: str, body: bytes) -> Iterator[tuple[str, Any]]:
        try:
            headers = {"Authorization": f"Bearer {self.run.token}", "Content-Type": "application/json"}
            connection.request("POST", f"{PATH}/{name}", body, headers)
            response = connection.getresponse()
            while response.status == HTTPStatus.OK and (line := response.readline()):
                yield wire.read(line)
        except (OSError, HTTPException, ValueError) as error:
            raise _gone() from error

    def _frames(self, connection: HTTPConnection, body: bytes) -> Iterator[Any]:
        try:
            connection.request("POST", PATH, body, {"Authorization": f"Bearer {self.run.token}"})
            response = connection.getresponse()
            if response.status == HTTPStatus.OK:
                yield from frames.frames(response)
        except (OSError, HTTPException, ValueError, Unreadable) as error:
            raise _gone() from error


def beside(folder: Path) -> Remote | None:
    """Return the workspace of the app that has this folder open, None where no app answers for it."""
    run = Access(folder).run
    line = Line(run) if run else None
    connection = line.greet() if line else None
    if line is None or connection is None:
        return None
    connection.close()
    return Remote(line)


def differing(remote: Remote) -> list[str]:
    """Return the names of the settings that are others in the app: it has another environment or `tessera.toml`."""
    here, there = settings().model_dump(mode="json"), remote.settings.model_dump(mode="json")
    return [name for name in here if name != "workspace" and here[name] != there.get(name)]


def _sent(value: Any) -> Any:
    """Return an argument as it is sent."""
    if isinstance(value, Path):
        return value.expanduser().absolute()
    if isinstance(value, Iterator):
        return [*value]
    return Listener() if callable(value) else value


def _gone() -> StoreError:
    return StoreError("The app ended before the command did. What was done stays; repeat the command.")
