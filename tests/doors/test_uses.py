"""Uses are recorded, reported and shown through each door; `retrieve` and neighbours answer alike through all."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from core.doors import cli
from core.doors.api import PLACE
from core.doors.assistants import server
from core.doors.assistants.write_calls import WriteCalls
from core.model import ChunkingOptions
from core.retrieval.context import MOST_TOKENS
from core.workspace import Workspace
from tests.doors.programs import connected

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


class Doors:
    """The doors to a workspace, each a call that returns its JSON."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._program = connected(workspace)

    def http(self, method: str, path: str, **more: Any) -> Any:
        answer = self._program.request(method, f"{PLACE}{path}", **more)
        assert answer.status_code in (200, 201), answer.text
        return answer.json()

    def refused(self, method: str, path: str, **more: Any) -> int:
        return self._program.request(method, f"{PLACE}{path}", **more).status_code

    def tool(self, name: str, **arguments: Any) -> Any:
        result: Any = server.run(lambda: self._workspace, name, arguments)
        assert not result.is_error, result.content
        return json.loads(result.content[0].text)

    def command(self, *arguments: str) -> Any:
        place = ["--json", "--workspace", str(self._workspace.store.folder)]
        done = CliRunner().invoke(cli.app, [*arguments, *place])
        assert done.exit_code == 0, done.output
        return json.loads(done.stdout)


def test_a_use_is_reported_shown_and_taken_back_through_each_door(workspace: Workspace) -> None:
    doors, note = Doors(workspace), workspace.notes.find("pond").id
    use = {"used_in": "notebook", "context": "cell 3", "helpful": 1}
    assert doors.http("POST", f"/v1/notes/{note}/uses", json=use)["times"] == 1
    assert doors.tool("note_used", note="pond", **use | {"helpful": -1})["times"] == 2
    shown = doors.http("GET", f"/v1/notes/{note}/uses")
    assert (shown["used"], shown["helpful"], shown["misleading"]) == (2, 0, 1)
    assert doors.command("note", "uses", "pond") == shown
    assert [(one["used_in"], one["context"], one["helpful"]) for one in shown["uses"]] == [("notebook", "cell 3", -1)]
    assert doors.tool("note_take_back", note="pond", used_in="notebook", context="cell 3")["misleading"] == 0
    refused: Any = server.run(lambda: workspace, "note_used", {"note": "pond", "used_in": "x", "helpful": 2})
    assert refused.is_error
    workspace.uses.report(note, "notebook", "cell 3", helpful=0)
    gone = doors.http("DELETE", f"/v1/notes/{note}/verdict", params={"used_in": "notebook", "context": "cell 3"})
    assert (gone["not_helpful"], gone["used"]) == (0, 3)


def test_commands_that_write_report_forget_and_take_back(workspace: Workspace) -> None:
    folder, note = workspace.store.folder, workspace.notes.find("pond").id
    workspace.close()

    def run(*arguments: str) -> str:
        done = CliRunner().invoke(cli.app, [*arguments, "--workspace", str(folder)])
        assert done.exit_code == 0, done.output
        return done.stdout

    assert "helpful" in run("note", "used", note, "--used-in", "desk", "--context", "why", "--helpful", "1")
    assert "Found 0 times, used 1 time. Verdicts: 1 helpful, 0 not helpful" in run("note", "uses", "pond")
    assert "Verdicts: 0 helpful" in run("note", "take-back", "pond", "--used-in", "desk", "--context", "why")
    assert "1 use deleted." in run("note", "forget-uses", "pond")


