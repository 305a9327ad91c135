"""Settings, Model servers: address, model and key are entered, tested, replaced and removed."""

import html
from collections.abc import Iterator
from pathlib import Path

import pytest

from core import embedding, reranking
from core.base import app_paths
from core.indexing.models.servers import SECTIONS
from core.providers import keys
from core.settings.sections import KEYS
from pages.ui.settings import servers
from tests.keyrings import Memory, using
from tests.model_server import Answer, ModelServer
from tests.pages.conftest import Screen

KEY = "sk-TESTKEY-0123456789"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    for name in (*KEYS.values(), "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv(app_paths.VARIABLE, str(tmp_path / "tessera"))
    keys.forget()
    yield tmp_path / "tessera"
    embedding.EMBEDDERS.forget(*SECTIONS.values())
    reranking.RERANKERS.forget(*SECTIONS.values())


@pytest.fixture
def settings(filled: Screen) -> Screen:
    return filled.open("settings").tab("Models", "model_servers", "language_model")


def said(screen: Screen) -> str:
    """What the page says, as a person reads it."""
    return html.unescape(screen.text.replace("\\", ""))


def box(screen: Screen, what: str, section: str):  # type: ignore[no-untyped-def]
    return next(box for box in screen.app.text_input if box.key.startswith(f"server_{what}_{section}_"))


def save(screen: Screen, section: str, **texts: str) -> Screen:
    for what, text in texts.items():
        box(screen, what, section).input(text)
    form = f"server_save_{section}"
    screen.press(form)
    return screen.finish("server") if screen.workspace.jobs.running("server") else screen


def test_a_server_is_entered_tested_and_removed(settings: Screen) -> None:
    assert said(settings).count("not set up") == 3
    with ModelServer() as server:
        save(settings, "rerank", base_url=server.url, model="m", key=KEY)
        assert "Of three sentences, the model ranked the right one first" in said(settings)
        assert server.requests[0].headers["Authorization"] == f"Bearer {KEY}"
    assert "This server is on this machine" in said(settings)
    assert "The key is saved in a file that only you can read" in said(settings)
    assert KEY not in said(settings)
    assert KEY not in repr(settings.app.session_state)
    save(settings, "rerank")
    assert "can't be reached" in said(settings)
    settings.press("remove_server_rerank")
    assert said(settings).count("not set up") == 3
    assert box(settings, "base_url", "rerank").value == ""
    assert keys.server_of("rerank") == ""


def test_a_key_is_replaced_and_removed(settings: Screen) -> None:
    with using(keyring := Memory()), ModelServer() as server:
        save(settings, "llm", base_url=server.url, model="m", key=KEY)
        assert "The key is saved in this system's keyring" in said(settings)
        assert not any(box.key.startswith("server_key_llm") for box in settings.app.text_input)
        settings.press("replace_key_llm")
        save(settings, "llm", key="sk-second")
        assert list(keyring.passwords.values()) == ["sk-second"]
        assert server.requests[-1].headers["Authorization"] == "Bearer sk-second"
        settings.press("remove_key_llm")
        assert not keyring.passwords
        assert box(settings, "key", "llm").value == ""


def test_what_the_environment_sets_is_shown_and_shut(filled: Screen, monkeypatch: pytest.MonkeyPatch) -> None:
    with ModelServer(Answer({"error": "no such key"}, 401)) as server:
        monkeypatch.setenv("TESSERA_LLM__BASE_URL", server.url)
        monkeypatch.setenv("TESSERA_LLM_API_KEY", KEY)
        settings = filled.open("settings").tab("Models", "model_servers", "language_model")
        address = box(settings, "base_url", "llm")
        assert (address.value, address.disabled) == (server.url, True)
        assert not box(settings, "model", "llm").disabled
        told = said(settings)
        assert "Address: set by the environment variable TESSERA_LLM__BASE_URL, which overrides this page." in told
        assert "set by the environment variable TESSERA_LLM_API_KEY, which overrides this page" in told
        assert not any((button.key or "").startswith("replace_key_llm") for button in settings.app.button)
        save(settings, "llm", model="m")
    assert "Correct the key in the environment variable TESSERA_LLM_API_KEY" in settings.errors.replace("\\", "")
    assert KEY not in settings.errors + settings.text


def test_text_that_leaves_the_machine_is_told(settings: Screen) -> None:
    settings.workspace.servers.update("embeddings", base_url="http://192.168.1.20:8080", model="m")
    settings.workspace.servers.update("llm", base_url="https://models.example/v1", model="m")
    settings.open("settings").tab("Models", "model_servers", "language_model")
    assert "sent to 192.168.1.20 unencrypted" in said(settings)
    assert "The text leaves this machine, encrypted, and goes to models.example" in said(settings)


def test_a_wrong_address_is_told_and_stays_in_its_box(settings: Screen) -> None:
    save(settings, "llm", base_url="localhost:11434", model="m", key=KEY)
    assert "it must be an address such as" in settings.errors
    assert box(settings, "base_url", "llm").value == "localhost:11434"
    settings.press("preset_llm_Ollama")
    assert box(settings, "base_url", "llm").value == "http://localhost:11434/v1"


def test_the_cards_are_there_in_chinese(filled: Screen) -> None:
    chinese = said(Screen("zh-CN").open("settings").tab("模型", "model_servers"))
    assert "用模型服务按语义查找" in chinese
    assert not [purpose for purpose in servers.PURPOSES.values() if str(purpose.title) in chinese]
