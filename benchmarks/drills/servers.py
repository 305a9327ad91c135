"""The server of the search index is killed while notes are imported: does the base equal the index afterwards?

A real server of Chroma is killed with SIGKILL at a drawn moment and started again on its files, half of the time to be
killed again while the index is opened. Meanwhile one import follows another, and searches go on. At every second kill
the index is what answers; at the others the base is read exactly.
"""

import os
import random
import tempfile
import threading
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

from benchmarks.drills import sound, vault
from benchmarks.drills.given import Given
from benchmarks.drills.operations import BASE, MODELS
from benchmarks.drills.tally import Tally
from core.base.errors import TesseraError
from core.store.index import exact_search
from core.workspace import Workspace
from tests.chroma_server import ChromaServerProcess

EXACT, ANSWERS = "import, read exactly", "import, the index answers"
OPENING, END = "opening after a kill", "everything in the end"
_NOTES = 40
_PATIENCE = 30
"""Seconds until the index must be in use again."""
_WORKS, _AWAY, _OPENS = 0.6, 0.5, 0.3
"""Longest seconds until a kill, until the server is started again, until the opening is broken off."""


class Importing:
    """Imports in a thread, one after another, each of all notes in their next version."""

    def __init__(self, workspace: Workspace, folder: Path) -> None:
        self.faults: list[str] = []
        self._workspace, self._folder = workspace, folder
        self._first, self._ends = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._run)
        self._thread.start()
        self._first.wait()

    def end(self) -> None:
        """Wait for the end of the import that runs."""
        self._ends.set()
        self._thread.join()

    def _run(self) -> None:
        for version in count(1):
            for number in range(_NOTES):
                vault.write(self._folder, number, version)
            try:
                self._workspace.notes.apply(self._workspace.notes.plan_folder(self._folder, BASE))
            except Exception:  # noqa: BLE001 a thread has no caller to raise to
                self.faults.append(traceback.format_exc(limit=-3))
            self._first.set()
            if self._ends.is_set():
                return


def drill(tally: Tally, given: Given) -> None:
    """Kill the server `given.count` times."""
    settings = {"EMBEDDER": MODELS[0], "SEARCH__RERANKER": "none", "CHUNKING__STRATEGY": "lines"}
    os.environ |= {f"TESSERA_{name}": value for name, value in settings.items()}
    vault.offer_model()
    chance = random.Random(given.seed)
    with tempfile.TemporaryDirectory() as scratch, _serving(Path(scratch)) as server:
        place = Path(scratch)
        with Workspace(place / "workspace") as workspace:
            workspace.store.open_index()
            importing = Importing(workspace, place / "vault")
            try:
                while tally.total.tried < given.count and given.goes_on:
                    _kill(tally, workspace, server, chance)
            finally:
                importing.end()
            _open(workspace)
            wrong = [*importing.faults, *_lacking(workspace, place / "vault"), *sound.faults(workspace)]
        with Workspace(place / "workspace") as workspace:
            workspace.store.open_index()
            wrong += [f"opened again: {fault}" for fault in sound.faults(workspace)]
        tally.count(END, lost="; ".join(wrong))


def _kill(tally: Tally, workspace: Workspace, server: ChromaServerProcess, chance: random.Random) -> None:
    """Kill the server, maybe again while the index is opened; then the index must hold what the database holds."""
    number, store = tally.total.tried, workspace.store
    kinds, told, died, wrong = [(EXACT, ANSWERS)[number % 2]], False, "", list[str]()
    with _budget(0 if kinds[0] == ANSWERS else exact_search.BUDGET):
        time.sleep(_WORKS * chance.random())
        server.kill()
        try:
            with store.changing:  # the notes stay as they are while they are searched for
                wrong += [f"away: {fault}" for fault in sound.of_searches(workspace)]
            time.sleep(_AWAY * chance.random())
            told = store.index.problem is not None
            server.start()
            if told and chance.random() < 0.5:
                kinds.append(OPENING)
                opening = threading.Thread(target=store.open_index)
                opening.start()
                time.sleep(_OPENS * chance.random())
                server.kill()
                opening.join()
                server.start()
            _open(workspace)
            with store.changing:
                wrong += sound.faults(workspace)
        except TesseraError:
            died = traceback.format_exc(limit=-3)
    for kind in kinds:
        tally.count(kind, told=told, died=died and f"kill {number}: {died}", lost="; ".join(wrong))


def _open(workspace: Workspace) -> None:
    """Open the index as the app does, which tries again and again: an import may be opening it at the same time."""
    until = time.monotonic() + _PATIENCE
    while not workspace.store.index.ready and time.monotonic() < until:
        workspace.store.open_index()
        time.sleep(0.05)


def _lacking(workspace: Workspace, folder: Path) -> Iterator[str]:
    """Yield what of the notes in a folder the base doesn't have."""
    bodies = (workspace.store.notes.note(card.id).body for card in workspace.notes.all())
    held = dict(vault.token(body) or (-1, -1) for body in bodies)
    if held != vault.versions(folder):
        yield f"the notes are {held}, the files {vault.versions(folder)}"
    if waiting := workspace.chunks.pending(BASE):
        yield f"{waiting} chunks wait"


@contextmanager
def _serving(place: Path) -> Iterator[ChromaServerProcess]:
    server = ChromaServerProcess(place / "server")
    server.start()
    os.environ["TESSERA_INDEX__URL"] = server.url
    try:
        yield server
    finally:
        server.kill()


@contextmanager
def _budget(size: int) -> Iterator[None]:
    """Have bases of at most so many bytes answered without the index."""
    before, exact_search.BUDGET = exact_search.BUDGET, size
    try:
        yield
    finally:
        exact_search.BUDGET = before
