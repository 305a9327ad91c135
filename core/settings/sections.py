"""The sections of `tessera.toml`, with their settings, ranges and defaults."""

import re
from pathlib import Path
from typing import Any, Literal, get_type_hints
from urllib.parse import urlsplit

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    ValidationInfo,
    create_model,
    field_validator,
    model_validator,
)

from core.base.messages import message
from core.model import DEFAULTS, PARTS, SIZES, ChunkingOptions, SearchSettings

KEYS = {
    "embeddings": "TESSERA_EMBEDDINGS_API_KEY",
    "rerank": "TESSERA_RERANK_API_KEY",
    "llm": "TESSERA_LLM_API_KEY",
}
"""Section -> environment variable for the server's API key, which isn't a setting (see `core.providers.keys`)."""

INDEX_TOKEN = "TESSERA_INDEX_TOKEN"
"""Environment variable for the API key of the vector index server."""

_NAME = re.compile("[a-z][a-z0-9_]*")
"""Name of an embeddings server; the variable for its key contains it, so that no server gets another's key."""
NAMED_KEY = re.compile(r"TESSERA_EMBEDDINGS_[A-Z0-9_]+_API_KEY")
"""Environment variables for the API keys of named embeddings servers."""

_OPTIONS = ChunkingOptions()


def key_variable(section: str) -> str:
    """Return the environment variable for the API key of a section, such as `embeddings.ollama`."""
    return KEYS.get(section) or f"TESSERA_{section.upper().replace('.', '_')}_API_KEY"


class _SettingsSection(BaseModel):
    model_config = ConfigDict(extra="forbid", hide_input_in_errors=True)


_SIZES: dict[str, Any] = {name: (int, getattr(_OPTIONS, name)) for name in SIZES}
_Sizes: Any = create_model("_Sizes", __base__=_SettingsSection, **_SIZES)
_PARTS: dict[str, Any] = {
    name: (kind, Field(getattr(DEFAULTS, name), ge=PARTS[name].least, le=PARTS[name].most))
    for name, kind in get_type_hints(type(DEFAULTS)).items()
}
_Parts: Any = create_model("_Parts", __base__=_SettingsSection, **_PARTS)


class ChunkingSettings(_Sizes):
    """Chunking of a new base, in tokens, with the same ranges and error message as everywhere else."""

    strategy: str = _OPTIONS.strategy

    @field_validator(*SIZES)
    @classmethod
    def _in_range(cls, value: int, info: ValidationInfo) -> int:
        if problem := SIZES[name := str(info.field_name)].problem(name, value):
            raise ValueError(problem)
        return value


class SearchSection(_Parts):
    """Search settings that apply unless the question or the base sets them.

    `decompose` selects how exploratory questions are decomposed: by rules, by a language model, or (`auto`) by a
    language model if one is configured, else by rules. `choose` lets a configured language model choose among the hits
    in literal bases. `context_tokens` is the token budget of a context. `refuse` has no effect, but files of earlier
    versions may contain it. `record_uses`, `use_clicks`: None leaves the choice to the user.
    """

    decompose: Literal["auto", "rules", "llm"] = "auto"
    choose: Literal["auto", "never"] = "auto"
    context_tokens: int = Field(2000, ge=100, le=100_000)
    refuse: float | None = None
    record_uses: bool | None = None
    use_clicks: bool | None = None

    @property
    def chosen(self) -> SearchSettings:
        return SearchSettings.from_values({name: getattr(self, name) for name in self.model_fields_set})


def path_without_zero(path: Path | None) -> Path | None:
    if "\0" in str(path):
        raise ValueError(message("it must be a path"))
    return path


def plain_address(url: str) -> str:
    """Return a server address without a trailing slash; raises ValueError if it is invalid or contains a key."""
    if not url:
        return url
    try:
        parts = urlsplit(url)
        fits = parts.scheme in ("http", "https") and parts.port != 0 and (parts.hostname or "").encode("idna")
    except ValueError:  # an impossible name or port
        fits = False
    if not fits:
        raise ValueError(message("it must be an address such as http://localhost:11434/v1"))
    if parts.username is not None or parts.password is not None or parts.query or parts.fragment:
        names = [*KEYS.values(), INDEX_TOKEN]
        raise ValueError(
            message("it must contain no name, password or key; put a key into one of {names}", names=names)
        )
    if " " in url or not url.isprintable():
        raise ValueError(message("it must contain no spaces"))
    return url.rstrip("/")


class ServerSettings(_SettingsSection):
    """A model server; `base_url` is the address before `/embeddings`, `/rerank` or `/chat/completions`.

    `queue_interval_seconds` is the minimum time between the starts of two requests, `requests_at_once` the maximum
    number of parallel requests, `timeout_seconds` the time limit of a request, and `retries` the maximum number of
    retries, within that limit, for a request that the server couldn't serve.
    """

    base_url: str = ""
    model: str = ""
    queue_interval_seconds: float = Field(0, ge=0, le=60)
    requests_at_once: int = Field(1, ge=1, le=64)
    timeout_seconds: float = Field(60, gt=0, le=600)
    retries: int = Field(4, ge=0, le=10)

    _plain = field_validator("base_url")(plain_address)

    @property
    def is_set_up(self) -> bool:
        return bool(self.base_url and self.model)


