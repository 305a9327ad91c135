"""Import of settings from another program or an older settings file into `tessera.toml`."""

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
"""Section -> its names in other programs; other names in `[models]` belong to the embedder."""
_NAMES = {"url": "base_url", "api_base": "base_url", "endpoint": "base_url", "name": "model", "model_name": "model"}

_MOST_SECTIONS = 3
"""Maximum depth of nested sections, as in `[embeddings.servers.ollama]`."""


@frozen
class ImportedSettings:
    """Keys of the imported settings (`taken`), and names of the others in the file with reasons (`left`)."""

    taken: tuple[str, ...]
    left: Mapping[str, Message]


def import_settings(path: Path) -> ImportedSettings:
    """Write each valid setting in a file into `tessera.toml`, except API keys.

    Raises ConfigError for a file that can't be read or has no valid setting, and the errors of `SettingsFile.write`.
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
        raise ConfigError("{path} contains no setting that exists in Tessera.", path=str(path))
    return ImportedSettings((*taken,), left)


def _read(values: Mapping[str, object], *sections: str) -> Iterator[tuple[str, str, object]]:
    """Yield the settings in a file: name in the file, key in `tessera.toml`, value."""
    for name, value in values.items():
        path = (*sections, name)
        if isinstance(value, dict) and len(path) <= _MOST_SECTIONS:
            yield from _read(value, *path)
        elif sections[:1] == ("models",):
            yield ".".join(path), _key(path[1], ".".join(path[2:])), value
        else:
            yield ".".join(path), ".".join(path).replace("embeddings.servers.", "embeddings.", 1), value


def _key(name: str, part: str) -> str:
    """Return the key for a setting in `[models]`, such as `embedding_url`, or `url` in `[models.embedding]`."""
    section, own = "embeddings", part or name
    for role, words in _ROLES.items():
        if word := next((word for word in words if f"{name}_".startswith(f"{word}_")), ""):
            section, own = role, part or name.removeprefix(word).strip("_") or "model"
    return f"{section}.{_NAMES.get(own, own)}"
