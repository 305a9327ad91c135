"""Calls that write, from a process that reads: it writes itself if no other process does, else through the app."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

from mcp_types import CallToolResult

from core.assistants.server import failure, run
from core.errors import TesseraError, WorkspaceLocked
from core.remote import client
from core.workspace import Workspace

_PATIENCE = 15.0
"""Seconds to wait for another process that writes, and is no app: a command, or an app that starts."""
_PAUSE = 0.02
"""Seconds between two tries, and for which the workspace is free after a call, so that another process has its turn."""


class WriteCalls:
    """Calls tools that write, one after the other.

    The workspace is locked for the time of a call only, so that an app can always start.
    """

    def __init__(self, folder: Path, opened: Callable[[], Workspace]) -> None:
        """Take the folder of the workspace, and what opens it for reading."""
        self._folder, self._opened = folder, opened
        self._turn = threading.Lock()

    def __call__(self, name: str, arguments: dict[str, Any]) -> CallToolResult:
        try:
            self._opened()  # to write would make a workspace where none is
            return self._call(name, arguments)
        except TesseraError as error:
            return failure(str(error))

    def _call(self, name: str, arguments: dict[str, Any]) -> CallToolResult:
        patience = _PATIENCE
        while True:
            try:
                with self._locked() as workspace:
                    return run(lambda: workspace, name, arguments)
            except WorkspaceLocked:
                if app := cast(Workspace | None, client.beside(self._folder)):
                    return run(lambda: app, name, arguments)
                patience -= _PAUSE
                if patience < 0:
                    raise
            time.sleep(_PAUSE)

    @contextmanager
    def _locked(self) -> Iterator[Workspace]:
        with self._turn:
            with Workspace(self._folder) as workspace:
                yield workspace
            time.sleep(_PAUSE)
