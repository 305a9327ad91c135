"""The sections of `tessera.toml`, with the settings in them, their ranges and their defaults."""

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

from core.base.frozen import AnyValues, attributes
from core.base.messages import message
from core.model import DEFAULTS, PARTS, SIZES, ChunkingOptions, SearchSettings

# Environment variables for the servers' API keys, by section. Keys aren't settings (see `core.providers.keys`).
KEYS = {
    "embeddings": "TESSERA_EMBEDDINGS_API_KEY",
    "rerank": "TESSERA_RERANK_API_KEY",
    "llm": "TESSERA_LLM_API_KEY",
}

# Environment variable for the vector index server's API key.
INDEX_TOKEN = "TESSERA_INDEX_TOKEN"

# Name of an embeddings server. The environment variable for a server's key contains the name, so that no server
# receives another server's key.
_NAME = re.compile("[a-z][a-z0-9_]*")
# Pattern for the environment variables for named embeddings servers' API keys.
NAMED_KEY = re.compile(r"TESSERA_EMBEDDINGS_[A-Z0-9_]+_API_KEY")

_OPTIONS = ChunkingOptions()


def key_variable(section: str) -> str:
    """Return the environment variable for a section's API key. A section may be nested, as in `embeddings.ollama`."""
    return KEYS.get(section) or f"TESSERA_{section.upper().replace('.', '_')}_API_KEY"


class _SettingsSection(BaseModel):
    model_config = ConfigDict(extra="forbid", hide_input_in_errors=True)


_SIZES: AnyValues = {name: (int, getattr(_OPTIONS, name)) for name in SIZES}
_Sizes: Any = create_model("_Sizes", __base__=_SettingsSection, **_SIZES)
_PARTS: AnyValues = {
    name: (kind, Field(getattr(DEFAULTS, name), ge=PARTS[name].least, le=PARTS[name].most))
    for name, kind in get_type_hints(type(DEFAULTS)).items()
}
_Parts: Any = create_model("_Parts", __base__=_SettingsSection, **_PARTS)


class ChunkingSettings(_Sizes):
    """Default chunking options for new bases. Sizes are in tokens."""

    strategy: str = _OPTIONS.strategy

    @field_validator(*SIZES)
    @classmethod
    def _in_range(cls, value: int, info: ValidationInfo) -> int:
        if problem := SIZES[name := str(info.field_name)].problem(name, value):
            raise ValueError(problem)
        return value


class SearchSection(_Parts):
    """Search settings that apply unless the question or the base overrides them.

    `decompose` selects whether exploratory questions are decomposed by rules or by a language model. `auto` means a
    language model if one is configured, and rules otherwise. `choose` lets a configured language model choose among the
    hits in bases without vectors. `context_tokens` is the token budget for a prompt's context. `refuse` has no effect.
    It is accepted only because older files may contain it. If `record_uses` or `use_clicks` is None, the choice is left
    to the user.
    """

    decompose: Literal["auto", "rules", "llm"] = "auto"
    choose: Literal["auto", "never"] = "auto"
    context_tokens: int = Field(2000, ge=100, le=100_000)
    refuse: float | None = None
    record_uses: bool | None = None
    use_clicks: bool | None = None

    @property
    def chosen(self) -> SearchSettings:
        return SearchSettings.from_values(attributes(self, self.model_fields_set))


def path_without_zero(path: Path | None) -> Path | None:
    if "\0" in str(path):
        raise ValueError(message("it must be a path"))
    return path


def plain_address(url: str) -> str:
    """Return a server address without a trailing slash.

    Raises ValueError if the address is invalid, or if it contains a user name, password, query or fragment.
    """
    if not url:
        return url
    try:
        parts = urlsplit(url)
        fits = parts.scheme in ("http", "https") and parts.port != 0 and (parts.hostname or "").encode("idna")
    except ValueError:  # an invalid host name or port
        fits = False
    if not fits:
        raise ValueError(message("it must be an address such as http://localhost:11434/v1"))
    if parts.username is not None or parts.password is not None or parts.query or parts.fragment:
        raise ValueError(
            message(
                "it must contain no name, password or key; put a key into one of {names}",
                names=[*KEYS.values(), INDEX_TOKEN],
            )
        )
    if " " in url or not url.isprintable():
        raise ValueError(message("it must contain no spaces"))
    return url.rstrip("/")


