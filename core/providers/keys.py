"""Keys of model servers: in the environment, else as a person entered them, in the system's keyring or a private file.

A key that was entered belongs to one server: another address never gets it, whoever set that address.
"""

import os
import re
from dataclasses import field, replace
from typing import TYPE_CHECKING, Any, Literal

import httpx

from core.base import app_paths
from core.base.errors import ConfigError
from core.base.frozen import frozen
from core.settings.sections import key_variable

if TYPE_CHECKING:
    from keyring.backend import KeyringBackend

FILE = "keys.json"
"""Section -> the server that its key is for, and the key; None where the system's keyring has the key."""

SERVICE = "tessera"

Place = Literal["", "environment", "keyring", "file"]

_known: dict[str, str] = {}
"""Keys that the keyring gave to this process."""

_OPENAI = ("https", "api.openai.com", None)
_LEAST_PRIORITY = 1
"""Backends of `keyring` below this are no keyring of the system: none at all, or files."""


@frozen
class ApiKey:
    """A key, "" without one, and its place; `variable` is the environment variable that wins over other places."""

    variable: str
    value: str = field(default="", repr=False)
    place: Place = ""


def find(section: str, url: httpx.URL) -> ApiKey:
    """Return the key of a section for the server at an address; raises ConfigError if it can't be sent or read."""
    key = active_key(section, url)
    if key.place == "environment" and not _is_sendable(key.value):
        raise ConfigError(
            "The key in {variable} holds a space or a character that no key has. Copy it again.", variable=key.variable
        )
    if key.place != "keyring":
        return key
    server = origin(url)
    if value := _from_keyring(_name(section, server)):
        return replace(key, value=value)
    raise ConfigError(
        "The system's keyring doesn't give the key of {url}. Unlock it, enter the key again on the Settings page, "
        "or put it into the environment variable {variable}.",
        url=server,
        variable=key.variable,
    )


def active_key(section: str, url: httpx.URL) -> ApiKey:
    """Return the key of a section for the server at an address; of one in the keyring, which isn't asked, only that."""
    variable = key_variable(section)
    if not _variable(variable) and (url.scheme, url.host, url.port) == _OPENAI:
        variable = "OPENAI_API_KEY"
    if value := _variable(variable):
        return ApiKey(variable, value, "environment")
    entry = _entries().get(section)
    if not entry or entry["server"] != origin(url):
        return ApiKey(variable)
    return ApiKey(variable, place="keyring") if entry["key"] is None else ApiKey(variable, entry["key"], "file")


def server_of(section: str) -> str:
    """Return the server that the entered key of a section is for, "" without a key."""
    entry = _entries().get(section)
    return str(entry["server"]) if entry else ""


def store(section: str, url: httpx.URL, key: str) -> Place:
    """Store a key for the server at an address in place of the section's key before, and return where it is.

    Raises ConfigError for a key that can't be sent, and where neither the keyring nor the file takes it.
    """
    key = key.strip()
    if not key or not _is_sendable(key):
        raise ConfigError("The key is empty, or holds a space or a character that no key has. Copy it again.")
    before = _entries().get(section)
    server = origin(url)
    held = _to_keyring(_name(section, server), key)
    if before and before["key"] is None and not (held and before["server"] == server):
        _out_of_keyring(_name(section, before["server"]))
    _write(section, {"server": server, "key": None if held else key})
    return "keyring" if held else "file"


def remove(section: str) -> None:
    """Delete the key that a person entered; raises ConfigError if the keyring doesn't let it go."""
    entry = _entries().get(section)
    if not entry:
        return
    if entry["key"] is None and not _out_of_keyring(_name(section, entry["server"])):
        raise ConfigError("The system's keyring doesn't delete the key. Unlock it and try again.")
    _write(section, None)


def forget() -> None:
    """Read keys out of the keyring again from now on: a server refused one."""
    _known.clear()


def origin(url: httpx.URL) -> str:
    """Return scheme, host and port of an address."""
    return f"{url.scheme}://{url.netloc.decode('ascii')}"


def _variable(name: str) -> str:
    return os.environ.get(name, "").strip()


def _is_sendable(key: str) -> bool:
    return re.fullmatch("[!-~]*", key) is not None


def _name(section: str, server: str) -> str:
    return f"{section} {server}"


def _entries() -> dict[str, Any]:
    entries: dict[str, object] = app_paths.read(FILE)
    return {
        section: entry
        for section, entry in entries.items()
        if isinstance(entry, dict) and {"server", "key"} <= entry.keys()
    }


def _write(section: str, entry: dict[str, str | None] | None) -> None:
    others = {name: other for name, other in _entries().items() if name != section}
    app_paths.write(FILE, others | ({section: entry} if entry else {}))
    forget()


def _keyring() -> "KeyringBackend":
    """Return the keyring of the system; raises anything without one, as its methods do."""
    import keyring  # takes 0.1 s, and only those with a key need it

    backend = keyring.get_keyring()
    if backend.priority < _LEAST_PRIORITY:
        raise LookupError("no keyring of the system")
    return backend


def _to_keyring(name: str, key: str) -> bool:
    """Store a key in the keyring; tell whether it is there."""
    try:
        backend = _keyring()
        backend.set_password(SERVICE, name, key)
        return bool(backend.get_password(SERVICE, name) == key)
    except Exception:  # noqa: BLE001 a backend may raise anything
        return False


def _from_keyring(name: str) -> str:
    """Return a key, "" if the keyring does not give it; asks once for each: it takes time, or a person who unlocks."""
    if name not in _known:
        try:
            value = _keyring().get_password(SERVICE, name)
        except Exception:  # noqa: BLE001 as above
            value = None
        if not value:
            return ""
        _known[name] = value
    return _known[name]


def _out_of_keyring(name: str) -> bool:
    """Delete a key from the keyring; tell whether it is gone."""
    try:
        backend = _keyring()
        if backend.get_password(SERVICE, name) is not None:
            backend.delete_password(SERVICE, name)
    except Exception:  # noqa: BLE001 as above
        return False
    return True
