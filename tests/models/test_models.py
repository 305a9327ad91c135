"""The models of a workspace: which bases and names share one."""

from dataclasses import replace
from pathlib import Path

import pytest

from core.base.jobs import Jobs
from core.embedding import EMBEDDERS
from core.indexing.models import Models
from core.model import ChunkingOptions
from core.reranking import RERANKERS
from core.settings.config import settings
from core.store import Store
from core.workspace import Workspace
from tests.fakes import WordTokens


def test_rerankers_of_tokens_are_shared_by_name_and_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(RERANKERS, "twin", replace(RERANKERS["late-interaction"]))
    monkeypatch.setitem(EMBEDDERS._built, "fake", WordTokens())
    store = Store(tmp_path)
    models = Models(store, settings(), Jobs())
    one, other = (
        store.bases.add(name, embedder="fake", fingerprint="word-tokens", dimension=16, chunking=ChunkingOptions())
        for name in ("one", "other")
    )
    assert models.reranker(one, "late-interaction") is models.reranker(other, "late-interaction")
    assert models.reranker(one, "twin") is models.reranker(other, "twin")
    assert models.reranker(one, "twin") is not models.reranker(one, "late-interaction")
    store.close()


def test_a_base_that_is_newer_than_the_first_loading_is_searched_by_meaning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On an empty machine the app loads the model that a first base most likely gets; it may get another."""
    monkeypatch.setenv("TESSERA_EMBEDDER", "tfidf")
    monkeypatch.setenv("TESSERA_SEARCH__RERANKER", "none")
    monkeypatch.setitem(EMBEDDERS, "fake", EMBEDDERS["tfidf"])
    monkeypatch.setitem(EMBEDDERS._built, "fake", WordTokens())
    with Workspace(tmp_path / "workspace") as workspace:
        workspace.models.start_warming()
        warmed = workspace.jobs.wait("warm", 30)
        assert warmed.state == "done"
        workspace.bases.add("new", embedder="fake")
        workspace.notes.add("new", "The mill stands on the river.")
        assert workspace.search("where is the mill", wait=False).notices == ("model_loading",)
        workspace.jobs.wait("warm", 30)
        result = workspace.search("where is the mill", wait=False)
        assert ("model_loading" in result.notices, result.mode) == (False, "hybrid")
