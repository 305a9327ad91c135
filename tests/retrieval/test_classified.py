"""Notes by their classification: filters by keyword, priorities, expiry, successors, files that changed."""

import os
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from core.base.errors import QueryError, UnknownChoice
from core.base.registry import Entry
from core.embedding import EMBEDDERS
from core.model import ChunkingOptions, SearchResult
from core.retrieval.ranking import demote_superseded
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
    with pytest.raises(QueryError, match="limited to work"):
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


def test_an_expired_note_answers_only_where_it_is_asked_for(workspace: Workspace) -> None:
    today, now = datetime.now().astimezone().date(), datetime.now(UTC)
    add(workspace, "for ever", "Backups: one attic. " * 3)
    add(workspace, "today", "Backups: the attic of today. " * 3, expires_at=str(today))
    add(workspace, "yesterday", "Backups: yesterday an attic. " * 3, expires_at=str(today - timedelta(days=1)))
    add(workspace, "just now", "Backups: no attic. " * 3, expires_at=now - timedelta(seconds=1))
    add(workspace, "put away", "Backups, some attic. " * 3, expires_at="2020-01-01", status="archived")
    assert set(by_words(workspace)) == {"for ever", "today"}
    assert set(by_words(workspace, "backups status:active")) == {"for ever", "today"}
    assert set(by_words(workspace, "backups -status:archived")) == {"for ever", "today"}
    assert set(by_words(workspace, "backups status:expired")) == {"yesterday", "just now"}
    assert set(by_words(workspace, "backups 状态：过期,归档")) == {"yesterday", "just now", "put away"}
    assert set(by_words(workspace, status="expired")) == {"yesterday", "just now"}
    assert by_words(workspace, "backups status:archived") == ["put away"]
    assert workspace.searching.why_not("backups", workspace.notes.find("yesterday").id).stage == "filters"
    assert [card.title for card in workspace.notes.expiring(days=0)] == ["yesterday", "just now"]
    assert [card.title for card in workspace.notes.expiring(days=2)] == ["yesterday", "just now", "today"]


def test_expired_notes_with_the_words_of_a_question_are_counted(workspace: Workspace) -> None:
    add(workspace, "Bread", "Bake the bread in the kitchen at 220 degrees.")
    assert workspace.search("where is the key of the cabin?").expired == 0
    add(workspace, "Cabin", "The key of the cabin lies below the pot.", expires_at="2020-01-01")
    add(workspace, "路由器", "路由器的密码写在纸条上。", expires_at="2020-01-01")
    add(workspace, "Old cabin", "The key of the cabin was lost.", expires_at="2020-01-01", status="archived")
    asked = {
        text: workspace.search(text).expired
        for text in (
            "where is the key of the cabin?",
            "路由器密码是多少？",
            "what is the key of D minor called?",
            "at how many degrees is bread baked?",
            "where is the key of the cabin? -status:archived",
            "谁写了这本小说？",
            "status:expired",
        )
    }
    assert list(asked.values()) == [1, 1, 0, 0, 0, 0, 0], asked
    (found,) = workspace.search("key of the cabin status:active,expired", mode="keyword").hits
    assert found.note.title == "Cabin"


