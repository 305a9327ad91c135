"""Long-running work in threads, with progress, cancellation and a result."""

import time
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import replace
from logging import getLogger
from statistics import median
from threading import Event, Lock, Thread, current_thread
from typing import Any, Literal, Protocol, TypeVar

from core.base.errors import Cancelled, TesseraError
from core.base.faults import bug_error
from core.base.frozen import frozen
from core.base.messages import Text

# Seconds of recent progress over which a speed is measured, and seconds of recent speeds whose median is used.
_WINDOW = 10.0
_STEADY = 60.0
# Seconds of progress before the first estimate.
_LEAST = 3.0
# Seconds for which the expected end must stay the same, to a third of the time left, before the first estimate.
_SURE = 10.0
# Factor by which a new estimate must exceed the current one to replace it. Until then, the current one counts down.
_RISE = 4 / 3


class Pace:
    """Estimates the time left, based on recent progress. A median keeps the estimate steady if some steps take long."""

    _end = 0.0

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._steps = deque[tuple[float, float]]()
        self._speeds = deque[tuple[float, float]]()
        self._expected = (0.0, 0.0)  # before the first estimate: the expected end, preceded by the time it was set

    def left(self, done: float, total: float) -> float | None:
        """Record a step and return the number of seconds left, or None if it isn't known yet. `total` may grow."""
        now = self._clock()
        steps = self._steps
        speeds = self._speeds
        if steps and done < steps[-1][1]:
            steps.clear()
            speeds.clear()
            self._end = 0.0
            self._expected = (0.0, 0.0)
        steps.append((now, done))
        while len(steps) > 2 and now - steps[1][0] >= _WINDOW:
            steps.popleft()
        began, before = steps[0]
        if now - began >= _LEAST and done > before and (not speeds or now >= speeds[-1][0] + 1):
            speeds.append((now, (done - before) / (now - began)))
        while speeds and speeds[0][0] < now - _STEADY:
            speeds.popleft()
        if not speeds:
            return None
        left = max(0.0, total - done) / median(speed for _, speed in speeds)
        if not self._end and abs(now + left - self._expected[1]) > left / 3:
            self._expected = (now, now + left)
        if not self._end and now - self._expected[0] < _SURE:
            return None
        if not self._end - now <= left < (self._end - now) * _RISE:
            self._end = now + left
        return self._end - now


_LOG = getLogger(__name__)
# Maximum number of finished jobs in `Jobs.ended`.
_RETAINED = 50
# Seconds between checks for whether another job has ended.
_BETWEEN = 0.1
T = TypeVar("T")
JobState = Literal["running", "done", "cancelled", "failed"]


class Progress(Protocol):
    """Callback that long-running work calls between steps. It raises Cancelled to stop the work."""

    def __call__(self, done: float, total: float, what: Text) -> None: ...


Work = Callable[[Progress], Any]


def no_progress(done: float, total: float, what: Text) -> None:
    """Ignore progress."""


@frozen
class Job:
    """State of long-running work. `error` is a message for the user, and `result` is the work's return value.

    `base` is the only base the work changes, or "" if it may change any base. `left` is the number of seconds left, or
    None if it isn't known yet. A `quiet` job wasn't started by the user, so pages don't change when it starts or ends.
    """

    name: str
    number: int
    base: str = ""
    quiet: bool = False
    state: JobState = "running"
    done: float = 0.0
    total: float = 0.0
    left: float | None = None
    what: Text = ""
    started: float = 0.0
    seconds: float = 0.0
    result: Any = None
    error: TesseraError | None = None

    @property
    def id(self) -> str:
        """Name and number of the job, unique in this process."""
        return f"{self.name}-{self.number}"

    @property
    def share(self) -> float:
        return min(1.0, self.done / self.total) if self.total else 0.0


class Busy(Exception):
    """A job gave up waiting for other jobs to end."""


