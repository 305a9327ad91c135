"""Every operation through every door that it has, as people call it: its example, and each parameter at its edges."""

import json
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from io import BytesIO, TextIOWrapper
from itertools import count
from pathlib import Path
from typing import Any, get_origin
from urllib.parse import quote

import pytest
from starlette.testclient import TestClient

from core.doors import cli
from core.doors.api import PLACE
from core.doors.assistants import server
from core.doors.cli.calling import flag
from core.doors.cli.serving import answer_calls
from core.doors.registry import OPERATIONS
from core.operations.declaring import PERSON, PROGRAM, Caller, Operation, Parameter
from core.operations.parameters import plain
from core.workspace import Workspace
from tests import samples
from tests.doors.programs import connected
from tests.model_server import ModelServer

LOG = "2026-02-14 10:12:03 INFO config - setting pool.size = 20, pool.wait = 3\n"


class Things:
    """A workspace, and new things in it for the operations to work on."""

    def __init__(self, workspace: Workspace, folder: Path) -> None:
        self.workspace, self.folder = workspace, folder
        self._numbers = count(1)
        self.base("work")
        self.run("note.new", base="work", path="roadmap.md", body="# Roadmap\n\nThe search comes first.\n")
        self.harbour = self.note("# Harbour\n\nThe harbour is deep.")
        self.run("note.new", base=self.base("start"), body="# Start\n\nWe begin with a walk.\n")
        (texts := folder / "texts" / "lines" / "texts").mkdir(parents=True)
        (texts / "lines.txt").write_text("One line.\n")

    def run(self, name: str, /, by: Caller = PERSON, **arguments: Any) -> Any:
        return OPERATIONS[name].run(self.workspace, by, arguments)

    def name(self) -> str:
        return f"new {next(self._numbers)}"

    def path(self, ending: str = ".zip") -> Path:
        return self.folder / f"{next(self._numbers)}{ending}"

    def base(self, name: str = "") -> str:
        return str(self.workspace.bases.add(name or self.name(), embedder="tfidf", keep_tokens=False).name)

    def vault(self) -> Path:
        return samples.write(self.path(""))

    def note(self, text: str = "Plan {n} begins with the search.\n\nPlan {n} ends with a rest.") -> str:
        return str(self.workspace.notes.add("work", text.format(n=next(self._numbers))).id)

    def trusted(self) -> str:
        base = self.base()
        self.workspace.bases.update(base, trusts_programs=True)
        return str(self.workspace.notes.add(base, "A plan.").id)

    def naming(self) -> str:
        return self.note("# Notice {n}\n\nSee the Harbour.")

    def deleted(self) -> str:
        self.run("note.delete", notes=[note := self.note()])
        return note

    def proposed(self) -> str:
        return str(self.run("note.new", PROGRAM, base="work", body=f"Proposal {next(self._numbers)}").id)

    def waiting(self) -> str:
        note = self.proposed()
        return next(item.key for item in self.workspace.review.all() if note in item.key or note == _id(item))

    def doubled(self) -> str:
        (self.folder / "doubled").mkdir(exist_ok=True)
        name = f"tea {next(self._numbers)}"
        (self.folder / "doubled" / f"{name}.md").write_text(f"# {name}\n\nThree minutes.\n")
        (self.folder / "doubled" / f"{name}.sync-conflict-20260301-101112-ABCDEF7.md").write_text("Four minutes.\n")
        self.workspace.imports.apply(self.workspace.imports.plan_folder(self.folder / "doubled"))
        return next(item.key for item in self.workspace.review.all(kinds=["file"]))

    def imported(self, name: str, data: bytes) -> str:
        folder = self.path("")
        folder.mkdir()
        (folder / name).write_bytes(data)
        self.workspace.imports.apply(self.workspace.imports.plan_folder(folder))
        return next(card.id for card in self.workspace.notes.all() if card.base == folder.name)

    def page(self) -> str:
        return self.imported("page.html", b"<h1>Vegetables</h1><p>Leek and kale.</p>")

    def chunk(self, note: str = "") -> str:
        return str(self.workspace.chunks.all(note or self.note())[0].id)

    def halves(self) -> str:
        chunk = self.chunk()
        self.run("chunk.split", chunk=chunk, at=10)
        return self.chunk(chunk.partition(":")[0])

    def hidden(self) -> str:
        chunk = self.halves()
        self.run("chunk.hide", chunk=chunk)
        return chunk

    def thread(self) -> str:
        return str(self.run("thread.ask", query="where do we begin", bases=["start"]).id)

    def questions(self) -> str:
        example = OPERATIONS["questions.add"].arguments
        return str(self.run("questions.add", **example | {"name": self.name()}).id)

    def asked(self) -> str:
        question_set = self.questions()
        return next(one.name for one in self.workspace.question_sets.all("work") if one.id == question_set)

    def log(self) -> Path:
        (file := self.path(".log")).write_text(LOG)
        return file

    def measured(self) -> str:
        return str(self.run("run.start", question_set=self.questions()).runs[0].id)

    def archive(self) -> Path:
        self.run("base.export", base=self.few(), to=(place := self.path()))
        return place

    def trashed(self) -> str:
        self.run("base.delete", base=self.base())
        return str(self.run("base.trash").trash[0].key)

    def backup(self) -> str:
        return str(self.run("backup.make").name)

    def few(self) -> str:
        """Return the name of a new base with three notes."""
        self.workspace.imports.apply(self.workspace.imports.plan_folder(folder := self.vault()))
        return folder.name

    def pack(self) -> str:
        if not any(one.installed for one in self.run("pack.list").packs):
            self.run("pack.install", source="guide")
        return "guide"

    def job(self) -> str:
        self.workspace.jobs.start("rechunk", lambda progress: None)
        return self.workspace.jobs.all()[-1].id


