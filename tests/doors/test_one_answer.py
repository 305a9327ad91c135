"""Whether the notes answer a question is one state in every door, on the page and in an evaluation."""

import json
from collections.abc import Iterator
from contextlib import suppress

import pytest
from starlette.applications import Starlette
from starlette.routing import Mount
from starlette.testclient import TestClient

from core.doors import cli
from core.doors.api import PLACE
from core.doors.api.guard import api
from core.doors.assistants.tools import knowledge_answer
from core.model import Pipeline, Question
from core.workspace import Workspace
from tests import samples

QUESTIONS = (
    *("what are backups worth?", "how often should I run pg_dump?", "什么是缓存雪崩？", "how do I restore a dump?"),
    *(
        "where are my backups stored?",
        "缓存和数据库怎么保持一致？",
        "how long does the bread rest?",
        "怎么恢复数据库？",
    ),
    *("who won the chess championship?", "去北京的火车几点开？", "zxqv blorptang 99817", "retry:forever?"),
)


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory, bundled: None) -> Iterator[Workspace]:
    folder = samples.write(tmp_path_factory.mktemp("state") / "vault")
    with Workspace(folder.with_name("workspace")) as workspace:
        workspace.imports.apply(workspace.imports.plan_folder(folder))
        workspace.set_program_access(True)
        yield workspace


def test_every_door_gives_the_same_state(workspace: Workspace, capsys: pytest.CaptureFixture[str]) -> None:
    served = Starlette(routes=[Mount(PLACE, api(lambda: workspace))])
    program = TestClient(served, headers={"Authorization": f"Bearer {workspace.access.token}"})
    asked = [Question(str(number), text, ()) for number, text in enumerate(QUESTIONS)]
    question_set = workspace.store.questions.add_set(workspace.bases.get("vault"), "states", asked)
    (run,) = workspace.runs.run(question_set, [Pipeline()])
    measured = {result.question: result.given for result in workspace.runs.results(run.id)}
    states = set()
    for text in QUESTIONS:
        answer = workspace.answers.ask(text)
        states.add(answer.answered)
        assert program.post(f"{PLACE}/v1/answer", json={"query": text}).json()["answered"] == answer.answered
        assert knowledge_answer(workspace, text).value["answered"] == answer.answered
        assert (given := measured[text])
        assert given.refused == (answer.answered == "no")
        assert bool(answer.quotes) == (answer.answered != "no")
        with suppress(SystemExit):
            cli.main(["ask", text, "--json", "--workspace", str(workspace.store.folder)])
        assert json.loads(capsys.readouterr().out)["answered"] == answer.answered
    assert states == {"yes", "possibly", "no"}
