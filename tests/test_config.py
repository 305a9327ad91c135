"""Settings come from defaults, then tessera.toml, then the environment, and wrong ones are named."""

import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from core.base.errors import ConfigError
from core.model import OPEN, SearchSettings
from core.settings.config import Settings, override_settings, settings
from core.settings.sections import KEYS


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("TESSERA_WORKSPACE", raising=False)
    monkeypatch.delenv("TESSERA_MODELS_DIR", raising=False)


def test_the_later_source_wins(monkeypatch: pytest.MonkeyPatch) -> None:
    assert settings().search.chosen == OPEN
    Path("tessera.toml").write_text("[search]\nlimit = 5\npool = 30\n")
    assert settings().search.chosen == SearchSettings(limit=5, pool=30)
    monkeypatch.setenv("TESSERA_SEARCH__LIMIT", "7")
    assert settings().search.chosen == SearchSettings(limit=7, pool=30)


def test_older_names_of_the_interval_hold_for_their_own_folders(monkeypatch: pytest.MonkeyPatch) -> None:
    def seconds() -> tuple[float, float]:
        now = settings()
        return now.seconds_between_looks(plain=False), now.seconds_between_looks(plain=True)

    assert seconds() == (60, 60)
    Path("tessera.toml").write_text("scan_interval = 30\n")
    assert seconds() == (30, 30)
    Path("tessera.toml").write_text("watch_seconds = 20\n[knowledge]\nscan_interval = 10\n")
    assert seconds() == (20, 10)
    monkeypatch.setenv("TESSERA_WATCH_SECONDS", "5")
    assert seconds() == (5, 10)
    monkeypatch.setenv("TESSERA_SCAN_INTERVALL", "5")
    with pytest.raises(ConfigError, match="isn't a Tessera setting") as error:
        settings()
    assert "SCAN_INTERVAL" in str(error.value)
    assert "WATCH_SECONDS" not in str(error.value)


@pytest.mark.parametrize(
    ("toml", "named"),
    [
        ("[search]\nlimitt = 5\n", "search.limitt"),
        ("[chunking]\nchunk_size = 9999\n", "chunking.chunk_size"),
        ("colour = 'red'\n", "colour"),
        ("[embeddings]\nbase_url = 'localhost:11434'\n", "embeddings.base_url.*such as http://"),
        ("[embeddings]\nbase_url = 'ftp://localhost'\n", "embeddings.base_url"),
        ("[embeddings]\nbase_url = 'http://localhost:99999'\n", "embeddings.base_url.*such as http://"),
        ("[embeddings]\nbase_url = 'http://a..b'\n", "embeddings.base_url.*such as http://"),
        ("[embeddings]\nbase_url = 'http://[::1'\n", "embeddings.base_url.*such as http://"),
        ("[embeddings]\nbase_url = 'http://local host'\n", "embeddings.base_url.*no spaces"),
        ("[rerank]\nstyle = 'other'\n", "rerank.style"),
        ("[llm]\ntimeout_seconds = inf\n", "llm.timeout_seconds"),
        ("[llm]\nretries = 99\n", "llm.retries"),
        ("[search\n", "not valid TOML"),
        ("search = 5\n", r"'search' is not valid: it is a section.* \(in .*/tessera.toml\)"),
        ("models_dir = 1\n", "models_dir.*a path"),
        ("workspace = 'caf\xe9'\n", "tessera.toml, line 1: this isn't UTF-8"),
        (f"a = {'[' * 5000}\n", "is not valid TOML"),
        (f"a = {'9' * 5000}\n", "not valid TOML"),
    ],
)
def test_a_wrong_setting_is_named(toml: str, named: str) -> None:
    Path("tessera.toml").write_bytes(toml.encode("latin-1"))
    with pytest.raises(ConfigError, match=named):
        settings()