def _id(item: Any) -> str:
    return str(item.note.id if item.note else "")


Make = Callable[[Things], Any]
VALUES: Mapping[str, Make] = {
    "note": Things.note,
    "other": Things.note,
    "notes": lambda things: [things.note()],
    "chunk": Things.chunk,
    "thread": Things.thread,
    "keys": lambda things: [things.waiting()],
    "question_set": Things.questions,
    "run": Things.measured,
    "folder": Things.vault,
    "backup": Things.backup,
    "job": Things.job,
    "pack": Things.pack,
}
"""Values of parameters in place of those in the examples, which name what isn't there."""
OWN: Mapping[str, Mapping[str, Make]] = {
    "base.new": {"name": Things.name},
    "base.rename": {"base": Things.base, "new_name": Things.name},
    "base.delete": {"base": Things.base},
    "base.import": {"base": Things.base},
    "base.connect": {"base": Things.base},
    "note.set": {"add_tags": lambda _: ["plan"]},
    "note.restore": {"notes": lambda things: [things.deleted()]},
    "note.restore_one": {"note": Things.deleted},
    "note.proposed": {"note": Things.proposed},
    "note.accept": {"notes": lambda things: [things.proposed()]},
    "note.reject": {"notes": lambda things: [things.proposed()]},
    "note.move": {"notes": lambda things: [things.trusted()], "folder": lambda _: "work/plans"},
    "note.link": {
        "note": lambda things: things.note("# Notice {n}\n\nSee the Harbour."),
        "other": lambda things: things.harbour,
    },
    "concept.way": {"to": Things.note},
    "document.convert": {"note": Things.page, "converter": lambda _: "pandoc"},
    "document.encodings": {"note": lambda things: things.imported("a.md", "한국어".encode("euc-kr"))},
    "document.read_as": {"note": lambda things: things.imported("a.md", "한국어".encode("euc-kr"))},
    "document.original": {"note": Things.page, "to": Things.path},
    "chunk.merge": {"chunk": Things.halves},
    "chunk.restore": {"chunk": Things.hidden},
    "chunk.split": {"at": lambda _: 10},
    "chunk.preview": {"file": lambda things: things.vault() / "backups.md"},
    "learning.learn": {"text": lambda _: LOG},
    "review.settle": {"key": Things.doubled},
    "review.merge": {"key": Things.waiting, "into": Things.note},
    "questions.add": {"name": Things.name},
    "findability.check": {"base": Things.few},
    "pack.upgrade": {"pack": Things.pack},
    "base.export": {"to": Things.path},
    "base.restore": {"place": Things.archive, "base": Things.name},
    "base.restore_deleted": {"key": Things.trashed, "base": Things.name},
    "backup.restore": {"to": lambda things: things.path("")},
}
"""Those of one operation."""


