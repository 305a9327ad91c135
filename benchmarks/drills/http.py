"""HTTP: `--count` requests in all by the API's own schema; none is answered with 500, none that is refused writes.

Every operation in turn gets requests that its schema allows and requests that it doesn't; half of the names and ids in
them are those of bases, notes and chunks that are there. After each turn come as many requests of the shapes of
`doors`, at the whole front door. `told` counts the refusals, each of the API a problem with a sentence. `lost` is a
refused request after which the database or the files of the workspace differ, and an answer that the door forbids.
"""

import hashlib
import os
import shutil
import sqlite3
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from random import Random
from typing import Any

import hypothesis
import schemathesis
from hypothesis import HealthCheck, Phase, strategies
from hypothesis.strategies import SearchStrategy
from schemathesis.generation import GenerationMode
from schemathesis.generation.case import Case
from schemathesis.python.asgi import ASGIClient, get_client

from benchmarks.drills.doors import Doors
from benchmarks.drills.given import Given
from benchmarks.drills.tally import Tally
from core.doors.api.answers import PROBLEM
from core.doors.api.server import api
from core.workspace import Workspace

PER_TURN = 4
"""Requests of one kind to an operation before the next one has its turn."""
_BASE = "fuzz"
_HOME = "http://127.0.0.1:8501"
_IGNORED = ("notes.db", "notes.db-wal", "notes.db-shm", "logs", "chroma")
"""What changes in the folder of a workspace without a write."""
_PATHS = ("folder", "source")
"""Parameters that are paths: no other folder of this machine is read."""


class Bench:
    """A workspace with some notes, the API in front of it, and a client with its token."""

    def __init__(self, workspace: Workspace, vault: Path) -> None:
        self.workspace, self._vault = workspace, vault
        self.app = api(lambda: workspace, programs_only=True)
        self.client: ASGIClient = get_client(self.app)
        self.client.headers["Authorization"] = f"Bearer {workspace.access.token}"
        self._folder = workspace.status().folder
        self._connection = sqlite3.connect(self._folder / "notes.db", check_same_thread=False)
        self._digested = 0, ""
        self.fill()
        workspace.search("warm")  # the first search writes the workspace's file of synonyms

    def fill(self) -> None:
        """Give the workspace its notes again, where requests deleted them."""
        if _BASE not in {base.name for base in self.workspace.bases.all()}:
            self.workspace.bases.add(_BASE, embed_at_once=False)
        if not self.workspace.notes.all(self.workspace.searching.filters(bases=[_BASE])):
            self.workspace.notes.apply(self.workspace.notes.plan_folder(self._vault, _BASE), embed=False)

    def known(self) -> dict[str, list[str]]:
        """Return what is there, by the names of parameters."""
        workspace = self.workspace
        bases = [base.name for base in workspace.bases.all()]
        notes = [card.id for card in workspace.notes.all()]
        chunks = [chunk.id for note in notes[:3] for chunk in workspace.chunks.all(note)]
        sets = [one.id for base in bases for one in workspace.question_sets.all(base)]
        runs = [run.id for base in bases for run in workspace.runs.all(base)]
        jobs = [f"{job.name}-{job.number}" for job in workspace.jobs.all()]
        packs = [pack.name for pack in workspace.status().packs]
        return {
            **dict.fromkeys(("base", "bases", "knowledge_base"), bases),
            **dict.fromkeys(("note", "notes", "doc_id"), notes),
            **dict.fromkeys(("chunk", "chunks", "chunk_ids", "others"), chunks),
            **{"question_set": sets, "run": runs, "job": jobs, "pack": packs},
            **{"folder": [str(self._vault), "nowhere"], "source": ["sample", "nowhere"]},
        }

    def settle(self) -> None:
        """Wait until no job runs."""
        for job in self.workspace.jobs.all():
            self.workspace.jobs.wait(job.name)

    def state(self) -> tuple[str, ...]:
        """Return a digest of the database, and the names and sizes of the workspace's other files."""
        commits = self._connection.execute("PRAGMA data_version").fetchone()[0]
        if self._digested[0] != commits:
            self._digested = commits, self._digest()
        return self._digested[1], *self._files()

    def _files(self) -> Iterator[str]:
        folder = self._folder
        for path in sorted(folder.rglob("*")):
            if path.is_file() and not {*path.relative_to(folder).parts} & {*_IGNORED}:
                yield f"{path} {path.stat().st_size}"

    def _digest(self) -> str:
        digest = hashlib.sha256()
        for line in self._connection.iterdump():
            digest.update(line.encode("utf-8", "surrogatepass"))
        return digest.hexdigest()


