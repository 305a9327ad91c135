"""Settings and their sources.

In increasing precedence, the sources are the defaults, the servers entered by the user, `tessera.toml`, and `TESSERA_*`
environment variables.
"""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import reduce
from operator import getitem
from pathlib import Path
from types import MappingProxyType
from typing import Any

from pydantic import Field, ValidationError, field_validator, model_validator
from pydantic.fields import FieldInfo
from pydantic_settings import (
    BaseSettings,
    EnvSettingsSource,
    InitSettingsSource,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
)

from core.base import app_paths, files
from core.base.errors import ConfigError, TesseraError, UnknownChoice
from core.base.frozen import TextMap, Texts, TextValues, ValueMap, Values, attributes
from core.base.messages import message
from core.base.text import find_half_character
from core.model import (
    CHOICES,
    OPEN,
    PARTS,
    CompleteSettings,
    KnowledgeBase,
    SearchSettings,
    Source,
    complete,
)
from core.settings.errors import PREFIX, error_of, parse_settings, problem_of, read_file
from core.settings.sections import (
    INDEX_TOKEN,
    KEYS,
    NAMED_KEY,
    AppSettings,
    BackupSettings,
    ChunkingSettings,
    DailySettings,
    EmbeddingsSettings,
    HttpSettings,
    IndexSettings,
    KnowledgeSettings,
    LlmSettings,
    PicturesSettings,
    RerankSettings,
    SearchSection,
    ServerSettings,
    path_without_zero,
)

FILE = Path("tessera.toml")

# Deprecated names of environment variables that are still read.
OLDER = {"WATCH_SECONDS"}

# Name of the file with the servers entered by the user, each with its section, `base_url` and `model`.
ENTERED = "servers.json"


class _Environment(EnvSettingsSource):
    """Reads settings from environment variables. A variable for a whole section contains JSON."""

    def decode_complex_value(self, field_name: str, field: FieldInfo, value: str) -> object:
        with suppress(ValueError, RecursionError):
            return super().decode_complex_value(field_name, field, value)
        return value  # the model's own check names the whole key and its variable


class Settings(BaseSettings):
    """All settings. In environment variables, a double underscore separates nested keys.

    `log_texts` enables logging of error texts, which may quote notes. `keep_versions` is the maximum number of stored
    versions per note. `trash_days` is how many days a deleted note can be restored. `scan_interval` is the number of
    seconds between full scans of watched folders. Its old names are `watch_seconds` and `[knowledge] scan_interval`.
    `auto_install` lists the packs to install in a new workspace. `enable_learning` allows learning from logs. None
    leaves the choice to the user.
    """

    model_config = SettingsConfigDict(
        env_prefix=PREFIX, env_nested_delimiter="__", extra="forbid", hide_input_in_errors=True
    )

    workspace: Path = Field(default_factory=app_paths.workspace)
    embedder: str = "auto"
    models_dir: Path | None = None
    log_texts: bool = False
    keep_versions: int = Field(100, ge=1, le=100_000)
    scan_interval: float = Field(60, ge=1, le=86_400)
    watch_seconds: float | None = Field(None, ge=1, le=86_400)
    trash_days: int = Field(30, ge=1, le=36_500)
    auto_install: Texts = ()
    enable_learning: bool | None = None
    chunking: ChunkingSettings = ChunkingSettings()
    search: SearchSection = SearchSection()
    embeddings: EmbeddingsSettings = EmbeddingsSettings()
    rerank: RerankSettings = RerankSettings()
    llm: LlmSettings = LlmSettings()
    index: IndexSettings = IndexSettings()
    http: HttpSettings = HttpSettings()
    app: AppSettings = AppSettings()
    backups: BackupSettings = BackupSettings()
    daily: DailySettings = DailySettings()
    knowledge: KnowledgeSettings = KnowledgeSettings()
    pictures: PicturesSettings = PicturesSettings()

    _plain = field_validator("workspace", "models_dir")(path_without_zero)

    def __init__(self, **values: Any) -> None:
        """Read all settings except those passed as `values`. Raises ConfigError, naming the key and its source."""
        try:
            super().__init__(**values)
        except ValidationError as error:
            raise error_of(error, FILE, KEYS, values) from None

    @model_validator(mode="after")
    def _batches(self) -> "Settings":
        size = {"batch_size": self.knowledge.embed_batch_size}
        servers = {
            name: server if "batch_size" in server.model_fields_set else server.model_copy(update=size)
            for name, server in self.embeddings.servers.items()
        }
        own = {} if "batch_size" in self.embeddings.model_fields_set else size
        self.embeddings = self.embeddings.model_copy(update={**own, "servers": servers})
        return self

    def seconds_between_looks(self, *, plain: bool) -> float:
        """Return the number of seconds between scans of bases' folders. `plain` means bases of kind `lines`."""
        older = self.knowledge.scan_interval if plain else self.watch_seconds
        return self.scan_interval if older is None else older

    def search_in(self, bases: Sequence[KnowledgeBase], options: ValueMap = MappingProxyType({})) -> CompleteSettings:
        """Return the settings for a search in the given bases.

        In decreasing precedence, values come from the options, the base (if there is only one), the kind of base, the
        settings and the defaults. In bases without a model, hits aren't reranked by default, because that would load a
        model.
        """
        own = bases[0].search if len(bases) == 1 else OPEN
        plain = bases and all(base.plain for base in bases)
        of_kind = SearchSettings(limit=self.knowledge.default_top_k) if plain else OPEN
        unread = SearchSettings(reranker="none") if bases and all(base.without_model for base in bases) else OPEN
        return complete(SearchSettings.from_values(options), own, of_kind, self.search.chosen, unread)

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        return (
            init_settings,
            _Environment(settings_cls),
            InitSettingsSource(settings_cls, _in_file()),
            InitSettingsSource(settings_cls, dict(read_entered_servers())),
        )


