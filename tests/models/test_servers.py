"""Model servers as a person enters them: where that is kept, what wins, when it holds, and the test of each."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from core import embedding, reranking
from core.base import app_paths
from core.base.errors import ConfigError, ProviderError, ProviderUnavailable, UnknownChoice
from core.indexing.models.servers import SECTIONS, Servers
from core.providers import keys
from core.settings.config import ENTERED, settings
from core.settings.sections import KEYS
from core.workspace import Workspace
from tests import samples
from tests.model_server import Answer, ModelServer

KEY = "sk-TESTKEY-0123456789"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder of the person's files; what was built with it goes with it."""
    for name in (*KEYS.values(), "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv(app_paths.VARIABLE, str(tmp_path / "tessera"))
    monkeypatch.chdir(tmp_path)
    yield tmp_path / "tessera"
    embedding.EMBEDDERS.forget(*SECTIONS.values())
    reranking.RERANKERS.forget(*SECTIONS.values())


def test_the_environment_wins_then_the_file_then_what_was_entered(monkeypatch: pytest.MonkeyPatch) -> None:
    servers = Servers()
    servers.update("llm", base_url=" http://localhost:1234/v1/ ", model="entered")
    card = servers.get("llm")
    assert (card.base_url, card.model, card.complete) == ("http://localhost:1234/v1", "entered", True)
    assert card.sources == {"base_url": "entered", "model": "entered"}
    toml = '# my own words\n[llm]\nmodel = "of the file"\nretries = 1\n'
    Path("tessera.toml").write_text(toml)
    assert (servers.get("llm").model, servers.get("llm").sources["model"]) == ("of the file", "file")
    monkeypatch.setenv("TESSERA_LLM__MODEL", "of the environment")
    card = servers.get("llm")
    assert (card.model, card.sources) == ("of the environment", {"base_url": "entered", "model": "environment"})
    assert (settings().llm.base_url, settings().llm.retries) == ("http://localhost:1234/v1", 1)
    servers.update("llm", base_url="http://localhost:8080/v1")
    assert Path("tessera.toml").read_text() == toml
    monkeypatch.delenv("TESSERA_LLM__MODEL")
    Path("tessera.toml").unlink()
    assert (servers.get("llm").base_url, servers.get("llm").model) == ("http://localhost:8080/v1", "entered")


@pytest.mark.parametrize(
    ("address", "host", "here", "encrypted"),
    [
        ("http://localhost:11434/v1", "localhost", True, False),
        ("http://127.0.0.2:1", "127.0.0.2", True, False),
        ("http://[::1]:8080", "::1", True, False),
        ("https://models.example/v1", "models.example", False, True),
        ("http://192.168.1.20:8080", "192.168.1.20", False, False),
        ("http://localhost.example", "localhost.example", False, False),
    ],
)
def test_a_card_says_where_the_text_goes(address: str, host: str, here: bool, encrypted: bool) -> None:
    Servers().update("rerank", base_url=address)
    card = Servers().get("rerank")
    assert (card.host, card.here, card.encrypted, card.complete) == (host, here, encrypted, False)


@pytest.mark.parametrize("address", ["localhost:11434", "ftp://x", "http://☃.net", "https://me:pw@x", "http://a b"])
def test_an_address_that_is_none_is_refused_and_nothing_is_stored(address: str, folder: Path) -> None:
    with pytest.raises(ConfigError, match="address"):
        Servers().update("embeddings", base_url=address, model="m")
    assert not folder.exists()


def test_a_key_needs_an_address_and_goes_with_its_server(folder: Path) -> None:
    servers = Servers()
    with pytest.raises(ConfigError, match="Enter the address of the server first"):
        servers.enter_key("llm", KEY)
    servers.update("llm", base_url="https://models.example/v1", model="m")
    servers.enter_key("llm", KEY)
    assert (servers.get("llm").key, servers.get("llm").key_for) == ("file", "https://models.example")
    servers.update("llm", base_url="https://other.example/v1")
    assert (servers.get("llm").key, servers.get("llm").key_for) == ("", "https://models.example")
    servers.delete_for_good("llm")
    assert servers.get("llm").key_for == ""
    assert all(json.loads(file.read_text()) == {} for file in folder.iterdir())
    with pytest.raises(UnknownChoice):
        servers.get("llms")


def test_what_someone_spoilt_by_hand_does_not_stop_the_program(folder: Path) -> None:
    folder.mkdir()
    (folder / ENTERED).write_text(
        '{"llm": {"base_url": "nonsense"}, "rerank": {"model": "r"}, "search": {"limit": "x"}}'
    )
    assert (settings().llm.base_url, settings().rerank.model) == ("", "r")
    (folder / ENTERED).write_text("[]")
    with pytest.raises(ConfigError, match=rf"{ENTERED} can't be read\. Correct it, or delete it"):
        settings()


@pytest.mark.parametrize("section", SECTIONS)
def test_a_server_is_tested_once_with_its_key(section: str) -> None:
    servers = Servers()
    with ModelServer() as server:
        servers.update(section, base_url=server.url, model="m")
        servers.enter_key(section, KEY)
        trial = servers.test(section)
    assert trial.section == section
    assert trial.dimension == (16 if section == "embeddings" else None)
    assert trial.seconds > 0
    assert trial.right or section == "embeddings"  # its vectors are numbers out of a hash
    assert {request.headers["Authorization"] for request in server.requests} == {f"Bearer {KEY}"}
    with ModelServer(Answer({"error": "out of memory"}, 503)) as broken:
        servers.update(section, base_url=broken.url)
        with pytest.raises(ProviderUnavailable, match="out of memory"):
            servers.test(section)
    assert len(broken.requests) == 1
    with pytest.raises(ProviderError, match="can't be reached"):
        servers.test(section)
    servers.delete_for_good(section)
    with pytest.raises(ConfigError, match="No model server is set up"):
        servers.test(section)


def test_a_change_holds_at_once_and_no_key_is_in_the_workspace(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, folder: Path
) -> None:
    monkeypatch.setenv("TESSERA_EMBEDDER", "openai_compatible")
    vault = samples.write(tmp_path / "vault")
    with ModelServer() as one, ModelServer() as other, Workspace(tmp_path / "workspace") as workspace:
        workspace.servers.update("embeddings", base_url=one.url, model="m")
        workspace.servers.enter_key("embeddings", KEY)
        workspace.servers.update("rerank", base_url=one.url, model="r")
        workspace.imports.apply(workspace.imports.plan_folder(vault))
        assert workspace.search("restore a backup", reranker="rerank-api").reranker == "rerank-api"
        asked = len(one.requests)
        workspace.servers.update("embeddings", base_url=other.url)
        workspace.servers.update("rerank", base_url=other.url)
        assert not workspace.search("restore a lost backup", reranker="rerank-api").rerank_problem
        assert workspace.settings.rerank.base_url == other.url
        assert len(one.requests) == asked
        assert {request.path for request in other.requests} == {"/v1/embeddings", "/v1/rerank"}
        assert all("Authorization" not in request.headers for request in other.requests)
    assert keys.server_of("embeddings") == one.url.removesuffix("/v1")
    for file in (tmp_path / "workspace").rglob("*"):
        assert not file.is_file() or KEY.encode() not in file.read_bytes(), file
