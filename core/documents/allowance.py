"""What this process may take for a document: address space and seconds of the processor. What reads scans gets more.

A system without such limits has the time limit of the parent process.
"""

import math
import signal
import subprocess
from contextlib import suppress
from pathlib import Path

try:
    import resource
except ImportError:
    resource = None  # type: ignore[assignment]

_SCANNED_SECONDS = 60.0
"""Of the processor for one scanned page; most take less than ten."""


def limit_memory(megabytes: int) -> None:
    """Limit the address space of this process, and of those it starts, for good."""
    if resource is not None:
        hard = resource.getrlimit(resource.RLIMIT_AS)[1]
        most = megabytes << 20
        most = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(resource.RLIMIT_AS, (most, most))


def grant(megabytes: int, seconds: int) -> None:
    """Allow a document so much more address space than the process has now, and so many seconds of the processor.

    A signal ends the process after them: at a low priority the time on the clock says nothing.
    """
    if resource is not None:
        hard = resource.getrlimit(resource.RLIMIT_AS)[1]
        with suppress(OSError, ValueError, IndexError):
            taken = int(Path("/proc/self/statm").read_text("ascii").split()[0]) * resource.getpagesize()
            most = taken + (megabytes << 20)
            resource.setrlimit(resource.RLIMIT_AS, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))
    _time(seconds)


def grant_scan() -> None:
    """Allow all the address space that the process may have, and the seconds of one scanned page.

    Reading one of A4 takes 1.6 GB of address space, of which .8 GB are used.
    """
    if resource is not None:
        hard = resource.getrlimit(resource.RLIMIT_AS)[1]
        resource.setrlimit(resource.RLIMIT_AS, (hard, hard))
    if left := seconds_left():
        _time(max(left, _SCANNED_SECONDS))


def end() -> None:
    """End the allowance of a document."""
    _time(0)


def seconds_left() -> float:
    """Return the seconds of the processor that are left, 0 without a limit."""
    return signal.getitimer(signal.ITIMER_PROF)[0] if hasattr(signal, "getitimer") else 0.0


def hand_on(process: "subprocess.Popen[bytes]") -> None:
    """Limit a process that this one started to the seconds that are left."""
    if (left := seconds_left()) and hasattr(resource, "prlimit"):
        with suppress(ProcessLookupError):
            resource.prlimit(process.pid, resource.RLIMIT_CPU, (math.ceil(left), math.ceil(left) + 1))


def _time(seconds: float) -> None:
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_PROF, seconds)