class ServerSettings(_SettingsSection):
    """A model server. `base_url` is the part of the address before `/embeddings`, `/rerank` or `/chat/completions`.

    `queue_interval_seconds` is the minimum time between the starts of two requests. `requests_at_once` is the maximum
    number of concurrent requests. `timeout_seconds` is the time limit per request, including retries. `retries` is the
    maximum number of retries when the server fails to serve a request.
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

    `dimensions` is the requested vector size. None, or 0 in the file, means the model's default. `batch_size` is the
    maximum number of inputs per request. It defaults to `embed_batch_size` in `[knowledge]`. `input_tokens` is the
    model's input limit. `query_prompt` and `note_prompt` are prepended to questions and passages. They default to the
    prompts known for the model's family.
    """

    dimensions: int | None = Field(None, ge=0, le=65_536)
    batch_size: int = Field(64, ge=1, le=2048)
    input_tokens: int = Field(512, ge=64, le=131_072)
    query_prompt: str | None = None
    note_prompt: str | None = None

    _own = field_validator("dimensions")(lambda dimensions: dimensions or None)


class EmbeddingsSettings(EmbeddingServer):
    """The server for the `openai_compatible` embedder.

    `servers` are the servers for the `server:NAME` embedders. Each has its own section, `[embeddings.NAME]`.
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
    """The server for the `rerank-api` reranker. `style` is the request format, which `auto` detects."""

    style: Literal["auto", "cohere", "jina", "tei"] = "auto"
    batch_size: int = Field(32, ge=1, le=1000)


class LlmSettings(ServerSettings):
    """The language model server.

    `input_characters` is the maximum amount of note text in a request. `answer_seconds` is the time limit for a
    streamed answer, whose parts may be up to `timeout_seconds` apart. With `discover`, the Settings page looks for
    model servers on this machine, and so does the Search page until a model is set up.
    """

    input_characters: int = Field(16_000, ge=1000, le=1_000_000)
    answer_seconds: float = Field(600, gt=0, le=7200)
    discover: bool = True


class IndexSettings(_SettingsSection):
    """Settings for the location of the vector index.

    It is in the workspace, or on the Chroma server at `url`. With `none`, there is no index, and a search compares the
    question with every vector.
    """

    kind: Literal["chroma", "none"] = "chroma"
    url: str = ""
    database: str = "default_database"
    tenant: str = "default_tenant"

    _plain = field_validator("url")(plain_address)


class HttpSettings(_SettingsSection):
    """Access for other programs. If `enabled` is None, the user decides on the Settings page."""

    enabled: bool | None = None


class AppSettings(_SettingsSection):
    """App settings.

    With `token`, the pages require the token that `tessera app` prints. With `keep_running`, the app keeps running
    after its window is closed, so that folders are still watched and assistants can still connect.
    """

    token: bool = False
    keep_running: bool = False


class BackupSettings(_SettingsSection):
    """The backup folder, and whether to back up daily. If `daily` is None, the user decides on the Settings page."""

    folder: Path | None = None
    daily: bool | None = None

    _plain = field_validator("folder")(path_without_zero)


class DailySettings(_SettingsSection):
    """The base, folder and name format for daily notes, and the path or title of their template."""

    base: str = ""
    folder: str = ""
    format: str = Field("YYYY-MM-DD", min_length=1)
    template: str = ""


class PicturesSettings(_SettingsSection):
    """The model for embedding pictures, as a CLIP model's folder or name on the hub, or a name in `IMAGE_EMBEDDERS`."""

    model: str = ""


class KnowledgeSettings(_SettingsSection):
    """Folders of text files. Each `BASE/texts` folder in `base_dir` is a base of kind `lines`.

    With `auto_scan`, the app looks for these folders every `scan_interval` seconds and creates missing bases. With
    `auto_embed`, it then embeds their lines. `embed_batch_size` is the maximum number of inputs per request to the
    embeddings server. `default_top_k` is the number of hits for a search in bases of this kind.
    """

    enabled: bool = False
    base_dir: Path = Path("knowledge")
    auto_scan: bool = True
    auto_embed: bool = True
    scan_interval: float | None = Field(None, ge=1, le=86_400)
    embed_batch_size: int = Field(64, ge=1, le=2048)
    default_top_k: int = Field(5, ge=1, le=100)

    _plain = field_validator("base_dir")(path_without_zero)
