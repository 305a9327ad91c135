"""An answer of a language model over HTTP: whole, or as it is written, until the caller goes."""

import asyncio
import json
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from starlette.testclient import TestClient

from core.doors.api import PLACE
from core.doors.api.app import _events
from core.settings.sections import LlmSettings
from core.workspace import Workspace
from tests.model_server import Answer, ModelServer, sentence, stream
from tests.waiting import PATIENCE

QUESTION = "what are backups worth?"
QUOTE = "Backups are only worth what their last restore proved."
LINES = (
    sentence("They are only worth their last restore.", (1, QUOTE)),
    sentence("They cost 900 dollars.", (1, QUOTE)),
)


@pytest.fixture
def model(workspace: Workspace) -> Iterator[ModelServer]:
    with ModelServer() as server:
        workspace.settings.llm = LlmSettings(base_url=server.url, model="scripted", retries=0)
        yield server


def followed(program: TestClient, **given: Any) -> list[dict[str, Any]]:
    with program.stream("POST", f"{PLACE}/v1/answer/events", json={"query": QUESTION, **given}) as answer:
        assert answer.status_code == 200, answer.read()
        assert answer.headers["content-type"].startswith("text/event-stream")
        return [json.loads(line[6:]) for line in answer.iter_lines() if line]


def first_passage(model: ModelServer, program: TestClient) -> None:
    """Let the passage with the quote be the first that the model is sent, whatever the other ones are."""
    program.post(f"{PLACE}/v1/answer", json={"query": QUESTION, "with_model": True})
    passages = json.loads(model.requests[-1].body["messages"][1]["content"])["passages"]
    number = next(one["number"] for one in passages if QUOTE in one["text"])
    model.answers.append(stream("\n".join(LINES).replace('"passage": 1', f'"passage": {number}') + "\n"))


def test_an_answer_comes_whole_with_its_citations(model: ModelServer, program: TestClient) -> None:
    first_passage(model, program)
    answer = program.post(f"{PLACE}/v1/answer", json={"query": QUESTION, "with_model": True}).json()
    cited, uncited = answer["sentences"]
    assert answer["answer"] == "They are only worth their last restore. [1]"
    assert (cited["citations"], cited["explanation"]) == ([1], None)
    assert (uncited["citations"], uncited["explanation"]) == ([], "The quotes don't mention 900 dollars.")
    (citation,) = answer["citations"]
    note = program.get(f"{PLACE}/v1/notes/{citation['note_id']}").json()
    assert note["body"][citation["start"] : citation["end"]] == citation["quote"] == QUOTE
    assert answer["writing"]["model"] == "scripted"
    assert json.loads(answer["writing"]["material"])["question"] == QUESTION


def test_events_tell_each_sentence_and_at_last_the_whole(model: ModelServer, program: TestClient) -> None:
    first_passage(model, program)
    *sentences, last = followed(program)
    assert [one["sentence"]["text"] for one in sentences] == [json.loads(line)["sentence"] for line in LINES]
    assert [len(one["sentence"]["sources"]) for one in sentences] == [1, 0]
    assert last["answer"]["answer"] == "They are only worth their last restore. [1]"


def test_what_fails_is_told(model: ModelServer, program: TestClient, workspace: Workspace) -> None:
    model.answers.append(Answer({"error": {"message": "out of memory"}}, 500))
    (last,) = followed(program)
    assert "out of memory" in last["answer"]["explanation"]
    assert last["answer"]["sentences"]  # those that the notes give alone
    refused = program.post(f"{PLACE}/v1/answer/events", json={"query": QUESTION, "bases": ["none"]})
    assert refused.status_code == 422
    workspace.settings.llm = LlmSettings()
    refused = program.post(f"{PLACE}/v1/answer/events", json={"query": QUESTION})
    assert "No model server is set up" in refused.json()["detail"]


def test_where_the_caller_goes_the_model_stops(model: ModelServer, workspace: Workspace) -> None:
    model.answers.append(stream(LINES[1] + "\n", *["\n"] * 50, between=PATIENCE))
    stop = threading.Event()
    answers = workspace.answers.write(QUESTION, stop=stop.is_set)
    ended = threading.Event()

    def noted() -> Iterator[Any]:
        yield from answers
        ended.set()

    async def leave() -> None:
        events = _events(workspace, next(answers), noted(), stop, "en")
        assert b"900 dollars" in await anext(events)
        await events.aclose()  # as the server does where a connection is closed

    asyncio.run(leave())
    assert stop.is_set()
    assert ended.wait(60)
