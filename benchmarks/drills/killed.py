"""What happens in the processes of the drill of kills."""

import contextlib
import functools
import json
import multiprocessing
import os
import signal
import sqlite3
import time
import traceback
from collections.abc import Callable
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any

from benchmarks.drills import journal, operations, sound, vault
from benchmarks.drills.journal import Journal
from core.store import database
from core.store.chroma import VectorIndex
from core.workspace import Workspace

CONTEXT = multiprocessing.get_context("forkserver")
CONTEXT.set_forkserver_preload(["chromadb", __name__])
OPERATIONS: dict[str, Callable[[operations.Place], None]] = {
    "import, fresh": operations.importing,
    "import, incremental": operations.importing,
    "import, by command": operations.importing_by_command,
    "index": operations.indexing,
    "index, by command": operations.indexing_by_command,
    "rechunk": operations.rechunking,
    "switch": operations.switching,
    "rebuild": operations.rebuilding,
    "delete notes": operations.deleting_notes,
    "delete a base": operations.deleting_a_base,
    "edit chunks": operations.editing,
    "evaluate": operations.evaluating,
    "history, choices": operations.remembering,
    "opening after a kill": operations.opening,
}
_GOES_ON = {operations.importing_by_command: operations.importing, operations.indexing_by_command: operations.indexing}
"""The same in a workspace that is open."""
_COMPLETE = "import", "index", "switch"
"""Begin the names of operations after which nothing waits, and no vector is left over."""
_PATIENCE = 180
_SETTINGS = {
    "TESSERA_EMBEDDER": operations.MODELS[0],
    "TESSERA_SEARCH__RERANKER": "none",
    "TESSERA_CHUNKING__STRATEGY": "lines",
}
Begin = Callable[[], object]
"""Says that the operation itself begins."""


class Child:
    """A function in a process with a group of its own, forked from one that has all modules loaded."""

    def __init__(self, function: Callable[..., object], *arguments: object) -> None:
        self._answers, theirs = CONTEXT.Pipe(duplex=False)
        self._process = CONTEXT.Process(target=_run, args=(theirs, function, arguments))
        self._process.start()
        theirs.close()

    def __enter__(self) -> "Child":
        return self

    def __exit__(self, *_: object) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._pid, signal.SIGKILL)
        self._process.join()
        self._process.close()
        self._answers.close()

    @property
    def _pid(self) -> int:
        assert self._process.pid
        return self._process.pid

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
        """Kill the process so long after it is ready, else wait for it; return its result, None if it was killed."""
        self.result()
        wait([self._process.sentinel, self._answers], _PATIENCE if seconds is None else seconds)
        if seconds is not None and not self._answers.poll():
            (os.kill if alone else os.killpg)(self._pid, signal.SIGKILL)
        self._process.join(_PATIENCE)
        return None if self._process.exitcode == -signal.SIGKILL else self.result()


def _run(answers: Connection, function: Callable[..., object], arguments: tuple[object, ...]) -> None:
    os.setsid()
    os.environ |= _SETTINGS
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    try:
        answers.send((False, function(lambda: answers.send((False, None)), *arguments)))
    except BaseException:  # noqa: BLE001 whatever ended it is told to the drill
        answers.send((True, "".join(traceback.format_exc().splitlines(keepends=True)[-3:])))


def work(
    begin: Begin, folder: Path, name: str, seed: int, at: int | None = None, alone: bool = True
) -> tuple[float, int]:
    """Do an operation and return its seconds and steps; at its step `at` the process kills itself, or its group."""
    steps, started = _counted(at, alone), 0.0

    def ready() -> None:
        nonlocal started
        begin()
        steps[0], started = 0, time.perf_counter()

    OPERATIONS[name](_place(folder, seed, ready))
    return time.perf_counter() - started, steps[0]


def _counted(at: int | None, alone: bool) -> list[int]:
    """Count the steps of this process from now on, and end it at one of them."""
    steps = [-(10**9)]

    def step() -> None:
        steps[0] += 1
        if steps[0] == at:
            (os.kill if alone else os.killpg)(os.getpid(), signal.SIGKILL)

    def around(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def stepping(*arguments: Any, **named: Any) -> Any:
            step()
            result = function(*arguments, **named)
            step()
            return result

        return stepping

    database._Connection.commit = around(sqlite3.Connection.commit)  # type: ignore[method-assign]
    for name in ("add", "remove", "build", "drop"):
        setattr(VectorIndex, name, around(getattr(VectorIndex, name)))
    return steps


def prepare(begin: Begin, folder: Path, start: str, notes: int) -> None:
    """Make a workspace with its vault, and note what it holds."""
    for number in range(notes):
        vault.write(folder / "vault", number, 1)
    (folder / "vault").mkdir(parents=True, exist_ok=True)
    with Workspace(folder / "workspace") as workspace:
        if notes:
            for name, part in ((operations.OTHER, 20), (operations.BASE, notes)):
                source = folder / "vault" if name == operations.BASE else folder / "others"
                for number in range(part):
                    vault.write(source, number, 1)
                plan = workspace.notes.plan_folder(source, name)
                workspace.notes.apply(plan, embed=start != "waiting" or name == operations.OTHER)
            if start != "waiting":
                operations.editing(operations.Place(folder, folder, Journal(folder / "none"), 7, workspace=workspace))
            file = operations.question_file(folder / "vault", 48)
            workspace.questions.add_file(operations.BASE, operations.SET, file, "questions.jsonl")
        held = {name: value for name, value in sound.state(workspace).items() if not name.startswith(journal.LEAST)}
    (folder / "held.json").write_text(json.dumps(held))


def check(begin: Begin, folder: Path, name: str, seed: int) -> dict[str, Any]:
    """Open a workspace after a kill, first for reading; look at it, let the operation go on, and look again."""
    held = json.loads((folder / "held.json").read_text())
    wrong = []

    def look(workspace: Workspace, when: str) -> None:
        values = journal.allowed(held, folder / "journal")
        wrong.extend(f"{when}: {fault}" for fault in journal.faults(values, sound.state(workspace)))
        if not workspace.readonly:
            wrong.extend(f"{when}: {fault}" for fault in sound.faults(workspace))

    with Workspace(folder / "workspace", readonly=True) as reader:
        look(reader, "for reading")
        reader.search("anything")
    with Workspace(folder / "workspace") as workspace:
        workspace.store.open_index()
        look(workspace, "opened")
        told = any(base.pending or base.switch for base in workspace.status().bases)
        going_on = OPERATIONS[name]
        place = _place(folder, seed)
        place.workspace = workspace
        _GOES_ON.get(going_on, going_on)(place)
        look(workspace, "gone on with")
        if name.startswith(_COMPLETE):
            wrong += [
                f"{base.name} still waits" for base in workspace.bases.all() if workspace.chunks.pending(base.name)
            ]
            unused = "SELECT count(*) FROM vectors WHERE id NOT IN (SELECT vector FROM windows)"
            if workspace.store.database.value(unused):
                wrong.append("vectors are left that nothing uses")
    if (folder / "workspace" / "chroma.open").exists():
        wrong.append("closed, the index is still marked as in use")
    return {"faults": wrong[:5], "told": told}


def _place(folder: Path, seed: int, ready: Callable[[], object] = lambda: None) -> operations.Place:
    return operations.Place(folder / "workspace", folder / "vault", Journal(folder / "journal"), seed, ready)
