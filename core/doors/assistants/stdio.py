"""Assistants' tools over standard input and output, for an assistant that starts Tessera itself."""

import json
import logging
import signal
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import BinaryIO, TextIO, cast

import anyio
from anyio import to_thread
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.server.lowlevel import Server
from mcp.shared.message import SessionMessage
from mcp_types import INVALID_REQUEST, CallToolResult, JSONRPCError

from core.base.errors import Cancelled, NoteNotFound, TesseraError, WorkspaceLocked
from core.base.frozen import Values
from core.base.text import one_line
from core.doors.assistants import server
from core.doors.assistants.server import Opened, failure, parse, protocol_error, run
from core.doors.remote import client
from core.features.uses import operations as uses
from core.model import Progress, ScannedFolder, Use
from core.operations.declaring import PROGRAM
from core.workspace import Workspace, is_there

# Seconds to wait until another process, such as a command or an app starting up, has finished writing.
_WAIT = 15.0
# Seconds between attempts to lock the workspace. The same pause follows each call, so that other processes get a turn.
_PAUSE = 0.02

# Maximum size of a line in bytes, enough for three of the largest notes.
_MOST_BYTES = 1 << 26
# Seconds for which uses of notes are collected before the workspace is opened to record them.
_GATHERED = 5.0
# Seconds to wait for the scan of text folders before the first answer. Most scans finish sooner.
_PATIENCE = 3.0
_LOG = logging.getLogger(__name__)


class WriteCalls:
    """Runs tools that change the workspace, one at a time.

    The workspace is locked only during a call, so that the app can start at any other time.
    """

    def __init__(self, folder: Path, opened: Opened) -> None:
        """Store the workspace folder, and a function that opens the workspace read-only."""
        self._folder = folder
        self._opened = opened
        self._turn = threading.Lock()

    def __call__(self, name: str, arguments: Values) -> CallToolResult:
        patience = _WAIT
        try:
            self._opened()  # a broken workspace fails here, before any waiting
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
        except TesseraError as error:
            return failure(str(error))

    def record(self, given: Sequence[Use]) -> None:
        """Record uses of notes. If the app has the workspace open, the app records them. Raises TesseraError."""
        try:
            with self._locked() as workspace:
                workspace.store.uses.add(given)
        except WorkspaceLocked:
            if app := client.connect_running(self._folder):
                for use in given:
                    found = {"note": use.note_id, "used_in": use.used_in, "context": use.context, "chunk": use.chunk_id}
                    with suppress(NoteNotFound):
                        app.run(uses.report, found, caller=PROGRAM)
            else:
                raise

    def scan(self, progress: Progress) -> list[ScannedFolder]:
        """Import the text folders listed in the settings into their bases. Raises TesseraError or Cancelled."""
        texts = self._opened().text_folders
        if not (texts.automatic and texts.folders()):
            return []
        with self._locked() as workspace:
            return workspace.text_folders.scan(progress=progress)

    @contextmanager
    def _locked(self) -> Iterator[Workspace]:
        with self._turn:
            with Workspace(self._folder) as workspace:
                yield workspace
            time.sleep(_PAUSE)


def serve(folder: Path, lines: BinaryIO, wire: TextIO) -> None:
    """Answer the requests in `lines` from the workspace in a folder, opened read-only. Write the answers to `wire`.

    Return when `lines` ends. A missing workspace is created. The text folders listed in the settings are scanned in the
    background. If the workspace can't be opened, every tool returns the error until the workspace is repaired.
    """
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # a thread waiting for input would keep the process alive
    handler = logging.StreamHandler(sys.stderr)
    handler.setLevel(logging.WARNING)
    handler.setFormatter(_Plain())
    logging.getLogger().addHandler(handler)
    reading = _Reading(folder)
    with suppress(TesseraError):
        reading.workspace()
        reading.scan.join(_PATIENCE)
    anyio.run(_serve, server.make(reading.workspace, reading.calls, reading.remark), lines, wire)
    reading.close()