def values(things: Things, operation: Operation) -> dict[str, Any]:
    own = OWN.get(operation.name, {})
    made = {name: make for name, make in VALUES.items() if name in operation.arguments} | own
    if not operation.writes and made.get("note") is Things.note:
        made["note"] = lambda things: things.harbour
    return operation.arguments | {name: make(things) for name, make in made.items()}


TYPED: Mapping[str, Callable[[Things], list[Any]]] = {
    "base.fetch": lambda things: ["import", things.vault()],
    "base.abandon_switch": lambda things: ["models", "switch", "work", "--abandon"],
    "run.start": lambda things: ["evaluate", name := things.asked(), "--base", "work", "--save", name],
    "learning.learn": lambda things: ["learn", things.log(), "--base", "work"],
}
"""Commands that aren't typed as their operations say."""
STATUS = {"doctor.examine": 1, "doctor.fix": 1}
"""Exit statuses that are an answer: notes are not indexed yet."""
ASKING = ("base.delete", "base.empty_trash", "backup.restore")
"""Operations whose commands ask first."""
CALLED: Mapping[str, Mapping[str, Any]] = {
    "search.find": {"knowledge_base": "work", "query": "where do we begin"},
    "answer.ask": {"bases": ["work"], "query": "where do we begin"},
}
"""Arguments of tools that aren't made from their operations."""
REFUSED: Mapping[str, str] = {
    "base.switch": "No model switch is under way",  # which ends in the command that begins it
}
"""The answer of operations whose work isn't prepared here."""


def command(things: Things, operation: Operation, given: dict[str, Any] | None = None) -> list[str]:
    """Return what is typed after `tessera`."""
    if operation.name in TYPED and given is None:
        return [*map(str, TYPED[operation.name](things))]
    left = dict(given or values(things, operation))
    words: list[str] = []
    for word in operation.cli.split():
        value = left.pop(word[1:-1], None) if word.startswith("{") else word
        words += [str(item) for item in (value if isinstance(value, list) else [value]) if item is not None]
    for parameter in operation.taken("cli"):
        if parameter.name in left:
            words += options(parameter, left[parameter.name])
    return [*words, *(["--yes"] if operation.name in ASKING else [])]


