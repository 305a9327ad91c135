"""A model server that gives no answer: each door answers by words, with a notice, and nothing waits for it again."""

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from core import embedding
from core.base.errors import ProviderUnavailable
from core.doors.assistants import server as assistants
from core.indexing import models
from core.model import NOTICES
from core.workspace import Workspace
from tests.doors.programs import Doors
from tests.model_server import Answer, ModelServer
from tests.waiting import wait_until

QUESTION = "what is a cache in memory"
NOTE = "Redis"
SAID = {"model_away", str(NOTICES["model_away"])}


@pytest.fixture(scope="module")
def server() -> Iterator[ModelServer]:
    with pytest.MonkeyPatch.context() as patch, ModelServer() as server:
        patch.setattr(embedding.EMBEDDERS, "_built", {})
        for name, value in {"BASE_URL": server.url, "MODEL": "m", "RETRIES": "1"}.items():
            patch.setenv(f"TESSERA_EMBEDDINGS__{name}", value)
        patch.setenv("TESSERA_EMBEDDER", "openai_compatible")
        yield server


@pytest.fixture(scope="module")
def workspace(server: ModelServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    with Workspace(tmp_path_factory.mktemp("away")) as opened:
        opened.notes.add("notes", "A cache keeps data in memory.", title=NOTE)
        opened.notes.add("notes", "Green tea is steeped for two minutes.", title="Tea")
        opened.set_program_access(True)
        assert opened.search(QUESTION).mode == "hybrid"
        yield opened


def test_it_is_asked_again_now_and_then(
    workspace: Workspace, server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.answers += [Answer(status=503)] * 2
    assert workspace.search("cache memory").notices == ("model_away",)
    asked = len(server.requests)
    assert workspace.search("tea minutes").notices == ("model_away",)
    assert len(server.requests) == asked
    monkeypatch.setattr(models, "_REST_SECONDS", 0.0)
    workspace.models.set_away("openai_compatible")
    wait_until(lambda: workspace.search("tea minutes").mode == "hybrid")
    assert "model_away" not in workspace.search("cache memory").notices


def test_a_measured_run_is_not_of_words_alone(workspace: Workspace, server: ModelServer) -> None:
    server.answers += [Answer(status=503)] * 2
    searching = workspace.runs._searching_of(workspace.store)
    with pytest.raises(ProviderUnavailable):
        searching.answer(searching.prepare(QUESTION, {}))


@pytest.fixture(scope="module")
def doors(workspace: Workspace, server: ModelServer) -> Doors:
    """The doors of the workspace, once its server is gone."""
    server.__exit__(None, None, None)
    return Doors(workspace)


LIBRARY: dict[str, Callable[[Workspace], Any]] = {
    "search": lambda workspace: workspace.search(QUESTION),
    "by meaning": lambda workspace: workspace.search(QUESTION, mode="semantic"),
    "context": lambda workspace: workspace.context(QUESTION),
    "retrieve": lambda workspace: workspace.retrieve(QUESTION, {}),
    "answer": lambda workspace: workspace.answers.ask(QUESTION).result,
}
COMMANDS = (["search"], ["search", "--context"], ["retrieve"], ["ask"])
PATHS = (
    "/v1/search",
    "/v1/context",
    "/v1/retrieve",
    "/v1/answer",
    "/notes/search/complex",
    "/notes/search/semantic",
)
TOOLS = (
    "knowledge_query",
    "knowledge_semantic_search",
    "knowledge_context",
    "knowledge_answer",
    "knowledge_retrieve",
)


def check(answer: object) -> None:
    text = json.dumps(answer, ensure_ascii=False)
    assert NOTE in text
    assert any(said in text for said in SAID), text


@pytest.mark.parametrize("name", LIBRARY)
def test_the_library_answers_by_words(workspace: Workspace, doors: Doors, name: str) -> None:
    result = LIBRARY[name](workspace)
    assert "model_away" in result.notices
    assert NOTE in repr(result)


@pytest.mark.parametrize("path", PATHS)
def test_http_answers_by_words(doors: Doors, path: str) -> None:
    check(doors.http("POST", path, json={"query": QUESTION}))


@pytest.mark.parametrize("name", TOOLS)
def test_a_tool_answers_by_words(workspace: Workspace, doors: Doors, name: str) -> None:
    base = {"knowledge_base": "notes"} if name in TOOLS[:2] else {}
    result: Any = assistants.run(lambda: workspace, name, {"query": QUESTION, **base})
    check([not result.is_error, [part.text for part in result.content]])


@pytest.mark.parametrize("command", COMMANDS, ids=str)
def test_a_command_answers_by_words(doors: Doors, command: list[str]) -> None:
    check(doors.command(*command, QUESTION))
