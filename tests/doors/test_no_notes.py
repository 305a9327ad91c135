"""A question to a workspace without notes: each door says how to bring some, not that they don't answer."""

from contextlib import suppress
from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.routing import Mount
from starlette.testclient import TestClient

from core.doors import cli
from core.doors.api import PLACE
from core.doors.api.guard import api
from core.doors.assistants.tools import knowledge_answer, knowledge_context
from core.model import DENIED, NO_NOTES, NOTICES
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
        assert (answer["explanation"], answer["answered"]) == (str(NO_NOTES), "no")
        asked = {"query": "where is the key?"}
        assert program.post(f"{PLACE}/v1/search", json=asked).json()["notices"] == ["no_notes"]
        assert program.post(f"{PLACE}/notes/search/complex", json=asked).json()["notices"] == ["no_notes"]
        assert program.post(f"{PLACE}/v1/context", json=asked).json()["notices"] == ["no_notes"]
        assert NOTICES[workspace.search("where is the key?").notices[-1]] == NO_NOTES
        assert knowledge_context(workspace, "where is the key?").remarks[-1] == str(NO_NOTES)
    with suppress(SystemExit):
        cli.main(["ask", "where is the key?", "--workspace", str(place)])
    assert capsys.readouterr().out.strip() == str(NO_NOTES)
    for options in ([], ["--context"]):
        with suppress(SystemExit):
            cli.main(["search", "where is the key?", *options, "--workspace", str(place)])
        printed = capsys.readouterr().out
        assert str(NO_NOTES) in printed
        assert "nearest" not in printed
    with Workspace(place) as workspace:
        workspace.bases.add("work")
        workspace.notes.add("work", "The garden needs water.", path="a.md")
        assert workspace.answers.ask("where is the key?").explanation == DENIED
