"""Requests made from the API's own schema, right ones and wrong ones: none fails, none that is refused writes.

`OPERATIONS=100 pytest tests/api/test_schema.py` asks more operations than the suite does.
"""

import os
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path
from random import Random
from typing import Any

import hypothesis
import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, strategies
from hypothesis.strategies import SearchStrategy
from schemathesis.generation import GenerationMode
from schemathesis.generation.case import Case
from schemathesis.python.asgi import ASGIClient, get_client

from core.doors.api.guard import api
from core.doors.api.responses import PROBLEM
from core.workspace import Workspace

_HOME = "http://127.0.0.1:8501"
_OPERATIONS = int(os.environ.get("OPERATIONS", "12"))
"""How many operations are asked, drawn at random."""
_IGNORED = {"notes.db", "notes.db-wal", "notes.db-shm", "logs", "chroma", "temporary"}
"""What changes in the folder of a workspace without a write."""
_PATHS = ("folder", "source")
"""Parameters that are paths: no other folder of this machine is read."""


@pytest.fixture
def client(workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ASGIClient:
    monkeypatch.chdir(tmp_path)  # no path points elsewhere
    client = get_client(api(lambda: workspace, programs_only=True))
    client.headers["Authorization"] = f"Bearer {workspace.access.token}"
    workspace.search("warm")  # the first search writes the workspace's file of synonyms
    return client


@pytest.mark.parametrize("mode", [GenerationMode.POSITIVE, GenerationMode.NEGATIVE])
def test_requests_by_the_schema_are_answered_or_refused_without_a_write(
    workspace: Workspace, client: ASGIClient, tmp_path: Path, mode: GenerationMode
) -> None:
    schema = schemathesis.openapi.from_dict(client.get("/openapi.json").json())
    schema.app = client.app
    operations = [operation.ok() for operation in schema.get_all_operations()]
    fallible = [operation for operation in operations if operation.query or operation.body]
    for operation in Random(1).sample(fallible, min(_OPERATIONS, len(fallible))):
        for case in _cases(operation.as_strategy(mode), workspace, tmp_path / "vault"):
            before = _state(workspace)
            answer = case.call(base_url=_HOME, session=client, **_files_of(case.body))
            again = f"{answer.status_code}: {case.as_curl_command()}"[:1000]
            assert answer.status_code != 500, again
            if answer.status_code >= 400:
                assert answer.headers["content-type"] == [PROBLEM], again
                assert answer.json()["detail"], again
                assert _state(workspace) == before, again


def _cases(kind: SearchStrategy[Case], workspace: Workspace, vault: Path) -> Iterator[Case]:
    """Yield a request to an operation, the same at every run."""
    made: list[tuple[Case, int]] = []

    @hypothesis.seed(1)
    @hypothesis.settings(
        max_examples=1, phases=[Phase.generate], database=None, deadline=None, suppress_health_check=[*HealthCheck]
    )
    @hypothesis.given(case=kind, choice=strategies.integers(0, 2**32))
    def make(case: Case, choice: int) -> None:
        made.append((case, choice))

    make()
    for case, choice in made:
        for job in workspace.jobs.all():
            workspace.jobs.wait(job.name)
        if not workspace.notes.all():
            workspace.imports.apply(workspace.imports.plan_folder(vault), embed=False)
        for values in (case.path_parameters, case.query, case.body):
            _use_names(values, _names(workspace, vault), Random(choice))
        yield case


def _names(workspace: Workspace, vault: Path) -> dict[str, list[str]]:
    """Return names and ids of what is there, by the names of parameters."""
    bases = [base.name for base in workspace.bases.all()]
    notes = [card.id for card in workspace.notes.all()]
    chunks = [chunk.id for note in notes[:3] for chunk in workspace.chunks.all(note)]
    return {
        **dict.fromkeys(("base", "bases", "knowledge_base"), bases),
        **dict.fromkeys(("note", "notes", "doc_id"), notes),
        **dict.fromkeys(("chunk", "chunks", "chunk_ids", "others"), chunks),
        "question_set": [questions.id for base in bases for questions in workspace.question_sets.all(base)],
        "run": [run.id for base in bases for run in workspace.runs.all(base)],
        "job": [f"{job.name}-{job.number}" for job in workspace.jobs.all()],
        "pack": [pack.name for pack in workspace.status().packs],
        "folder": [str(vault), "nowhere"],
        "source": ["sample", "nowhere"],
    }


def _use_names(values: object, names: Mapping[str, list[str]], random: Random) -> None:
    """Replace about half of the names and ids in a request's values by those of things that are there."""
    if not isinstance(values, dict):
        return
    for name, value in values.items():
        if names.get(name) and random.random() < (1 if name in _PATHS else 0.5):
            there = random.choice(names[name])
            values[name] = [there] if isinstance(value, list) else there
        else:
            _use_names(value, names, random)


def _files_of(body: object) -> dict[str, Any]:
    """Return an upload's files under names of notes, which the schema can't tell; nothing for other requests."""
    match body:
        case {"base": str(base), "file": [*texts]} if texts and all(isinstance(text, str) for text in texts):
            files = [(f"{number}.md", text.encode("utf-8", "surrogatepass")) for number, text in enumerate(texts)]
            return {"data": {"base": base}, "files": [("file", file) for file in files]}
    return {}


def _state(workspace: Workspace) -> tuple[list[str], list[tuple[str, int]]]:
    """Return what the database holds, and the sizes of the workspace's other files."""
    folder = workspace.status().folder
    with closing(sqlite3.connect(folder / "notes.db")) as database:
        held = [*database.iterdump()]
    files = [path for path in sorted(folder.rglob("*")) if not {*path.relative_to(folder).parts} & _IGNORED]
    return held, [(str(path), path.stat().st_size) for path in files if path.is_file()]
