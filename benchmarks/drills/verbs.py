"""Work in a process of its own that may die, forked from this one; commands, and what they print."""

import ctypes
import json
import math
import multiprocessing
import os
import signal
import sys
import tempfile
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any

from benchmarks.drills import forked
from core.base.errors import TesseraError
from core.doors import cli
from core.store.index import chroma_process

SECONDS = 120
"""Longest time of a piece of work before it counts as hanging."""

LIMIT = 10
"""Seconds that `in_time` gives to anything; more in proportion to the load of the machine."""

FORK = multiprocessing.get_context("fork")


@dataclass(frozen=True)
class Outcome:
    """What came of a piece of work: its answer, or the sentence said instead, or how it died."""

    answer: Any = None
    told: str = ""
    died: str = ""


def run(work: Callable[[], Any]) -> Outcome:
    """Do work in a process of its own, and return what came of it."""
    with begun(work) as ended:
        return ended()


@contextmanager
def begun(work: Callable[[], Any]) -> Iterator[Callable[[], Outcome]]:
    """Begin work in a process of its own; the function that is yielded waits for its end."""
    here, there = FORK.Pipe(duplex=False)
    with tempfile.TemporaryFile("w+") as printed:
        process = FORK.Process(target=_child, args=(work, there, printed.fileno()))
        process.start()
        there.close()

        def ended() -> Outcome:
            try:
                outcome: Outcome = here.recv() if here.poll(SECONDS) else Outcome(died=f"hangs for {SECONDS} s")
                process.join(SECONDS)
            except EOFError:
                process.join(SECONDS)
                outcome = Outcome()
            said = _read(printed)
            if process.exitcode:
                code = process.exitcode
                return Outcome(died=f"{signal.Signals(-code).name if code < 0 else code} {_end(said)}")
            return Outcome(died=_end(said)) if "Traceback" in said and not outcome.died else outcome

        try:
            yield ended
        finally:
            process.kill()
            process.join()


def command(*arguments: object) -> Any:
    """Run `tessera` with --json and return what it printed; raises TesseraError with what it said on stderr."""
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        sys.stdout, sys.stderr = out, err  # type: ignore[assignment]
        code: object = 0
        try:
            cli.main([*map(str, arguments), "--json"])
        except SystemExit as end:
            code = end.code
        finally:
            sys.stdout, sys.stderr = sys.__stdout__, sys.__stderr__
        sys.stderr.write(_read(err))
        if code:
            raise TesseraError("{told}", told=json.loads(_read(err).splitlines()[-1])["error"])
        return json.loads(_read(out))


def in_time(verb: Callable[[], Any]) -> Outcome:
    """Return what came of a verb, which is stopped where it hangs."""
    seconds = LIMIT * max(1, math.ceil(os.getloadavg()[0] / (os.cpu_count() or 1)))

    def stop(*_: object) -> None:
        raise TimeoutError(f"hangs for {seconds} s")

    signal.signal(signal.SIGALRM, stop)
    signal.alarm(seconds)
    try:
        return Outcome(answer=verb())
    except TesseraError as error:
        return Outcome(told=str(error))
    except BaseException:  # noqa: BLE001 whatever it is, a drill looks for it
        return Outcome(died=" ".join(traceback.format_exc().split()[-30:]))
    finally:
        signal.alarm(0)


def _read(file: Any) -> str:
    file.seek(0)
    return str(file.read())


def _end(printed: str) -> str:
    """Return the last place in the program that a traceback names, and its last line."""
    lines = printed.strip().splitlines()
    places = [line.strip() for line in lines if line.startswith("  File") and "/core/" in line]
    return " ".join(places[-1:] + lines[-1:])


def _child(work: Callable[[], Any], there: Connection, printed: int) -> None:
    os.dup2(printed, 1)
    os.dup2(printed, 2)
    forked.use()
    _bind_to_modes()
    try:
        outcome = Outcome(answer=work())
    except TesseraError as error:
        outcome = Outcome(told=str(error))
    except BaseException:  # noqa: BLE001 whatever it is, a drill looks for it
        outcome = Outcome(died=_end(traceback.format_exc()))
    chroma_process._PROCESS.close()  # what leaves by itself at an exit that is none of multiprocessing
    there.send(outcome)
    there.close()


def _bind_to_modes() -> None:
    """Let the modes of files hold for this process and those that it starts, though it may be root's."""
    if sys.platform == "linux" and os.geteuid() == 0:
        libc = ctypes.CDLL(None, use_errno=True)
        overriding = (1, 2, 3)  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH, CAP_FOWNER
        for capability in overriding:
            libc.prctl(24, capability, 0, 0, 0)  # PR_CAPBSET_DROP: a program that is started doesn't regain it
        header, held = (ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)()
        libc.capget(header, held)
        for at in range(3):
            held[at] &= ~sum(1 << capability for capability in overriding)
        if libc.capset(header, held):
            raise OSError(ctypes.get_errno(), "capset")