def options(parameter: Parameter, value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        parts = {part.name: part for part in parameter.about.parts}
        for name, inner in value.items():
            yield from options(parts[name], inner)
    elif isinstance(value, bool):
        yield flag(parameter).split("/")[not value]
    else:
        for item in value if isinstance(value, list) else [value]:
            yield from (flag(parameter), str(item))


def request(
    things: Things, operation: Operation, given: dict[str, Any] | None = None
) -> tuple[str, str, dict[str, Any]]:
    method, place = operation.http.split()
    left = {name: json_of(value) for name, value in (given or values(things, operation)).items()}
    path = re.sub(
        r"\{(\w+)[^}]*\}", lambda found: quote(str(left.pop(found[1])), safe="", errors="surrogatepass"), place
    )
    taken = {parameter.name: parameter.about.query or parameter.name for parameter in operation.taken("http")}
    if method in ("POST", "PATCH"):
        body = json.dumps({name: value for name, value in left.items() if name in taken})
        return method, path, {"content": body, "headers": {"Content-Type": "application/json"}}
    return method, path, {"params": {taken[name]: value for name, value in left.items() if name in taken}}


def called(things: Things, operation: Operation) -> dict[str, Any]:
    """Return the arguments of a tool."""
    if operation.name in CALLED:
        return {**CALLED[operation.name]}
    given = values(things, operation)
    fields = {field.name for field in operation.fields}
    taken = [parameter for parameter in operation.taken("tool") if parameter.name in given]
    arguments = {each.about.tool or each.name: given[each.name] for each in taken if each.name not in fields}
    inner = {each.name: given[each.name] for each in taken if each.name in fields}
    return arguments | ({"fields": inner} if inner else {})


def json_of(value: Any) -> Any:
    return str(value) if isinstance(value, Path) else value


@pytest.fixture(scope="module")
def things(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Things]:
    folder = tmp_path_factory.mktemp("operations")
    settings = {"EMBEDDER": "tfidf", "INDEX__KIND": "none", "SEARCH__RERANKER": "none", "SEARCH__USE_CLICKS": "true"}
    settings |= {"ENABLE_LEARNING": "true", "SEARCH__DECOMPOSE": "rules", "LLM__MODEL": "m", "DAILY__BASE": "work"}
    (clip := folder / "clip").mkdir()  # which no note with a picture loads
    for name in ("config.json", "model.safetensors"):
        (clip / name).write_text("{}")
    settings |= {
        "PICTURES__MODEL": str(clip),
        "KNOWLEDGE__ENABLED": "true",
        "KNOWLEDGE__BASE_DIR": str(folder / "texts"),
    }
    with pytest.MonkeyPatch.context() as patch, ModelServer() as model:
        for name, value in settings.items():
            patch.setenv(f"TESSERA_{name}", value)
        patch.setenv("TESSERA_LLM__BASE_URL", model.url)
        with Workspace(folder / "workspace") as workspace, answer_calls(workspace):
            workspace.set_program_access(True)
            yield Things(workspace, folder)


@pytest.fixture(scope="module")
def program(things: Things) -> TestClient:
    return connected(things.workspace)


@pytest.mark.parametrize("name", [name for name, one in OPERATIONS.items() if one.cli])
def test_as_a_command(
    things: Things, name: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for form in ("text", "json"):
        typed = command(things, OPERATIONS[name])
        place = ["--workspace", str(things.workspace.store.folder), *(["--json"] if form == "json" else [])]
        monkeypatch.setattr(sys, "stdin", TextIOWrapper(BytesIO(b"Text.\n")))
        status: Any = 0
        try:
            cli.main([*typed, *place])
        except SystemExit as end:
            status = end.code or 0
        printed = capsys.readouterr()
        if name in REFUSED:
            assert (status, REFUSED[name] in printed.err) == (1, True), (typed, printed)
            continue
        assert status == STATUS.get(name, 0), (typed, printed)
        assert printed.out.strip()
        if form == "json":
            json.loads(printed.out)


@pytest.mark.parametrize("name", [name for name, one in OPERATIONS.items() if one.http])
def test_over_http(things: Things, program: TestClient, name: str) -> None:
    operation = OPERATIONS[name]
    method, path, more = request(things, operation)
    answer = program.request(method, f"{PLACE}/v1{path}", **more)
    if name in REFUSED:
        assert (answer.status_code, REFUSED[name] in answer.json()["detail"]) == (422, True)
        return
    assert answer.status_code < 300, answer.text
    if operation.job:
        job = things.workspace.jobs.wait(operation.job)
        assert job is None or job.state == "done", job


@pytest.mark.parametrize("name", [name for name, one in OPERATIONS.items() if one.tool])
def test_as_a_tool(things: Things, name: str) -> None:
    operation = OPERATIONS[name]
    result: Any = server.run(lambda: things.workspace, operation.tool, called(things, operation))
    assert not result.is_error, result.content


LONG = "x" * 300
"""Longer than a file name may be."""
EDGES: Mapping[type, list[Any]] = {
    str: ["", " ", LONG, "x" * 20_000, "a\0b", "\ud800", "..", "~no-one/x", "-1"],
    int: [-1, 10**30, "NaN", 1.5],
    float: [-1, 10**30, "NaN"],
    bool: ["maybe"],
    list: [[], [""], [LONG], ["a\0b"], ["\ud800"], [None]],
    dict: [{"x": 1}, []],
}
IN_COMMANDS = ("", LONG, -1, "NaN", [LONG])
"""Those that an argument can be, and that differ there."""


def edges(parameter: Parameter) -> list[Any]:
    kind = plain(parameter.type)
    kind = get_origin(kind) or kind
    return EDGES[str if issubclass(kind, Path) else dict if issubclass(kind, Mapping) else kind]


def is_clear(text: str) -> bool:
    return bool(text.strip()) and not re.search("Input should|Tessera failed|Traceback|Error:|Errno", text)


@pytest.fixture
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)  # where "" and ".." lead
    monkeypatch.chdir(tmp_path / "a" / "b")


@pytest.mark.usefixtures("_elsewhere")
@pytest.mark.parametrize("name", [name for name, one in OPERATIONS.items() if one.http])
def test_each_edge_over_http(things: Things, program: TestClient, name: str) -> None:
    operation = OPERATIONS[name]
    for parameter in operation.taken("http"):
        given = values(things, operation)
        for edge in edges(parameter):
            method, path, more = request(things, operation, given | {parameter.name: edge})
            if "\\ud800" in repr(more.get("params")):
                continue  # a client can't send it
            answer = program.request(method, f"{PLACE}/v1{path}", **more)
            case = (parameter.name, edge, answer.text)
            assert answer.status_code < 500 or "model server" in answer.text, case
            assert answer.status_code < 400 or is_clear(answer.json()["detail"]), case
            job = things.workspace.jobs.wait(operation.job) if operation.job else None
            assert job is None or job.error is None or is_clear(str(job.error)), (case, job)
            if operation.writes and answer.status_code < 300:
                given = values(things, operation)


@pytest.mark.usefixtures("_elsewhere")
@pytest.mark.parametrize("name", server.TOOLS)
def test_each_edge_of_a_tool(things: Things, name: str) -> None:
    kinds = {"string": str, "integer": int, "boolean": bool, "array": list, "object": dict}
    schema = server._DESCRIBED[name].input_schema
    [operation, *_] = [one for one in OPERATIONS.values() if one.tool == name] or [None]
    own = called(things, operation) if operation else {"note": things.harbour, "query": "plan"}
    given = {"knowledge_base": "work", "query": "plan", "keyword": "plan"} | own
    given = {parameter: given[parameter] for parameter in schema.get("required", ())}
    for parameter, part in schema["properties"].items():
        for edge in EDGES[kinds[part["type"]]]:
            result: Any = server.run(lambda: things.workspace, name, given | {parameter: edge})
            assert not result.is_error or is_clear(result.content[0].text), (parameter, edge, result.content)


@pytest.mark.usefixtures("_elsewhere")
@pytest.mark.parametrize("name", [name for name, one in OPERATIONS.items() if one.cli and one.name != "base.fetch"])
def test_each_edge_of_a_command(
    things: Things, name: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    operation = OPERATIONS[name]
    place = ["--workspace", str(things.workspace.store.folder)]
    given = values(things, operation)
    for parameter in operation.taken("cli"):
        for edge in edges(parameter):
            if edge not in IN_COMMANDS:
                continue
            typed = command(things, operation, given | {parameter.name: edge})
            monkeypatch.setattr(sys, "stdin", TextIOWrapper(BytesIO(b"Text.\n")))
            status: Any = 0
            try:
                cli.main([*typed, *place])
            except SystemExit as end:
                status = end.code
            printed = capsys.readouterr()
            assert status in (0, 1, 2), (typed, printed)
            assert not status or name in STATUS or is_clear(printed.err), (typed, printed)
            if not status:
                given = values(things, operation)
