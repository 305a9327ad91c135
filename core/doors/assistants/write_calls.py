"""Calls that write, from a process that reads: it writes itself if no other process does, else through the app."""

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, cast

from mcp_types import CallToolResult

from core.base.errors import NoteNotFound, TesseraError, WorkspaceLocked
from core.doors.assistants.server import failure, run
from core.doors.operations.declaring import PROGRAM
from core.doors.remote import client
from core.features.uses import operations as uses
from core.model import Progress, ScannedFolder, Use
from core.workspace import Workspace

_PATIENCE = 15.0
"""Seconds to wait for another writing process other than a running app: a command, or an app that starts."""
_PAUSE = 0.02
"""Seconds between two tries, and for which the workspace is unlocked after a call for other processes."""


class WriteCalls:
    """Runs tools that write, one after the other.

    The workspace is locked for the time of a call only, so that an app can always start.
    """

    def __init__(self, folder: Path, opened: Callable[[], Workspace]) -> None:
        """Take the folder of the workspace, and a function that opens it for reading."""
        self._folder, self._opened = folder, opened
        self._turn = threading.Lock()

    def __call__(self, name: str, arguments: dict[str, Any]) -> CallToolResult:
        try:
            self._opened()  # which raises errors of the workspace before waiting for it
            return self._call(name, arguments)
        except TesseraError as error:
            return failure(str(error))

    def record(self, entries: Sequence[Use]) -> None:
        """Write uses of notes, through the app if it has the workspace open; raises TesseraError."""
        try:
            with self._locked() as workspace:
                workspace.store.uses.add(entries)
        except WorkspaceLocked:
            if app := client.connect_running(self._folder):
                for use in entries:
                    place = {"used_in": use.used_in, "context": use.context, "chunk": use.chunk_id}
                    with suppress(NoteNotFound):
                        app.run(uses.report, {"note": use.note_id, **place}, caller=PROGRAM)
            else:
                raise

    def make(self) -> None:
        """Make the workspace, unless another process is making it; raises StoreError."""
        with suppress(WorkspaceLocked), Workspace(self._folder, patience=_PATIENCE):
            pass

    def scan(self, progress: Progress) -> list[ScannedFolder]:
        """Import the text folders of the settings into their bases; raises TesseraError, Cancelled."""
        texts = self._opened().text_folders
        if not (texts.automatic and texts.folders()):
            return []
        with self._locked() as workspace:
            return workspace.text_folders.scan(progress=progress)

    def _call(self, name: str, arguments: dict[str, Any]) -> CallToolResult:
        patience = _PATIENCE
        while True:
            try:
                with self._locked() as workspace:
                    return run(lambda: workspace, name, arguments)
            except WorkspaceLocked:
                if app := cast(Workspace | None, client.connect_running(self._folder)):
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