def test_a_note_that_expires_is_not_answered_from_the_cache(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    note_id = add(workspace, "soon", expires_at=datetime.now(UTC) + timedelta(hours=1))
    assert by_words(workspace) == ["soon"]
    assert workspace.search("backups attic", mode="keyword").cached
    monkeypatch.setattr("core.store.filters.utc_now", lambda: datetime.now(UTC) + timedelta(days=1))
    assert by_words(workspace) == []
    workspace.notes.set_fields([note_id], expires_at=None)
    assert by_words(workspace) == ["soon"]


OLD = "Backups, backups, backups go to the attic."
NEW = "From now on the cellar holds all backups, no attic any more, as of this spring, after the flood."


def test_a_superseded_note_says_by_what_and_stands_behind_it(workspace: Workspace) -> None:
    add(workspace, "Third", "An attic.")
    add(workspace, "Old", OLD)
    new = add(workspace, "New", NEW)
    assert by_words(workspace)[0] == "Old"
    workspace.notes.set_fields([new], supersedes=["old.md"])
    result = workspace.search("backups attic", mode="keyword")
    assert titles(result).index("Old") == titles(result).index("New") + 1
    old = result.hits[titles(result).index("Old")]
    assert [card.title for card in old.superseded_by] == ["New"]
    assert not result.hits[titles(result).index("New")].superseded_by
    scores = [hit.score for hit in result.hits]
    assert scores == sorted(scores, reverse=True)
    assert [hit.rank for hit in result.hits] == [1, 2, 3]
    # The successor is no hit of its own: the old one is, and says so.
    (alone,) = workspace.search("backups attic -cellar -third", mode="keyword", limit=1).hits
    assert (alone.note.title, alone.superseded_by[0].title) == ("Old", "New")
    workspace.notes.archive([new])
    assert not workspace.search("backups attic", mode="keyword").hits[0].superseded_by


def test_many_versions_that_all_name_the_earlier_ones_are_ranked_at_once() -> None:
    count = 60
    chunks = {number: SimpleNamespace(note_id=str(number)) for number in range(count)}
    successors = {str(old): tuple(map(str, range(old + 1, count))) for old in range(count - 1)}
    order = demote_superseded(range(count), chunks, range(count), successors)  # type: ignore[arg-type]
    assert list(order) == list(reversed(range(count)))


def test_a_copy_that_is_superseded_stands_below_its_successor(workspace: Workspace) -> None:
    add(workspace, "Old", OLD)
    new = add(workspace, "New", OLD, supersedes=["Old"])
    (hit,) = workspace.search("backups attic", mode="keyword").hits
    assert hit.note.id == new
    assert [copy.note.title for copy in hit.copies] == ["Old"]


def test_chains_and_circles_of_successors_do_no_harm(workspace: Workspace) -> None:
    words = ["backups " * number + f"attic word{number}" for number in (9, 6, 3)]
    ids = [add(workspace, f"n{number}", body) for number, body in enumerate(words)]
    usual = by_words(workspace)
    workspace.notes.set_fields([ids[1]], supersedes=["n0"])
    workspace.notes.set_fields([ids[2]], supersedes=["n1"])
    assert by_words(workspace) == ["n2", "n1", "n0"]
    workspace.notes.set_fields([ids[0]], supersedes=["n2", "n0", "nothing"])
    assert by_words(workspace) == usual
    assert all(hit.superseded_by for hit in workspace.search("backups attic", mode="keyword").hits)


def test_a_hit_whose_file_changed_or_is_gone_is_marked(workspace: Workspace, tmp_path: Path) -> None:
    folder = tmp_path / "vault"
    folder.mkdir()
    for name in "abc":
        (folder / f"{name}.md").write_text(f"Backups: attic {name}. " * 4)
    workspace.imports.apply(workspace.imports.plan_folder(folder, "vault"))
    add(workspace, "here", "Backups here, attic. " * 3)

    def states() -> dict[str, str]:
        hits = workspace.search("backups attic", mode="keyword").hits
        return {hit.note.title: hit.file for hit in hits}

    assert set(states().values()) == {"same"}
    (folder / "a.md").write_text("Something else.")
    (folder / "b.md").unlink()
    os.utime(folder / "c.md", ns=(1, 1))
    assert states() == {"a": "stale", "b": "gone", "c": "stale", "here": "same"}
    workspace.imports.apply(workspace.imports.plan_folder(folder, "vault"), confirmed=True)
    assert states() == {"c": "same", "here": "same"}


def test_a_search_is_narrowed_by_what_a_chunk_holds_and_by_its_notes_days(workspace: Workspace) -> None:
    table = "Backups in the attic.\n\n| disk | year |\n| --- | --: |\n| one | 2024 |\n"
    add(workspace, "table", table)
    add(workspace, "task", "Backups in the attic.\n\n1. [x] buy a disk\n")
    add(workspace, "code", "Backups in the attic.\n\n```\na | b\n- [z]\n```\n")
    add(workspace, "words", "Backups in the attic: [x] | - [y] and --- |.")
    add(workspace, "image", "Backups in the attic.\n\n![[attic.png]]\n")
    for filters, expected in (
        ("has:image", {"image"}),
        ("has:table", {"table"}),
        ("has:task", {"task"}),
        ("has:table,task", {"table", "task"}),
        ("-has:table -has:task", {"code", "words", "image"}),
        ("created:today", {"table", "task", "code", "words", "image"}),
        ("created:<today", set()),
        ("-created:today", set()),
        ("updated:2020.. has:code", {"code"}),
        ("updated:..2020", set()),
    ):
        assert set(by_words(workspace, f"{filters} backups attic")) == expected, filters


BY_SIZE = ChunkingOptions(strategy="recursive", chunk_size=200, chunk_overlap=0, max_single_chunk_size=200)


@pytest.mark.usefixtures("any_size")
def test_what_is_cut_out_of_a_long_table_has_a_table(workspace: Workspace) -> None:
    rows = "".join(f"| attic {number} | backups |\n" for number in range(200))
    note = add(workspace, "long", f"# Disks\n\n| place | what |\n|---|---|\n{rows}")
    workspace.chunks.rechunk(note_ids=[note], options=BY_SIZE)
    chunks = workspace.chunks.all(note)
    assert len(chunks) > 3
    found = workspace.search("has:table attic backups", mode="keyword", limit=100).hits
    whole = workspace.search("attic backups", mode="keyword", limit=100).hits
    assert {hit.chunk.index for hit in found} == {hit.chunk.index for hit in whole}
