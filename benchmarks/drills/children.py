"""Processes that a drill starts: forked from one that has all modules loaded, so that one costs no second."""

import contextlib
import multiprocessing
import os
import signal
import traceback
from collections.abc import Callable
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any

from benchmarks.drills import forked, vault
from benchmarks.drills.operations import MODELS

CONTEXT = multiprocessing.get_context("forkserver")
CONTEXT.set_forkserver_preload(["chromadb", "benchmarks.drills.killed", "benchmarks.drills.writer"])
Begin = Callable[[], object]
"""Says that what is measured or killed begins."""
_PATIENCE = 600
_SETTINGS = {
    "TESSERA_EMBEDDER": MODELS[0],
    "TESSERA_SEARCH__RERANKER": "none",
    "TESSERA_CHUNKING__STRATEGY": "lines",
}


class Child:
    """A function in a process with a group of its own, forked from one that has all modules loaded."""

    def __init__(self, function: Callable[..., object], *arguments: object) -> None:
        self._orphans = False
        self._answers, theirs = CONTEXT.Pipe(duplex=False)
        self._process = CONTEXT.Process(target=_run, args=(theirs, function, arguments))
        self._process.start()
        self._pid = self._process.pid or 0
        theirs.close()

    def __enter__(self) -> "Child":
        return self

    def __exit__(self, *_: object) -> None:
        if not self._orphans:
            self.end()
        self._process.join()
        self._process.close()
        self._answers.close()

    def end(self) -> list[int]:
        """End what runs of the group, and return what ran."""
        family = self.family()
        if family:
            with contextlib.suppress(ProcessLookupError):  # they ended by themselves meanwhile
                os.killpg(self._pid, signal.SIGKILL)
        return family

    def family(self) -> list[int]:
        """Return the living processes of its group."""
        family = []
        for stat in Path("/proc").glob("[0-9]*/stat"):
            with contextlib.suppress(OSError):
                # After the name, which may hold anything.
                state, _, group = stat.read_text().rpartition(")")[2].split()[:3]
                family += [int(stat.parent.name)] if int(group) == self._pid and state != "Z" else []
        return family

    def result(self) -> Any:
        """Return the next thing that the function yields; raises RuntimeError if the process ends or hangs."""
        wait([self._answers, self._process.sentinel], _PATIENCE)
        with contextlib.suppress(EOFError):
            if self._answers.poll():
                failed, answer = self._answers.recv()
                if failed:
                    raise RuntimeError(answer)
                return answer
        self._process.join(0.5)
        code = self._process.exitcode
        raise RuntimeError(f"hangs for {_PATIENCE} s" if code is None else f"ended with {code}")

    def done_or_killed(self, seconds: float | None, *, alone: bool) -> Any:
        """Kill the process so long after it is ready, else wait for it; return its result, None if it was killed.

        Processes that it started live on where it is killed alone, until `end`.
        """
        self.result()
        wait([self._process.sentinel, self._answers], _PATIENCE if seconds is None else seconds)
        if seconds is not None and not self._answers.poll():
            (os.kill if alone else os.killpg)(self._pid, signal.SIGKILL)
        self._process.join(_PATIENCE)
        if self._process.exitcode != -signal.SIGKILL:
            return self.result()
        self._orphans = alone
        return None


def _run(answers: Connection, function: Callable[..., object], arguments: tuple[object, ...]) -> None:
    os.setsid()
    os.environ |= _SETTINGS
    forked.use()
    vault.offer_model()
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    try:
        answers.send((False, function(lambda: answers.send((False, None)), *arguments)))
    except BaseException:  # noqa: BLE001 whatever ended it, the drill reports it
        answers.send((True, "".join(traceback.format_exc().splitlines(keepends=True)[-3:])))
