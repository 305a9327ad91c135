from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.routing import Mount
from starlette.testclient import TestClient

from core.base.registry import Entry
from core.doors.api import PLACE
from core.doors.api.guard import api
from core.embedding import EMBEDDERS
from core.workspace import Workspace
from tests import samples


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Workspace]:
    """A workspace with the sample notes in the base `vault`, open to programs, and an embedder without a model."""
    monkeypatch.setitem(EMBEDDERS, "words", Entry("tests.fakes:WordLengths"))
    monkeypatch.setenv("TESSERA_EMBEDDER", "words")
    monkeypatch.setenv("TESSERA_SEARCH__RERANKER", "none")
    with Workspace(tmp_path / "workspace") as opened:
        opened.imports.apply(opened.imports.plan_folder(samples.write(tmp_path / "vault")))
        opened.set_program_access(True)
        yield opened


@pytest.fixture
def stranger(workspace: Workspace) -> TestClient:
    """A program that shows no token."""
    served = Starlette(routes=[Mount(PLACE, api(lambda: workspace))])
    return TestClient(served, raise_server_exceptions=False)


@pytest.fixture
def program(stranger: TestClient, workspace: Workspace) -> TestClient:
    """A program that shows the person's token."""
    stranger.headers["Authorization"] = f"Bearer {workspace.access.token}"
    return stranger


@pytest.fixture
def note(workspace: Workspace) -> str:
    """The id of a note that was written in the base `desk`, which doesn't trust programs."""
    return workspace.notes.add("desk", "# Heron\n\nIt stands in the water.\n", author="person").id
