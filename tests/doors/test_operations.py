"""An operation is declared once and is there through every door."""

import json
from collections.abc import Iterator
from typing import Annotated

import pytest
import typer
from pydantic import TypeAdapter
from starlette.testclient import TestClient
from typer.testing import CliRunner
from typing_extensions import TypedDict

from core.base.messages import message
from core.doors.assistants.server import tool
from core.doors.assistants.tools import ToolAnswer
from core.doors.cli.binding import bind
from core.doors.registry import OPERATIONS
from core.operations.declaring import DOORS, About, Caller, Operation, operation
from core.workspace import Workspace
from tests import samples
from tests.doors.programs import connected


class Greeting(TypedDict):
    """What is said to a base."""

    text: str
    times: int
    by: str


@operation(
    "base.greet",
    message("Greet a base."),
    http="POST /greetings/{base}",
    cli="greet {base}",
    tool="base_greet",
    takes={"base": "vault", "times": 2},
    gives={"text": "vault! vault!", "times": 2, "by": "person"},
)
def greet(
    workspace: "Workspace",
    caller: Caller,
    base: Annotated[str, About(message("The name of the knowledge base."))],
    times: Annotated[int | None, About(message("How often."))] = None,
) -> Greeting:
    name = workspace.bases.get(base).name
    return {"text": " ".join([f"{name}!"] * (times or 1)), "times": times or 1, "by": caller.author}


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    folder = tmp_path_factory.mktemp("doors")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TESSERA_EMBEDDER", "tfidf")
        patch.setenv("TESSERA_INDEX__KIND", "none")
        patch.setitem(OPERATIONS, greet.name, greet)  # type: ignore[arg-type]
        with Workspace(folder / "workspace") as opened:
            opened.imports.apply(opened.imports.plan_folder(samples.write(folder / "vault")))
            opened.set_program_access(True)
            yield opened


@pytest.fixture(scope="module")
def program(workspace: Workspace) -> TestClient:
    return connected(workspace)


def test_it_is_a_route_with_a_schema_of_what_it_takes_and_answers(program: TestClient) -> None:
    route = program.get("/api/openapi.json").json()["paths"]["/v1/greetings/{base}"]["post"]
    assert (route["operationId"], route["summary"]) == ("base.greet", "Greet a base.")
    answer = route["responses"]["200"]["content"]["application/json"]
    assert answer["schema"]["$ref"].endswith("/Greeting")
    assert answer["example"] == greet.gives
    assert program.post("/api/v1/greetings/vault", json={"times": 2}).json() == {**greet.gives, "by": "program"}
    assert program.post("/api/v1/greetings/none", json={}).status_code == 404
    assert program.post("/api/v1/greetings/vault", json={"volume": 2}).status_code == 422


def test_it_is_a_command_with_help_and_json(workspace: Workspace) -> None:
    app, runner = typer.Typer(), CliRunner()
    app.command("other")(lambda: None)
    bind({"": app}, {}, [greet])
    shown = runner.invoke(app, ["greet", "--help"]).output
    assert "Greet a base." in shown
    assert "How often." in shown
    command = ["greet", "vault", "--times", "2", "--workspace", str(workspace.store.folder)]
    assert "vault! vault!" in runner.invoke(app, command).output
    assert (
        runner.invoke(app, [*command, "--json"]).output.strip()
        == '{"text": "vault! vault!", "times": 2, "by": "person"}'
    )


def test_it_is_a_tool(workspace: Workspace) -> None:
    made = tool(greet)
    assert (made.__name__, made.__doc__) == ("base_greet", "Greet a base.")
    assert made(workspace, base="vault", times=2) == ToolAnswer({**greet.gives, "by": "program"})


