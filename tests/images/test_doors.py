"""Pictures through the command line, HTTP, the tools of assistants and the pages."""

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from core.doors import cli
from core.doors.api import PLACE
from core.doors.assistants import server
from core.workspace import Workspace
from tests.doors.programs import connected
from tests.images.test_images import sync, vault

__all__ = ["vault"]
RED = "the photo of something red"


@pytest.fixture
def seen(workspace: Workspace, vault: Path) -> Workspace:
    sync(workspace, vault)
    workspace.set_program_access(True)
    return workspace


def command(workspace: Workspace, *arguments: str) -> str:
    done = CliRunner().invoke(cli.app, [*arguments, "--workspace", str(workspace.store.folder)])
    assert done.exit_code == 0, done.output
    return done.stdout


def test_a_command_finds_pictures(seen: Workspace) -> None:
    assert command(seen, "search", RED).split("Pictures:\n")[1].splitlines()[:2] == [
        "1. Evening",
        "   vault: sunset.md, picture red.png",
    ]
    (first, *_) = json.loads(command(seen, "search", "like:red.png", "--json"))["pictures"]
    assert (first["kind"], first["path"], first["picture"]) == ("picture", "trip/sea.md", "purple.png")


def test_a_command_looks_at_pictures(workspace: Workspace, vault: Path) -> None:
    workspace.imports.apply(workspace.imports.plan_folder(vault, "vault"), confirmed=True)
    workspace.close()
    assert command(workspace, "document", "index-pictures") == "3 pictures recognised\n"
    assert "picture red.png" in command(workspace, "search", RED)


def test_programs_find_pictures(seen: Workspace, vault: Path) -> None:
    program = connected(seen)
    for path in ("search", "retrieve"):
        (first, *_) = program.post(f"{PLACE}/v1/{path}", json={"query": RED}).json()["pictures"]
        assert (first["kind"], first["title"], first["picture"]) == ("picture", "Evening", "red.png")
        assert (vault / "sunset.md").read_text()[: first["file_start"]].endswith("![[red.png]]")
    answer = program.post(f"{PLACE}/v1/search", json={"query": "like:nowhere"})
    assert answer.status_code == 422
    assert "nowhere" in answer.text
    assert program.post(f"{PLACE}/v1/pictures/index", json={}).status_code == 202
    seen.jobs.wait("images")


@pytest.mark.parametrize("tool", ["knowledge_query", "knowledge_semantic_search", "knowledge_retrieve"])
def test_assistants_find_pictures(seen: Workspace, tool: str) -> None:
    base: dict[str, Any] = {} if tool == "knowledge_retrieve" else {"knowledge_base": "vault"}
    result: Any = server.run(lambda: seen, tool, {"query": "has:image like:red.png", **base})
    assert not result.is_error, result.content[0].text
    (first, *_) = result.structured_content["result"]
    assert (first["kind"], first["source"], first["picture"]) == ("picture", "trip/sea.md", "purple.png")
    assert not any("hardly answer" in part.text for part in result.content)
