"""Bases: made on purpose, changed, renamed; what a change costs is known before."""

from collections.abc import Iterator
from pathlib import Path
from typing import cast

import pytest

from core import embedding
from core.base.errors import ConfigError, QueryError, UnknownChoice
from core.base.registry import Entry
from core.embedding import EMBEDDERS
from core.indexing.base_copies import Scratch
from core.model import ChunkingOptions, Filters, SearchSettings
from core.query.parser import rename_base
from core.workspace import Workspace
from tests import samples
from tests.fakes import WordLengths

SMALL = ChunkingOptions(strategy="recursive", chunk_size=256, chunk_overlap=50, max_single_chunk_size=1000)


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Workspace]:
    monkeypatch.setitem(EMBEDDERS, "words", Entry("tests.fakes:WordLengths"))
    monkeypatch.setenv("TESSERA_EMBEDDER", "words")
    with Workspace(tmp_path / "workspace") as workspace:
        yield workspace


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    return samples.write(tmp_path / "vault")


def test_a_base_is_made_with_what_is_chosen(workspace: Workspace) -> None:
    search = SearchSettings(limit=3, score_threshold=0.2)
    made = workspace.bases.add(
        "work",
        embedder="tfidf",
        chunking=SMALL,
        description="What I do",
        search=search,
        embed_at_once=False,
        write_files=True,
        watch=True,
        keep_tokens=False,
    )
    assert workspace.bases.get("work") == made
    assert (made.embedder, made.chunking, made.search, made.description) == ("tfidf", SMALL, search, "What I do")
    assert (made.embed_at_once, made.write_files, made.watch, made.keep_tokens) == (False, True, True, False)
    usual = workspace.bases.add("usual")
    assert (usual.embedder, usual.chunking) == ("words", ChunkingOptions())
    assert (usual.embed_at_once, usual.write_files, usual.watch, usual.keep_tokens) == (True, False, False, True)


@pytest.mark.parametrize("model", ["tfidf", "words"])
def test_tokens_are_those_of_the_model_of_a_base(workspace: Workspace, model: str) -> None:
    text = "unbelievable snake_case_name 数据库备份 camelCase, 2026-01-31!"
    workspace.bases.add("work", embedder=model)
    (chunk,) = workspace.chunks.all(workspace.notes.add("work", text, embed=False).id)
    assert chunk.token_count == len(embedding.build(model).tokens(text)) == {"tfidf": 16, "words": 5}[model]


@pytest.mark.parametrize(
    ("given", "error"),
    [
        ({"embedder": "magic"}, UnknownChoice),
        ({"chunking": ChunkingOptions(strategy="magic")}, UnknownChoice),
        ({"chunking": ChunkingOptions(chunk_size=0)}, ConfigError),
        ({"search": SearchSettings(limit=0)}, ConfigError),
        ({"search": SearchSettings(reranker="magic")}, UnknownChoice),
    ],
)
def test_a_wrong_choice_makes_and_changes_nothing(workspace: Workspace, given: dict, error: type[Exception]) -> None:  # type: ignore[type-arg]
    with pytest.raises(error):
        workspace.bases.add("work", **given)
    assert workspace.bases.all() == []
    if "search" in given:
        before = workspace.bases.add("work")
        with pytest.raises(error):
            workspace.bases.update("work", **given, description="new")
        assert workspace.bases.get("work") == before


def test_other_settings_are_stored(workspace: Workspace) -> None:
    workspace.bases.add("work")
    workspace.bases.update("work", description="What I do", watch=True)
    changed = workspace.bases.update("work", search=SearchSettings(limit=4))
    assert (changed.description, changed.watch, changed.search.limit) == ("What I do", True, 4)
    assert workspace.bases.get("work") == changed


def test_a_renamed_base_keeps_all_it_has(workspace: Workspace, vault: Path) -> None:
    workspace.imports.apply(workspace.imports.plan_folder(vault))
    workspace.bases.add("other")
    workspace.question_sets.add("vault", "mine")
    base = workspace.bases.get("vault")
    workspace.searches.save("base:vault,other pg_restore", "restoring")
    workspace.uses.judge("base:vault bread", "note", "chunk", "helpful")
    with pytest.raises(ConfigError, match="already"):
        workspace.bases.rename("vault", "other")
    with pytest.raises(ConfigError, match="no name"):
        workspace.bases.rename("vault", " ")
    assert workspace.bases.rename("vault", "my notes").id == base.id
    assert [one.name for one in workspace.bases.all()] == ["my notes", "other"]
    assert [one.name for one in workspace.question_sets.all("my notes")] == ["mine"]
    (past,) = workspace.searches.all()
    assert past.query == 'base:"my notes",other pg_restore'
    assert [one.context for one in workspace.uses.judged()] == ['base:"my notes" bread']
    assert {hit.note.base for hit in workspace.search(past.query, mode="keyword").hits} == {"my notes"}
    with pytest.raises(QueryError, match="There is no base 'vault'"):
        workspace.search("base:vault pg_restore")


