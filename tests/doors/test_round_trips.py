"""The result of an operation that the open app runs for a command arrives there as it was."""

from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from core.base.codec import encode
from core.doors import remote as wire
from core.doors.registry import OPERATIONS
from core.operations.declaring import PERSON
from core.settings.sections import LlmSettings
from core.workspace import Workspace
from tests import samples
from tests.model_server import ModelServer, sentence, stream

pytestmark = pytest.mark.usefixtures("bundled")

QUESTION = {"query": "what are backups worth?"}
QUOTE = "Backups are only worth what their last restore proved."
THREAD = {"thread": ""}
RESULTS = {
    "search.find": {"query": "restore of backups", "explain": True, "filters": ["after:2001-02-03"]},
    "search.find broad": {"query": "compare backups and connection pools", "level": "exploratory"},
    "search.context": QUESTION,
    "search.retrieve": QUESTION,
    "search.why_not": QUESTION | {"note": "backups.md"},
    "answer.ask": QUESTION,
    "answer.ask refused": {"query": "zxqv blorptang 99817"},
    "answer.ask with a model": QUESTION | {"with_model": True},
    "thread.list": {},
    "thread.ask": QUESTION,
    "thread.show": THREAD,
    "thread.keep": THREAD,
    "thread.delete": THREAD,
}


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    folder = tmp_path_factory.mktemp("round_trips")
    with Workspace(folder / "workspace") as opened, ModelServer() as server:
        opened.imports.apply(opened.imports.plan_folder(samples.write(folder / "vault")))
        opened.settings.llm = LlmSettings(base_url=server.url, model="scripted", retries=0)
        proven, unproven = sentence("They are only worth their last restore.", (1, QUOTE)), sentence("So says 1999.")
        server.answers += [stream(f"{proven}\n{unproven}\n")] * 6
        yield opened


@pytest.mark.parametrize("name", RESULTS)
def test_a_result_is_equal_after_its_way_as_json(workspace: Workspace, name: str) -> None:
    operation = OPERATIONS[name.partition(" ")[0]]
    result = operation.run(workspace, PERSON, _arguments(workspace, RESULTS[name]))
    _, value = wire.read(wire.line("answer", encode(result)))
    assert operation.decode(value) == result
    assert encode(result).keys() == operation.answer.__annotations__.keys()


def _arguments(workspace: Workspace, given: Mapping[str, Any]) -> dict[str, Any]:
    if "thread" not in given:
        return dict(given)
    threads = workspace.threads.all()
    return {"thread": threads[0].id if threads else workspace.threads.answer(QUESTION["query"]).id}
