"""What is wrong is said in JSON, and every operation of the schema has an example."""

import logging

import pytest
from starlette.testclient import TestClient

from core.base.log import FILE
from core.doors.api import guard
from core.workspace import Workspace


def test_every_operation_has_examples(program: TestClient) -> None:
    schema = program.get("/api/openapi.json").json()
    operations = [one for methods in schema["paths"].values() for one in methods.values()]
    assert len(operations) >= 40
    for one in operations:
        done = next(answer for status, answer in one["responses"].items() if status.startswith("2"))
        assert all("example" in content for content in done["content"].values()), one["operationId"]
        forms = one.get("requestBody", {}).get("content", {})
        assert all("example" in content for content in forms.values()), one["operationId"]
        assert list(one["responses"]["default"]["content"]) == ["application/problem+json"]


@pytest.mark.parametrize(
    ("method", "place", "status"),
    [
        ("GET", "/api/none", 404),
        ("PUT", "/api/v1/notes", 405),
        ("GET", "/api/v1/notes?limit=x", 422),
        ("GET", "/api", 404),
    ],
)
def test_what_is_not_served_is_a_problem(program: TestClient, method: str, place: str, status: int) -> None:
    answer = program.request(method, place)
    assert answer.status_code == status == answer.json()["status"]
    assert answer.headers["Content-Type"] == "application/problem+json"
    assert answer.json()["detail"]


def test_a_request_that_lacks_what_an_operation_requires_is_a_problem(program: TestClient) -> None:
    schema = program.get("/api/openapi.json").json()
    places = {place: methods["get"] for place, methods in schema["paths"].items() if "get" in methods}
    lacking = [
        place.format_map({"note": "x", "name": "x", **{each["name"]: "1" for each in about.get("parameters", ())}})
        for place, about in places.items()
        if any(each["required"] and each["in"] == "query" for each in about.get("parameters", ()))
    ]
    assert {"/v1/concepts/notes", "/v1/notes/1/way"} <= set(lacking)
    statuses = {place: program.get(f"/api{place}").status_code for place in lacking}
    assert statuses == dict.fromkeys(lacking, 422)


@pytest.mark.parametrize(
    "body", [b"{", b"[]", b'"x"', b'{"query": "x", "bases": ["\\ud800"]}', b'{"query": "x", "limit": NaN}', b"\xff"]
)
def test_what_is_no_request_is_a_problem(program: TestClient, body: bytes) -> None:
    answer = program.post("/api/v1/search", content=body, headers={"Content-Type": "application/json"})
    assert answer.status_code in (400, 422)
    assert answer.headers["Content-Type"] == "application/problem+json"


def test_a_failure_is_answered_and_logged_without_texts(
    program: TestClient, workspace: Workspace, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail() -> None:
        raise RuntimeError("a text of a note")

    monkeypatch.setattr(workspace, "status", fail)
    with caplog.at_level(logging.ERROR):
        answer = program.get("/api/v1/status")
    assert answer.status_code == 500
    assert "a text of a note" not in answer.text
    assert "The API failed at /status" in caplog.text
    assert "a text of a note" not in (workspace.store.folder / FILE).read_text(encoding="utf-8")


def test_a_request_that_is_too_large_is_not_read(
    program: TestClient, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(guard, "MOST_BYTES", 1000)
    answer = program.post("/api/v1/notes", json={"base": "vault", "body": "x" * 1000})
    assert answer.status_code == 413
    assert workspace.proposals.all() == []
