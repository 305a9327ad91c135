"""Every filter narrows through every door, and what can't be is told through every door; pages and lines too."""

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from typer.testing import CliRunner

from core.base.errors import TesseraError
from core.doors import cli
from core.doors.api import PLACE
from core.doors.assistants import server
from core.workspace import Workspace
from tests.doors.narrowing import BASE, CASES, REFUSED, fill
from tests.doors.programs import connected

WORD = "heron"


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    folder = tmp_path_factory.mktemp("narrowing")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TESSERA_EMBEDDER", "tfidf")
        patch.setenv("TESSERA_INDEX__KIND", "none")
        patch.setenv("TESSERA_SEARCH__RERANKER", "none")
        with Workspace(folder / "workspace") as opened:
            fill(opened, folder / "birds")
            (folder / "texts").mkdir()
            (folder / "texts" / "faq.txt").write_text("first line\nkestrels hover above the road\n")
            opened.bases.add("lines", kind="lines", embedder="tfidf", keep_tokens=False)
            opened.imports.apply(opened.imports.plan_folder(folder / "texts", "lines"))
            opened.set_program_access(True)
            yield opened


class Doors:
    """The doors, each a function of a filter that returns the titles of the notes, or what is said of the filter."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._program = connected(workspace)
        self.all: dict[str, Callable[[str], set[str] | str]] = {
            "library, typed": lambda term: self._library(f"{term} {WORD}"),
            "library, beside": self._beside,
            "HTTP, typed": lambda term: self._http("/v1/search", query=f"{term} {WORD}", limit=50),
            "HTTP, beside": lambda term: self._http("/v1/search", query=WORD, filters=[*term.split()], limit=50),
            "older HTTP, meaning": lambda term: self._http("/notes/search/semantic", query=f"{term} {WORD}"),
            "older HTTP, any": lambda term: self._http("/notes/search/complex", query=f"{term} {WORD}"),
            "older HTTP, trial": self._trial,
            "command, typed": lambda term: self._command(f"{term} {WORD}"),
            "command, beside": lambda term: self._command(WORD, *(f"--filter={one}" for one in term.split())),
            "tool, typed": lambda term: self._tool(
                "knowledge_query", "document", knowledge_base=BASE, query=f"{term} x"
            ),
            "tool, notes": lambda term: self._tool("note_list", "path", filters=term.split(), bases=[BASE], limit=50),
        }

    def _library(self, typed: str, **options: Any) -> set[str] | str:
        try:
            return {hit.note.title for hit in self._workspace.search(typed, bases=BASE, limit=50, **options).hits}
        except TesseraError as error:
            return str(error)

    def _beside(self, term: str) -> set[str] | str:
        try:
            filters = self._workspace.searching.filters(bases=[BASE], terms=term.split())
        except TesseraError as error:
            return str(error)
        return {hit.note.title for hit in self._workspace.search(WORD, filters=filters, limit=50).hits}

    def _http(self, path: str, **values: Any) -> set[str] | str:
        base: dict[str, Any] = {"bases": [BASE]} if "v1" in path else {"filters": {"base": BASE}}
        answer = self._program.post(f"{PLACE}{path}", json=base | values)
        if answer.status_code != 200:
            assert answer.status_code == 422, answer.text
            return str(answer.json()["detail"])
        return {hit["title"] for hit in answer.json()["hits"]}

    def _trial(self, term: str) -> set[str] | str:
        values = {"base": BASE, "question": f"{term} {WORD}", "top_k": 50}
        answer = self._program.post(f"{PLACE}/knowledge/test", json=values)
        if answer.status_code != 200:
            return str(answer.json()["detail"])
        return {chunk["name"].partition(".")[0] for chunk in answer.json()["chunks"]}

    def _command(self, question: str, *options: str) -> set[str] | str:
        place = ["--base", BASE, "--limit", "50", "--json", "--workspace", str(self._workspace.store.folder)]
        done = CliRunner().invoke(cli.app, ["search", *options, *place, "--", question])
        if done.exit_code:
            return " ".join(f"{done.output} {done.exception or ''}".split())
        return {hit["title"] for hit in json.loads(done.stdout)["hits"]}

    def _tool(self, name: str, place: str, **arguments: Any) -> set[str] | str:
        result: Any = server.run(lambda: self._workspace, name, arguments)
        if result.is_error:
            return str(result.content[0].text)
        return {item[place].partition(".")[0] for item in json.loads(result.content[0].text)}


@pytest.fixture(scope="module")
def doors(workspace: Workspace) -> Doors:
    return Doors(workspace)


@pytest.mark.parametrize("term", CASES)
def test_a_filter_narrows_through_every_door(doors: Doors, term: str) -> None:
    for name, door in doors.all.items():
        if name == "tool, notes" and any(field in term for field in ("has:", "page:", "含", "页码")):
            continue  # a list of notes knows nothing of their passages
        assert door(term) == CASES[term], name


def test_a_hit_tells_the_address_the_language_and_the_level_through_every_door(workspace: Workspace) -> None:
    program, typed = connected(workspace), f"{WORD} url:example.org/table"
    told = [("https://herons.example.org/table", "en", 1)]
    places = {"/v1/search": {"bases": [BASE]}, "/notes/search/semantic": {}, "/notes/search/complex": {}}
    answers = [program.post(f"{PLACE}{path}", json={"query": typed} | more).json() for path, more in places.items()]
    command = ["search", "--json", "--workspace", str(workspace.store.folder), "--", typed]
    answers.append(json.loads(CliRunner().invoke(cli.app, command).stdout))
    for answer in answers:
        assert [(hit["source_url"], hit["language"], hit["hierarchy_level"]) for hit in answer["hits"]] == told
    (chunk,) = program.post(f"{PLACE}/knowledge/test", json={"base": BASE, "question": typed}).json()["chunks"]
    assert [(chunk["source_url"], chunk["language"], chunk["chunk_info"]["hierarchy_level"])] == told
    result: Any = server.run(lambda: workspace, "knowledge_query", {"knowledge_base": BASE, "query": typed})
    assert [item["source_url"] for item in json.loads(result.content[0].text)] == ["https://herons.example.org/table"]


@pytest.mark.parametrize("term", REFUSED)
def test_a_filter_that_cannot_be_is_told_through_every_door(doors: Doors, term: str) -> None:
    for name, door in doors.all.items():
        if name == "tool, typed":
            continue  # what it can't be is said beside the hits of the plain text
        said = door(term)
        assert isinstance(said, str), name
        assert REFUSED[term] in said, (name, said)


FOOD = "favourite food frogs"
"""What stands on the second page of a passage that begins on the first."""


def test_a_hit_has_the_page_of_its_sentence_through_every_door(workspace: Workspace, doors: Doors) -> None:
    hit = workspace.search(FOOD, bases=BASE).hits[0]
    assert (hit.note.title, hit.chunk.page, hit.page) == ("book", 1, 2)
    assert workspace.search("where it stands", bases=BASE).hits[0].page == 1
    filters = workspace.searching.filters(bases=[BASE])
    assert workspace.context(FOOD, filters=filters).citations[0].page == 2
    program, place = doors._program, str(workspace.store.folder)
    asked = {"query": FOOD, "bases": [BASE]}
    assert program.post(f"{PLACE}/v1/search", json=asked).json()["hits"][0]["page"] == 2
    assert program.post(f"{PLACE}/v1/context", json=asked).json()["citations"][0]["page"] == 2
    older = {"query": FOOD, "filters": {"base": BASE}}
    assert program.post(f"{PLACE}/notes/search/complex", json=older).json()["hits"][0]["page"] == 2
    trial = program.post(f"{PLACE}/knowledge/test", json={"base": BASE, "question": FOOD}).json()
    assert (trial["chunks"][0]["page"], trial["chunks"][0]["line"]) == (2, None)
    for command, items in (("search", "hits"), ("context", "citations")):
        done = CliRunner().invoke(cli.app, [command, FOOD, "--base", BASE, "--json", "--workspace", place])
        assert json.loads(done.stdout)[items][0]["page"] == 2
    assert _item(workspace, "knowledge_semantic_search", knowledge_base=BASE, query=FOOD)["page"] == 2
    assert _item(workspace, "knowledge_query", knowledge_base=BASE, query=FOOD)["page"] == 2
    assert _item(workspace, "knowledge_context", query=FOOD, bases=[BASE])["page"] == 2


def test_a_line_stands_beside_its_file_through_every_door(workspace: Workspace, doors: Doors) -> None:
    program, word = doors._program, "kestrels"
    place = {"source": "faq.txt", "line": 2}
    for tool, values in {
        "knowledge_text_search": {"knowledge_base": "lines", "keyword": word},
        "knowledge_semantic_search": {"knowledge_base": "lines", "query": word},
        "knowledge_context": {"query": word, "bases": ["lines"]},
    }.items():
        item = _item(workspace, tool, **values)
        assert {name: item[name] for name in place} == place, tool
        assert "page" not in item
    item = _item(workspace, "knowledge_query", knowledge_base="lines", query=word)
    assert (item["document"], item["line"]) == ("faq.txt", 2)
    asked = {"query": word, "bases": ["lines"]}
    for path, items in (("search", "hits"), ("context", "citations")):
        first = program.post(f"{PLACE}/v1/{path}", json=asked).json()[items][0]
        assert (first["path"], first["line"], first["page"]) == ("faq.txt", 2, None)
    trial = program.post(f"{PLACE}/knowledge/test", json={"base": "lines", "question": word}).json()
    assert [trial["chunks"][0][name] for name in ("name", "line", "page")] == ["faq.txt", 2, None]
    command = ["search", word, "--base", "lines", "--json", "--workspace", str(workspace.store.folder)]
    first = json.loads(CliRunner().invoke(cli.app, command).stdout)["hits"][0]
    assert (first["path"], first["line"]) == ("faq.txt", 2)


def _item(workspace: Workspace, tool: str, **arguments: Any) -> Any:
    """Return the first passage of a tool's answer."""
    result: Any = server.run(lambda: workspace, tool, arguments)
    assert not result.is_error, result.content
    if result.structured_content and "citations" in result.structured_content:
        return result.structured_content["citations"][0]
    return json.loads(result.content[0].text)[0]