def _in_file() -> Values:
    """Read `tessera.toml`, or return an empty dict if there is no file. Raises ConfigError if it can't be read."""
    return parse_settings(read_file(FILE), FILE)


def read_entered_servers() -> dict[str, TextValues]:
    """Return the valid servers entered by the user.

    Invalid servers are left out, so that the user can enter them again. Raises ConfigError if the file is damaged.
    """
    servers = {}
    for section, values in app_paths.read(ENTERED).items():
        if section in KEYS and isinstance(values, dict):
            known = {name: values[name] for name in ("base_url", "model") if values.get(name)}
            try:
                ServerSettings.model_validate(known)
            except ValidationError:
                continue
            servers[section] = known
    return servers


def store_entered_server(section: str, values: TextMap) -> None:
    """Store the user's entries for a server.

    An empty string deletes an entry. Raises ConfigError for an invalid address.
    """
    try:
        valid = ServerSettings.model_validate({name: value.strip() for name, value in values.items()})
    except ValidationError as error:
        raise ConfigError("The address is not valid: {reason}.", reason=problem_of(error.errors()[0])) from None
    servers = read_entered_servers()
    servers[section] = servers.get(section, {}) | attributes(valid, values)
    stored = {name: {key: value for key, value in server.items() if value} for name, server in servers.items()}
    app_paths.write(ENTERED, {name: server for name, server in stored.items() if server})


def source_of(section: str, name: str) -> Source:
    """Return where a setting's value comes from. `section` is "" for a top-level setting."""
    layers: dict[Source, Any] = {
        "environment": _Environment(Settings)(),
        "file": _in_file(),
        "entered": read_entered_servers(),
    }
    for source, values in layers.items():
        with suppress(LookupError, TypeError):
            reduce(getitem, [*section.split("."), name] if section else [name], values)
            return source
    return "default"


def check(
    chosen: SearchSettings | CompleteSettings, error: type[TesseraError] = ConfigError, *, of_question: bool = False
) -> None:
    """Check search settings. Raises UnknownChoice for an unknown choice, or `error` for a value out of range.

    With `of_question`, the wider ranges for a single question apply. `core.reranking.check` checks the reranker.
    """
    for name, part in PARTS.items():
        if (value := getattr(chosen, name)) is None:
            continue
        if CHOICES[name] and value not in CHOICES[name]:
            raise UnknownChoice(part.noun, str(value), CHOICES[name])
        least = part.least
        most = part.most_asked if of_question and part.most_asked else part.most
        is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
        if least is not None and most is not None and not (is_number and least <= value <= most):
            raise error(
                message(
                    "The {name} is {value} but must be between {least} and {most}.",
                    name=part.noun,
                    value=value,
                    least=least,
                    most=most,
                )
            )


# The settings passed to the workspaces that are currently open, in the order in which they were opened.
_HANDED_IN: dict[object, Settings] = {}
# The settings last read, keyed by the contents of their sources. Cached because a page reads the settings dozens of
# times.
_READ: dict[str, Settings] = {}


def settings(**values: object) -> Settings:
    """Return this process's settings. Raises ConfigError, naming the key and its source.

    These are the settings passed to the most recently opened workspace. If no settings were passed to an open
    workspace, or if `values` are given, the settings are read from their sources. Model constructors call this
    function, because models are shared by all workspaces in a process. All other code receives settings as arguments.
    """
    handed_in = list(_HANDED_IN.values())  # copied because another thread may close its workspace
    if handed_in and not values:
        return handed_in[-1]
    in_file = None
    with suppress(OSError, files.Unfit):
        in_file = files.read(FILE)
    sources = repr((values, sorted(os.environ.items()), os.path.lexists(FILE), in_file, app_paths.read(ENTERED)))
    if (known := _READ.get(sources)) is None:
        known = _load(values)
        _READ.clear()
        _READ[sources] = known
    return known


@contextmanager
def override_settings(settings: Settings) -> Iterator[None]:
    """Make the `settings` function return the given settings while the `with` block runs."""
    key = object()
    _HANDED_IN[key] = settings
    try:
        yield
    finally:
        del _HANDED_IN[key]


def _load(values: ValueMap) -> Settings:
    known = {name.upper() for name in Settings.model_fields} | {key.removeprefix("TESSERA_") for key in KEYS.values()}
    known |= {
        INDEX_TOKEN.removeprefix(PREFIX),
        "LANGUAGE",
        app_paths.VARIABLE.removeprefix("TESSERA_"),
    }  # read in core.base.messages and core.base.app_paths
    for variable, value in os.environ.items():
        name = variable.removeprefix(PREFIX).partition("__")[0]
        if variable.upper().startswith(PREFIX) and find_half_character(value) is not None:
            raise ConfigError(
                "The environment variable {variable} contains bytes that aren't text. Type its value again.",
                variable=variable,
            )
        if variable.startswith(PREFIX) and name not in known and not NAMED_KEY.fullmatch(variable):
            raise ConfigError(
                "The environment variable {variable} isn't a Tessera setting. Known settings: {names}.",
                variable=variable,
                names=sorted(known - OLDER),
            )
    return Settings(**values)