def test_a_copy_for_evaluation_follows_the_name_and_embeds_nothing_again(workspace: Workspace, vault: Path) -> None:
    workspace.imports.apply(workspace.imports.plan_folder(vault))
    scratch = Scratch(workspace.store)
    built = cast(WordLengths, embedding.build("words"))
    with scratch.opened(workspace.bases.get("vault"), SMALL, "words") as store:
        chunks = store.chunks.count_all()
    workspace.bases.rename("vault", "mine")
    built.embedded.clear()
    with scratch.opened(workspace.bases.get("mine"), SMALL, "words") as store:
        assert [base.name for base in store.bases.all()] == ["mine"]
        assert store.chunks.count_all() == chunks
    assert built.embedded == []


def test_a_folder_is_synced_into_its_base_whatever_that_is_called(workspace: Workspace, vault: Path) -> None:
    workspace.imports.apply(workspace.imports.plan_folder(vault))
    plan = workspace.imports.plan_folder(vault)
    (vault / "herons.md").write_text("Herons stand in shallow water.")
    stale = workspace.imports.plan_folder(vault)
    workspace.bases.rename("vault", "birds")
    assert workspace.imports.apply(stale).added == 1
    again = workspace.imports.plan_folder(vault)
    assert (plan.base, again.base, again.makes) == ("vault", "birds", None)
    assert [base.name for base in workspace.bases.all()] == ["birds"]
    assert len(workspace.notes.all(Filters(bases=("birds",)))) == 4


def test_a_plan_says_what_it_would_make(workspace: Workspace, vault: Path) -> None:
    plan = workspace.imports.plan_folder(vault, "new")
    assert plan.makes == workspace.bases.usual()
    assert workspace.bases.all() == []
    workspace.bases.add("new", chunking=SMALL)
    workspace.imports.apply(plan)
    assert workspace.bases.get("new").chunking == SMALL
    assert workspace.imports.plan_folder(vault, "new").makes is None
    deleted = workspace.imports.plan_folder(vault, "new")
    workspace.bases.delete_for_good("new")
    with pytest.raises(UnknownChoice):
        workspace.imports.apply(deleted)
    assert workspace.bases.all() == []


def test_other_chunking_says_what_it_costs_and_costs_that(workspace: Workspace, tmp_path: Path) -> None:
    folder = tmp_path / "vault"
    folder.mkdir()
    (folder / "long.md").write_text(samples.long_note(60))
    (folder / "short.md").write_text("A short one.")
    workspace.imports.apply(workspace.imports.plan_folder(folder))
    before = workspace.bases.get("vault")
    cost = workspace.bases.chunking_cost("vault", SMALL)
    assert workspace.bases.get("vault") == before
    assert cost.notes == 2
    assert cost.seconds > 0
    report = workspace.chunks.rechunk("vault", options=SMALL)
    assert (report.notes, report.chunks, report.embedded_windows) == (cost.notes, cost.chunks, cost.to_embed)
    again = workspace.bases.chunking_cost("vault", SMALL)
    assert (again.notes, again.to_embed, again.seconds) == (0, 0, 0.0)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("base:old redis", "base:new redis"),
        ("redis 知识库：old。缓存", "redis 知识库：new。缓存"),
        ('base:a,"old" x base:old', "base:a,new x base:new"),
        ("base:older old", "base:older old"),
        ('"base:old" is a phrase', '"base:old" is a phrase'),
        (r"\base:old", r"\base:old"),
        ("base: redis", "base: redis"),
        ("", ""),
    ],
)
def test_questions_follow_a_name(question: str, expected: str) -> None:
    assert rename_base(question, "old", "new") == expected


@pytest.mark.parametrize(
    ("name", "typed"), [("工作", "工作"), ("a b", '"a b"'), ('5" disk', '“5" disk”'), ("a,b", '"a,b"'), ("C:", '"C:"')]
)
def test_a_name_is_quoted_where_it_needs_it_and_goes_back(name: str, typed: str) -> None:
    assert rename_base("base:old x", "old", name) == f"base:{typed} x"
    assert rename_base(f"base:{typed} x", name, "old") == "base:old x"


def test_a_name_with_every_quotation_mark_leaves_questions_alone() -> None:
    assert rename_base("base:old x", "old", '"”」』') == "base:old x"
