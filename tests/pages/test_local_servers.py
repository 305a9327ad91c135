"""Model servers on this machine: the offer on the Search page, the first answer by one click, the list of Settings."""

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
from pages.ui.shared import local_servers
from tests.model_server import REASONING, Answer, Handler, ModelServer, listing
from tests.pages.conftest import Screen
from tests.pages.test_servers import box, said
from tests.pages.test_written import links
from tests.waiting import PATIENCE

SURE = "what are backups worth?"
"""A question with quotes."""
OPEN = "where are my backups stored?"
"""A question whose hits have no quotes."""
JOB = "local_servers"
OFFER, HELP = "Let it write answers", "A language model on this machine could write an answer from these notes."
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


def asked(screen: Screen, question: str = OPEN) -> Screen:
    return screen.open("search", q=question).finish(JOB)


def test_the_questions_are_what_they_are_named(filled: Screen) -> None:
    assert "From your notes" in filled.open("search", q=SURE).text
    screen = filled.open("search", q=OPEN)
    assert "From your notes" not in screen.text
    assert "Your notes don" not in screen.text
    assert 't-hit"' in screen.text


@pytest.mark.parametrize("dialect", REASONING)
def test_one_click_on_the_offer_writes_the_first_answer(filled: Screen, serve: Serve, dialect: str) -> None:
    server = serve(dialect)
    server.reasoning = "Let me think about {backups}. " * 300
    screen = asked(filled)
    assert f"{dialect} is running here with qwen3" in screen.text.replace("\\", "")
    assert not screen.workspace.settings.llm.is_set_up
    assert [request.body for request in server.requests] == [None]
    screen.press("let_it_write").finish("answer")
    assert 'class="t-answer t-written"' in screen.text
    assert "Let me think" not in screen.text
    llm = screen.workspace.servers.get("llm")
    assert (llm.base_url, llm.model, llm.key) == (server.url, "qwen3:8b", "")
    assert OFFER not in screen.text
    assert [bool(request.body) for request in server.requests] == [False, True]
    # Other questions then have the button, with quotes and without.
    assert "Write an answer" in screen.open("search", q=SURE).text
    assert len(server.requests) == 2


def test_the_model_is_chosen_from_several(filled: Screen, serve: Serve) -> None:
    serve("Ollama", "qwen3:8b", "gemma3:12b")
    other = serve("llama.cpp", "/models/Mistral-7B.gguf")
    screen = asked(filled)
    choice = screen.app.selectbox(key="offered_model")
    assert choice.options == ["Ollama · qwen3:8b", "Ollama · gemma3:12b", "llama.cpp · Mistral-7B"]
    choice.select_index(2).run()
    screen.press("let_it_write").finish("answer")
    assert other.requests[-1].body["model"] == "/models/Mistral-7B.gguf"


def test_without_a_server_a_line_says_what_would_help(filled: Screen, serve: Serve) -> None:
    screen = asked(filled)
    assert HELP in screen.text.replace("\\", "")
    assert OFFER not in screen.text
    assert ("Set one up", {"tab": "servers"}) in links(screen)
    assert "Language models on this machine" in screen.open("settings", tab="servers").text


@pytest.mark.parametrize("question", [SURE, "who has won the chess championship?", "pg_restore", "Backups"])
def test_other_questions_ask_no_server(filled: Screen, serve: Serve, question: str) -> None:
    server = serve("Ollama")
    screen = filled.open("search", q=question)
    assert screen.workspace.jobs.find(JOB) is None
    assert HELP not in screen.text.replace("\\", "")
    assert OFFER not in screen.text
    assert not server.requests


def test_a_look_holds_for_a_while(filled: Screen, serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    server = serve("Ollama")
    screen = asked(filled)
    for _ in range(3):
        screen.app.run()
    asked(screen, "when is the cache empty?")
    assert len(server.requests) == 1
    monkeypatch.setattr(local_servers, "_FRESH", 0.0)
    asked(screen)
    assert len(server.requests) > 1


def test_a_slow_server_holds_no_page_up(filled: Screen, serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    page_drawn = Event()

    def answer_late(handler: Handler) -> None:
        assert page_drawn.wait(PATIENCE)
        handler.send(Answer(listing("Ollama", ["qwen3:8b"])))

    monkeypatch.setattr(servers, "SECONDS", PATIENCE)
    serve("Ollama").answers.append(answer_late)
    screen = filled.open("search", q=OPEN)
    assert screen.workspace.jobs.running(JOB)
    page_drawn.set()
    assert 't-hit"' in screen.text
    assert HELP in screen.text.replace("\\", "")
    assert "Let it write" in screen.finish(JOB).text


@pytest.mark.parametrize("variable", ["TESSERA_LLM__BASE_URL", "TESSERA_LLM__DISCOVER"])
def test_settings_that_are_fixed_stay(
    serve: Serve,
    monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
    variable: str,
) -> None:
    server = serve("Ollama")
    monkeypatch.setenv(variable, "false" if variable.endswith("DISCOVER") else "http://127.0.0.1:9/v1")
    screen = asked(request.getfixturevalue("filled"))
    assert OFFER not in screen.text
    if variable.endswith("DISCOVER"):
        assert HELP in screen.text.replace("\\", "")
        assert "Language models on this machine" not in screen.open("settings", tab="servers").text
    assert not server.requests


def test_settings_list_what_was_looked_for(filled: Screen, serve: Serve) -> None:
    first, empty = serve("Ollama", "qwen3:8b", "gemma3:12b"), serve("LM Studio", "text-embedding-nomic")
    serve("vLLM").dialect = "llama.cpp"
    screen = filled.open("settings").tab("Models", "model_servers").finish(JOB)
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
    screen = filled.open("settings").tab("Models", "model_servers").finish(JOB)
    assert listed(server.port, "not running") in said(screen)
    server.dialect = kind
    screen.press("look_again").finish(JOB)
    assert listed(server.port, "running with qwen3:8b") in said(screen)


def test_the_offer_is_there_in_chinese(filled: Screen, serve: Serve) -> None:
    serve("Ollama")
    screen = asked(Screen("zh-CN"))
    assert "Let it write" not in screen.text
    assert "Ollama" in screen.text
    assert "让它来写回答" in screen.text
