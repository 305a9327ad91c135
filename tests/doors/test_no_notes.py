"""A question to a workspace without notes: each door says how to bring some, not that they don't answer."""

from contextlib import suppress
from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.routing import Mount
from starlette.testclient import TestClient

from core.doors import cli
from core.doors.api import PLACE
from core.doors.api.server import api
from core.doors.assistants.searches import knowledge_answer
from core.model import NO_NOTES, REFUSED
from core.workspace import Workspace


def test_a_question_without_notes_says_how_to_bring_some(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TESSERA_EMBEDDER", "tfidf")
    place = tmp_path / "workspace"
    with Workspace(place) as workspace:
        assert workspace.answers.ask("where is the key?").explanation == NO_NOTES
        assert knowledge_answer(workspace, "where is the key?").remarks[-1] == str(NO_NOTES)
        workspace.set_program_access(True)
        served = Starlette(routes=[Mount(PLACE, api(lambda: workspace))])
        program = TestClient(served, headers={"Authorization": f"Bearer {workspace.access.token}"})
        answer = program.post(f"{PLACE}/v1/answer", json={"query": "where is the key?"}).json()
        assert (answer["explanation"], answer["refused"]) == (str(NO_NOTES), True)
    with suppress(SystemExit):
        cli.main(["ask", "where is the key?", "--workspace", str(place)])
    assert capsys.readouterr().out.strip() == str(NO_NOTES)
    with Workspace(place) as workspace:
        workspace.bases.add("work")
        workspace.notes.add("work", "The garden needs water.", path="a.md")
        assert workspace.answers.ask("where is the key?").explanation == REFUSED
