"""Every text that is searched for has a limit, which is told at every door, at once."""

import json
import re
from collections.abc import Callable, Iterator
from itertools import count
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.routing import Mount
from starlette.testclient import TestClient

from core.base.errors import QueryError, QuestionSetError
from core.doors import cli
from core.doors.api import PLACE
from core.doors.api.guard import api
from core.doors.assistants import server
from core.model import Question, limits
from core.workspace import Workspace
from tests.growth import count_calls

LONG = "Some 文 of a Zebra. " * 10_000
NUMBERS = count()
CALLS = 100_000
"""Calls of functions, at most, until a text is refused; without the limits it is read, which takes many more."""
TOLD = r"limit (?:for an exact search )?is [\d,]+|at most [\d,]+"


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TESSERA_SEARCH__RERANKER", "none")
        with Workspace(tmp_path_factory.getbasetemp() / "limits") as opened:
            opened.bases.add("plain", kind="literal")
            opened.notes.add("plain", f"# Zebra\n\n{LONG}", title="Zebra")
            opened.set_program_access(True)
            opened.search("zebra")
            yield opened


def filters(**chosen: Any) -> Callable[[Workspace], Any]:
    return lambda workspace: workspace.search("zebra", filters=workspace.searching.filters(**chosen))


LIBRARY: dict[str, Callable[[Workspace], Any]] = {
    "a question": lambda workspace: workspace.search(LONG),
    "a question of filters": lambda workspace: workspace.search("tag:a " * 10_000),
    "a context": lambda workspace: workspace.context(LONG),
    "why not": lambda workspace: workspace.searching.why_not(LONG, workspace.notes.find("Zebra").id),
    "a question to be prepared": lambda workspace: workspace.searching.prepare(LONG, {}),
    "a phrase": lambda workspace: workspace.search(f'"{LONG[:5000]}"'),
    "a phrase left out": lambda workspace: workspace.search(f'zebra -"{LONG[:5000]}"'),
    "many phrases": lambda workspace: workspace.search(" ".join(f'"z{n}"' for n in range(1000))),
    "many words left out": lambda workspace: workspace.search(f"zebra {' '.join(f'-z{n}' for n in range(1000))}"),
    "lines": lambda workspace: workspace.texts.lines("plain", LONG),
    "titles": lambda workspace: workspace.notes.all(text=LONG),
    "a path": filters(path="*a" * 30_000),
    "a tag": filters(tags=[LONG]),
    "tags": filters(tags=[f"t{n}" for n in range(3000)]),
    "a date": filters(after="1" * 100_000),
    "a term": filters(terms=[f"in:{'a' * 100_000}"]),
    "terms": filters(terms=[f"tag:t{n}" for n in range(3000)]),
    "titles of a filter": filters(terms=[f"in:{','.join(f't{n}' for n in range(limits.VALUES + 1))}"[:990]] * 101),
    "a type": lambda workspace: workspace.search("zebra", type=LONG),
    "types": lambda workspace: workspace.search("zebra", type=[f"t{n}" for n in range(100_000)]),
    "a question of a set": lambda workspace: workspace.questions.add(
        workspace.question_sets.add("plain", f"set {next(NUMBERS)}"), [Question("", LONG, ())]
    ),
}


@pytest.mark.parametrize("look", LIBRARY.values(), ids=LIBRARY.keys())
def test_a_text_that_is_too_long_is_told_at_once(workspace: Workspace, look: Callable[[Workspace], Any]) -> None:
    def refuse() -> None:
        with pytest.raises(QueryError, match=TOLD):
            look(workspace)

    assert count_calls(refuse) < CALLS


def test_what_is_within_the_limits_is_answered(workspace: Workspace) -> None:
    part = LONG[: limits.PART].strip()
    assert workspace.search(f'"{part}"').hits
    assert workspace.texts.lines("plain", part)
    values = ",".join(f"t{n}" for n in range(200))
    terms = [f"in:{values}", *(f"-tag:t{n}" for n in range(limits.FILTERS - 1))]
    assert not workspace.search("zebra", filters=workspace.searching.filters(terms=terms)).hits
    assert workspace.search(LONG[: limits.QUESTION]).hits


TOOLS: list[tuple[str, dict[str, Any]]] = [
    ("knowledge_text_search", {"knowledge_base": "plain", "keyword": LONG}),
    ("knowledge_query", {"knowledge_base": "plain", "keywords": ["zebra"] * 1000}),
    ("knowledge_context", {"query": "zebra", "tags": ["a"] * 1000}),
    ("knowledge_context", {"query": "zebra", "filters": [LONG]}),
    ("note_list", {"text": LONG}),
    ("note_list", {"tags": ["a"] * 3000}),
]


def test_an_assistant_gets_what_the_beginning_of_a_long_text_finds(workspace: Workspace) -> None:
    result: Any = server.run(lambda: workspace, "knowledge_query", {"knowledge_base": "plain", "query": LONG})
    assert result.structured_content["result"][0]["document"] == "Zebra.md"
    assert "limit is 10,000" in result.structured_content["remarks"][0]


@pytest.mark.parametrize(("tool", "arguments"), TOOLS)
def test_an_assistant_is_told(workspace: Workspace, tool: str, arguments: dict[str, Any]) -> None:
    result: Any = server.run(lambda: workspace, tool, arguments)
    assert result.is_error
    assert re.search(TOLD, result.content[0].text)
    assert len(result.content[0].text) < 200


def test_a_program_is_told(workspace: Workspace) -> None:
    client = TestClient(Starlette(routes=[Mount(PLACE, api(lambda: workspace))]), raise_server_exceptions=False)
    client.headers["Authorization"] = f"Bearer {workspace.access.token}"
    for place, body in (
        ("/v1/search", {"query": LONG[:20_000]}),
        ("/v1/context", {"query": "zebra", "path": LONG[:2000]}),
        ("/v1/why-not", {"query": "zebra", "note": "Zebra", "tags": ["a"] * 2000}),
        ("/notes/search/complex", {"query": LONG}),
        ("/knowledge/test", {"base": "plain", "question": LONG}),
    ):
        answer = client.post(f"{PLACE}{place}", json=body)
        assert answer.status_code == 422
        assert re.search(TOLD, answer.json()["detail"]), answer.text[:300]


@pytest.mark.parametrize("name", ["questions.jsonl", "questions.csv"])
def test_a_question_file_is_told_with_its_line(workspace: Workspace, name: str) -> None:
    rows = [
        json.dumps({"id": "a", "question": "zebra", "gold": []}),
        json.dumps({"id": "b", "question": LONG, "gold": []}),
    ]
    if name.endswith("csv"):
        rows = ["id,question,path,quote", "a,zebra,,", f"b,{LONG[:50_000]},,"]
    with pytest.raises(QuestionSetError, match=r"line [23]: question 'b': .* limit is 10,000"):
        workspace.question_sets.read("plain", "\n".join(rows).encode(), name)


def test_a_command_is_told(
    workspace: Workspace, tmp_path_factory: pytest.TempPathFactory, capsys: pytest.CaptureFixture[str]
) -> None:
    for arguments in (["search", LONG], ["context", "zebra", "--filter", LONG], ["search", "zebra", "--path", LONG]):
        with pytest.raises(SystemExit, match="1"):
            cli.main([*arguments, "--workspace", str(tmp_path_factory.getbasetemp() / "limits")])
        assert re.search(TOLD, capsys.readouterr().err)
