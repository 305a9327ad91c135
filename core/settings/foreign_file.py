"""A file of settings by another program, or an older one, taken over into `tessera.toml`."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from core.base import files
from core.base.errors import ConfigError
from core.base.frozen import frozen
from core.base.messages import Message, message
from core.settings.config import settings
from core.settings.errors import parse_settings
from core.settings.file import SettingsFile
from core.settings.sections import key_variable

_ROLES = {
    "embeddings": ("embeddings", "embedding", "embed"),
    "rerank": ("reranker", "reranking", "rerank"),
    "llm": ("llm", "chat", "completion"),
}
"""Section -> what other programs call it; a name without one of these in `[models]` is of the model for meaning."""
_NAMES = {"url": "base_url", "api_base": "base_url", "endpoint": "base_url", "name": "model", "model_name": "model"}

_MOST_SECTIONS = 3
"""Sections within each other, as those of `[embeddings.servers.ollama]`."""


@frozen
class ImportedSettings:
    """The keys of the settings that were `taken`, and those that were left with the reason, as the file calls them."""

    taken: tuple[str, ...]
    left: Mapping[str, Message]


def import_settings(path: Path) -> ImportedSettings:
    """Write each setting of a file into `tessera.toml`; what isn't valid is left, and so are keys of servers.

    Raises ConfigError for a file that can't be read, or that has no valid setting, and as `SettingsFile.write` does.
    """
    try:
        values = parse_settings(files.read(path), path)
    except (OSError, files.Unfit) as error:
        raise ConfigError("{path} can't be read: {reason}.", path=str(path), reason=files.reason(error)) from error
    target, taken, left = SettingsFile(settings(), lambda: None), [], dict[str, Message]()
    servers = dict[str, dict[str, Any]]()
    for name, key, value in _read(values):
        section, _, last = key.rpartition(".")
        if last == "api_key":
            variable = key_variable(section or "embeddings")
            left[name] = message("keys aren't kept in files. Set {variable}", variable=variable)
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
        raise ConfigError("{path} has no setting that Tessera has.", path=str(path))
    return ImportedSettings((*taken,), left)


def _read(values: Mapping[str, object], *sections: str) -> Iterator[tuple[str, str, object]]:
    """Yield the settings of a file: the name that it has there, its key here, its value."""
    for name, value in values.items():
        path = (*sections, name)
        if isinstance(value, dict) and len(path) <= _MOST_SECTIONS:
            yield from _read(value, *path)
        elif sections[:1] == ("models",):
            yield ".".join(path), _key(path[1], ".".join(path[2:])), value
        else:
            yield ".".join(path), ".".join(path).replace("embeddings.servers.", "embeddings.", 1), value


def _key(name: str, part: str) -> str:
    """Return the key of a setting of `[models]`, such as `embedding_url` alone or `url` of `[models.embedding]`."""
    section, own = "embeddings", part or name
    for role, words in _ROLES.items():
        if word := next((word for word in words if f"{name}_".startswith(f"{word}_")), ""):
            section, own = role, part or name.removeprefix(word).strip("_") or "model"
    return f"{section}.{_NAMES.get(own, own)}"
