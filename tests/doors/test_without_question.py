"""Without a question a search lists the notes that pass the filters; a caller has one or several of each part."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from starlette.testclient import TestClient
from typer.testing import CliRunner

from core.base.errors import QueryError
from core.doors import cli
from core.doors.api import PLACE
from core.doors.assistants import server
from core.model import SCOPE_GAIN
from core.workspace import Workspace
from tests.doors.programs import connected

NOTES = {
    "ports": {"type": "project_config", "category": "ops", "tags": ["a"], "scope": "home"},
    "prices": {"type": "business_rule", "category": "sales", "tags": ["b"], "scope": "office"},
    "poem": {"type": "prose", "category": "ops", "tags": ["c"]},
}


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TESSERA_EMBEDDER", "tfidf")
        patch.setenv("TESSERA_INDEX__KIND", "none")
        patch.setenv("TESSERA_SEARCH__RERANKER", "none")
        with Workspace(tmp_path_factory.mktemp("listing")) as opened:
            for title, fields in NOTES.items():
                opened.notes.add("work", f"The rule of {title}.", author="person", title=title, **fields)
            opened.notes.add("other", "Elsewhere.", author="person", title="elsewhere")
            opened.set_program_access(True)
            yield opened


@pytest.fixture(scope="module")
def program(workspace: Workspace) -> TestClient:
    return connected(workspace)


def titles(result: Any) -> list[str]:
    return [hit.note.title for hit in result.hits]


def command(workspace: Workspace, *arguments: str) -> list[str]:
    done = CliRunner().invoke(cli.app, [*arguments, "--json", "--workspace", str(workspace.store.folder)])
    assert done.exit_code == 0, done.output
    return [hit["title"] for hit in json.loads(done.stdout)["hits"]]


def sent(program: TestClient, path: str, **body: Any) -> list[str]:
    answer = program.post(f"{PLACE}{path}", json=body)
    assert answer.status_code == 200, answer.text
    return [hit["title"] for hit in answer.json()["hits"]]


def test_without_a_question_the_notes_that_pass_the_filters_are_listed_newest_first(
    workspace: Workspace, program: TestClient
) -> None:
    newest = ["poem", "ports"]
    for text in (None, "", " "):
        result = workspace.search(text, bases="work", category="ops")
        assert (titles(result), result.mode, result.hits[0].rank) == (newest, "listed", 1)
    assert titles(workspace.search(bases=["work"])) == ["poem", "prices", "ports"]
    assert titles(workspace.search("-poem", bases="work")) == ["prices", "ports"]
    assert titles(workspace.retrieve(None, {"type": "prose"})) == ["poem"]
    for query in ({}, {"query": None}, {"query": ""}):
        assert sent(program, "/v1/search", **query, filters=["category:ops"]) == newest
        assert sent(program, "/notes/search/complex", **query, filters={"category": "ops"}) == newest
    assert command(workspace, "search", "--filter", "category:ops") == newest
    assert command(workspace, "search", "", "--filter", "category:ops") == newest
    with pytest.raises(QueryError, match="The question is empty"):
        workspace.search(None)


CALLERS: list[tuple[dict[str, Any] | None, set[str]]] = [
    ({"type": ["project_config", "business_rule"]}, {"ports", "prices"}),
    ({"type": "prose"}, {"poem"}),
    ({"tags": ["a", "b"]}, {"ports", "prices"}),
    ({"tags": "a"}, {"ports"}),
    ({"scope": ["home", "office"], "type": []}, {*NOTES}),
    ({"scope": "home", "type": None}, {*NOTES}),
    ({}, {*NOTES}),
    (None, {*NOTES}),
]


@pytest.mark.parametrize(("context", "expected"), CALLERS)
def test_a_caller_has_one_or_several_of_each_part(
    workspace: Workspace, program: TestClient, context: dict[str, Any] | None, expected: set[str]
) -> None:
    found = titles(workspace.retrieve("rule", context, bases="work"))
    assert set(found) == expected
    assert sent(program, "/v1/retrieve", query="rule", context=context, bases=["work"]) == found
    result: Any = server.run(
        lambda: workspace, "knowledge_retrieve", {"query": "rule", "context": context, "bases": ["work"]}
    )
    assert not result.is_error, result.content[0].text
    assert len(result.structured_content["result"]) == len(found)
    several = {name: [value] if isinstance(value, str) else value or [] for name, value in (context or {}).items()}
    flags = {"type": "--type", "tags": "--tag", "scope": "--scope"}
    given = [text for name, values in several.items() for value in values for text in (flags[name], value)]
    assert command(workspace, "retrieve", "rule", "--base", "work", *given) == found


def test_notes_of_each_of_several_scopes_gain(workspace: Workspace) -> None:
    several, none = (
        {hit.note.title: hit.scores["context"].score for hit in workspace.retrieve("rule", {"scope": scope}).hits}
        for scope in (["HOME", "office"], "nowhere")
    )
    gains = {title: several[title] - none[title] for title in NOTES}
    assert gains == pytest.approx({"ports": SCOPE_GAIN, "prices": SCOPE_GAIN, "poem": 0.0})


def test_a_part_of_another_kind_is_told(workspace: Workspace) -> None:
    for wrong in ({"type": [3]}, {"scope": {"a": "b"}}, {"tags": 5}):
        with pytest.raises(QueryError, match="must be text"):
            workspace.retrieve("rule", wrong)
