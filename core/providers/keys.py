"""API keys for model servers, from the environment or entered by the user.

The environment takes precedence. Entered keys are stored in the system keyring or, failing that, in a private file.
Each entered key belongs to one server and is never sent to any other address.
"""

import os
import re
from dataclasses import field, replace
from typing import TYPE_CHECKING, Literal

import httpx

from core.base import app_paths
from core.base.errors import ConfigError
from core.base.frozen import AnyValues, TextValues, frozen
from core.settings.sections import key_variable

if TYPE_CHECKING:
    from keyring.backend import KeyringBackend

# Name of the file that stores each section's server and key. For a key in the system keyring, the file holds None.
FILE = "keys.json"

SERVICE = "tessera"

Place = Literal["", "environment", "keyring", "file"]

# Keys that this process has read from the keyring.
_known: TextValues = {}

# Minimum priority of a usable system keyring. `keyring` backends of lower priority store nothing or use files.
_LEAST_PRIORITY = 1


@frozen
class ApiKey:
    """An API key (`value`) and where it is stored (`place`). Both are empty if there is no key.

    `variable` names the environment variable that takes precedence.
    """

    variable: str
    value: str = field(default="", repr=False)
    place: Place = ""


def find(section: str, url: httpx.URL) -> ApiKey:
    """Return a section's key for the server at `url`. Raises ConfigError if the key can't be read or sent."""
    key = active_key(section, url)
    if key.place == "environment" and not _is_sendable(key.value):
        raise ConfigError(
            "The key in {variable} contains a space or a character that keys never contain. Copy it again.",
            variable=key.variable,
        )
    if key.place != "keyring":
        return key
    server = origin(url)
    if value := _read_from_keyring(f"{section} {server}"):
        return replace(key, value=value)
    raise ConfigError(
        (
            "The system's keyring didn't return the key for {url}. Unlock the keyring, enter the key "
            "again on the Settings page, or put it into the environment variable {variable}."
        ),
        url=server,
        variable=key.variable,
    )


def active_key(section: str, url: httpx.URL) -> ApiKey:
    """Return a section's key for the server at `url`. The value is left empty for a key in the keyring."""
    variable = key_variable(section)
    is_openai = (url.scheme, url.host, url.port) == ("https", "api.openai.com", None)
    if is_openai and not os.environ.get(variable, "").strip():
        variable = "OPENAI_API_KEY"
    if value := os.environ.get(variable, "").strip():
        return ApiKey(variable, value, "environment")
    entry = _entries().get(section)
    if not entry or entry["server"] != origin(url):
        return ApiKey(variable)
    return ApiKey(variable, place="keyring") if entry["key"] is None else ApiKey(variable, entry["key"], "file")


def server_of(section: str) -> str:
    """Return the server to which a section's entered key belongs, or "" if no key was entered."""
    entry = _entries().get(section)
    return str(entry["server"]) if entry else ""


def store(section: str, url: httpx.URL, key: str) -> Place:
    """Store a key for the server at `url`, replacing the section's previous key. Return where it is stored.

    Raises ConfigError if the key can't be sent, or if neither the keyring nor the file can store it.
    """
    key = key.strip()
    if not key or not _is_sendable(key):
        raise ConfigError(
            "The key is empty, or contains a space or a character that keys never contain. Copy it again."
        )
    before = _entries().get(section)
    server = origin(url)
    in_keyring = _store_in_keyring(f"{section} {server}", key)
    if before and before["key"] is None and not (in_keyring and before["server"] == server):
        _delete_from_keyring(f"{section} {before['server']}")
    _write(section, {"server": server, "key": None if in_keyring else key})
    return "keyring" if in_keyring else "file"


def remove(section: str) -> None:
    """Delete a section's entered key. Raises ConfigError if the keyring can't delete it."""
    entry = _entries().get(section)
    if not entry:
        return
    if entry["key"] is None and not _delete_from_keyring(f"{section} {entry['server']}"):
        raise ConfigError("The system's keyring didn't delete the key. Unlock the keyring and try again.")
    _write(section, None)


def forget() -> None:
    """Clear the cache of keyring keys so that they are read again, for example after a server has refused a key."""
    _known.clear()


def origin(url: httpx.URL) -> str:
    """Return an address's scheme, host and port."""
    return f"{url.scheme}://{url.netloc.decode('ascii')}"


def _is_sendable(key: str) -> bool:
    return re.fullmatch("[!-~]*", key) is not None


def _entries() -> AnyValues:
    return {
        section: entry
        for section, entry in app_paths.read(FILE).items()
        if isinstance(entry, dict) and {"server", "key"} <= entry.keys()
    }


def _write(section: str, entry: dict[str, str | None] | None) -> None:
    others = {name: other for name, other in _entries().items() if name != section}
    app_paths.write(FILE, others | ({section: entry} if entry else {}))
    forget()


def _keyring() -> "KeyringBackend":
    """Return the system keyring. If there is none, this function or the keyring's methods may raise any exception."""
    import keyring  # takes 0.1 s, and only users with a key need it

    backend = keyring.get_keyring()
    if backend.priority < _LEAST_PRIORITY:
        raise LookupError("no keyring of the system")
    return backend


def _store_in_keyring(name: str, key: str) -> bool:
    """Store a key in the keyring, and return whether the keyring has stored it."""
    try:
        backend = _keyring()
        backend.set_password(SERVICE, name, key)
        return bool(backend.get_password(SERVICE, name) == key)
    except Exception:  # noqa: BLE001 a backend may raise anything
        return False


def _read_from_keyring(name: str) -> str:
    """Return a key from the keyring, or "" if it can't be read.

    Keys are cached, because reading takes time and the user may have to unlock the keyring.
    """
    if name not in _known:
        try:
            value = _keyring().get_password(SERVICE, name)
        except Exception:  # noqa: BLE001 as above
            value = None
        if not value:
            return ""
        _known[name] = value
    return _known[name]


def _delete_from_keyring(name: str) -> bool:
    """Delete a key from the keyring. Return whether it is gone."""
    try:
        backend = _keyring()
        if backend.get_password(SERVICE, name) is not None:
            backend.delete_password(SERVICE, name)
    except Exception:  # noqa: BLE001 as above
        return False
    return True
