"""Settings: defaults < `tessera.toml` < environment `TESSERA_*`."""

import os
import tomllib
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic_settings import (
    BaseSettings,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    TomlConfigSettingsSource,
)

from core.errors import ConfigError

FILE = Path("tessera.toml")


class ChunkingSettings(BaseModel):
    """How the notes of a new base are cut, in tokens; the ranges are those of the sliders."""

    model_config = ConfigDict(extra="forbid")

    strategy: str = "auto"
    short_doc_threshold: int = Field(500, ge=300, le=700)
    chunk_size: int = Field(512, ge=256, le=1024)
    chunk_overlap: int = Field(100, ge=50, le=200)
    min_headings_for_md_aware: int = Field(2, ge=2, le=5)
    max_single_chunk_size: int = Field(1500, ge=1000, le=2000)


class SearchSettings(BaseModel):
    """Defaults of a search; `semantic_weight` is the share of meaning against words, 0 to 1."""

    model_config = ConfigDict(extra="forbid")

    limit: int = Field(10, ge=1, le=100)
    pool: int = Field(50, ge=1, le=500)
    semantic_weight: float = Field(0.6, ge=0, le=1)


class Settings(BaseSettings):
    """What a person may set; an environment variable names a nested key with two underscores."""

    model_config = SettingsConfigDict(env_prefix="TESSERA_", env_nested_delimiter="__", extra="forbid")

    workspace: Path = Path("data/workspace")
    embedder: str = "bundled"
    models_dir: Path | None = None
    chunking: ChunkingSettings = ChunkingSettings()
    search: SearchSettings = SearchSettings()

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        return init_settings, env_settings, TomlConfigSettingsSource(settings_cls, FILE)


def settings(**given: Any) -> Settings:
    """Read the settings; raises ConfigError that names the key and where it stands."""
    known = {name.upper() for name in Settings.model_fields}
    for variable in os.environ:
        name = variable.removeprefix("TESSERA_").partition("__")[0]
        if variable.startswith("TESSERA_") and name not in known:
            raise ConfigError(
                f"The environment variable {variable} is no setting of Tessera. Known: {', '.join(sorted(known))}."
            )
    try:
        return Settings(**given)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{FILE.resolve()} is not valid TOML: {error}") from error
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(str(part) for part in first["loc"])
        raise ConfigError(f"The setting '{key}' is not valid: {first['msg']} (in {FILE} or TESSERA_*).") from error
