"""Settings come from defaults, then tessera.toml, then the environment, and wrong ones are named."""

from pathlib import Path

import pytest

from core.config import settings
from core.errors import ConfigError


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("TESSERA_WORKSPACE", raising=False)
    monkeypatch.delenv("TESSERA_MODELS_DIR", raising=False)


def test_the_later_source_wins(monkeypatch: pytest.MonkeyPatch) -> None:
    assert settings().search.limit == 10
    Path("tessera.toml").write_text("[search]\nlimit = 5\npool = 30\n")
    assert settings().search.limit == 5
    monkeypatch.setenv("TESSERA_SEARCH__LIMIT", "7")
    assert (settings().search.limit, settings().search.pool) == (7, 30)


@pytest.mark.parametrize(
    ("toml", "named"),
    [
        ("[search]\nlimitt = 5\n", "search.limitt"),
        ("[chunking]\nchunk_size = 9999\n", "chunking.chunk_size"),
        ("colour = 'red'\n", "colour"),
        ("[search\n", "not valid TOML"),
    ],
)
def test_a_wrong_setting_is_named(toml: str, named: str) -> None:
    Path("tessera.toml").write_text(toml)
    with pytest.raises(ConfigError, match=named):
        settings()


def test_an_unknown_variable_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TESSERA_COLOUR", "red")
    with pytest.raises(ConfigError, match="TESSERA_COLOUR"):
        settings()
