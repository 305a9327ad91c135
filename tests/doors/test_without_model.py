"""A base without a model is searched without one: its hits have no reranking unless somebody chooses it."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from typer.testing import CliRunner

from core import embedding
from core.doors import cli
from core.doors.api import PLACE
from core.doors.assistants import server
from core.model import OPEN, SearchSettings
from core.workspace import Workspace
from tests.doors.programs import connected
from tests.fakes import WordTokens

ASKED = "where does the heron stand"


class Counting(WordTokens):
    """The built-in model, which here counts the texts whose tokens it reads."""

    read = 0

    def embed_tokens(self, texts: Any, **role: Any) -> Any:
        self.read += len(texts)
        return super().embed_tokens(texts, **role)


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Counting:
    model = Counting()
    monkeypatch.setitem(embedding.EMBEDDERS._built, "bundled", model)
    return model


@pytest.fixture
def workspace(tmp_path_factory: pytest.TempPathFactory, model: Counting) -> Iterator[Workspace]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TESSERA_EMBEDDER", "tfidf")
        patch.setenv("TESSERA_INDEX__KIND", "none")
        with Workspace(tmp_path_factory.mktemp("without") / "workspace") as opened:
            for title in ("pond", "roof"):
                opened.notes.add("birds", f"A heron stands at the {title}.", author="person", title=title)
            opened.set_program_access(True)
            yield opened


def test_no_door_loads_a_model(workspace: Workspace, model: Counting) -> None:
    result = workspace.search(ASKED)
    assert (len(result.hits), result.mode, result.reranker, result.notices) == (2, "hybrid", "", ())
    assert result.without_model
    program = connected(workspace)
    for path in ("search", "retrieve", "context"):
        assert program.post(f"{PLACE}/v1/{path}", json={"query": ASKED}).is_success
    for tool in ("knowledge_query", "knowledge_semantic_search"):
        answer = server.run(lambda: workspace, tool, {"query": ASKED, "knowledge_base": "birds"})
        assert not answer.is_error, answer.content
    workspace.close()
    command = ["search", ASKED, "--json", "--workspace", str(workspace.store.folder)]
    done = CliRunner().invoke(cli.app, command)
    assert json.loads(done.stdout)["reranker"] == "", done.output
    assert model.read == 0
    assert json.loads(CliRunner().invoke(cli.app, [*command, "--rerank", "late-interaction"]).stdout)["reranker"]
    assert model.read > 2


def test_a_chosen_re_check_is_run(workspace: Workspace) -> None:
    assert workspace.bases.search_settings(workspace.bases.get("birds")).reranker == "none"
    workspace.bases.update("birds", search=SearchSettings(reranker="late-interaction"))
    assert workspace.search(ASKED).reranker == "late-interaction"
    workspace.bases.update("birds", search=OPEN)
    assert workspace.search(ASKED, reranker="late-interaction").reranker == "late-interaction"
    workspace.bases.add("fish", embedder="bundled")
    workspace.notes.add("fish", "A pike stands in the pond.", author="person", title="pike")
    assert workspace.search("heron", bases=["birds"]).reranker == ""
    assert workspace.search("pike", bases=["fish"]).reranker == "late-interaction"
