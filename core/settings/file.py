"""Reloads `tessera.toml` when it changes, writes settings to it, and imports settings from other files."""

import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from logging import getLogger
from pathlib import Path
from typing import Any

import tomlkit
from tomlkit.exceptions import TOMLKitError

from core.base import files, safe_replace
from core.base.errors import ConfigError, TesseraError
from core.base.faults import translate_errors
from core.base.frozen import AnyValues, Texts, ValueMap, Values, frozen
from core.base.messages import Message, message
from core.model import ProgramSetting
from core.settings import config
from core.settings.config import FILE, Settings, settings
from core.settings.errors import parse_settings, place_of, read_file
from core.settings.sections import KEYS, key_variable

_LOG = getLogger(__name__)
# Settings that take effect without a restart, in addition to model server settings.
AT_ONCE = (
    "daily",
    "knowledge",
    "scan_interval",
    "watch_seconds",
    "search",
    "backups",
    "http",
    "enable_learning",
    "pictures",
)
_BOM = b"\xef\xbb\xbf"


def usual_workspace() -> Path:
    """Return the workspace folder from the settings. Raises ConfigError for invalid settings."""
    return settings().workspace


@dataclass
class SettingsFile:
    """The settings file. Its changes are applied while the program is running, and the program can write to it.

    `_servers_changed` is called when a model server's settings have changed. If the file is invalid, no settings
    change, and `problem` says what is wrong.
    """

    _settings: Settings
    _servers_changed: Callable[[], object]
    problem: Message | None = None

    def __post_init__(self) -> None:
        self._stamp = files.stamp(FILE)

    @property
    def path(self) -> Path:
        """The absolute path of the file, which may not exist."""
        return FILE.absolute()

    def look(self) -> None:
        """Reload the file if its modification time or size has changed since the last call."""
        if (stamp := files.stamp(FILE)) == self._stamp:
            return
        self._stamp = stamp
        try:
            new = settings()
        except TesseraError as error:
            self.problem = error.message
            _LOG.warning("The settings stay the same, because %s can't be used", FILE, exc_info=error)
            return
        self.problem = None
        for name in AT_ONCE:
            setattr(self._settings, name, getattr(new, name))
        if any(getattr(new, section) != getattr(self._settings, section) for section in KEYS):
            self._servers_changed()
        _LOG.info("%s was read again", FILE)

    def text(self) -> str:
        """Return the file's text, or "" if there is no file. Raises ConfigError if it can't be read."""
        return read_file(FILE).decode("utf-8-sig", "replace")

    def get(self, key: str) -> ProgramSetting:
        section, _, name = key.rpartition(".")
        try:
            stored = settings()
            source = config.source_of(section, name)
        except ConfigError:  # the file is invalid at the moment, which `write` reports
            stored = self._settings
            source = "file"
        used, values = (getattr(item, section) if section else item for item in (self._settings, stored))
        field = type(values).model_fields[name]
        value = getattr(values, name)
        bounds = {
            bound: getattr(item, bound) for item in field.metadata for bound in ("ge", "le") if hasattr(item, bound)
        }
        place = place_of(tuple(key.split(".")), self.path) if source == "environment" else str(self.path)
        return ProgramSetting(
            key, value, field.default, source, place, bounds.get("ge"), bounds.get("le"), value != getattr(used, name)
        )

    def write(self, key: str, value: object) -> None:
        """Write a setting to the file, or remove it if the value is None. The rest of the file stays unchanged.

        Raises ConfigError if the file or the value is invalid, or if another program changes the file in the meantime.
        Raises StoreError if the folder isn't writable. On error, nothing is written.
        """
        before = read_file(FILE)
        settings()
        wished = parse_settings(before, FILE)
        alone: Values = {}
        _set(wished, key, value)
        _set(alone, key, value)
        Settings(**alone)
        after = _edit_text(before, key, value)
        if tomllib.loads(after.decode("utf-8-sig")) != wished:
            raise ConfigError(
                "{file} is written in a way that can't be changed here. Set '{key}' in that file by hand.",
                file=self.path,
                key=key,
            )
        with translate_errors(self.path.parent):
            _replace(before, after)
        self.look()


def _set(values: Any, key: str, value: object) -> None:
    """Set a setting in parsed values or in a TOML document, or remove it if the value is None."""
    section, _, name = key.rpartition(".")
    if value is None:
        (values.get(section, {}) if section else values).pop(name, None)
    else:
        (values.setdefault(section, {}) if section else values)[name] = value


