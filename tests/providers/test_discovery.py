"""Model servers on this machine: what is recognised at their ports, and what is not."""

import json
from contextlib import ExitStack
from socket import create_server
from threading import Barrier

import pytest

from core.indexing.models import servers
from core.indexing.models.servers import DIALECTS, LONGEST_NAME, MOST_MODELS, discover
from core.model import LocalServer
from tests.model_server import Answer, Handler, ModelServer, Script, listing
from tests.waiting import PATIENCE, within_patience

LISTED = json.dumps(listing("vLLM", ["a-model"])).encode()
NAMES = [dialect.name for dialect in DIALECTS]


def looked(name: str, answer: object) -> LocalServer:
    """What is found at the port of a kind of server that gives an answer."""
    scripted = answer if isinstance(answer, Answer) or callable(answer) else Answer(answer)
    with ModelServer(scripted) as server:
        (found,) = discover({name: server.port})
    assert [request.path for request in server.requests] in (["/api/tags"], ["/v1/models"])
    return found


def test_each_kind_is_found_with_its_models() -> None:
    with ExitStack() as stack:
        servers = {
            name: stack.enter_context(ModelServer(dialect=name, models=(f"{number}-model", "other:8b")))
            for number, name in enumerate(NAMES)
        }
        found = discover({name: server.port for name, server in servers.items()})
    for number, (name, one) in enumerate(zip(NAMES, found, strict=True)):
        assert one == LocalServer(
            name, f"127.0.0.1:{servers[name].port}", running=True, models=(f"{number}-model", "other:8b")
        )
        assert one.base_url == servers[name].url
        (request,) = servers[name].requests
        assert "Authorization" not in request.headers
        assert request.headers["Accept-Encoding"] == "identity"


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("other", NAMES[1:])
def test_a_server_at_the_port_of_another_is_named_by_its_listing(name: str, other: str) -> None:
    one = looked(name, listing(other, ["m"]))
    assert (one.name, one.running, one.models) == (other, True, ("m",))


def test_nothing_is_asked_without_ports() -> None:
    assert discover({}) == ()


@pytest.mark.parametrize("name", NAMES)
def test_a_closed_port_is_no_server(name: str) -> None:
    with create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    assert discover({name: port}) == (LocalServer(name, f"127.0.0.1:{port}"),)


def test_a_server_without_a_language_model_is_running() -> None:
    assert looked("Ollama", listing("Ollama", [])).running
    assert looked("LM Studio", listing("LM Studio", ["text-embedding-nomic-embed-text-v1.5"])).running
    assert not looked("vLLM", listing("vLLM", [])).running


@pytest.mark.parametrize(
    "name",
    [
        "nomic-embed-text",
        "bge-m3",
        "/models/bge-m3-Q8_0.gguf",
        "qllama/multilingual-e5-small",
        "bge-reranker-v2-m3",
        "all-minilm:22m",
        "gpt-oss:120b-cloud",
        "deepseek-v3.1:671b-cloud",
        "kimi-k2:cloud",
    ],
)
def test_models_that_only_embed_or_run_elsewhere_are_left_out(name: str) -> None:
    for dialect in NAMES:
        assert looked(dialect, listing(dialect, [name, "qwen3.5:8b"])).models == ("qwen3.5:8b",)


@pytest.mark.parametrize(
    "more",
    [
        {"details": {"family": "bert", "families": ["bert"]}},
        {"details": {"family": "nomic-bert", "families": None}},
        {"remote_host": "https://ollama.com:443", "remote_model": "m"},
    ],
)
def test_what_ollama_says_of_a_model_leaves_it_out(more: dict[str, object]) -> None:
    one = looked("Ollama", listing("Ollama", ["m"], **more))
    assert (one.running, one.models) == (True, ())


