"""`retrieve`, neighbours and the older searches answer alike through each door."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from core.doors.assistants import server
from core.model import ChunkingOptions
from core.retrieval.context import MOST_TOKENS
from core.workspace import Workspace
from tests.doors.programs import Doors

BASE, WORD, PARTS = "birds", "heron", 9
LONG = "\n\n".join(f"## Part {n}\n\n{f'heron{n} ' * 20}\n\n{'reed water bank ' * 120}" for n in range(PARTS))


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Workspace]:
    for name, value in {"EMBEDDER": "tfidf", "INDEX__KIND": "none", "SEARCH__RERANKER": "none"}.items():
        monkeypatch.setenv(f"TESSERA_{name}", value)
    with Workspace(tmp_path / "workspace") as opened:
        chunking = ChunkingOptions(strategy="markdown", short_doc_threshold=300, max_single_chunk_size=1500)
        opened.bases.add(BASE, embedder="tfidf", chunking=chunking)
        for title, tags in {"pond": ["water"], "roof": ["city"], "lake": ["water", "north"]}.items():
            opened.notes.add(BASE, f"A heron stands at the {title}.", title=title, path=f"{title}.md", tags=tags)
        opened.notes.set_fields([opened.notes.find("pond").id], scope="east")
        opened.notes.add(BASE, LONG, title="long", path="long.md")
        opened.set_program_access(True)
        yield opened


def test_retrieve_answers_alike_through_all_doors(workspace: Workspace) -> None:
    doors, task = Doors(workspace), {"tags": ["water", "north"], "scope": "EAST"}
    result = workspace.retrieve(WORD, task)
    assert [hit.note.title for hit in result.hits] == ["pond", "lake"]
    asked = {"query": WORD, "context": task}
    for hits in (
        doors.http("POST", "/v1/retrieve", json=asked)["hits"],
        doors.tool("knowledge_retrieve", **asked),
        doors.command("retrieve", WORD, "--tag", "water", "--tag", "north", "--scope", "EAST")["hits"],
    ):
        assert [one["scores"]["context"] for one in hits] == pytest.approx(
            [hit.scores["context"].score for hit in result.hits], abs=1e-3
        )
    assert doors.http("POST", "/v1/retrieve", json={"query": WORD, "context": {"type": "guide"}})["hits"] == []


def test_neighbours_are_added_through_every_door_within_a_limit(workspace: Workspace) -> None:
    doors, word = Doors(workspace), "heron4"
    narrow = workspace.search(word, bases=BASE, expansion_size=0).hits[0]
    wide = workspace.search(word, bases=BASE, expansion_size=3).hits[0]
    sizes = [chunk.token_count for chunk in workspace.chunks.all(narrow.note.id)]
    assert len(narrow.passage.text) < len(wide.passage.text)
    assert sum(sizes[max(0, narrow.chunk.index - 3) : narrow.chunk.index + 4]) > MOST_TOKENS
    held = [n for n in range(PARTS) if f"heron{n} " in wide.passage.text]
    assert sum(sizes[n] for n in held) <= MOST_TOKENS
    assert held == list(range(held[0], held[-1] + 1))
    asked = {"query": word, "bases": [BASE], "expansion_size": 3}
    texts = [
        doors.http("POST", "/v1/search", json=asked)["hits"][0]["text"],
        doors.http("POST", "/notes/search/complex", json={"query": word, "expand_context": True, "context_size": 3})[
            "hits"
        ][0]["text"],
        doors.command("search", word, "--base", BASE, "--expand", "3")["hits"][0]["text"],
        doors.tool("knowledge_query", knowledge_base=BASE, query=word, neighbours=3)[0]["content"],
        doors.tool("knowledge_semantic_search", knowledge_base=BASE, query=word, neighbours=3)[0]["content"],
        doors.tool("knowledge_retrieve", query=word, neighbours=3)[0]["content"],
    ]
    assert texts == [wide.passage.text] * len(texts)
    context: Any = server.run(lambda: workspace, "knowledge_context", {"query": word, "neighbours": 0, "budget": 5000})
    wider: Any = server.run(lambda: workspace, "knowledge_context", {"query": word, "neighbours": 3, "budget": 5000})
    assert len(context.content[0].text) < len(wider.content[0].text)


def test_the_older_searches_tell_chunks_and_leave_a_question_as_it_is(workspace: Workspace) -> None:
    doors, word = Doors(workspace), "heron4"
    chunk = workspace.search(word, bases=BASE).hits[0].chunk
    info = doors.http("POST", "/notes/search/semantic", json={"query": word})["hits"][0]["chunk_info"]
    assert info == {
        "chunk_id": chunk.id,
        "chunk_index": 4,
        "total_chunks": PARTS,
        "chunk_type": "markdown_section",
        "section_title": "Part 4",
        "parent_sections": [],
        "hierarchy_level": 2,
        "sections": ["Part 4"],
        "token_count": chunk.token_count,
        "overlap_tokens": 0,
    }
    trial = doors.http("POST", "/knowledge/test", json={"base": BASE, "question": word})
    assert trial["chunks"][0]["chunk_info"] == info
    broad = {"query": "compare standz at the pond and heron at the lake"}
    plain = doors.http("POST", "/notes/search/complex", json=broad | {"enable_enhancement": False})
    enhanced = doors.http("POST", "/notes/search/complex", json=broad)
    assert enhanced["sub_queries"]
    assert enhanced["spelled"]
    assert (plain["sub_queries"], plain["spelled"], plain["level"]) == ([], {}, "simple")
