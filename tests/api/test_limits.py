"""Texts, filters and heads that are too large or no text at all: each is refused with a sentence."""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from starlette.testclient import TestClient

from core.base.errors import EditError, QueryError
from core.doors.api import binding as shared
from core.doors.api.guard import MOST_HEAD, server
from core.doors.assistants.server import TOOLS
from core.intake.encoding import MAX_BYTES
from core.model.limits import FILTERS, PART, QUESTION, VALUES
from core.workspace import Workspace

LIMITS = [f"{limit:,}" for limit in (QUESTION, PART, FILTERS, VALUES)] + ["10,000"]
TEXTS = {"half": "\ud800", "zero": "a\0b", "long": "a" * 10_001}


def places(schema: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, Any], str, bool, bool]]:
    """Yield each text of the schema's requests: method, path, example of a body, name, whether a list, whether long.

    A text to search for has no pattern: nothing in it is refused.
    """
    models = schema["components"]["schemas"]
    for path, methods in schema["paths"].items():
        for method, operation in methods.items():
            for content in operation.get("requestBody", {}).get("content", {}).values():
                model = models[content["schema"]["$ref"].rpartition("/")[2]]
                for name, kind in model["properties"].items():
                    forms = [kind, *kind.get("anyOf", ())]
                    items = [form["items"] for form in forms if form.get("type") == "array"]
                    texts = [one for one in (*forms, *items) if {"maxLength", "pattern"} <= one.keys()]
                    if texts and "multipart/form-data" not in operation["requestBody"]["content"]:
                        example = content.get("example") or {}
                        yield method, path, example, name, bool(items), texts[0]["maxLength"] > 10_000


def test_every_text_of_every_request_is_one_or_is_refused(program: TestClient, note: str) -> None:
    schema = program.get("/api/openapi.json").json()
    every = [*places(schema)]
    assert len(every) > 60
    for method, path, example, name, is_list, is_long in every:
        address = "/api" + re.sub("{note}", note, path).replace("{base}", "vault")
        for kind, text in TEXTS.items():
            if kind == "long" and is_long:
                continue
            body = json.dumps({**example, name: [text] if is_list else text})
            answer = program.request(method, address, content=body, headers={"Content-Type": "application/json"})
            assert answer.status_code == 422, (method, path, name, kind)
            assert name in answer.json()["detail"], (method, path, name, kind)
            assert "10,000" in answer.json()["detail"] or kind != "long"


def test_no_text_of_the_schema_is_without_a_limit(program: TestClient) -> None:
    """A text that is declared otherwise than as Text would have none."""
    free = [
        place
        for place, one in _strings(_taken(program.get("/api/openapi.json").json()))
        if not {"maxLength", "enum", "const", "format", "pattern", "contentMediaType"} & one.keys()
    ]
    assert free == []


def _taken(schema: dict[str, Any]) -> dict[str, Any]:
    """Return the schema without the models that only answers name."""
    models = schema["components"]["schemas"]
    operations = [one for methods in schema["paths"].values() for one in methods.values()]
    text = json.dumps([[one.get("requestBody"), one.get("parameters")] for one in operations])
    names: set[str] = set()
    while more := set(re.findall(r"#/components/schemas/([^\"]+)", text)) - names:
        names |= more
        text = json.dumps([models[name] for name in more])
    return schema | {"components": {"schemas": {name: models[name] for name in names}}}


