"""The embedder on a server: its requests, and the answers it accepts."""

import json
from pathlib import Path

import numpy as np
import pytest

from core import embedding
from core.base.errors import ConfigError, ProviderError, ProviderUnavailable, UnknownChoice
from core.embedding.openai_compatible import OpenAICompatible
from core.settings.config import settings
from core.settings.sections import EmbeddingsSettings
from tests.growth import assert_linear
from tests.model_server import Answer, ModelServer, embeddings, vector


def embedder(server: ModelServer, **settings: object) -> OpenAICompatible:
    options = {"base_url": server.url, "model": "m", "retries": 0, "timeout_seconds": 5} | settings
    return OpenAICompatible(settings=EmbeddingsSettings.model_validate(options))


def test_vectors_come_in_the_order_of_the_texts_and_of_unit_length() -> None:
    with ModelServer() as server:
        vectors = embedder(server, batch_size=2).embed(["one", "two", "three"], role="note")
    expected = np.array([vector(text) for text in ("one", "two", "three")])
    assert vectors.dtype == np.float32
    assert np.allclose(vectors, expected / np.linalg.norm(expected, axis=1, keepdims=True), atol=1e-6)
    assert [request.body["input"] for request in server.requests] == [["one", "two"], ["three"]]
    assert [request.path for request in server.requests] == ["/v1/embeddings"] * 2
    assert server.requests[0].body["encoding_format"] == "float"
    assert "dimensions" not in server.requests[0].body


def test_one_request_finds_the_dimension() -> None:
    with ModelServer() as server:
        model = embedder(server)
        assert (model.dimension, model.fingerprint) == (16, "openai_compatible:m:16:|")
        assert model.embed([], role="note").shape == (0, 16)
    assert len(server.requests) == 1


def test_a_configured_dimension_is_sent_and_needs_no_request() -> None:
    with ModelServer() as server:
        model = embedder(server, dimensions=4)
        assert (model.dimension, len(server.requests)) == (4, 0)
        assert model.embed(["x"], role="note").shape == (1, 4)
    assert server.requests[0].body["dimensions"] == 4


def test_the_model_of_the_base_overrides_the_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(embedding.EMBEDDERS, "_built", {})
    with ModelServer() as server:
        Path("tessera.toml").write_text(f'[embeddings]\nbase_url = "{server.url}"\nmodel = "plain"\ndimensions = 4\n')
        named = embedding.build("openai_compatible:nomic-embed-text:latest")
        assert named.fingerprint == "openai_compatible:nomic-embed-text:latest:4:|"
        assert embedding.build("openai_compatible").fingerprint == "openai_compatible:plain:4:|"
        named.warm()
    assert server.requests[0].body["model"] == "nomic-embed-text:latest"


def test_a_missing_server_is_a_configuration_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(
        ConfigError, match=r"Enter its address on the Settings page, or set base_url in \[embeddings\] of tessera\.toml"
    ):
        embedding.build("openai_compatible:m")


def test_prompts_come_from_the_settings_or_the_family() -> None:
    with ModelServer() as server:
        family = embedder(server, model="intfloat/multilingual-e5-large")
        family.embed(["a"], role="query")
        family.embed(["b"], role="note")
        own = embedder(server, model="intfloat/multilingual-e5-large", query_prompt="", note_prompt="tell: ")
        own.embed(["c"], role="query")
        own.embed(["d"], role="note")
    assert [request.body["input"] for request in server.requests] == [["query: a"], ["passage: b"], ["c"], ["tell: d"]]
    assert family.fingerprint != own.fingerprint
    assert family.input_tokens < own.input_tokens < 512


def test_an_empty_text_is_sent_as_a_space() -> None:
    with ModelServer() as server:
        embedder(server).embed(["", "a"], role="note")
    assert server.requests[0].body["input"] == [" ", "a"]


ROW = [3.0, 0.0, 4.0]


@pytest.mark.parametrize(
    "answer",
    [
        embeddings([ROW]),
        {"data": [{"embedding": ROW}]},
        {"data": [{"index": 0, "embedding": [3e300, 0, 4e300]}]},
        {"data": [{"index": 0, "embedding": [3e-300, 0, 4e-300]}]},
    ],
)
def test_forms_of_a_vector(answer: object) -> None:
    with ModelServer(Answer(answer)) as server:
        assert np.allclose(embedder(server).embed(["x"], role="note"), [[0.6, 0, 0.8]])


def body(*rows: object) -> dict[str, object]:
    return {"data": [{"index": index, "embedding": row} for index, row in enumerate(rows)]}


@pytest.mark.parametrize(
    "answer",
    [
        {},
        [ROW, ROW],
        {"data": None},
        {"data": [ROW, ROW]},
        body(ROW),
        body(ROW, ROW, ROW),
        {"data": [{"index": 0, "embedding": ROW}, {"index": 0, "embedding": ROW}]},
        {"data": [{"index": 1, "embedding": ROW}, {"index": 2, "embedding": ROW}]},
        {"data": [{"index": 0, "embedding": ROW}, {"embedding": ROW}]},
        {"data": [{"index": False, "embedding": ROW}, {"index": True, "embedding": ROW}]},
        body(ROW, [1.0, 2.0]),
        body(ROW, [1.0, float("nan"), 2.0]),
        body(ROW, [1.0, float("inf"), 2.0]),
        body(ROW, [1.0, None, 2.0]),
        body(ROW, ["1", "2", "3"]),
        body(ROW, [True, False, True]),
        body(ROW, [[1.0], [2.0], [3.0]]),
        body(ROW, [10**400, 1, 1]),
        body(ROW, [0.0, 0.0, 0.0]),
        body(ROW, []),
        body(ROW, "####"),
    ],
)
def test_an_unusable_answer_is_an_error(answer: object) -> None:
    with (
        ModelServer(Answer(answer)) as server,
        pytest.raises(ProviderError, match="didn't return one list of numbers for each text") as caught,
    ):
        embedder(server).embed(["x", "y"], role="note")
    assert f"The model server {server.url}" in str(caught.value)
    assert "Check its address and the model 'm'" in str(caught.value)
    assert not isinstance(caught.value, ProviderUnavailable)