def test_what_programs_find_cite_and_read_is_recorded(workspace: Workspace) -> None:
    doors, note = Doors(workspace), workspace.notes.find("pond").id
    asked = {"query": "heron stands at the pond", "bases": [BASE]}
    doors.http("POST", "/v1/search", json=asked)
    doors.http("POST", "/notes/search/complex", json={"query": asked["query"]})
    doors.tool("knowledge_query", knowledge_base=BASE, query=asked["query"])
    doors.tool("knowledge_retrieve", query=asked["query"])
    assert workspace.uses.figures(note).found == 4
    doors.http("POST", "/v1/context", json=asked)
    server.run(lambda: workspace, "knowledge_context", {"query": asked["query"]})
    doors.http("GET", f"/v1/notes/{note}")
    doors.tool("note_read", note="pond")
    quoted = doors.http("POST", "/v1/answer", json={"query": "where does a heron stand at the pond?"})
    counted = {use.used_in: use.times for use in workspace.uses.of(note)}
    answers = {"answer": 1} if note in [one["note_id"] for one in quoted["citations"]] else {}
    assert counted == {"found": 4, "context": 2, "read": 2} | answers


def test_a_process_that_reads_hands_its_uses_to_one_that_writes(workspace: Workspace) -> None:
    folder, note = workspace.store.folder, workspace.notes.find("pond").id
    workspace.close()
    with Workspace(folder, readonly=True) as reading:
        calls = WriteCalls(folder, lambda: reading)
        reading.uses.hand_to(calls.record, 0.01)
        server.run(lambda: reading, "note_read", {"note": "pond"})
        reading.uses.flush()
        assert [use.used_in for use in reading.uses.of(note)] == ["read"]


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


def test_clicks_are_recorded_listed_and_forgotten_through_each_door(workspace: Workspace) -> None:
    doors, note, question = Doors(workspace), workspace.notes.find("pond").id, "where is the heron"
    click = {"question": question, "kind": "open"}
    assert doors.refused("POST", f"/v1/notes/{note}/clicks", json=click) == 422
    off: Any = server.run(lambda: workspace, "note_clicked", {"note": "pond", **click})
    assert "aren't recorded" in off.content[0].text
    assert doors.http("GET", "/v1/clicks")["clicks"] == []
    workspace.clicks.enable(True)
    assert doors.http("POST", f"/v1/notes/{note}/clicks", json=click)["note_id"] == note
    assert doors.tool("note_clicked", note="pond", question=question, kind="cite")["kind"] == "cite"
    wrong: Any = server.run(lambda: workspace, "note_clicked", {"note": "pond", "question": question, "kind": "lick"})
    assert wrong.is_error
    listed = doors.http("GET", "/v1/clicks", params={"note": "pond"})
    assert [one["kind"] for one in listed["clicks"]] == ["cite", "open"]
    assert doors.command("click", "list") == listed
    assert doors.http("GET", "/v1/clicks", params={"note": "roof"})["clicks"] == []
    raised = doors.http("POST", "/v1/search", json={"query": question, "bases": [BASE]})["hits"]
    assert next(one for one in raised if one["note_id"] == note)["scores"]["clicks"] > 0
    assert doors.tool("note_forget_clicks", note="pond")["clicks"] == 2
    doors.tool("note_clicked", note="pond", **click)
    assert doors.http("DELETE", f"/v1/notes/{note}/clicks")["clicks"] == 1
    doors.tool("note_clicked", note="pond", **click)
    assert doors.http("DELETE", "/v1/clicks")["clicks"] == 1


def test_commands_record_list_and_forget_clicks(workspace: Workspace) -> None:
    folder, note = workspace.store.folder, workspace.notes.find("pond").id
    workspace.clicks.enable(True)
    workspace.close()

    def run(*arguments: str) -> str:
        done = CliRunner().invoke(cli.app, [*arguments, "--workspace", str(folder)])
        assert done.exit_code == 0, done.output
        return done.stdout

    clicked = ("note", "clicked", "pond", "--question", "where is\nthe heron", "--kind")
    assert f"{note}  copied  where is the heron" in run(*clicked, "copy")
    assert f"{note}  copied  where is the heron" in run("click", "list", "--note", "pond")
    assert "1 click deleted." in run("note", "forget-clicks", "pond")
    run(*clicked, "cite")
    assert "1 click deleted." in run("click", "forget")
    assert "Nothing is recorded." in run("click", "list")