def _strings(value: Any, place: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    if isinstance(value, list):
        for number, one in enumerate(value):
            yield from _strings(one, f"{place}.{number}")
    elif isinstance(value, dict):
        if value.get("type") == "string":
            yield place, value
        for name, one in value.items():
            if name not in ("example", "examples", "responses") and "ValidationError" not in name:
                yield from _strings(one, f"{place}.{name}")


@pytest.mark.parametrize("place", ["search", "context", "why-not"])
def test_filters_have_limits_that_are_told(program: TestClient, place: str) -> None:
    for filters in (
        {"path": "a" * 100_000},
        {"path": "*a" * 50_000},
        {"filters": [f"path:{'a' * 20_000}"]},
        {"tags": ["a"] * 2000},
        {"filters": ["tag:a"] * 2000},
        {"query": "path:" + ",".join(f"a{number}" for number in range(1000))},
    ):
        body = {"query": "x", "note": "Backups", **filters}
        if place != "why-not":
            del body["note"]
        answer = program.post(f"/api/v1/{place}", json=body)
        assert answer.status_code == 422, (filters.keys(), answer.text[:200])
        assert any(limit in answer.json()["detail"] for limit in LIMITS), answer.json()["detail"]


def test_filters_have_the_same_limits_for_every_caller(workspace: Workspace) -> None:
    chosen = workspace.searching.filters
    long, many = "a" * (PART + 1), ["a"] * (VALUES + 1)
    for bad in ({"path": long}, {"path": "\ud800"}, {"tags": ["a\0"]}, {"terms": ["tag:a"] * (FILTERS + 1)}):
        with pytest.raises(QueryError):
            chosen(**bad)  # type: ignore[arg-type]
    with pytest.raises(QueryError):
        workspace.search(f"path:{'a' * 100_000}")
    with pytest.raises(QueryError):
        workspace.search("x", any_tags=many)
    with pytest.raises(QueryError):
        workspace.search("x", type="\ud800")
    assert workspace.notes.all(chosen(path="a" * PART, tags=["a"] * (FILTERS - 1))) == []


def test_a_note_has_one_limit_through_every_door(program: TestClient, workspace: Workspace, note: str) -> None:
    large = "x" * (MAX_BYTES + 1)
    ways = (
        lambda: workspace.notes.add("desk", large),
        lambda: workspace.notes.update(note, body=large),
        lambda: workspace.proposals.update(note, body=large),
        lambda: TOOLS["note_add"](workspace, text=large, base="desk"),
        lambda: TOOLS["note_update"](workspace, note=note, text=large),
    )
    for way in ways:
        with pytest.raises(EditError, match="20 MB"):
            way()
    for method, address in (("POST", "/api/v1/notes"), ("PATCH", f"/api/v1/notes/{note}")):
        answer = program.request(method, address, json={"body": large} | ({"base": "desk"} if method == "POST" else {}))
        assert (answer.status_code, "body" in answer.json()["detail"]) == (422, True)
        answer = program.request(
            method, address, json={"body": "é" * (MAX_BYTES // 2 + 1)} | ({"base": "desk"} if method == "POST" else {})
        )
        assert (answer.status_code, "20 MB" in answer.json()["detail"]) == (422, True)
    assert shared.LongText.__metadata__[0].max_length == MAX_BYTES
    assert [card.id for card in workspace.notes.all(workspace.searching.filters(bases=["desk"]))] == [note]


def test_a_mistake_in_a_long_text_is_shown_without_all_of_it(workspace: Workspace) -> None:
    with pytest.raises(EditError) as refused:
        workspace.notes.add("desk", "x" * 100_000 + "\ud800")
    assert len(str(refused.value)) < 500
    assert "ud800" in str(refused.value)


def test_a_head_that_is_too_large_is_refused(workspace: Workspace) -> None:
    client = TestClient(server(workspace, "127.0.0.1"), base_url="http://127.0.0.1")
    client.headers["Authorization"] = f"Bearer {workspace.access.token}"
    assert client.get("/api/v1/bases", headers={"X": "x" * (MOST_HEAD - 1000)}).status_code == 200
    for path, headers in (("", {"X": "x" * 70_000}), (f"?x={'x' * 40_000}", {}), ("/" + "x" * 40_000, {})):
        answer = client.get(f"/api/v1/bases{path}", headers=headers)
        assert answer.status_code == 431
        assert "32 KB" in answer.json()["detail"]
