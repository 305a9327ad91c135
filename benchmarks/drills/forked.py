"""Chroma's process, forked: where this process has Chroma loaded, it doesn't load it for seconds."""

import os
import signal
from contextlib import suppress
from pathlib import Path

from core.store.index import chroma_process, chroma_worker


class ForkedChroma:
    """Chroma's process as `core.store.index.chroma_process` knows it."""

    def __init__(self) -> None:
        (requests, written), (read, replies) = os.pipe(), os.pipe()
        self._pid = os.fork()
        if not self._pid:
            _serve(requests, replies)
        os.close(requests)
        os.close(replies)
        self.stdin, self.stdout = os.fdopen(written, "wb"), os.fdopen(read, "rb")

    def kill(self) -> None:
        os.kill(self._pid, signal.SIGKILL)

    def communicate(self, request: bytes = b"", timeout: float = 0) -> None:
        with suppress(OSError):
            self.stdin.write(request)
            self.stdin.close()
        self.stdout.close()
        os.waitpid(self._pid, 0)


def use() -> None:
    """Let this process, and those that it forks, start Chroma so."""
    chroma_process._PROCESS._start = ForkedChroma  # type: ignore[assignment,method-assign]


def _serve(requests: int, replies: int) -> None:
    """Do as `chroma_worker.main` in a process that was started, and end."""
    os.dup2(requests, 0)
    os.dup2(replies, 1)
    # A program that is started inherits no other file: locks and pipes of the parent end with it. The numbers stay
    # taken, so that a forgotten object of the parent closes nothing that Chroma opened since.
    null = os.open(os.devnull, os.O_RDWR)
    for number in [int(file.name) for file in Path("/dev/fd").iterdir()]:
        if number not in (0, 1, 2, null):
            with suppress(OSError):  # the one that listed them
                os.fstat(number)
                os.dup2(null, number)
    os.umask(0o077)
    chroma_worker.main()
    os._exit(0)
