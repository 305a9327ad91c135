"""Settings: defaults < `tessera.toml` < environment `TESSERA_*`."""

import os
import tomllib
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator
from pydantic_settings import (
    BaseSettings,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    TomlConfigSettingsSource,
)

from core.errors import ConfigError

FILE = Path("tessera.toml")

KEYS = {
    "embeddings": "TESSERA_EMBEDDINGS_API_KEY",
    "rerank": "TESSERA_RERANK_API_KEY",
    "llm": "TESSERA_LLM_API_KEY",
}
"""Section -> the environment variable with the key to its server; a key is no setting and never in a file."""


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
    """Defaults of a search; `semantic_weight` is the share of meaning against words, 0 to 1.

    The best `rerank_pool` hits are judged by the `reranker`, each by at most `rerank_characters` of its
    best window; `rerank_weight` is the share of that against the score they came with. `link_weight` is what a
    chunk gains that is linked with the best. `decompose` says what takes exploratory questions apart: rules, a
    language model, or that where one is set up (`auto`).
    """

    model_config = ConfigDict(extra="forbid")

    limit: int = Field(10, ge=1, le=100)
    pool: int = Field(50, ge=1, le=500)
    fusion: Literal["weighted", "reciprocal"] = "weighted"
    semantic_weight: float = Field(0.6, ge=0, le=1)
    link_weight: float = Field(0.0, ge=0, le=1)
    phrase: Literal["require", "boost"] = "require"
    decompose: Literal["auto", "rules", "llm"] = "auto"
    context_tokens: int = Field(2000, ge=100, le=100_000)
    reranker: str = "late-interaction"
    rerank_pool: int = Field(50, ge=1, le=500)
    rerank_weight: float = Field(0.7, ge=0, le=1)
    rerank_characters: int = Field(2000, ge=100, le=20_000)


class ServerSettings(BaseModel):
    """A model server: `base_url` is what stands before `/embeddings`, `/rerank` or `/chat/completions`.

    `queue_interval_seconds` is the least time between the starts of two requests, `timeout_seconds` the
    most that one takes in all, and `retries` how often one is sent again that the server couldn't serve.
    """

    model_config = ConfigDict(extra="forbid", hide_input_in_errors=True)

    base_url: str = ""
    model: str = ""
    queue_interval_seconds: float = Field(0, ge=0, le=60)
    timeout_seconds: float = Field(60, gt=0, le=600)
    retries: int = Field(4, ge=0, le=10)

    @field_validator("base_url")
    @classmethod
    def _plain(cls, url: str) -> str:
        if not url:
            return url
        try:
            parts = urlsplit(url)
            fits = parts.scheme in ("http", "https") and parts.port != 0 and (parts.hostname or "").encode("idna")
        except ValueError:  # a name or a port that can't be
            fits = False
        if not fits:
            raise ValueError("it must be an address such as http://localhost:11434/v1")
        if parts.username is not None or parts.password is not None or parts.query or parts.fragment:
            raise ValueError(f"it must hold no name, password or key; a key belongs into {' or '.join(KEYS.values())}")
        if " " in url or not url.isprintable():
            raise ValueError("it must hold no spaces")
        return url.rstrip("/")


class EmbeddingsSettings(ServerSettings):
    """The server behind the embedder `openai_compatible`.

    `dimensions` is asked of the server where it is set, else its own are taken. `input_tokens` is what the
    model reads of a text. The prompts stand before questions and texts; unset, they are those that are
    known of the model's family.
    """

    dimensions: int | None = Field(None, ge=1, le=65_536)
    batch_size: int = Field(32, ge=1, le=2048)
    input_tokens: int = Field(512, ge=64, le=131_072)
    query_prompt: str | None = None
    note_prompt: str | None = None


class RerankSettings(ServerSettings):
    """The server behind the reranker `rerank-api`; `style` is the form of its requests, found out by `auto`."""

    style: Literal["auto", "cohere", "jina", "tei"] = "auto"
    batch_size: int = Field(32, ge=1, le=1000)


class LlmSettings(ServerSettings):
    """A language model; `input_characters` is how much text of notes one request holds."""

    input_characters: int = Field(16_000, ge=1000, le=1_000_000)


class Settings(BaseSettings):
    """What a person may set; an environment variable names a nested key with two underscores."""

    model_config = SettingsConfigDict(
        env_prefix="TESSERA_", env_nested_delimiter="__", extra="forbid", hide_input_in_errors=True
    )

    workspace: Path = Path("data/workspace")
    embedder: str = "auto"
    models_dir: Path | None = None
    chunking: ChunkingSettings = ChunkingSettings()
    search: SearchSettings = SearchSettings()
    embeddings: EmbeddingsSettings = EmbeddingsSettings()
    rerank: RerankSettings = RerankSettings()
    llm: LlmSettings = LlmSettings()

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
    known = {name.upper() for name in Settings.model_fields} | {key.removeprefix("TESSERA_") for key in KEYS.values()}
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
        if first["loc"][-1:] == ("api_key",):
            raise ConfigError(
                f"A key stands in the environment only, so that no file gives it away. Remove '{key}' from {FILE} "
                f"or TESSERA_* and set {' or '.join(KEYS.values())}."
            ) from None
        raise ConfigError(f"The setting '{key}' is not valid: {first['msg']} (in {FILE} or TESSERA_*).") from error
