"""Schemas of the tools as strict clients check them, and calls as assistants write them, through the real client."""

import json
import random
from pathlib import Path
from typing import Any

import pytest
from mcp import MCPError

from tests.assistants.conftest import Assistant
from tests.assistants.test_tools import DEEP

WORDS = {"type", "properties", "required", "items", "description", "enum", "default", "minimum", "maximum"}
"""What the schemas of Gemini's function declarations and of Cursor's may say."""
KINDS = {"object", "array", "string", "integer", "number", "boolean"}


def wrong_of(schema: Any, place: str) -> list[str]:
    """What a strict client refuses of a schema."""
    wrong = [f"{place}: {word}" for word in schema.keys() - WORDS]
    if schema.get("type") not in KINDS:
        wrong.append(f"{place}: the type {schema.get('type')}")
    if schema.get("type") == "array":
        wrong += wrong_of(schema.get("items", {}), f"{place}[]")
    if "default" in schema and schema["default"] is None:
        wrong.append(f"{place}: null")
    inner = schema.get("properties", {})
    wrong += [f"{place}: {name} is required and not there" for name in {*schema.get("required", ())} - inner.keys()]
    return wrong + [one for name, each in inner.items() for one in wrong_of(each, f"{place}.{name}")]


def test_schemas_are_flat(assistant: Assistant) -> None:
    tools = assistant.portal.call(assistant.client.list_tools).tools
    wrong = [one for tool in tools for one in wrong_of(tool.input_schema, tool.name)]
    assert wrong == []
    assert all(tool.input_schema["type"] == "object" and "properties" in tool.input_schema for tool in tools)
    (add,) = (tool.input_schema["properties"] for tool in tools if tool.name == "note_add")
    assert add["fields"]["properties"]["title"] == {"type": "string", "description": "The title."}
    assert add["fields"]["properties"]["tags"]["items"] == {"type": "string"}
    (query,) = (tool.input_schema["properties"] for tool in tools if tool.name == "knowledge_query")
    assert query["neighbours"]["maximum"] == 3


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ({"limit": None, "neighbours": None, "keywords": None}, {}),
        ({"limit": "1"}, {"limit": 1}),
        ({"limit": 1.0}, {"limit": 1}),
        ({"keywords": "oven"}, {"keywords": ["oven"]}),
        ({"keywords": '["oven", "budget"]'}, {"keywords": ["oven", "budget"]}),
        ({"keywords": ["oven", 2026]}, {"keywords": ["oven", "2026"]}),
        ({"keywords": 2026}, {"keywords": ["2026"]}),
        ({"query": 2026}, {"query": "2026"}),
    ],
)
def test_arguments_mean_what_they_say(assistant: Assistant, given: dict[str, Any], meant: dict[str, Any]) -> None:
    first, second = (
        assistant.items("knowledge_query", **{"knowledge_base": "kitchen", "query": "oven"} | one)
        for one in (given, meant)
    )
    assert first == second
    assert first or given == {"query": 2026}


def test_fields_of_a_note_may_be_text_and_null(assistant: Assistant) -> None:
    fields = {"tags": "baking", "priority": "2", "type": None, "title": None, "related": []}
    for written in (fields, json.dumps(fields)):
        note = assistant.items("note_add", text="# Rolls\n\nTwo trays.", base="kitchen", fields=written, source=None)
        read = assistant.items("note_read", note=note["id"])
        assert (read["tags"], read["priority"], read["title"]) == (["baking"], 2, "Rolls")


def test_a_text_that_looks_like_json_stays_a_text(assistant: Assistant) -> None:
    note = assistant.items("note_add", text='["a"]', base="kitchen", source_ref='{"line": 7}', created_by="[1]")
    assert assistant.items("note_read", note=note["id"])["content"] == '["a"]'


ODD: list[Any] = [
    None, "", " ", "oven", "kitchen", "笔记", DEEP, "plan.md", "0", "-1", "1e9", "9" * 5000, "NaN", "true", "null",
    "[]", "{}", '["kitchen"]', '{"a": [{}]}', "[" * 900, "%", "'\"\\", "type:guide", "status:pending", "x:",
    "\0", "\u202e\u200d\ufeff", "\U0001f511", "é" * 3000, "..", "../../etc/passwd", "tessera://", "tessera://kitchen/%00",
    0, 1, -1, 3, 4, 10**9, 10**30, 0.5, -0.0, 1e308, True, False, [], ["oven"], [None], [[]], [1, "a", {}], ["a"] * 300,
    {}, {"type": "guide", "tags": "baking", "scope": None}, {"tags": [None]}, {"title": 5}, {"a": {"b": [1]}}, {"": ""},
]  # fmt: skip


def test_odd_calls_are_answered(assistant: Assistant, request: pytest.FixtureRequest) -> None:
    """Over each transport every second one of the same calls: the tools behind them are the same."""
    over_http = request.node.callspec.params["assistant"] == "http"
    tools = {tool.name: tool for tool in assistant.portal.call(assistant.client.list_tools).tools}
    chosen = random.Random(39)
    names = sorted(tools)
    for number in range(500):
        name = names[number % len(names)]
        schema = tools[name].input_schema
        known = [*schema["properties"], "no_such_option"]
        arguments = {one: chosen.choice(ODD) for one in chosen.sample(known, chosen.randint(0, len(known)))}
        for one in schema.get("required", ()):
            if chosen.random() < 0.8:
                arguments.setdefault(one, chosen.choice(["kitchen", "oven", "plan.md", *ODD]))
        if "with_model" in arguments:
            arguments["with_model"] = False
        if number // len(names) % 2 == over_http:
            continue
        try:
            result = assistant.portal.call(assistant.client.call_tool, name, arguments)
        except MCPError as error:
            raise AssertionError(f"{name} {arguments!r}: {error}") from error
        assert "Tessera failed" not in result.content[0].text, (name, arguments)


def test_an_unreadable_json_is_an_error_over_http(shared: tuple[Path, str]) -> None:
    import httpx

    from core.settings.access import AccessTokens

    folder, url = shared
    headers = {
        "Authorization": f"Bearer {AccessTokens(folder).token}",
        "Accept": "application/json, text/event-stream",
        "Content-Type": "application/json",
    }
    half = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","arguments":{"query":"\\ud83d"}}}'
    for body in ("hello", half):
        answer = httpx.post(f"{url}/mcp", content=body, headers=headers, trust_env=False)
        assert (answer.status_code, answer.json()["error"]["code"]) == (400, -32700)
