"""The tools over standard input and output, for an assistant that starts Tessera itself."""

import logging
import signal
import sys
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any, TextIO

import anyio
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

from core.assistants import server
from core.assistants.write_calls import WriteCalls
from core.errors import StoreError
from core.workspace import Workspace

_GATHERED = 5.0
"""Seconds for which uses of notes are gathered: to write them, the workspace is opened for a moment."""


def serve(folder: Path, wire: TextIO) -> None:
    """Serve the workspace in a folder until the input ends. It is open for reading, and answers are written to `wire`.

    A folder without a workspace is an error of every tool until there is one.
    """
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # a thread that waits for input would hold the process
    handler = logging.StreamHandler(sys.stderr)
    handler.setLevel(logging.WARNING)
    logging.basicConfig(handlers=[handler])
    reading = _Reading(folder)
    with suppress(StoreError):
        reading.workspace()
    anyio.run(_serve, server.make(reading.workspace, reading.calls), wire)
    reading.close()


async def _serve(made: Server[Any], wire: TextIO) -> None:
    async with stdio_server(stdout=anyio.wrap_file(wire)) as (incoming, outgoing):
        await made.run(incoming, outgoing, made.create_initialization_options())


class _Reading:
    """A workspace that is opened for reading at its first use, with its models."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._workspace: Workspace | None = None
        self._opening = threading.Lock()
        self.calls = WriteCalls(folder, self.workspace)

    def workspace(self) -> Workspace:
        """Return the workspace; raises StoreError while there is none."""
        with self._opening:
            if self._workspace is None:
                self._workspace = Workspace(self._folder, readonly=True)
                self._workspace.models.start_warming()
                self._workspace.uses.hand_to(self.calls.record, _GATHERED)
            return self._workspace

    def close(self) -> None:
        if self._workspace is not None:
            self._workspace.close()