def _edit_text(content: bytes, key: str, value: object) -> bytes:
    """Return a file's text with a setting changed, or removed if the value is None. Comments and order are kept."""
    try:
        document = tomlkit.parse(content.decode("utf-8-sig"))
    except TOMLKitError as error:
        raise ConfigError(
            "{file} is not valid TOML. Correct it, then try again. Details: {reason}",
            file=FILE.absolute(),
            reason=str(error),
        ) from error
    if (section := key.rpartition(".")[0]) and section not in document and value is not None:
        if content.strip():
            document.add(tomlkit.nl())
        document[section] = tomlkit.table()
    _set(document, key, value)
    text = tomlkit.dumps(document).encode("utf-8")
    return _BOM + text if content.startswith(_BOM) else text


def _replace(before: bytes, after: bytes) -> None:
    """Write the file atomically, following symlinks. Raises ConfigError if its contents are no longer `before`."""
    file = FILE.resolve()
    try:
        if before or file.exists():
            safe_replace.swap(file, after, before)
        else:
            files.replace(file, after)
    except safe_replace.Changed as error:
        raise ConfigError("{file} was changed by another program. Try again.", file=file) from error


# Other programs' names for each section. Any name in `[models]` that isn't listed belongs to the embedder.
_ROLES = {
    "embeddings": ("embeddings", "embedding", "embed"),
    "rerank": ("reranker", "reranking", "rerank"),
    "llm": ("llm", "chat", "completion"),
}
_NAMES = {"url": "base_url", "api_base": "base_url", "endpoint": "base_url", "name": "model", "model_name": "model"}

# Maximum depth of nested sections, as in `[embeddings.servers.ollama]`.
_MOST_SECTIONS = 3


@frozen
class ImportedSettings:
    """The result of importing settings.

    `taken` are the keys of the imported settings. `left` maps the name of each skipped setting to the reason.
    """

    taken: Texts
    left: Mapping[str, Message]


def import_settings(path: Path) -> ImportedSettings:
    """Copy each valid setting in a file, except API keys, to `tessera.toml`.

    Raises ConfigError if the file can't be read or contains no valid setting, and StoreError if the folder isn't
    writable.
    """
    values = parse_settings(read_file(path, needed=True), path)
    target = SettingsFile(settings(), lambda: None)
    taken = []
    left = dict[str, Message]()
    servers = dict[str, AnyValues]()
    for name, key, value in _read(values):
        section, _, last = key.rpartition(".")
        if last == "api_key":
            left[name] = message(
                "keys aren't kept in files. Set {variable}", variable=key_variable(section or "embeddings")
            )
            continue
        server = {**servers.get(section, {}), last: value} if "." in section else None
        try:
            target.write(section if server else key, server or value)
        except ConfigError as error:
            reason = error.message.fields.get("reason")
            left[name] = reason if isinstance(reason, Message) else error.message
        else:
            taken.append(key)
            servers[section] = server or {}
    if not taken:
        raise ConfigError("{path} contains no Tessera settings. Choose another file.", path=path)
    return ImportedSettings(tuple(taken), left)


def _read(values: ValueMap, *sections: str) -> Iterator[tuple[str, str, object]]:
    """Yield each setting in a file as (name in the file, key in `tessera.toml`, value)."""
    for name, value in values.items():
        path = (*sections, name)
        if isinstance(value, dict) and len(path) <= _MOST_SECTIONS:
            yield from _read(value, *path)
        elif sections[:1] == ("models",):
            yield ".".join(path), _key(path[1], ".".join(path[2:])), value
        else:
            yield ".".join(path), ".".join(path).replace("embeddings.servers.", "embeddings.", 1), value


def _key(name: str, part: str) -> str:
    """Return the key in `tessera.toml` for a setting in another program's `[models]` section.

    Such a setting may be `embedding_url` in `[models]`, or `url` in `[models.embedding]`.
    """
    section = "embeddings"
    own = part or name
    for role, words in _ROLES.items():
        if word := next((word for word in words if f"{name}_".startswith(f"{word}_")), ""):
            section = role
            own = part or name.removeprefix(word).strip("_") or "model"
    return f"{section}.{_NAMES.get(own, own)}"
