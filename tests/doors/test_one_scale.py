"""The score of a hit: from 0 to 1 in every door, and the number that the minimum is compared with."""

import json
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.routing import Mount
from starlette.testclient import TestClient

from core.doors import cli
from core.doors.api import PLACE
from core.doors.api.guard import api
from core.doors.assistants.tools import knowledge_query, knowledge_retrieve, knowledge_semantic_search
from core.model import Hit
from core.reranking import RERANKERS
from core.workspace import Workspace

QUERIES = (
    "restore a database backup",
    "Backups",
    "pg_restore",
    "雪崩 怎么办",
    '"sourdough" bread',
    "compare the cache with the backup",
    "tag:kitchen",
    "zebra",
)
NOTES = {
    "Backups": "# Backups\n\nRestore the database with pg_restore after a crash.\n\n## Nightly\n\nA dump each night.",
    "雪崩": "缓存雪崩时，所有请求一下子都打到数据库。给过期时间加上随机数。",
    "Bread": "A sourdough loaf rests in the fridge. Bake it at 250 degrees.",
    "Cache": "The cache holds sessions in memory; a restart empties the cache.",
    "Old cache": "The cache held sessions on disk; a restart kept them in the cache.",
    "Garden": "Tomatoes want water in the morning.",
}
SETTINGS: Sequence[dict[str, Any]] = (
    *({"mode": mode} for mode in ("auto", "semantic", "keyword", "hybrid")),
    {"fusion": "reciprocal", "reranker": "none"},
    {"priority_weight": 0.5, "link_weight": 0.3},
    {"level": "exploratory"},
    {"level": "exploratory", "mode": "keyword"},
    {"feedback_weight": 1.0},
    *({"reranker": name} for name in RERANKERS if name in ("none", "late-interaction")),
    {"mode": "semantic", "reranker": "late-interaction"},
    {"mode": "keyword", "reranker": "late-interaction"},
)


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory, bundled: None) -> Iterator[Workspace]:
    with Workspace(tmp_path_factory.mktemp("scale") / "workspace") as workspace:
        workspace.bases.add("work")
        for number, (title, body) in enumerate(NOTES.items()):
            workspace.notes.add("work", body, title=title, priority=number % 3, tags=["kitchen"] * (title == "Bread"))
        old, new = (workspace.notes.resolve(title).id for title in ("Old cache", "Cache"))
        workspace.notes.set_fields([new], supersedes=["Old cache"])
        workspace.uses.report(old, "answer", helpful=1)
        workspace.uses.report(new, "answer", helpful=-1)
        workspace.clicks.enable(True)
        workspace.clicks.record(workspace.notes.resolve("Garden").id, "restore a database backup", "cite")
        workspace.set_program_access(True)
        yield workspace


def falls(scores: Sequence[float]) -> bool:
    return all(0 <= score <= 1 for score in scores) and [*scores] == sorted(scores, reverse=True)


def places(hits: Sequence[Hit]) -> list[tuple[str, float]]:
    return [(hit.chunk.id, hit.score) for hit in hits]


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_scores_fall_from_at_most_1_to_at_least_0_and_meet_the_minimum(
    workspace: Workspace, settings: dict[str, Any]
) -> None:
    for query in QUERIES:
        every = workspace.search(query, explain=True, **settings)
        assert falls([hit.score for hit in every.hits]), query
        assert all(0 <= dropped.hit.score <= 1 for dropped in every.lost)
        for least in (0.5, *(hit.score for hit in every.hits[:3])):
            hits = workspace.search(query, score_threshold=least, **settings).hits
            assert falls([hit.score for hit in hits])
            assert all(hit.score >= least for hit in hits)


def test_a_minimum_leaves_the_hits_above_it_as_they_are(workspace: Workspace) -> None:
    workspace.clicks.enable(False)
    for query in QUERIES:
        every = places(workspace.search(query, level="simple").hits)
        for _, least in every[:4]:
            hits = places(workspace.search(query, level="simple", score_threshold=least).hits)
            assert hits == [place for place in every if place[1] >= least]
    workspace.clicks.enable(True)


def test_of_a_search_by_meaning_it_is_the_similarity(workspace: Workspace) -> None:
    for hit in workspace.search("bake a loaf of bread", mode="semantic", reranker="none").hits:
        assert hit.score == pytest.approx(hit.scores["vector"].score, abs=1e-6) or hit.superseded_by


def test_every_door_gives_the_same_scale(workspace: Workspace) -> None:
    served = Starlette(routes=[Mount(PLACE, api(lambda: workspace))])
    program = TestClient(served, headers={"Authorization": f"Bearer {workspace.access.token}"})
    for query in QUERIES:
        asked = {"base": "work", "question": query}
        lists = [
            program.post(f"{PLACE}/v1/search", json={"query": query}).json()["hits"],
            program.post(f"{PLACE}/notes/search/semantic", json={"query": query}).json()["hits"],
            program.post(f"{PLACE}/notes/search/complex", json={"query": query}).json()["hits"],
            program.post(f"{PLACE}/knowledge/test", json=asked).json()["chunks"],
            knowledge_query(workspace, "work", query).value,
            knowledge_query(workspace, "work", keywords=["cache", "bread", "pg_restore"]).value,
            knowledge_retrieve(workspace, query, {}).value,
        ]
        for hits in lists:
            assert falls([hit["score"] for hit in hits]), query
        found = knowledge_semantic_search(workspace, "work", query).value
        assert falls([hit["relevance"] for hit in found]), query


def test_the_command_line_and_the_evaluation_have_it_too(
    workspace: Workspace, capsys: pytest.CaptureFixture[str]
) -> None:
    with suppress(SystemExit):
        cli.main(["search", "restore a database backup", "--json", "--workspace", str(workspace.store.folder)])
    hits = json.loads(capsys.readouterr().out)["hits"]
    assert hits
    assert falls([hit["score"] for hit in hits])