def test_another_dimension_in_the_second_batch_is_an_error() -> None:
    with ModelServer(Answer(body(ROW)), Answer(body([1.0, 2.0]))) as server:
        model = embedder(server, batch_size=1)
        with pytest.raises(ProviderError, match="2 numbers per text instead of 3"):
            model.embed(["x", "y"], role="note")
        assert model.dimension == 3


def test_another_dimension_than_configured_is_an_error() -> None:
    with (
        ModelServer(Answer(body(ROW))) as server,
        pytest.raises(ProviderError, match="3 numbers per text instead of 4"),
    ):
        embedder(server, dimensions=4).embed(["x"], role="note")


def test_a_failed_request_is_repeated() -> None:
    with ModelServer(Answer(status=503)) as server:
        assert embedder(server, retries=1).embed(["x"], role="note").shape == (1, 16)
    assert server.requests[0].body == server.requests[1].body


def test_a_large_answer_fits() -> None:
    rows = [[0.123456789012345678] * 4096 for _ in range(32)]
    with ModelServer(Answer(json.dumps(body(*rows), indent=8).encode())) as server:
        assert embedder(server).embed(["x"] * 32, role="note").shape == (32, 4096)


def counted(text: str) -> list[str]:
    """Return the estimated tokens of a text."""
    model = OpenAICompatible("m", settings=EmbeddingsSettings(base_url="http://localhost:9"))
    return [text[start:end] for start, end in model.tokens(text)]


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", []),
        (" \n\t", []),
        ("a word, longer", ["a", "word", ",", "long", "er"]),
        ("数据库 v10", ["数", "据", "库", "v", "10"]),
        ("HTTPServer x_1", ["HT", "TP", "Serv", "er", "x", "_", "1"]),
        ("größer слово", ["gr", "öß", "er", "сл", "ов", "о"]),
        ("🚀👩\u200d👧", ["🚀", "👩", "\u200d", "👧"]),
    ],
)
def test_tokens_are_estimated(text: str, tokens: list[str]) -> None:
    assert counted(text) == tokens


@pytest.mark.parametrize(
    "text",
    [
        "How do I restore a backup of the database, and where are the logs kept?",
        "如何恢复数据库的备份？日志文件保存在哪里，每天晚上几点执行？",
        "def restore(path: Path, *, force: bool = False) -> None:\n    shutil.copytree(path, TARGET_DIR)\n",
        "https://example.com/path/to/resource?id=12345&name=foo_bar#L10-L20",
        "Как восстановить резервную копию базы данных? データベースを復元する方法",
    ],
)
def test_a_real_tokenizer_counts_hardly_more_tokens(text: str) -> None:
    real = len(embedding.build("bundled").tokens(text))
    assert 0.95 * real <= len(counted(text)) < 3 * real


def test_counting_takes_linear_time() -> None:
    assert_linear(counted, "word 中文 🚀\n" * 20_000)


def test_servers_with_names_stand_side_by_side(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(embedding.EMBEDDERS, "_built", {})
    monkeypatch.setenv("TESSERA_EMBEDDINGS_OTHER_API_KEY", "secret")
    with ModelServer() as first, ModelServer() as second:
        Path("tessera.toml").write_text(
            f'[embeddings]\nbase_url = "{first.url}"\nmodel = "plain"\n'
            f'[embeddings.other]\nbase_url = "{second.url}"\nmodel = "better"\nbatch_size = 1\n'
        )
        assert embedding.build("openai_compatible").embed(["x"], role="note").shape == (1, 16)
        named = embedding.build("server:other")
        assert named.embed(["x", "y"], role="note").shape == (2, 16)
        assert named.fingerprint == "openai_compatible:better:16:|"
    assert [request.body["model"] for request in first.requests] == ["plain"]
    assert [request.body["input"] for request in second.requests] == [["x"], ["y"]]
    assert "Authorization" not in first.requests[0].headers
    assert second.requests[0].headers["Authorization"] == "Bearer secret"
    with pytest.raises(UnknownChoice, match="model server 'none'"):
        embedding.build("server:none")


def test_several_requests_go_out_at_once_as_the_settings_say() -> None:
    texts = [f"text {number}" for number in range(12)]
    with ModelServer(*[Answer(embeddings([vector("slow")]), delay=0.2)] * 3) as server:
        model = embedder(server, batch_size=1, requests_at_once=3, dimensions=16)
        vectors = model.embed(texts, role="note")
    assert (len(server.requests), server.at_once) == (12, 3)
    last = np.array([vector(text) for text in texts[3:]])
    assert np.allclose(vectors[3:], last / np.linalg.norm(last, axis=1, keepdims=True), atol=1e-6)


@pytest.mark.parametrize("name", ["Open-AI", "a.b", "ä", "UPPER", "a b"])
def test_the_name_of_a_server_has_a_variable_of_its_own(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("tessera.toml").write_text(f'[embeddings."{name}"]\nbase_url = "http://127.0.0.1:9/v1"\nmodel = "m"\n')
    with pytest.raises(ConfigError, match="the name of a server can contain only lowercase letters"):
        settings()
