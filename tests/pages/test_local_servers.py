"""Model servers on this machine: the list of Settings, the first answer by one click."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from threading import Event

import pytest

from core import embedding, reranking
from core.base import app_paths
from core.indexing.models import servers
from core.indexing.models.servers import SECTIONS
from core.settings.sections import KEYS
from pages.ui.settings import servers as page_servers
from tests.model_server import REASONING, Answer, Handler, ModelServer, listing
from tests.pages.conftest import Screen
from tests.pages.test_servers import box, said
from tests.waiting import PATIENCE

SURE = "what are backups worth?"
"""A question with quotes."""
OPEN = "where are my backups stored?"
"""A question whose hits have no quotes."""
JOB = "local_servers"
OFFER = "Use it to write answers"
Serve = Callable[..., ModelServer]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    for name in (*KEYS.values(), "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv(app_paths.VARIABLE, str(tmp_path / "tessera"))
    yield tmp_path / "tessera"
    embedding.EMBEDDERS.forget(*SECTIONS.values())
    reranking.RERANKERS.forget(*SECTIONS.values())


@pytest.fixture
def serve(monkeypatch: pytest.MonkeyPatch) -> Iterator[Serve]:
    """Start a server of a kind at the port where it is looked for."""
    ports: dict[str, int] = {}
    monkeypatch.setattr(servers, "PORTS", ports)
    with ExitStack() as stack:

        def start(dialect: str, *models: str) -> ModelServer:
            server = stack.enter_context(ModelServer(dialect=dialect, models=models or ("qwen3:8b",)))
            ports[dialect] = server.port
            return server

        yield start


def listed(port: int, state: str) -> str:
    """A row of the list of Settings."""
    return f'127.0.0.1:{port}</span><span class="t-dim t-small">{state}</span>'


def found(screen: Screen) -> Screen:
    """Open the list of Settings, and wait for the look."""
    return screen.open("settings").tab("Models", "language_model").finish(JOB)


@pytest.mark.parametrize("dialect", REASONING)
def test_one_click_lets_a_server_write_answers(filled: Screen, serve: Serve, dialect: str) -> None:
    server = serve(dialect)
    server.reasoning = "Let me think about {backups}. " * 300
    screen = found(filled)
    assert not screen.workspace.settings.llm.is_set_up
    assert [request.body for request in server.requests] == [None]
    screen.press(f"use_local_{server.port}")
    llm = screen.workspace.servers.get("llm")
    assert (llm.base_url, llm.model, llm.key) == (server.url, "qwen3:8b", "")
    screen.open("search", q=SURE).press("write_answer").finish("answer")
    assert 'class="t-answer t-written"' in screen.text
    assert "Let me think" not in screen.text
    assert [bool(request.body) for request in server.requests] == [False, True]


def test_without_a_server_three_steps_say_how_to_get_one(filled: Screen, serve: Serve) -> None:
    text = said(found(filled)).replace("\\", "")
    assert "Install Ollama from ollama.com and start it." in text
    assert "ollama pull" in text


@pytest.mark.parametrize("question", [SURE, OPEN, "who has won the chess championship?", "pg_restore", "Backups"])
def test_a_search_looks_for_no_server_and_offers_none(filled: Screen, serve: Serve, question: str) -> None:
    server = serve("Ollama")
    screen = filled.open("search", q=question)
    assert screen.workspace.jobs.find(JOB) is None
    assert OFFER not in screen.text
    assert not server.requests


def test_a_look_holds_for_a_while(filled: Screen, serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    server = serve("Ollama")
    screen = found(filled)
    for _ in range(3):
        screen.app.run()
    assert len(server.requests) == 1
    monkeypatch.setattr(page_servers, "_FRESH", 0.0)
    found(screen)
    assert len(server.requests) > 1


def test_a_slow_server_holds_no_page_up(filled: Screen, serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    page_drawn = Event()

    def answer_late(handler: Handler) -> None:
        assert page_drawn.wait(PATIENCE)
        handler.send(Answer(listing("Ollama", ["qwen3:8b"])))

    monkeypatch.setattr(servers, "SECONDS", PATIENCE)
    serve("Ollama").answers.append(answer_late)
    screen = filled.open("settings").tab("Models", "language_model")
    assert screen.workspace.jobs.running(JOB)
    page_drawn.set()
    assert "Looking for servers…" in screen.text
    assert OFFER in screen.finish(JOB).text


@pytest.mark.parametrize("variable", ["TESSERA_LLM__BASE_URL", "TESSERA_LLM__DISCOVER"])
def test_settings_that_are_fixed_stay(
    serve: Serve,
    monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
    variable: str,
) -> None:
    serve("Ollama")
    monkeypatch.setenv(variable, "false" if variable.endswith("DISCOVER") else "http://127.0.0.1:9/v1")
    screen = request.getfixturevalue("filled").open("settings", tab="servers")
    if not variable.endswith("DISCOVER"):
        screen.finish(JOB)
    assert OFFER not in screen.text
    assert ("Language models on this machine" in screen.text) != variable.endswith("DISCOVER")


def test_settings_list_what_was_looked_for(filled: Screen, serve: Serve) -> None:
    first, empty = serve("Ollama", "qwen3:8b", "gemma3:12b"), serve("LM Studio", "text-embedding-nomic")
    serve("vLLM").dialect = "llama.cpp"
    screen = filled.open("settings").tab("Models", "language_model").finish(JOB)
    text = said(screen)
    assert listed(first.port, "running, 2 language models") in text
    assert listed(empty.port, "running, without a language model") in text
    assert "running with qwen3:8b" in text
    assert not any(server.requests[1:] for server in (first, empty))
    screen.app.selectbox(key=f"local_model_{first.port}").select_index(1).run()
    screen.press(f"use_local_{first.port}")
    assert (box(screen, "base_url", "llm").value, box(screen, "model", "llm").value) == (first.url, "gemma3:12b")
    assert "in use: gemma3:12b" in said(screen)
    assert len(first.requests) == 1
    # Another model of the same server can be chosen.
    screen.press(f"use_local_{first.port}")
    assert screen.workspace.servers.get("llm").model == "qwen3:8b"


def test_a_server_that_starts_later_is_found_by_looking_again(filled: Screen, serve: Serve) -> None:
    server = serve("Ollama")
    kind = server.dialect
    server.dialect = ""
    screen = filled.open("settings").tab("Models", "language_model").finish(JOB)
    assert listed(server.port, "not running") in said(screen)
    server.dialect = kind
    screen.press("look_again").finish(JOB)
    assert listed(server.port, "running with qwen3:8b") in said(screen)


def test_the_offer_is_there_in_chinese(filled: Screen, serve: Serve) -> None:
    serve("Ollama")
    screen = Screen("zh-CN").open("settings", tab="servers").finish(JOB)
    assert OFFER not in screen.text
    assert "Ollama" in screen.text
    assert "用它来写回答" in screen.text