@pytest.mark.parametrize(
    ("variable", "value", "named"),
    [
        ("TESSERA_SEARCH", "{", r"'search' is not valid: it is a section.* \(in TESSERA_SEARCH\)"),
        (
            "TESSERA_EMBEDDINGS__SERVERS",
            "{",
            r"'embeddings.servers' .* it is a section.* \(in TESSERA_EMBEDDINGS__SERVERS\)",
        ),
        (
            "TESSERA_AUTO_INSTALL",
            "guide",
            r"'auto_install' is not valid: it must be a list \(in TESSERA_AUTO_INSTALL\)",
        ),
        ("TESSERA_SEARCH", "5", r"it is a section.* \(in TESSERA_SEARCH\)"),
        ("TESSERA_LLM", "[" * 50_000, r"it is a section.* \(in TESSERA_LLM\)"),
        ("TESSERA_SEARCH", '{"limit": "x"}', r"search.limit.*whole number \(in TESSERA_SEARCH\)"),
        ("TESSERA_SEARCH__LIMIT", "x", r"search.limit.*whole number \(in TESSERA_SEARCH__LIMIT\)"),
        ("TESSERA_EMBEDDER", "\udcff", "TESSERA_EMBEDDER contains bytes that aren't text"),
    ],
)
def test_a_wrong_variable_is_named(variable: str, value: str, named: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(variable, value)
    with pytest.raises(ConfigError, match=named):
        settings()


WRONG = (5, -1, "", "x" * 10_000, [], {}, [1], None, 1.5, float("nan"), True, "\0", "\ud800", 10**30)


def keys_of(section: type[BaseModel], *above: str) -> Iterator[tuple[str, ...]]:
    """Yield the keys of all settings and sections."""
    for name, field in section.model_fields.items():
        yield (*above, name)
        if isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel):
            yield from keys_of(field.annotation, *above, name)


@pytest.mark.parametrize("key", list(keys_of(Settings)), ids=".".join)
def test_what_is_wrong_with_a_value_is_said_in_words_of_tessera(key: tuple[str, ...]) -> None:
    """No text of the library that checks the values reaches a person."""
    for value in WRONG:
        given: Any = value
        for name in reversed(key):
            given = {name: given}
        text = ""
        try:
            Settings(**given)
        except ConfigError as error:
            text = str(error)
        assert "should" not in text, (value, text)


def test_a_file_with_a_byte_order_mark_is_read() -> None:
    Path("tessera.toml").write_text("\ufeff[search]\nlimit = 5\n", encoding="utf-8")
    assert settings().search.limit == 5


def test_an_unknown_variable_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TESSERA_COLOUR", "red")
    with pytest.raises(ConfigError, match="TESSERA_COLOUR"):
        settings()


def test_a_section_of_a_server(monkeypatch: pytest.MonkeyPatch) -> None:
    Path("tessera.toml").write_text('[embeddings]\nbase_url = "http://localhost:11434/v1/"\nbatch_size = 8\n')
    monkeypatch.setenv("TESSERA_EMBEDDINGS__MODEL", "nomic-embed-text")
    given = settings().embeddings
    assert (given.base_url, given.batch_size, given.model) == ("http://localhost:11434/v1", 8, "nomic-embed-text")


@pytest.mark.parametrize("name", KEYS.values())
def test_a_key_in_the_environment_is_no_setting(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(name, "sk-TESTKEY")
    assert "TESTKEY" not in repr(settings()) + settings().model_dump_json()


@pytest.mark.parametrize(
    ("toml", "variable"),
    [
        ("[embeddings]\napi_key = 'sk-TESTKEY'\n", None),
        ("", "TESSERA_LLM__API_KEY"),
        ("[rerank]\nbase_url = 'https://me:sk-TESTKEY@example.org'\n", None),
        ("[rerank]\nbase_url = 'https://example.org/?key=sk-TESTKEY'\n", None),
    ],
)
def test_a_key_anywhere_else_is_refused_without_repeating_it(
    toml: str, variable: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("tessera.toml").write_text(toml)
    if variable:
        monkeypatch.setenv(variable, "sk-TESTKEY")
    with pytest.raises(ConfigError, match="TESSERA_RERANK_API_KEY") as caught:
        settings()
    assert "TESTKEY" not in "".join(traceback.format_exception(caught.value))


def test_settings_that_were_handed_in_twice_hold_until_the_last_one_is_done() -> None:
    handed = Settings(keep_versions=7)
    with override_settings(handed):
        with override_settings(handed):
            assert settings().keep_versions == 7
        assert settings().keep_versions == 7
    assert settings().keep_versions != 7