def drill(tally: Tally, given: Given) -> None:
    """Send requests until there were `count`, or until the deadline."""
    with _bench(given.vault) as (bench, doors):
        kinds, random = _kinds(bench), Random(given.seed)
        turn = 0
        while tally.total.tried < given.count and given.goes_on:
            most = min(PER_TURN, given.count - tally.total.tried)
            _send(tally, bench, kinds[turn % len(kinds)], most, given.seed * 1_000_000 + turn)
            for _ in range(min(PER_TURN, given.count - tally.total.tried)):
                _knock(tally, bench, doors, random)
            turn += 1
            print(f"\r{tally.total.tried} of {given.count}", end="", file=sys.stderr, flush=True)


def _kinds(bench: Bench) -> list[SearchStrategy[Case]]:
    """Return what makes the right requests to each operation, then what makes the wrong ones."""
    schema = schemathesis.openapi.from_dict(bench.client.get("/openapi.json").json())
    schema.app = bench.app
    operations = [operation.ok() for operation in schema.get_all_operations()]
    modes = (GenerationMode.POSITIVE, GenerationMode.NEGATIVE)
    return [operation.as_strategy(mode) for mode in modes for operation in operations]


def _send(tally: Tally, bench: Bench, kind: SearchStrategy[Case], most: int, seed: int) -> None:
    """Send some requests of one kind to an operation."""

    @hypothesis.seed(seed)
    @hypothesis.settings(
        max_examples=most,
        phases=[Phase.generate],
        database=None,
        deadline=None,
        suppress_health_check=[*HealthCheck],
    )
    @hypothesis.given(case=kind, choice=strategies.integers(0, 2**32))
    def send(case: Case, choice: int) -> None:
        random = Random(choice)
        known = bench.known()
        for values in (case.path_parameters, case.query, case.body):
            _name_what_is_there(values, known, random)
        _attempt(tally, bench, case)

    with suppress(hypothesis.errors.Unsatisfiable):  # an operation without parameters can't be asked wrongly
        send()


def _attempt(tally: Tally, bench: Bench, case: Case) -> None:
    bench.settle()
    bench.fill()
    kind = f"{case.method} {case.operation.path}"
    before = bench.state()
    try:
        answer = case.call(base_url=_HOME, session=bench.client, **_as_notes(case.body))
    except Exception as error:  # noqa: BLE001 this is what the drill looks for
        tally.count(kind, died=f"{type(error).__name__}: {error}"[:300])
        return
    refused = answer.status_code >= 400
    told = refused and answer.headers.get("content-type") == [PROBLEM] and bool(answer.json()["detail"])
    again = f"{answer.status_code}: {case.as_curl_command()}"[:1000]
    died = again if answer.status_code == 500 or refused != told else ""
    lost = again if refused and bench.state() != before else ""
    tally.count(kind, told=told, died=died, lost=lost)


def _knock(tally: Tally, bench: Bench, doors: Doors, random: Random) -> None:
    bench.settle()
    try:
        kind, got = doors.attempt(random)
    except Exception as error:  # noqa: BLE001 this is what the drill looks for
        tally.count("the front door", died=f"{type(error).__name__}: {error}"[:300])
        return
    tally.count(kind, told=got.status >= 400, died=got.wrong if got.status >= 500 else "", lost=got.wrong)


def _as_notes(body: object) -> dict[str, Any]:
    """Return an upload's files under names of notes, which the schema can't tell; nothing for other requests."""
    match body:
        case {"base": str(base), "file": [*texts]} if texts and all(isinstance(text, str) for text in texts):
            files = [(f"{number}.md", text.encode("utf-8", "surrogatepass")) for number, text in enumerate(texts)]
            return {"data": {"base": base}, "files": [("file", file) for file in files]}
    return {}


def _name_what_is_there(values: object, known: Mapping[str, list[str]], random: Random) -> None:
    """Replace about half of the names and ids in a request's values by those of things that are there."""
    if not isinstance(values, dict):
        return
    for name, value in values.items():
        if known.get(name) and random.random() < (1 if name in _PATHS else 0.5):
            there = random.choice(known[name])
            values[name] = [there] if isinstance(value, list) else there
        else:
            _name_what_is_there(value, known, random)


@contextmanager
def _bench(vault: Path) -> Iterator[tuple[Bench, Doors]]:
    """A bench and its front door in a folder of its own, which is the current one, so that no path leads elsewhere."""
    folder, vault, before = Path(tempfile.mkdtemp(prefix="tessera-http-")), vault.resolve(), Path.cwd()
    os.chdir(folder)
    try:
        with Workspace(folder / "workspace") as workspace:
            doors = Doors(workspace, folder)
            with closing(doors):
                yield Bench(workspace, vault), doors
    finally:
        os.chdir(before)
        shutil.rmtree(folder)
