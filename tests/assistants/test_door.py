"""`/mcp` of the open app: whom it answers."""

import json
import socket
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest

from core.base import log
from core.settings.access import AccessTokens
from tests.waiting import wait_until

CALL = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "knowledge_list", "arguments": {}}}


def posted(shared: tuple[Path, str], path: str = "/mcp", **headers: str) -> httpx.Response:
    folder, url = shared
    known = {"Authorization": f"Bearer {AccessTokens(folder).token}", "Accept": "application/json, text/event-stream"}
    with httpx.Client(trust_env=False, timeout=60) as client:
        return client.post(url + path, json=CALL, headers=known | headers)


@pytest.mark.parametrize("path", ["/mcp", "/mcp/"])
def test_a_token_is_answered_with_and_without_a_slash(shared: tuple[Path, str], path: str) -> None:
    answer: Any = posted(shared, path).json()
    assert "kitchen" in answer["result"]["content"][0]["text"]


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Authorization": ""}, 401),
        ({"Authorization": "Bearer wrong"}, 401),
        ({"Host": "evil.example"}, 400),
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "http://127.0.0.1:1"}, 403),
    ],
)
def test_others_are_refused(shared: tuple[Path, str], headers: dict[str, str], status: int) -> None:
    refused = posted(shared, **headers)
    assert refused.status_code == status
    assert "kitchen" not in refused.text


HEADS = {
    "POST {path} HTTP/1.1\r\nHost: {host}\r\nHost: {host}": 400,
    "POST {path} HTTP/1.1\r\nHost: {host}\r\nHost: evil.example": 400,
    "POST {path} HTTP/1.1\r\nHost: evil.example\r\nHost: {host}": 400,
    "POST {path} HTTP/1.1": 400,
    "POST http://evil.example{path} HTTP/1.1\r\nHost: {host}": 403,
    "POST http://{host}{path} HTTP/1.1\r\nHost: {host}": 403,
    "POST {path} HTTP/1.1\r\nHost: {host}\r\nOrigin: https://{host}": 403,
    "POST {path} HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\nOrigin: http://evil.example": 403,
    "POST {path} HTTP/1.1\r\nHost: {host}\r\nOrigin: null": 403,
    "OPTIONS * HTTP/1.1\r\nHost: {host}": 403,
    "\0\xff": 400,
    "POST {path} HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}": 401,
}
"""Heads of requests -> their answers; the last one is of the app's own page, without a token."""


@pytest.mark.parametrize("head", HEADS, ids=range(len(HEADS)))
@pytest.mark.parametrize("path", ["/mcp", "/api/v1/search"])
def test_the_host_and_the_scheme_are_those_of_the_app(shared: tuple[Path, str], head: str, path: str) -> None:
    url = urlsplit(shared[1])
    with socket.create_connection((str(url.hostname), int(url.port or 0)), timeout=60) as connection:
        connection.sendall(head.format(path=path, host=url.netloc).encode("latin-1") + b"\r\n\r\n")
        assert int(connection.recv(12).split()[1]) == HEADS[head]


@pytest.mark.parametrize("number", ["1.5", "1e400", "NaN", "true", "null", "[]", '"\\ud800"', "9" * 5000])
def test_a_request_whose_id_is_none_is_answered(shared: tuple[Path, str], number: str) -> None:
    folder, url = shared
    body = json.dumps(CALL).replace('"id": 1', f'"id": {number}')
    headers = {"Authorization": f"Bearer {AccessTokens(folder).token}", "Content-Type": "application/json"}
    with httpx.Client(trust_env=False, timeout=60) as client:
        answer = client.post(f"{url}/mcp", content=body, headers=headers)
    assert (answer.status_code, answer.json()["error"]["code"] < 0) == (400, True)


def test_nothing_listens_for_what_the_server_might_send(shared: tuple[Path, str]) -> None:
    folder, url = shared
    with httpx.Client(trust_env=False, headers={"Authorization": f"Bearer {AccessTokens(folder).token}"}) as client:
        assert client.get(f"{url}/mcp").status_code == 405


def test_the_app_keeps_its_log_while_it_answers(shared: tuple[Path, str]) -> None:
    folder, url = shared
    posted(shared)
    with httpx.Client(trust_env=False, headers={"Authorization": f"Bearer {AccessTokens(folder).token}"}) as client:
        found = client.post(f"{url}/api/v1/search", json={"query": "oven", "bases": ["kitchen"]}, timeout=60)
    assert found.status_code == 200
    line, written = "http: method=POST work=search.find by=program base=kitchen model=tfidf", folder / log.FILE
    wait_until(lambda: line in written.read_text())  # it is written after the answer
    assert "tool knowledge_list:" in written.read_text()
