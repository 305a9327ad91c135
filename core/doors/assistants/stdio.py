"""The tools over standard input and output, for an assistant that starts Tessera itself, and their calls that write."""

import json
import logging
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TextIO, cast

import anyio
from anyio.streams.memory import MemoryObjectSendStream
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.shared._stream_protocols import ReadStream, WriteStream
from mcp.shared.message import SessionMessage
from mcp_types import INVALID_REQUEST, PARSE_ERROR, CallToolResult, ErrorData, JSONRPCError
from pydantic import ValidationError

from core.base.errors import Cancelled, NoteNotFound, TesseraError, WorkspaceLocked
from core.base.text import one_line
from core.doors.assistants import server
from core.doors.assistants.server import failure, run
from core.doors.operations.declaring import PROGRAM
from core.doors.remote import client
from core.features.uses import operations as uses
from core.model import Progress, ScannedFolder, Use
from core.workspace import Workspace, is_there

_WAIT = 15.0
"""Seconds to wait for another writing process other than a running app: a command, or an app that starts."""
_PAUSE = 0.02
"""Seconds between two tries, and for which the workspace is unlocked after a call for other processes."""

_GATHERED = 5.0
"""Seconds for which uses of notes are gathered: to write them, the workspace is opened for a moment."""
_PATIENCE = 3.0
"""Seconds for which the first answer waits for the scan of text folders, most of which take less."""
_LOG = logging.getLogger(__name__)


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

    def record(self, given: Sequence[Use]) -> None:
        """Write uses of notes, through the app if it has the workspace open; raises TesseraError."""
        try:
            with self._locked() as workspace:
                workspace.store.uses.add(given)
        except WorkspaceLocked:
            if app := client.connect_running(self._folder):
                for use in given:
                    place = {"used_in": use.used_in, "context": use.context, "chunk": use.chunk_id}
                    with suppress(NoteNotFound):
                        app.run(uses.report, {"note": use.note_id, **place}, caller=PROGRAM)
            else:
                raise

    def make(self) -> None:
        """Make the workspace, unless another process is making it; raises StoreError."""
        with suppress(WorkspaceLocked), Workspace(self._folder, patience=_WAIT):
            pass

    def scan(self, progress: Progress) -> list[ScannedFolder]:
        """Import the text folders of the settings into their bases; raises TesseraError, Cancelled."""
        texts = self._opened().text_folders
        if not (texts.automatic and texts.folders()):
            return []
        with self._locked() as workspace:
            return workspace.text_folders.scan(progress=progress)

    def _call(self, name: str, arguments: dict[str, Any]) -> CallToolResult:
        patience = _WAIT
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


def serve(folder: Path, wire: TextIO) -> None:
    """Serve the workspace in a folder until the input ends. It is open for reading, and answers are written to `wire`.

    A workspace is made where none is, and the text folders of the settings are scanned meanwhile. An error of the
    workspace is an error of every tool until it is mended.
    """
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # a thread that waits for input would hold the process
    handler = logging.StreamHandler(sys.stderr)
    handler.setLevel(logging.WARNING)
    handler.setFormatter(_Plain())
    logging.getLogger().addHandler(handler)
    reading = _Reading(folder)
    with suppress(TesseraError):
        reading.workspace()
        reading.scan.join(_PATIENCE)
    anyio.run(_serve, server.make(reading.workspace, reading.calls), wire)
    reading.close()


class _Plain(logging.Formatter):
    """A formatter: the text of an error that the user can mend, the kind of any other; the log has its trace."""

    def format(self, record: logging.LogRecord) -> str:
        error = record.exc_info[1] if record.exc_info else None
        reason = str(error) if isinstance(error, TesseraError) else type(error).__name__ if error else ""
        return one_line(": ".join(filter(None, (record.getMessage(), reason))))


async def _serve(made: Server[Any], wire: TextIO) -> None:
    into, requests = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    async with stdio_server(stdout=anyio.wrap_file(wire)) as (incoming, outgoing), anyio.create_task_group() as tasks:
        tasks.start_soon(_pass_valid_lines, incoming, into, outgoing)
        await made.run(requests, outgoing, made.create_initialization_options())
        tasks.cancel_scope.cancel()


async def _pass_valid_lines(
    incoming: ReadStream[SessionMessage | Exception],
    requests: MemoryObjectSendStream[SessionMessage | Exception],
    outgoing: WriteStream[SessionMessage],
) -> None:
    """Pass on valid lines; answer an invalid one with an error, of its request where that has an id."""
    async with requests:
        async for item in incoming:
            if isinstance(item, SessionMessage):
                await requests.send(item)
            elif isinstance(item, ValidationError) and (error := _refusal(item)):
                await outgoing.send(SessionMessage(error))


def _refusal(error: ValidationError) -> JSONRPCError | None:
    """Return the answer to a line that isn't a message of the protocol, None to an empty one."""
    wrong = error.errors()
    is_json = wrong[0]["type"] != "json_invalid"
    given = [
        error_details["input"]
        for error_details in wrong
        if error_details["type"] == "missing" and len(error_details["loc"]) <= 2
    ]
    message = given[0] if given else None
    if not is_json:
        line = str(wrong[0]["input"])
        if not line.strip():
            return None
        with suppress(ValueError, RecursionError):
            message = json.loads(line)  # which takes half of a character, so that the request has its answer
    number = message.get("id") if isinstance(message, dict) else None
    sound = number if isinstance(number, str | int) and not isinstance(number, bool) else None
    code, text = (INVALID_REQUEST, "Invalid request") if is_json else (PARSE_ERROR, f"Parse error: {wrong[0]['msg']}")
    return JSONRPCError(jsonrpc="2.0", id=sound, error=ErrorData(code=code, message=text))


class _Reading:
    """A workspace that is made and opened for reading at its first use, with its models."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._workspace: Workspace | None = None
        self._opening = threading.Lock()
        self._closing = threading.Event()
        self.scan = threading.Thread(target=self._scan_texts, daemon=True)
        self.calls = WriteCalls(folder, self.workspace)

    def workspace(self) -> Workspace:
        """Return the workspace; raises StoreError for an unusable folder."""
        with self._opening:
            if self._workspace is None:
                if not is_there(self._folder):
                    self.calls.make()
                self._workspace = Workspace(self._folder, readonly=True)
                self._workspace.log.listen("asyncio", "mcp")
                self.scan.start()
                self._workspace.models.start_warming()
                self._workspace.uses.hand_to(self.calls.record, _GATHERED)
            return self._workspace

    def _scan_texts(self) -> None:
        """Import the text folders of the settings into their bases, unless another process does."""
        try:
            for folder in self.calls.scan(self._check_stop):
                if folder.problem:
                    _LOG.warning("The text folder of %s: %s", folder.base, folder.problem)
        except (Cancelled, WorkspaceLocked):
            pass
        except TesseraError as error:
            _LOG.warning("The text folders can't be scanned: %s", error)

    def _check_stop(self, done: float, total: float, what: object) -> None:
        if self._closing.is_set():
            raise Cancelled

    def close(self) -> None:
        self._closing.set()
        if self._workspace is not None:
            self.scan.join()
            self._workspace.close()
