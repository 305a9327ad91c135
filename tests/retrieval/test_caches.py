"""What a search asks a language model once, and asks again when another one is set up."""

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from core.model import SearchResult
from core.settings.sections import LlmSettings
from core.workspace import Workspace
from tests.model_server import Answer, ModelServer, chat

QUESTION = "compare Redis and Memcached"


def parts(*texts: str, delay: float = 0.0) -> Answer:
    """The answer of a model that divides a question into these parts."""
    return Answer(chat(json.dumps(texts)), delay=delay)


def asked(result: SearchResult) -> str:
    return result.asked[0].sub_query.text


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    with Workspace(tmp_path / "workspace") as workspace:
        for kind in ("vectors", "literal"):
            workspace.bases.add(kind, embedder="tfidf") if kind == "vectors" else workspace.bases.add(kind, kind=kind)
            for name in ("Redis", "Memcached"):
                workspace.notes.add(kind, f"# {name}\n\n{name} keeps its data in memory.", title=name)
        yield workspace


def use(workspace: Workspace, server: ModelServer, model: str) -> None:
    workspace.settings.llm = LlmSettings(base_url=server.url, model=model, retries=0)


def test_another_model_or_address_divides_a_question_anew(workspace: Workspace) -> None:
    with (
        ModelServer(parts("first server"), parts("other model")) as first,
        ModelServer(parts("other server")) as second,
    ):
        for server, model, text in (
            (first, "small", "first server"),
            (first, "large", "other model"),
            (second, "large", "other server"),
            (first, "small", "first server"),  # cached
        ):
            use(workspace, server, model)
            result = workspace.search(QUESTION, bases=["vectors"])
            assert (asked(result), result.decompositions[0].by) == (text, model)
        assert len(first.requests) == 2


def test_a_question_is_divided_by_rules_where_the_model_is_switched_off(workspace: Workspace) -> None:
    with ModelServer(parts("first server")) as server:
        use(workspace, server, "small")
        assert asked(workspace.search(QUESTION, bases=["vectors"])) == "first server"
        workspace.settings.search.decompose = "rules"
        assert workspace.search(QUESTION, bases=["vectors"]).decompositions[0].by == "rules"


def test_another_model_chooses_anew(workspace: Workspace) -> None:
    answers = [Answer(chat(json.dumps({"chosen": [1], "answer": text}))) for text in ("First.", "Second.")]
    with ModelServer(*answers) as server:
        for model, answer in (("small", "First."), ("large", "Second."), ("small", "First.")):
            use(workspace, server, model)
            choice = workspace.search("memory", bases=["literal"]).choice
            assert choice
            assert choice.answer == answer


def test_two_searches_at_once_ask_a_model_once(workspace: Workspace) -> None:
    with ModelServer(parts("once", delay=0.3), parts("twice"), parts("thrice")) as server:
        use(workspace, server, "small")
        with ThreadPoolExecutor() as pool:
            limits = [pool.submit(workspace.search, QUESTION, bases=["vectors"], limit=limit) for limit in (3, 4, 5)]
            assert {asked(search.result()) for search in limits} == {"once"}
        assert len(server.requests) == 1
