"""Running pandoc without file or network access.

Short documents share one process. Each long document gets its own process.
"""

import math
import re
import signal
import subprocess
import tempfile
from contextlib import suppress
from pathlib import Path

from core.base.errors import SourceError
from core.base.frozen import Texts
from core.base.messages import message
from core.documents.kinds import damaged
from core.documents.process import Interrupted, end_error, limit_child, megabytes_left, resource, seconds_left

# Options that limit the heap's address space, because pandoc survives its first heap overflow when running Lua.
_RESERVED = ("+RTS", "-xr850m", "-RTS")
_LUA = r"""
io.write("\n"):flush()
for asked in io.lines() do
  local reader, writer, size = asked:match("(%S+) (%S+) (%d+)")
  local read = pandoc.read(io.read(tonumber(size)), reader, nil, {})
  local text = pandoc.write(read, writer, {wrap_text = "none"})
  io.write(("%d %f\n"):format(#text, os.clock()), text):flush()
  read, text = nil, nil
  pandoc.mediabag.empty()
  collectgarbage()
end
"""
# After a document that took more CPU seconds than this, the process is replaced, since it may use a lot of memory.
_LONG = 0.5


class _Service:
    """A pandoc process that converts short documents one by one, and ends at the first failure.

    The reader runs in pandoc's sandbox. The writer can open neither files nor connections.
    """

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._seconds = 0.0

    def convert(self, data: bytes, reader: str, writer: str) -> bytes | None:
        """Convert a document, or return None if a separate process has to convert it or report the error."""
        text = None
        began = self._seconds
        try:
            with suppress(OSError, ValueError):
                text = self._ask(self._process or self._start(), f"{reader} {writer} {len(data)}\n".encode() + data)
        finally:  # anything left in the pipes must not end up in the next document
            if text is None or self._seconds - began > _LONG:
                self.close()
        return text

    def _ask(self, process: "subprocess.Popen[bytes]", asked: bytes) -> bytes:
        """Return the converted document. Raises OSError or ValueError if the process ends instead."""
        assert process.stdin
        assert process.stdout
        hard = resource.prlimit(process.pid, resource.RLIMIT_CPU)[1]
        # A short document gets two CPU seconds.
        resource.prlimit(process.pid, resource.RLIMIT_CPU, (math.ceil(self._seconds + 2.0), hard))
        process.stdin.write(asked)
        process.stdin.flush()
        size, seconds = process.stdout.readline().split()
        self._seconds = float(seconds)
        text = process.stdout.read(int(size))
        if len(text) < int(size):
            raise ChildProcessError
        return text if text.endswith(b"\n") else text + b"\n"

    def _start(self) -> "subprocess.Popen[bytes]":
        process = self._process = subprocess.Popen(
            [_program(), "lua", *_heap(), *_RESERVED, "-e", _LUA],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={"TMPDIR": tempfile.gettempdir()},  # pandoc's empty history file is deleted with the document
        )
        assert process.stdout
        process.stdout.readline()
        # Allow no files but the three standard ones.
        resource.prlimit(process.pid, resource.RLIMIT_NOFILE, (3, 3))
        return process

    def close(self) -> None:
        if self._process:
            with suppress(OSError), self._process as process:
                process.kill()
            self._process = None
            self._seconds = 0.0


_SERVICE = _Service()


def run_pandoc(data: bytes, reader: str, writer: str) -> bytes:
    """Convert a document from pandoc's format `reader` to its format `writer`.

    Raises SourceError if pandoc fails, and MemoryError or TimeoutError if it exceeds a limit.
    """
    # Pandoc reads these formats the same way in Lua and on the command line. In text formats, only the command line
    # expands tabs.
    if (
        reader in ("docx", "odt", "epub", "json")
        and 0 < len(data) <= 1 << 18
        and seconds_left()
        and hasattr(resource, "prlimit")
    ):
        text = _SERVICE.convert(data, reader, writer)
        if text is not None:
            return text
    return _run_once(data, "-f", reader, "-t", writer, "--wrap=none", "--track-changes=accept")


def _heap() -> Texts:
    """Return pandoc options that limit the heap to the remaining memory and stop the timer that wakes the process.

    Raises MemoryError if no memory is left.
    """
    # Pandoc may use 1000 MB. Everything except its heap needs 150 MB of that.
    if (most := megabytes_left(1000) - 150) <= 0:
        raise MemoryError
    return "+RTS", f"-M{most}m", "-V0", "-RTS"


def _program() -> str:
    import pypandoc

    try:
        return str(pypandoc.get_pandoc_path())
    except OSError as error:
        raise _missing_error() from error


def _missing_error() -> Interrupted:
    return Interrupted(
        "", message("This file can't be converted because the program pandoc is missing. Reinstall Tessera.")
    )


def _run_once(data: bytes, *arguments: str) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "source"
        source.write_bytes(data)
        command = [_program(), *_heap(), "--sandbox", *arguments, str(source)]
        try:
            process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=folder
            )
        except FileNotFoundError as error:
            raise _missing_error() from error
        with process:
            limit_child(process)
            written, errors = process.communicate()
    if process.returncode == 251:  # the heap is exhausted
        raise MemoryError
    if process.returncode and process.returncode == -getattr(signal, "SIGXCPU", 0):
        raise TimeoutError
    if process.returncode < 0:
        raise end_error("", ChildProcessError(process.returncode))
    if process.returncode:
        place = re.search(rb'Error at ".*?" \(line (\d+), column \d+\):', errors)
        # This is logged in place of pandoc's messages, which may quote the document.
        failure = ChildProcessError(f"exit_status_{process.returncode}")
        if not place:
            raise damaged() from failure
        # The line is only near the error, because some formats are rewritten before pandoc reads them.
        raise SourceError(
            "",
            "This file can't be read because of an error near line {n}. Correct it, then import the file again.",
            n=int(place[1]),
        ) from failure
    return written
