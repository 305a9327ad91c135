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
    base: Annotated[str, About(message("The knowledge base, by name."))],
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


@pytest.mark.parametrize("one", OPERATIONS.values(), ids=OPERATIONS)
def test_an_operation_has_every_door_or_says_why_not(one: Operation) -> None:
    missing = {door for door in DOORS if not getattr(one, door)}
    assert missing == {*one.lacks}
    assert all(one.lacks.values())


@pytest.mark.parametrize("one", OPERATIONS.values(), ids=OPERATIONS)
def test_its_example_fits_its_types(one: Operation) -> None:
    names = {each.name for each in one.parameters}
    required = {each.name for each in one.parameters if each.required}
    assert required <= one.arguments.keys() <= names
    for each in one.parameters:
        if each.name in one.arguments:
            TypeAdapter(each.type).validate_json(json.dumps(one.arguments[each.name]), strict=True)
    TypeAdapter(one.answer).validate_python(one.response)
