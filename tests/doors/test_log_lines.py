"""Each write and each search leaves its line in the log through every door, and no text of a note."""

import logging
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from core.base import call_log, log
from core.doors import cli
from core.doors.api import PLACE
from core.doors.assistants import server
from core.workspace import Workspace
from tests.doors.programs import connected

BASE, SECRET = "birds", "Zaubernuss"
ASKED = f"where does the heron of the {SECRET} stand"
LEARNT = f"2026-01-02 03:04:05 ERROR pool: no connection left for {SECRET}, pool.most = 20\n" * 3
OPERATIONS = (
    *("search", "semantic", "context", "retrieve", "ask", "related", "concepts", "concept notes", "way"),
    *("add", "update", "use", "take back", "learn"),
)
SEARCHES = OPERATIONS[:5]
Door = Callable[[Workspace], dict[str, Callable[[], object]]]


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Workspace]:
    values = {"EMBEDDER": "tfidf", "INDEX__KIND": "none", "SEARCH__RERANKER": "none", "ENABLE_LEARNING": "true"}
    for name, value in values.items():
        monkeypatch.setenv(f"TESSERA_{name}", value)
    monkeypatch.chdir(tmp_path)
    with Workspace(tmp_path / "workspace") as opened:
        opened.bases.add(BASE, embedder="tfidf", trusts_programs=True)
        for title in ("pond", "roof", "lake"):
            opened.notes.add(BASE, f"A {SECRET} heron stands at the {title}.", title=title, path=f"{title}.md")
        opened.set_program_access(True)
        yield opened


def library(workspace: Workspace) -> dict[str, Callable[[], object]]:
    pond, roof = (workspace.notes.find(name).id for name in ("pond", "roof"))
    return {
        "search": lambda: workspace.search(ASKED),
        "semantic": lambda: workspace.search(ASKED, mode="semantic"),
        "context": lambda: workspace.context(ASKED),
        "retrieve": lambda: workspace.retrieve(ASKED, {"type": "", "tags": [], "scope": SECRET}),
        "ask": lambda: workspace.answers.ask(f"{ASKED}?"),
        "related": lambda: workspace.related.of(pond),
        "concepts": lambda: workspace.related.concepts.all(BASE),
        "concept notes": lambda: workspace.related.concepts.notes([SECRET], BASE),
        "way": lambda: workspace.related.concepts.way(pond, roof),
        "add": lambda: workspace.notes.add(BASE, f"One more {SECRET}."),
        "update": lambda: workspace.notes.update(pond, body=f"Another {SECRET}."),
        "use": lambda: workspace.uses.report(pond, "desk", SECRET, helpful=1),
        "take back": lambda: workspace.uses.take_back(pond, "desk", SECRET),
        "learn": lambda: workspace.learning.learn(BASE, text=LEARNT, name="app.log"),
    }


def command(workspace: Workspace) -> dict[str, Callable[[], object]]:
    workspace.close()

    def run(*arguments: str, stdin: str = "") -> Callable[[], object]:
        def ran() -> None:
            done = CliRunner().invoke(cli.app, [*arguments, "--workspace", str(workspace.store.folder)], input=stdin)
            assert done.exit_code == 0, done.output

        return ran

    Path("app.log").write_text(LEARNT)
    used = ("--used-in", "desk", "--context", SECRET)
    return {
        "search": run("search", ASKED),
        "semantic": run("search", ASKED, "--mode", "semantic"),
        "context": run("context", ASKED),
        "retrieve": run("retrieve", ASKED, "--scope", SECRET),
        "ask": run("ask", ASKED),
        "related": run("note", "related", "pond"),
        "concepts": run("concept", "list", "--base", BASE),
        "concept notes": run("concept", "notes", SECRET, "--base", BASE),
        "way": run("concept", "way", "pond", "roof"),
        "add": run("note", "new", BASE, "--body", f"One more {SECRET}."),
        "update": run("note", "edit", "pond", "--body", f"Another {SECRET}."),
        "use": run("note", "used", "pond", *used, "--helpful", "1"),
        "take back": run("note", "take-back", "pond", *used),
        "learn": run("learn", "app.log", "--base", BASE),
    }