class Jobs:
    """Running and finished jobs, one per name."""

    _is_closed = False
    _number = 0

    def __init__(self) -> None:
        self._lock = Lock()
        self._jobs: dict[str, Job] = {}
        self._stops: dict[str, Event] = {}
        self._threads: dict[str, Thread] = {}
        self._again: dict[str, Work] = {}
        self._ended: deque[Job] = deque(maxlen=_RETAINED)

    def start(
        self,
        name: str,
        work: Work,
        *,
        base: str = "",
        again: bool = False,
        quiet: bool = False,
    ) -> bool:
        """Run `work` in a thread and return True, or return False if it can't be started.

        Nothing can be started after `close`, or while a job of this name is running. With `again`, the running job also
        does `work` before it ends, and its result is that of `work`. `base` is the only base the work changes, or "" if
        it may change any base. A job started by a `quiet` job is quiet too.
        """
        with self._lock:
            if self._is_closed:
                return False
            if self._jobs.get(name) and self._jobs[name].state == "running":
                if again:
                    self._again[name] = work
                return False
            self._again.pop(name, None)
            quiet = quiet or any(
                self._jobs[other].quiet for other, job in self._threads.items() if job is current_thread()
            )
            self._number += 1
            self._jobs[name] = Job(name, self._number, base, quiet, started=time.monotonic())
            self._stops[name] = Event()
            thread = Thread(target=self._run, args=(name, work), name=f"job-{name}", daemon=True)
            self._threads[name] = thread
            thread.start()
            return True

    def result(
        self, name: str, work: Callable[[Progress], T], *, patience: float, apart: Sequence[str] = (), base: str = ""
    ) -> T:
        """Run `work` as a job once no job named `name` or in `apart` is running, and return its result.

        Pages show the job while it runs. The caller reports the outcome. Raises any error raised by `work`, Cancelled
        if this job or all jobs are stopped, and Busy if other jobs run for more than `patience` seconds.
        """
        outcome: Future[T] = Future()

        def noted(progress: Progress) -> T:
            try:
                outcome.set_result(work(progress))
            except BaseException as error:
                outcome.set_exception(error)
                raise
            return outcome.result()

        until = time.monotonic() + patience
        before = self.find(name)
        while self.running(name, *apart) or not self.start(name, noted, base=base):
            if self._is_closed:
                raise Cancelled
            if time.monotonic() > until:
                raise Busy
            time.sleep(_BETWEEN)
            before = self.find(name)
        ended = self.wait(name)
        self.forget(name, before)
        if ended and ended.state == "cancelled":
            raise Cancelled
        return outcome.result()

    def find(self, name: str) -> Job | None:
        with self._lock:
            return self._jobs.get(name)

    def all(self) -> list[Job]:
        """Return the latest job of each name, most recent first."""
        with self._lock:
            return sorted(self._jobs.values(), key=lambda job: -job.number)

    def ended(self) -> list[Job]:
        """Return the most recently finished jobs, latest first, including forgotten ones."""
        with self._lock:
            return list(reversed(self._ended))

    def running(self, *names: str) -> bool:
        return any(job and job.state == "running" for job in map(self.find, names))

    def cancel(self, name: str) -> None:
        """Ask a job to stop at its next step. Work queued by `start(again=True)` is dropped too."""
        with self._lock:
            self._again.pop(name, None)
            if name in self._stops:
                self._stops[name].set()

    def forget(self, name: str, before: Job | None = None) -> None:
        """Delete a finished job.

        If an earlier job `before` is given, list that job again, so that its result can still be read.
        """
        with self._lock:
            if name in self._jobs and self._jobs[name].state != "running":
                del self._jobs[name]
                if before and before.state != "running":
                    self._jobs[name] = before

    def wait(self, name: str, timeout: float | None = None) -> Job | None:
        """Wait up to `timeout` seconds for a job to end. Return the job, or None if there is no job with this name."""
        if thread := self._threads.get(name):
            thread.join(timeout)
        return self.find(name)

    def close(self) -> None:
        """Stop all jobs and wait for them to end. No job can be started afterwards."""
        with self._lock:
            self._is_closed = True
            for stop in self._stops.values():
                stop.set()
        for thread in self._threads.values():
            thread.join()

    def _run(self, name: str, work: Work) -> None:
        following: Work | None = work
        while following:
            following = self._do(name, following)

    def _do(self, name: str, work: Work) -> Work | None:
        """Do a job's work. Return the work to do next, or None if the job has ended."""
        stop = self._stops[name]
        pace = Pace()

        def progress(done: float, total: float, what: Text) -> None:
            if stop.is_set():
                raise Cancelled
            with self._lock:
                self._put(name, done=done, total=total, what=what, left=pace.left(done, total))

        try:
            result = work(progress)
        except Cancelled:
            return self._finish(name, "cancelled")
        except TesseraError as error:
            _LOG.warning("The job '%s' failed", name, exc_info=error)
            return self._finish(name, "failed", error=error)
        except Exception as error:  # noqa: BLE001 a thread has no caller to raise to, so the traceback is logged
            _LOG.exception("The job '%s' failed", name)
            return self._finish(name, "failed", error=bug_error(error))
        return self._finish(name, "cancelled" if stop.is_set() else "done", result=result)

    def _finish(self, name: str, state: JobState, **outcome: object) -> Work | None:
        """End a job and return None, or return the work queued for the job if there is any."""
        with self._lock:
            if name in self._again and not self._is_closed:
                self._stops[name] = Event()
                self._put(name, result=outcome.get("result"))
                return self._again.pop(name)
            self._put(name, state=state, **outcome)
            return None

    def _put(self, name: str, **changes: Any) -> None:
        job = self._jobs[name]
        left = None if "state" in changes else changes.pop("left", job.left)
        self._jobs[name] = job = replace(job, seconds=time.monotonic() - job.started, left=left, **changes)
        if "state" in changes:
            self._ended.append(job)


def stop_check(progress: Progress) -> Callable[[], bool]:
    """Return a function that says whether a job has been asked to stop. `progress` is the job's callback."""

    def stop() -> bool:
        try:
            progress(0, 0, "")
        except Cancelled:
            return True
        return False

    return stop
