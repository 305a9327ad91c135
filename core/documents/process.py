"""A separate process that converts documents one by one, each within its own limits."""

import errno
import json
import math
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, TypedDict

from core.base import files
from core.base.codec import DAMAGE, decode
from core.base.errors import SourceError
from core.base.frozen import AnyValues, frozen
from core.base.messages import Message, message

try:
    import resource as resource
except ImportError:
    resource = None  # type: ignore[assignment]

RESULT_BYTES = 1 << 28
# Name of the converter that creates thumbnails.
THUMBNAIL = "thumbnail"

# A function called regularly during a conversion. If it raises an exception, the conversion ends.
Look = Callable[[], object]


def grant(megabytes: int, seconds: int) -> None:
    """Limit a document to `megabytes` of additional address space and `seconds` of CPU time.

    A signal ends the process when the time is up. Elapsed time isn't limited here, since a process at low priority may
    have to wait for the CPU.
    """
    if resource:
        hard = resource.getrlimit(resource.RLIMIT_AS)[1]
        with suppress(OSError, ValueError, IndexError):
            resource.setrlimit(resource.RLIMIT_AS, (min(_taken() + (megabytes << 20), hard), hard))
    limit_time(seconds)


def _taken() -> int:
    """Return this process's address space in bytes. Raises OSError if the system doesn't report it."""
    return int(Path("/proc/self/statm").read_text("ascii").split()[0]) * resource.getpagesize()


def megabytes_left(most: int) -> int:
    """Return how many megabytes the process and its children may still use for a document, or `most` if unknown."""
    with suppress(OSError, AttributeError):
        if (limit := resource.getrlimit(resource.RLIMIT_AS)[0]) >= 0:
            return min(most, (limit - _taken()) >> 20)
    return most


def grant_scan() -> None:
    """Raise the limits for a scanned page to all of the process's address space and the time for one page.

    Reading an A4 page reserves 1.6 GB of address space and uses half of it.
    """
    if resource:
        hard = resource.getrlimit(resource.RLIMIT_AS)[1]
        resource.setrlimit(resource.RLIMIT_AS, (hard, hard))
    if left := seconds_left():
        # Allow 60 CPU seconds, although most scanned pages take less than ten.
        limit_time(max(left, 60.0))


def seconds_left() -> float:
    """Return the number of CPU seconds left, or 0 if there is no limit."""
    return signal.getitimer(signal.ITIMER_PROF)[0] if hasattr(signal, "getitimer") else 0.0


def limit_child(process: "subprocess.Popen[bytes]") -> None:
    """Limit a child process to the CPU seconds left."""
    if (left := seconds_left()) and hasattr(resource, "prlimit"):
        with suppress(ProcessLookupError):
            resource.prlimit(process.pid, resource.RLIMIT_CPU, (math.ceil(left), math.ceil(left) + 1))


def limit_time(seconds: float) -> None:
    """Limit a document to `seconds` of CPU time, or remove the limit if `seconds` is 0."""
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_PROF, seconds)


_COMMAND = (sys.executable, "-m", "core.documents.worker")
TOO_MUCH_MEMORY = message(
    "This file takes more memory to convert than a document of its size should. Split it, or save it in another format."
)
# Exit statuses of a process in which a library ran out of memory.
_OUT_OF_MEMORY = tuple(-getattr(signal, name, 0) for name in ("SIGABRT", "SIGTRAP", "SIGILL"))
_OUT_OF_TIME = tuple(-getattr(signal, name, 0) for name in ("SIGPROF", "SIGALRM", "SIGXCPU"))


class WorkerResult(TypedDict, total=False):
    """The result from a worker: a `converted` document, a `thumbnail`, or the `reason` for a failure."""

    converted: AnyValues
    thumbnail: AnyValues
    version: str
    reason: Any
    cause: str
    is_interrupted: bool
    is_too_slow: bool
    has_grown: bool


@frozen
class Limits:
    """The limits for one document, in elapsed seconds, CPU seconds, and megabytes of address space.

    `scan_megabytes` is the limit for the whole process. A scan may use all of it.
    """

    seconds: int
    processor_seconds: int
    megabytes: int
    scan_megabytes: int


class Interrupted(SourceError):
    """A conversion failed because of a signal, a limit, a full disk or a missing program, not because of the document.

    The next import tries the conversion again.
    """