def test_names_that_could_deceive_are_left_out() -> None:
    bad = ["", " m", "m\n", "a\x1b[31mb", "a\u202eb", "m" * (LONGEST_NAME + 1), 7, None, ["m"], {"a": 1}, True]
    for dialect in NAMES:
        assert looked(dialect, listing(dialect, [*bad, "fine", "fine"])).models == ("fine",)  # type: ignore[list-item]
    assert len(looked("vLLM", listing("vLLM", [f"m{number}" for number in range(500)])).models) == MOST_MODELS


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "answer",
    [
        b"",
        b"Ollama is running",
        b"<html><title>My app</title></html>",
        b"\xff\xfe\x00",
        b"[" * 100_000,
        b'{"models": {"0": "m"}, "data": "m"}',
        [],
        None,
        7,
        {"models": "m", "data": None},
        {"error": "Unexpected endpoint"},
        Answer(listing("vLLM", ["m"]), 500),
        Answer(listing("vLLM", ["m"]), 401),
        Answer(json.dumps(listing("vLLM", ["m"])).encode(), missing=9),
    ],
)
def test_another_program_at_the_port_is_no_server(name: str, answer: object) -> None:
    one = looked(name, answer)
    assert (one.running, one.models) == (False, ())


def test_a_program_that_passes_texts_on_is_not_recognised() -> None:
    gateway = {"object": "list", "data": [{"id": "gpt-9", "object": "model", "owned_by": "openai"}]}
    assert not looked("llama.cpp", gateway).running
    assert not looked("vLLM", gateway).running


def test_a_redirect_is_not_followed() -> None:
    with ModelServer(dialect="vLLM") as elsewhere:
        target = f"{elsewhere.url}/models"
        for name in NAMES:
            assert not looked(name, Answer(status=302, headers={"Location": target})).running
        assert not looked("vLLM", Answer(status=307, headers={"Location": "https://models.example/v1/models"})).running
    assert not elsewhere.requests


def test_no_proxy_gets_the_request(monkeypatch: pytest.MonkeyPatch) -> None:
    with ModelServer() as proxy, ModelServer(dialect="vLLM") as server:
        for variable in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
            monkeypatch.setenv(variable, f"http://127.0.0.1:{proxy.port}")
        for variable in ("NO_PROXY", "no_proxy"):
            monkeypatch.delenv(variable, raising=False)
        assert discover({"vLLM": server.port})[0].running
    assert not proxy.requests


def huge(handler: Handler) -> None:
    handler.write(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n" + b" " * 10_000_000 + LISTED)


def drip_headers(handler: Handler) -> None:
    handler.write(b"HTTP/1.1 200 OK\r\nX: ")
    handler.trickle(b"x", 0.05)
    handler.write(b"\r\nConnection: close\r\n\r\n" + LISTED)


def drip_body(handler: Handler) -> None:
    handler.write(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n")
    handler.trickle(b" ", 0.05)
    handler.write(LISTED)


@pytest.mark.parametrize("script", [huge, drip_headers, drip_body, Answer(LISTED, delay=PATIENCE)])
def test_size_and_time_are_bounded(script: Answer | Script) -> None:
    assert not within_patience(lambda: looked("vLLM", script)).running


def test_a_server_that_takes_no_connection_is_left_at_once() -> None:
    with create_server(("127.0.0.1", 0), backlog=0) as silent:
        ports: dict[str, int] = dict.fromkeys(NAMES, silent.getsockname()[1])
        assert not any(one.running for one in within_patience(lambda: discover(ports)))


def test_servers_are_looked_at_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(servers, "SECONDS", PATIENCE)
    all_asked = Barrier(len(NAMES), timeout=PATIENCE)

    def answer_together(handler: Handler) -> None:
        all_asked.wait()
        handler.send(Answer(LISTED))

    with ExitStack() as stack:
        ports = {name: stack.enter_context(ModelServer(answer_together)).port for name in NAMES}
        assert [one.running for one in discover(ports)] == [True] * len(NAMES)
