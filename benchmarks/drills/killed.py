"""What happens in the processes of the drill of kills."""

import functools
import json
import os
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.drills import journal, operations, packings, sound, vault, writings
from benchmarks.drills.children import Begin
from benchmarks.drills.journal import Journal
from core.store.database import Connection
from core.store.index.chroma_process import Backend
from core.workspace import Workspace

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
    "save": writings.saving,
    "accept": writings.accepting,
    "revert": writings.reverting,
    "restore": writings.restoring,
    "delete written notes": operations.deleting_notes,
    packings.UPGRADE: packings.upgrading,
    "opening after a kill": operations.opening,
}
_GOES_ON = {operations.importing_by_command: operations.importing, operations.indexing_by_command: operations.indexing}
"""The same in a workspace that is open."""
_WRITTEN = "written", "put away"
"""Workspaces whose notes are written here, and changed since."""
_COMPLETE = "import", "index", "switch", "delete a base"
"""Begin the names of operations after which nothing waits, and no vector is left over."""


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

    requests = "open", "close", "create", "add", "remove", "drop"
    for owner, name in ((Connection, "commit"), *((Backend, request) for request in requests)):
        setattr(owner, name, around(getattr(owner, name)))
    return steps


def prepare(begin: Begin, folder: Path, start: str, notes: int) -> None:
    """Make a workspace with its vault, and note what it holds."""
    for number in range(notes):
        vault.write(folder / "vault", number, 1)
    (folder / "vault").mkdir(parents=True, exist_ok=True)
    with Workspace(folder / "workspace") as workspace:
        if notes:
            for number in range(500, 520):
                vault.write(folder / "others", number, 1)
            workspace.imports.apply(workspace.imports.plan_folder(folder / "others", operations.OTHER))
            if start in _WRITTEN:
                writings.add(workspace, folder / "vault")
            elif start == "packed":
                packings.install(workspace, folder / "vault")
            else:
                plan = workspace.imports.plan_folder(folder / "vault", operations.BASE)
                workspace.imports.apply(plan, embed=start != "waiting")
            if start != "waiting":
                operations.editing(operations.Place(folder, folder, Journal(folder / "none"), 7, workspace=workspace))
            file = operations.question_file(folder / "vault", 48)
            workspace.question_sets.add_file(operations.BASE, operations.SET, file, "questions.jsonl")
            if start in _WRITTEN:
                writings.saving(operations.Place(folder, folder, Journal(folder / "none"), 7, workspace=workspace))
            if start == "packed":
                packings.change(workspace)
            if start == "put away":
                writings.put_away(workspace, folder / writings.DIGESTS)
        held = {name: value for name, value in sound.state(workspace).items() if not name.startswith(journal.LEAST)}
    (folder / "held.json").write_text(json.dumps(held))


def check(begin: Begin, folder: Path, name: str, seed: int) -> dict[str, Any]:
    """Open a workspace after a kill, first for reading; look at it, let the operation go on, and look again."""
    follower = journal.Follower(folder / "journal", json.loads((folder / "held.json").read_text()))
    wrong = []

    def look(workspace: Workspace, when: str) -> None:
        may = follower.now()
        wrong.extend(f"{when}: {fault}" for fault in journal.faults(may, sound.state(workspace)))
        if not workspace.readonly:
            wrong.extend(f"{when}: {fault}" for fault in sound.faults(workspace))

    with Workspace(folder / "workspace", readonly=True) as reader:
        look(reader, "for reading")
        reader.search("anything")
    with Workspace(folder / "workspace") as workspace:
        workspace.store.index.open()
        look(workspace, "opened")
        wrong += packings.faults(workspace) if name == packings.UPGRADE else []
        reported = any(base.pending or base.switch for base in workspace.status().bases)
        reported |= name == "evaluate" and any(run.ended_at is None for run in workspace.runs.all(operations.BASE))
        going_on = OPERATIONS[name]
        place = _place(folder, seed)
        place.workspace = workspace
        _GOES_ON.get(going_on, going_on)(place)
        look(workspace, "gone on with")
        if name.startswith(_COMPLETE):
            wrong += [
                f"{base.name} still waits" for base in workspace.bases.all() if workspace.pending.count(base.name)
            ]
            unused = "SELECT count(*) FROM vectors WHERE id NOT IN (SELECT vector FROM windows)"
            if workspace.store.database.value(unused):
                wrong.append("vectors are left that nothing uses")
    left = {file.name for file in (folder / "workspace").glob("chroma*")} - {"chroma.lock"}
    if left != {"chroma", "chroma.seal"}:
        wrong.append(f"closed, of the index there are {left}")
    return {"faults": wrong[:5], "reported": reported}


def _place(folder: Path, seed: int, ready: Callable[[], object] = lambda: None) -> operations.Place:
    return operations.Place(folder / "workspace", folder / "vault", Journal(folder / "journal"), seed, ready)