def http(workspace: Workspace) -> dict[str, Callable[[], object]]:
    program = connected(workspace)
    pond, roof = (workspace.notes.find(name).id for name in ("pond", "roof"))

    def run(method: str, path: str, job: str = "", **more: Any) -> Callable[[], object]:
        def ran() -> None:
            answer = program.request(method, f"{PLACE}/v1{path}", **more)
            assert answer.is_success, answer.text
            if job:
                workspace.jobs.wait(job, 30)

        return ran

    return {
        "search": run("POST", "/search", json={"query": ASKED}),
        "semantic": run("POST", "/search", json={"query": ASKED, "mode": "semantic"}),
        "context": run("POST", "/context", json={"query": ASKED}),
        "retrieve": run("POST", "/retrieve", json={"query": ASKED, "context": {"scope": SECRET}}),
        "ask": run("POST", "/answer", json={"query": ASKED}),
        "related": run("GET", f"/notes/{pond}/related"),
        "concepts": run("GET", "/concepts", params={"base": BASE}),
        "concept notes": run("GET", "/concepts/notes", params={"concept": SECRET, "base": BASE}),
        "way": run("GET", f"/notes/{pond}/way", params={"to": roof}),
        "add": run("POST", "/notes", json={"base": BASE, "body": f"One more {SECRET}."}),
        "update": run("PATCH", f"/notes/{pond}", json={"body": f"Another {SECRET}."}),
        "use": run("POST", f"/notes/{pond}/uses", json={"used_in": "desk", "context": SECRET, "helpful": 1}),
        "take back": run("DELETE", f"/notes/{pond}/verdict", params={"used_in": "desk", "context": SECRET}),
        "learn": run("POST", "/learn", "learn", json={"text": LEARNT, "name": "app.log", "base": BASE}),
    }


def assistant(workspace: Workspace) -> dict[str, Callable[[], object]]:
    def run(name: str, /, **arguments: Any) -> Callable[[], object]:
        def ran() -> None:
            result = server.run(lambda: workspace, name, arguments)
            assert not result.is_error, result.content

        return ran

    used = {"note": "pond", "used_in": "desk", "context": SECRET}
    return {
        "search": run("knowledge_query", knowledge_base=BASE, query=ASKED),
        "semantic": run("knowledge_semantic_search", knowledge_base=BASE, query=ASKED),
        "context": run("knowledge_context", query=ASKED),
        "retrieve": run("knowledge_retrieve", query=ASKED, context={"scope": SECRET}),
        "ask": run("knowledge_answer", query=ASKED),
        "related": run("note_related", note="pond"),
        "concepts": run("concept_list", base=BASE),
        "concept notes": run("concept_notes", concepts=[SECRET], base=BASE),
        "way": run("concept_way", note="pond", to="roof"),
        "add": run("note_add", base=BASE, text=f"One more {SECRET}."),
        "update": run("note_update", note="pond", text=f"Another {SECRET}."),
        "use": run("note_used", **used, helpful=1),
        "take back": run("note_take_back", **used),
        "learn": run("log_learn", text=LEARNT, name="app.log", base=BASE),
    }


@pytest.mark.parametrize("door", [library, command, http, assistant])
def test_each_write_and_search_leaves_its_line(workspace: Workspace, door: Door) -> None:
    file, calls = workspace.store.folder / log.FILE, door(workspace)
    assert [*calls] == [*OPERATIONS]
    for name, act in calls.items():
        before = len(file.read_text().splitlines())
        act()
        said = [line for line in file.read_text().splitlines()[before:] if f" {call_log.__name__}:" in line]
        (line,) = [one for one in said if f"base={BASE} model=tfidf " in one] or [said]
        assert re.search(r" ms=\d+$", str(line)), (name, line)
        assert name not in SEARCHES or " mode=" in str(line), (name, line)
    assert SECRET not in file.read_text()


def test_an_evaluation_leaves_no_line_for_each_question(workspace: Workspace) -> None:
    file = workspace.store.folder / log.FILE
    before = len(file.read_text().splitlines())
    workspace.findability.check(BASE)
    lines = [line for line in file.read_text().splitlines()[before:] if logging.getLevelName(logging.INFO) in line]
    assert len([line for line in lines if "findability.check: base=birds" in line]) == len(lines) == 1