class _Plain(logging.Formatter):
    """A log formatter that includes the text of a TesseraError, but only the type of any other error."""

    def format(self, record: logging.LogRecord) -> str:
        error = record.exc_info[1] if record.exc_info else None
        reason = str(error) if isinstance(error, TesseraError) else type(error).__name__ if error else ""
        return one_line(": ".join(filter(None, (record.getMessage(), reason))))


async def _serve(made: Server[object], lines: BinaryIO, wire: TextIO) -> None:
    into, requests = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    outgoing, answers = anyio.create_memory_object_stream[SessionMessage](0)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_read_lines, lines, into, outgoing)
        tasks.start_soon(_write_lines, answers, wire)
        async with outgoing:
            await made.run(requests, outgoing, made.create_initialization_options())


async def _read_lines(
    lines: BinaryIO,
    requests: MemoryObjectSendStream[SessionMessage | Exception],
    outgoing: MemoryObjectSendStream[SessionMessage],
) -> None:
    """Pass on valid lines. Answer an invalid line with an error that includes the request's id, if any."""
    async with requests:
        while line := await to_thread.run_sync(lines.readline, _MOST_BYTES):
            if len(line) == _MOST_BYTES and not line.endswith(b"\n"):
                while not (await to_thread.run_sync(lines.readline, _MOST_BYTES) or b"\n").endswith(b"\n"):
                    pass
                await outgoing.send(protocol_error(INVALID_REQUEST, f"A line is longer than {_MOST_BYTES >> 20} MB"))
            elif line.strip():
                item = parse(line)
                await (outgoing if isinstance(item.message, JSONRPCError) else requests).send(item)


async def _write_lines(answers: MemoryObjectReceiveStream[SessionMessage], wire: TextIO) -> None:
    async for answer in answers:
        # not `model_dump_json`, which fails on a lone surrogate in quoted text
        line = json.dumps(answer.message.model_dump(by_alias=True, exclude_unset=True), default=str)
        await to_thread.run_sync(partial(print, line, file=wire, flush=True))


class _Reading:
    """A workspace opened read-only on first use.

    A missing workspace is created, and models are loaded in the background.
    """

    _workspace: Workspace | None = None
    _step = ""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._opening = threading.Lock()
        self._closing = threading.Event()
        self.scan = threading.Thread(target=self._scan_texts, daemon=True)
        self.calls = WriteCalls(folder, self.workspace)

    def workspace(self) -> Workspace:
        """Return the workspace. Raises StoreError if the folder is unusable."""
        with self._opening:
            if self._workspace is None:
                if not is_there(self._folder):
                    with suppress(WorkspaceLocked), Workspace(self._folder, patience=_WAIT):
                        pass  # another process may be creating it
                self._workspace = Workspace(self._folder, readonly=True)
                self._workspace.log.listen("asyncio", "mcp")
                self.scan.start()
                self._workspace.models.start_warming()
                self._workspace.uses.hand_to(self.calls.record, _GATHERED)
            return self._workspace

    def _scan_texts(self) -> None:
        """Import the text folders listed in the settings into their bases, unless another process is doing so."""
        try:
            for folder in self.calls.scan(self._check_stop):
                if folder.problem:
                    _LOG.warning("The text folder of %s: %s", folder.base, folder.problem)
        except (Cancelled, WorkspaceLocked):
            pass
        except TesseraError as error:
            _LOG.warning("The text folders can't be scanned: %s", error)

    def _check_stop(self, done: float, total: float, what: object) -> None:
        self._step = f" ({one_line(str(what))})"
        if self._closing.is_set():
            raise Cancelled

    def remark(self) -> str:
        """Return a warning that answers may be incomplete, or "" if no text folders are being scanned."""
        if not self.scan.is_alive():
            return ""
        return f"The text folders are still being scanned{self._step}, so this answer may be incomplete. Ask again."

    def close(self) -> None:
        self._closing.set()
        if self._workspace is not None:
            self.scan.join()
            self._workspace.close()