MISSING = (
    (
        "http tool",
        "only the user reads and writes files outside the workspace",
        "base.export base.restore",
    ),
    (
        "http tool",
        "only the user restores bases and deletes them for good",
        "base.restore_deleted base.trash base.empty_trash",
    ),
    (
        "tool",
        "backups are the user's",
        "backup.list backup.make backup.verify",
    ),
    (
        "http tool",
        "only the user restores backups and knows the passphrase",
        "backup.restore backup.encrypt",
    ),
    (
        "tool",
        "it names folders on this machine",
        "doctor.examine doctor.fix status.show",
    ),
    (
        "tool",
        "the disk is the user's",
        "space.show space.compact",
    ),
    (
        "tool",
        "the user chooses right answers and search settings",
        (
            "questions.list questions.add questions.show questions.delete questions.suggest run.start run.list "
            "run.show run.delete findability.check"
        ),
    ),
    (
        "cli",
        "each suggestion names its rule",
        "learning.rules",
    ),
    (
        "tool",
        "an assistant reads and writes notes; bases are the user's",
        (
            "learning.rules base.new base.change base.rename base.delete base.rechunk base.cost base.switch "
            "base.abandon_switch base.import base.fetch base.makes base.connect base.scan document.converters "
            "document.unread document.convert document.clip document.encodings document.read_as document.original "
            "document.pictures document.index_pictures"
        ),
    ),
    (
        "tool",
        "packs are the user's choice",
        "pack.list pack.install pack.upgrade pack.remove",
    ),
    (
        "tool",
        "note_update writes any text",
        "note.link note.revert",
    ),
    (
        "http tool",
        "the user decides",
        "concept.decide review.later review.fine review.seen review.settle review.merge",
    ),
    (
        "tool",
        "the user decides",
        "review.list",
    ),
    (
        "tool",
        "an assistant has its own thread with the user",
        "thread.list thread.show thread.ask thread.keep thread.delete",
    ),
    (
        "tool",
        "records of use are shown to the user",
        "use.list",
    ),
    (
        "http tool",
        "records of use are the user's",
        "use.forget",
    ),
    (
        "tool",
        "records of use are the user's",
        "click.list",
    ),
    (
        "tool",
        "what is recorded is the user's; a tool forgets the clicks on one note",
        "click.forget_all",
    ),
    (
        "tool",
        "knowledge_list has what an assistant needs of a base",
        "base.show",
    ),
    (
        "http",
        "base.change takes a name",
        "base.rename",
    ),
    (
        "http",
        "it can take hours, so the user starts it",
        "base.cost base.switch base.abandon_switch model.tokens",
    ),
    (
        "http",
        "only the user lets Tessera access the network",
        "base.fetch",
    ),
    (
        "http",
        "an import follows the settings",
        "base.makes",
    ),
    (
        "http",
        "only the user gives a base access to files",
        "base.connect",
    ),
    (
        "http",
        "the app and `tessera serve` look at the folders themselves",
        "base.scan",
    ),
    (
        "tool",
        "note_read returns the whole text, and which parts are hidden",
        "chunk.list",
    ),
    (
        "tool",
        "an assistant's changes wait for the user, but an edited chunk takes effect at once",
        "chunk.add chunk.edit chunk.merge chunk.split chunk.hide chunk.restore",
    ),
    (
        "tool",
        "the app and `tessera index` keep the index up to date",
        "chunk.index index.embed index.refused index.rebuild",
    ),
    (
        "http tool",
        "it reads any file on this machine",
        "chunk.preview",
    ),
    (
        "cli",
        "a command imports a page by its address",
        "document.clip",
    ),
    (
        "tool",
        "models are the user's choice",
        "model.list model.tokens",
    ),
    (
        "tool",
        "note_read gives the text and the fields",
        "note.export",
    ),
    (
        "http tool",
        "the operation on one note does it",
        "note.set",
    ),
    (
        "http tool",
        "note.update sets the title; the user decides on the other notes",
        "note.rename",
    ),
    (
        "http tool",
        "note.new writes a note at any path",
        "note.today",
    ),
    (
        "tool",
        "note_add writes any text",
        "note.copy",
    ),
    (
        "http tool",
        "a program's change waits for the user, as in note.update",
        "note.archive",
    ),
    (
        "cli",
        "`note show` has the option --version",
        "note.version",
    ),
    (
        "tool",
        "note_difference shows what a version changed",
        "note.version",
    ),
    (
        "tool",
        "the trash is the user's",
        "note.trash note.delete note.delete_one note.restore note.restore_one",
    ),
    (
        "http",
        "the operation on one note does it",
        "note.delete note.restore",
    ),
    (
        "cli",
        "the operation on several notes does it",
        "note.delete_one note.restore_one",
    ),
    (
        "http tool",
        "the user decides what to accept from programs",
        "note.waiting note.proposed note.accept note.reject",
    ),
    (
        "cli",
        "a command waits for its work, and Ctrl-C stops it",
        "job.list job.show job.cancel",
    ),
    (
        "tool",
        "no tool starts a job",
        "job.list job.show job.cancel",
    ),
    (
        "http cli tool",
        "a second `tessera app` does it; nothing else opens windows",
        "app.show",
    ),
    (
        "http cli tool",
        "a command compares them with its own; users have tessera.toml",
        "status.settings",
    ),
    (
        "tool",
        "an assistant asks for more hits, or reads the note",
        "search.why_not",
    ),
)
"""Interfaces that operations don't offer: the interfaces, the reason, and the names of the operations."""


@pytest.mark.parametrize("one", OPERATIONS.values(), ids=OPERATIONS)
def test_an_operation_has_every_door_or_says_why_not(one: Operation) -> None:
    missing = {door for door in DOORS if not getattr(one, door)}
    assert missing == {door for doors, _why, names in MISSING if one.name in names.split() for door in doors.split()}


@pytest.mark.parametrize("one", OPERATIONS.values(), ids=OPERATIONS)
def test_its_example_fits_its_types(one: Operation) -> None:
    names = {each.name for each in one.parameters}
    required = {each.name for each in one.parameters if each.required}
    assert required <= one.arguments.keys() <= names
    for each in one.parameters:
        if each.name in one.arguments:
            TypeAdapter(each.type).validate_json(json.dumps(one.arguments[each.name]), strict=True)
    TypeAdapter(one.answer).validate_python(one.response)
