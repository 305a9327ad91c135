"""Keys of model servers: where they are, who gets them, and that nothing says them."""

import json
import logging
import os
import stat
import sys
import traceback
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from core.base import app_paths
from core.base.errors import ConfigError, ProviderError
from core.providers import ProviderServer, keys
from core.settings.sections import KEYS, ServerSettings
from tests.keyrings import Forgetful, Memory, using
from tests.model_server import Answer, ModelServer

KEY = "sk-TESTKEY-0123456789"
URL = httpx.URL("https://models.example/v1")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder of the person's files, without one key in the environment."""
    for name in (*KEYS.values(), "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv(app_paths.VARIABLE, str(tmp_path / "tessera"))
    keys.forget()
    yield tmp_path / "tessera"
    keys.forget()


@pytest.fixture
def keyring() -> Iterator[Memory]:
    with using(memory := Memory()):
        yield memory


def test_the_keyring_of_the_system_keeps_a_key_and_no_file_does(keyring: Memory, folder: Path) -> None:
    assert keys.store("llm", URL, f" {KEY}\n") == "keyring"
    assert list(keyring.passwords.values()) == [KEY]
    assert all(KEY not in file.read_text() for file in folder.iterdir())
    assert (keys.find("llm", URL).value, keys.find("llm", URL).place) == (KEY, "keyring")
    keys.remove("llm")
    assert not keyring.passwords
    assert keys.find("llm", URL).place == ""


@pytest.mark.parametrize("backend", [None, Forgetful()])
def test_without_a_keyring_a_file_keeps_it_that_only_its_owner_reads(backend: Memory | None, folder: Path) -> None:
    old = os.umask(0)
    try:
        if backend:
            with using(backend):
                assert keys.store("rerank", URL, KEY) == "file"
        else:
            assert keys.store("rerank", URL, KEY) == "file"
    finally:
        os.umask(old)
    assert [file.name for file in folder.iterdir()] == [keys.FILE]
    if sys.platform != "win32":
        assert stat.S_IMODE((folder / keys.FILE).stat().st_mode) == 0o600
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert (keys.find("rerank", URL).value, keys.find("rerank", URL).place) == (KEY, "file")
    keys.remove("rerank")
    assert KEY not in (folder / keys.FILE).read_text()
    assert not keys.find("rerank", URL).value


def test_the_environment_wins(monkeypatch: pytest.MonkeyPatch, keyring: Memory) -> None:
    keys.store("llm", URL, KEY)
    monkeypatch.setenv("TESSERA_LLM_API_KEY", "sk-environment")
    assert keys.find("llm", URL) == keys.ApiKey("TESSERA_LLM_API_KEY", "sk-environment", "environment")
    openai = httpx.URL("https://api.openai.com/v1")
    keys.store("rerank", openai, KEY)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-openai")
    assert keys.find("rerank", openai).value == "sk-openai"
    assert not keys.find("rerank", URL).value


@pytest.mark.parametrize(
    "elsewhere", ["http://models.example/v1", "https://models.example:8443/v1", "https://example/v1"]
)
def test_another_address_never_gets_a_key(elsewhere: str, keyring: Memory) -> None:
    keys.store("llm", URL, KEY)
    assert not keys.find("llm", httpx.URL(elsewhere)).value
    assert not keys.find("rerank", URL).value
    assert keys.find("llm", httpx.URL("https://MODELS.example:443/other")).value == KEY
    assert keys.server_of("llm") == "https://models.example"


def test_a_key_is_replaced_wherever_it_was(keyring: Memory, folder: Path) -> None:
    other = httpx.URL("https://other.example/v1")
    keys.store("llm", URL, KEY)
    assert keys.find("llm", URL).value == KEY
    keys.store("llm", URL, "sk-second")
    assert keys.find("llm", URL).value == "sk-second"
    keys.store("llm", other, "sk-third")
    assert list(keyring.passwords.values()) == ["sk-third"]
    keyring.locked = True
    assert keys.store("llm", other, "sk-fourth") == "file"
    assert keys.find("llm", other).value == "sk-fourth"


def test_a_locked_keyring_is_told_and_nothing_else_than_the_key_needs_it(keyring: Memory) -> None:
    keys.store("llm", URL, KEY)
    keyring.locked = True
    keys.forget()
    assert keys.active_key("llm", URL).place == "keyring"
    with pytest.raises(
        ConfigError, match=r"keyring didn't return the key for https://models\.example\. Unlock the keyring"
    ):
        keys.find("llm", URL)
    with pytest.raises(ConfigError, match="keyring didn't delete the key"):
        keys.remove("llm")
    keyring.locked = False
    assert keys.find("llm", URL).value == KEY


@pytest.mark.parametrize("key", ["", " ", "sk with space", "sk-\x00", "sk-ключ"])
def test_a_key_that_cannot_be_sent_is_refused_without_repeating_it(key: str, folder: Path) -> None:
    with pytest.raises(ConfigError, match="Copy it again") as caught:
        keys.store("llm", URL, key)
    assert not key.strip() or key not in "".join(traceback.format_exception(caught.value))
    assert not folder.exists()


@pytest.mark.parametrize("place", ["keyring", "file"])
@pytest.mark.parametrize(
    "answer", [Answer({"error": f"no such key: {KEY}"}, 400), Answer({"error": KEY}, 401), Answer(KEY.encode())]
)
def test_no_error_no_log_and_no_repr_holds_a_stored_key(
    place: str, answer: Answer, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    backend = Memory()
    backend.locked = place == "file"
    with using(backend), ModelServer(answer) as server:
        assert keys.store("llm", httpx.URL(server.url), KEY) == place
        client = ProviderServer("llm", ServerSettings(base_url=server.url, model="m", retries=0))
        with pytest.raises(ProviderError) as caught:
            client.post("chat/completions", {}, limit=1000)
        key = keys.find("llm", httpx.URL(server.url))
    said = "".join(traceback.format_exception(caught.value)) + caplog.text
    said += repr(caught.value) + repr(client) + repr(vars(client)) + repr(key)
    assert server.requests[0].headers["Authorization"] == f"Bearer {KEY}"
    assert "TESTKEY" not in said
    assert ("Enter its key on the Settings page" in said) == (answer.status == 401)


def test_a_key_that_was_replaced_elsewhere_is_read_again_after_a_refusal(keyring: Memory) -> None:
    with ModelServer(Answer(status=401), Answer({"fine": True})) as server:
        keys.store("llm", httpx.URL(server.url), "sk-old")
        client = ProviderServer("llm", ServerSettings(base_url=server.url, model="m", retries=0))
        assert keys.find("llm", httpx.URL(server.url)).value == "sk-old"
        keyring.passwords = dict.fromkeys(keyring.passwords, "sk-new")
        with pytest.raises(ProviderError):
            client.post("p", {}, limit=99)
        client.post("p", {}, limit=99)
    assert [request.headers["Authorization"] for request in server.requests] == ["Bearer sk-old", "Bearer sk-new"]


def test_a_damaged_file_is_named_and_a_folder_that_cannot_be_written_too(folder: Path) -> None:
    folder.mkdir()
    (folder / keys.FILE).write_text("{")
    with pytest.raises(ConfigError, match=rf"{keys.FILE} can't be read"):
        keys.find("llm", URL)
    (folder / keys.FILE).write_text(json.dumps({"llm": "no entry"}))
    assert not keys.find("llm", URL).value
    (folder / keys.FILE).unlink()
    folder.rmdir()
    folder.write_text("a file in its place")
    with pytest.raises(ConfigError, match=r"can't be (read|written).*") as caught:
        keys.store("llm", URL, KEY)
    assert KEY not in "".join(traceback.format_exception(caught.value))
