"""Notes by their classification: filters by keyword, priorities, expiry, successors, files that changed."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from core.embedding import EMBEDDERS
from core.errors import QueryError, UnknownChoice
from core.model import SearchResult
from core.registry import Entry
from core.workspace import Workspace


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Workspace]:
    monkeypatch.setitem(EMBEDDERS, "words", Entry("tests.fakes:WordLengths"))
    monkeypatch.setenv("TESSERA_EMBEDDER", "words")
    with Workspace(tmp_path / "ws") as workspace:
        yield workspace


def add(
    workspace: Workspace, title: str, body: str = "Backups go to the attic.", base: str = "work", **fields: Any
) -> str:
    return workspace.notes.add(base, body, title=title, **fields).id


def titles(result: SearchResult) -> list[str]:
    return [hit.note.title for hit in result.hits]


def by_words(workspace: Workspace, text: str = "backups attic", **options: Any) -> list[str]:
    return titles(workspace.search(text, mode="keyword", **options))


def test_a_search_is_narrowed_by_keywords(workspace: Workspace) -> None:
    add(workspace, "a", "Backups: one attic.", type="Rule", category="auth", tags=["lag", "disk"], priority=1)
    add(workspace, "b", "Backups: two attics, one attic.", category="module", tags=["disk"], priority=3, scope="api")
    add(workspace, "c", "Backups and a third attic.", "home", project="House", status="archived")
    for options, expected in (
        ({}, {"a", "b"}),
        ({"bases": ["work"]}, {"a", "b"}),
        ({"bases": "home", "status": ["archived", "active"]}, {"c"}),
        ({"category": "AUTH"}, {"a"}),
        ({"category": ["auth", "module"]}, {"a", "b"}),
        ({"type": "rule"}, {"a"}),
        ({"scope": "api"}, {"b"}),
        ({"project": "house", "status": "archived"}, {"c"}),
        ({"any_tags": ["lag", "none"]}, {"a"}),
        ({"all_tags": ["disk", "#lag"]}, {"a"}),
        ({"all_tags": ["disk"]}, {"a", "b"}),
        ({"min_priority": 2}, {"b"}),
        ({"min_priority": 0, "any_tags": [], "category": "", "scope": None}, {"a", "b"}),
    ):
        assert set(by_words(workspace, **options)) == expected, options
        cited = {one.note.title for one in workspace.context("backups attic", mode="keyword", **options).citations}
        assert cited == expected, options
    assert by_words(workspace, "backups attic priority:>=2") == ["b"]
    assert by_words(workspace, "backups attic -优先级：3 范围：api") == []
    assert len(by_words(workspace, limit=1)) == 1


def test_an_unknown_option_or_status_is_told(workspace: Workspace) -> None:
    add(workspace, "a")
    with pytest.raises(UnknownChoice, match="Did you mean 'category'"):
        workspace.search("backups", categori="x")  # type: ignore[call-arg]
    with pytest.raises(UnknownChoice, match="status 'done'"):
        workspace.search("backups", status="done")
    with pytest.raises(UnknownChoice, match="nowhere"):
        workspace.search("backups", bases=["nowhere"])
    with pytest.raises(QueryError, match="only work is chosen"):
        workspace.search("backups base:home", bases=["work"])


def test_priority_settles_ties_and_weighs_where_it_is_asked_to(workspace: Workspace) -> None:
    low = add(workspace, "Low", "Backups go to the attic.\n\nOf one kind.")
    high = add(workspace, "High", "Backups go to the attic.\n\nOf two sort.", priority=5)
    best = add(workspace, "Best", "Backups, backups, attic. To the attic go backups.", priority=-5)
    assert by_words(workspace) == ["Best", "High", "Low"]
    workspace.notes.set_fields([low], priority=9)
    assert by_words(workspace) == ["Best", "Low", "High"]
    result = workspace.search("backups attic", mode="keyword", priority_weight=1.0)
    assert titles(result) == ["Low", "High", "Best"]
    assert [hit.scores["priority"].rank for hit in result.hits] == [1, 2, 3]
    workspace.notes.set_fields([low, high, best], priority=0)
    assert "priority" not in workspace.search("backups attic", mode="keyword", priority_weight=1.0).hits[0].scores


def test_of_notes_changed_at_once_the_more_important_is_listed_first(workspace: Workspace) -> None:
    ids = {add(workspace, name, f"{name} " * 30, priority=number): name for number, name in enumerate("ba")}
    with workspace.store.database.write() as connection:
        connection.execute("UPDATE notes SET updated_at = '2026-01-01T00:00:00+00:00'")
    assert [ids[hit.note.id] for hit in workspace.search("status:active").hits] == ["a", "b"]