class EmbeddingServer(ServerSettings):
    """A server with an embedding model.

    `dimensions` is the requested size of the vectors; None, or 0 in the file, means the model's default. `batch_size`
    is the maximum number of texts per request, by default `embed_batch_size` in `[knowledge]`. `input_tokens` is the
    model's input limit. The prompts precede questions and texts; by default they are the known prompts of the model's
    family.
    """

    dimensions: int | None = Field(None, ge=0, le=65_536)
    batch_size: int = Field(64, ge=1, le=2048)
    input_tokens: int = Field(512, ge=64, le=131_072)
    query_prompt: str | None = None
    note_prompt: str | None = None

    _own = field_validator("dimensions")(lambda dimensions: dimensions or None)


class EmbeddingsSettings(EmbeddingServer):
    """The server for the embedder `openai_compatible`.

    `servers` are the servers for the embedders `server:NAME`, each in a section `[embeddings.NAME]`.
    """

    servers: dict[str, EmbeddingServer] = Field(default_factory=dict)

    @model_validator(mode="before")
    @classmethod
    def _by_name(cls, values: object) -> object:
        if not isinstance(values, dict):
            return values
        named = {
            name: value for name, value in values.items() if isinstance(value, dict) and name not in cls.model_fields
        }
        if any(not _NAME.fullmatch(name) for name in named):
            raise ValueError(
                message("the name of a server can contain only lowercase letters, digits and _, such as ollama")
            )
        others = {name: value for name, value in values.items() if name not in named}
        return others | ({"servers": others.get("servers", {}) | named} if named else {})


class RerankSettings(ServerSettings):
    """The server for the reranker `rerank-api`; `style` is the request format, which `auto` detects."""

    style: Literal["auto", "cohere", "jina", "tei"] = "auto"
    batch_size: int = Field(32, ge=1, le=1000)


class LlmSettings(ServerSettings):
    """The server for a language model.

    `input_characters` limits the text of notes in one request, and `answer_seconds` the time of a streamed answer,
    whose parts may be `timeout_seconds` apart. With `discover`, the Settings page looks for model servers on this
    machine, and so does the Search page while no model is set up.
    """

    input_characters: int = Field(16_000, ge=1000, le=1_000_000)
    answer_seconds: float = Field(600, gt=0, le=7200)
    discover: bool = True


class IndexSettings(_SettingsSection):
    """Location of the vector index: in the workspace, on a Chroma server at `url`, or none.

    A search without an index compares with every vector.
    """

    kind: Literal["chroma", "none"] = "chroma"
    url: str = ""
    database: str = "default_database"
    tenant: str = "default_tenant"

    _plain = field_validator("url")(plain_address)


class HttpSettings(_SettingsSection):
    """Whether other programs have access; None leaves that to the user's choice on the Settings page."""

    enabled: bool | None = None


class AppSettings(_SettingsSection):
    """Settings of the app.

    `token`: the pages need the token of the run, which `tessera app` prints. `keep_running`: the app keeps running
    after its window is closed, for watched folders and for assistants.
    """

    token: bool = False
    keep_running: bool = False


class BackupSettings(_SettingsSection):
    """Backup folder, and whether to make daily backups; None leaves it to the user's choice on the Settings page."""

    folder: Path | None = None
    daily: bool | None = None

    _plain = field_validator("folder")(path_without_zero)


class DailySettings(_SettingsSection):
    """Today's note: its base, its folder in that base, its name format, and its template's path or title."""

    base: str = ""
    folder: str = ""
    format: str = Field("YYYY-MM-DD", min_length=1)
    template: str = ""


class PicturesSettings(_SettingsSection):
    """The model that embeds pictures: the hub name or folder of a CLIP model, or a name in `IMAGE_EMBEDDERS`."""

    model: str = ""


class KnowledgeSettings(_SettingsSection):
    """Folders of text files; each `BASE/texts` in `base_dir` is a base of kind `lines`.

    With `auto_scan` the app looks for these folders every `scan_interval` seconds and creates missing bases; with
    `auto_embed` their lines are then embedded. `embed_batch_size` is the maximum number of texts per request to the
    embeddings server, `default_top_k` the number of hits of a search in bases of this kind.
    """

    enabled: bool = False
    base_dir: Path = Path("knowledge")
    auto_scan: bool = True
    auto_embed: bool = True
    scan_interval: float | None = Field(None, ge=1, le=86_400)
    embed_batch_size: int = Field(64, ge=1, le=2048)
    default_top_k: int = Field(5, ge=1, le=100)

    _plain = field_validator("base_dir")(path_without_zero)