def machine_reason(error: OSError) -> Message:
    """Return why this computer can't convert documents now, and what the user can do about it."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return message(
            (
                "This file was not converted because no space is left in {folder}. Free some space there, then "
                "import the file again."
            ),
            folder=tempfile.gettempdir(),
        )
    return message(
        (
            "This file was not converted because of a problem on this computer ({why}). Try importing the file again "
            "later."
        ),
        why=files.reason(error),
    )


def end_error(path: str, error: ChildProcessError) -> Interrupted:
    """Return the error for a failed process.

    `error` holds the process's exit status, or the reason why the process couldn't be given the document.
    """
    status = error.args[0]
    if isinstance(status, Message):
        reason = status
    elif status in _OUT_OF_MEMORY:
        reason = TOO_MUCH_MEMORY
    elif status < 0:
        reason = message(
            (
                "This file was not converted because its converter was stopped (signal {n}). Try importing the "
                "file again."
            ),
            n=-status,
        )
    else:
        reason = message(
            "This file can't be converted because its converter failed with exit status {n}. Save it in another "
            "format.",
            n=status,
        )
    return Interrupted(path, reason)


class ConverterProcess:
    """Converts documents within the current `limits`. A document that crashes the process doesn't affect any others.

    If `waits` is True, the process runs at low priority.
    """

    def __init__(self, limits: Limits, *, waits: bool = False) -> None:
        self.limits = limits
        self._waits = waits
        self._process: subprocess.Popen[bytes] | None = None
        self._place = Path()
        self._count = 0

    def convert(self, data: bytes, converter: str, kind: str, look: Look = lambda: None) -> WorkerResult:
        """Return the worker's result for a document. `look` is called regularly and may raise an exception.

        Raises TimeoutError if the document takes too long. Raises ChildProcessError with the exit status if the
        worker ends, or with a message if the worker can't be given the document.
        """
        try:
            result = self._result(data, converter, kind, look)
            if result is None and self._status() == 0:  # the idle process had just ended
                result = self._result(data, converter, kind, look)
        except BaseException:
            self.close()
            raise
        if result is None or "is_too_slow" in result:
            status = self._status()
            self.close()
            raise TimeoutError if status in (None, *_OUT_OF_TIME) else ChildProcessError(status)
        if result.pop("has_grown", False):
            self.close()
        return result

    def close(self) -> None:
        """Kill the process and its children, and delete its folder."""
        if self._process:
            with self._process as process, suppress(OSError):
                if hasattr(os, "killpg"):
                    os.killpg(process.pid, signal.SIGKILL)
                else:
                    process.kill()
            self._process = None
            shutil.rmtree(self._place, ignore_errors=True)

    def _status(self) -> int | None:
        """Return the process's exit status, or None if it is still running."""
        return None if self._process is None else self._process.poll()

    def _result(self, data: bytes, converter: str, kind: str, look: Look) -> WorkerResult | None:
        """Return the result for a document, or None if the process ended or took too long."""
        asked = f"{converter} {kind} {self.limits.megabytes} {self.limits.processor_seconds}\n".encode()
        try:
            try:
                process = self._ask(data, asked)
            except (FileNotFoundError, BrokenPipeError):  # the process is ending, or its folder was deleted
                self.close()
                process = self._ask(data, asked)
        except OSError as error:
            raise ChildProcessError(machine_reason(error)) from error
        written = self._place / "result"
        began = time.monotonic()
        while process.poll() is None and not written.exists():
            look()
            passed = time.monotonic() - began
            if passed > self.limits.seconds:
                return None
            # Check for a result often at first, then up to every 50 ms.
            time.sleep(min(0.05, 0.002 + passed / 10))
        self._count += 1
        try:
            result: WorkerResult = decode(AnyValues, json.loads(files.read(written, RESULT_BYTES)))
            written.unlink()
        except OSError:
            return None
        except DAMAGE:  # a hostile document may control the process, so its output isn't trusted
            return {"has_grown": True}
        return result

    def _ask(self, data: bytes, asked: bytes) -> "subprocess.Popen[bytes]":
        """Pass a document to the process, or to a new one if it has ended or has converted many documents."""
        # Replace the process after 200 documents.
        if self._count >= 200 or self._status() is not None:
            self.close()
        if self._process is None:
            self._place = Path(tempfile.mkdtemp(prefix="tessera-document-"))
            self._count = 0
            self._process = subprocess.Popen(
                [*_COMMAND, str(self._place), str(self.limits.scan_megabytes), "waits" if self._waits else "runs"],
                stdin=subprocess.PIPE,  # the worker notices when this process ends
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                cwd=Path(__file__).parents[2],
                start_new_session=True,
            )
        process = self._process
        (self._place / "source").write_bytes(data)
        assert process.stdin
        process.stdin.write(asked)
        process.stdin.flush()
        return process
