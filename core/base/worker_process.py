"""A child process that may crash. It exchanges requests and replies as pickles over its standard streams."""

import atexit
import os
import pickle
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from threading import TIMEOUT_MAX, Lock, Thread, Timer, current_thread
from typing import Any, TypeVar

Request = TypeVar("Request")
_PROGRAM = Path(__file__).parents[2]
# Seconds between checks that the parent is alive, and seconds left to finish after the parent has ended.
_LOOK = 1.0


class ProcessEnded(Exception):
    """The process ended, or was killed because it took too long. There is no reply."""


class WorkerProcess:
    """A child process running a module that calls `serve`. Until `close` is called, it is started whenever needed.

    The process ends after `idle` seconds without a request. It has `patience` seconds to end by itself before it is
    killed.
    """

    _running: "subprocess.Popen[bytes] | None" = None
    _is_closed = False
    _timer: Timer | None = None

    def __init__(self, module: str, *, patience: float = 0, idle: float | None = None) -> None:
        self._module = module
        self._patience = patience
        self._idle = idle
        self._lock = Lock()
        atexit.register(self.close)
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._forget)

    def ask(self, request: object, seconds: float | None = None) -> Any:
        """Return the reply to a request, or raise the reply if it is an exception.

        Raises ProcessEnded if the process ends, or if it doesn't reply within `seconds`.
        """
        with self._lock:
            self._cancel_timer()
            if self._running is None and not self._is_closed:
                self._running = self._start()
            if self._running is None or self._is_closed:  # `close` may have been called during the start
                raise ProcessEnded
            timer = Timer(seconds or TIMEOUT_MAX, self._running.kill)
            if seconds is not None:
                timer.start()
            try:
                reply, goes_on = self._exchange(self._running, request)
            finally:
                timer.cancel()
            if not goes_on:
                self._end()
            elif self._idle is not None:
                self._timer = Timer(self._idle, self._end_idle)
                self._timer.daemon = True
                self._timer.start()
        if isinstance(reply, Exception):
            raise reply
        return reply

    @property
    def is_running(self) -> bool:
        running = self._running
        return running is not None and running.poll() is None

    def close(self) -> None:
        """End the process for good.

        If `patience` is 0, the process is killed even while another thread is waiting for a reply.
        """
        self._is_closed = True
        if not self._patience and (running := self._running):
            running.kill()
        with self._lock:
            self._cancel_timer()
            self._end()

    def _exchange(self, running: "subprocess.Popen[bytes]", request: object) -> Any:
        assert running.stdin
        assert running.stdout
        try:
            pickle.dump(request, running.stdin)
            running.stdin.flush()
            return pickle.load(running.stdout)
        except (OSError, EOFError, pickle.UnpicklingError) as error:
            self._end()
            raise ProcessEnded from error
        except BaseException:  # this thread was interrupted, so the next request would get this request's reply
            running.kill()
            self._end()
            raise

    def _start(self) -> "subprocess.Popen[bytes]":
        return subprocess.Popen(
            [sys.executable, "-m", self._module],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            umask=0o077,
            cwd=_PROGRAM,
        )

    def _end(self) -> None:
        running = self._running
        self._running = None
        if running is None:
            return
        try:
            if not self._patience:
                running.kill()
            running.communicate(pickle.dumps(None), timeout=self._patience or None)
        except (subprocess.TimeoutExpired, OSError):  # the process hangs or has already ended
            running.kill()
            with suppress(OSError):
                running.communicate()

    def _end_idle(self) -> None:
        with self._lock:
            if current_thread() is self._timer:  # there has been no request since the timer was started
                self._end()

    def _cancel_timer(self) -> None:
        if self._timer:
            self._timer.cancel()
            self._timer = None

    def _forget(self) -> None:
        """Forget the process after a fork, because it belongs to the parent."""
        self._lock = Lock()
        self._timer = None
        if self._running:
            self._running.returncode = 0
            self._running = None


def serve(answer: Callable[[Request], tuple[object, bool]]) -> None:
    """Answer the parent's requests until the parent ends or closes the streams.

    `answer` returns the reply and whether to go on. Interrupts reach the whole process group, but are ignored here,
    because the parent ends this process. Output from libraries is discarded. If the parent ends during a request, the
    request is abandoned.
    """
    parent = os.getppid()

    def end_after_parent() -> None:
        while os.getppid() == parent:  # never changes on Windows, where only the streams show that the parent ended
            time.sleep(_LOOK)
        time.sleep(_LOOK)
        os._exit(1)

    Thread(target=end_after_parent, daemon=True).start()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    requests = os.fdopen(0, "rb", closefd=False)
    replies = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    goes_on = True
    while goes_on:
        try:
            request = pickle.load(requests)
        except EOFError:
            return
        if request is None:
            return
        reply, goes_on = answer(request)
        try:
            pickled = pickle.dumps((reply, goes_on), pickle.HIGHEST_PROTOCOL)
            if isinstance(reply, Exception):
                pickle.loads(pickled)
        except Exception:  # noqa: BLE001 unpickling a library's class may raise any error
            pickled = pickle.dumps((RuntimeError(f"{type(reply).__name__}: {reply}"), goes_on))
        replies.write(pickled)
        replies.flush()
