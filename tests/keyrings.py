"""Keyrings of a system that a test can look into."""

from collections.abc import Iterator
from contextlib import contextmanager

import keyring
from keyring.backend import KeyringBackend
from keyring.errors import KeyringLocked


class Memory(KeyringBackend):
    """A keyring in memory; `locked`, it gives and takes nothing."""

    priority = 5  # type: ignore[assignment]

    def __init__(self) -> None:
        super().__init__()
        self.passwords: dict[tuple[str, str], str] = {}
        self.locked = False

    def get_password(self, service: str, username: str) -> str | None:
        self._open()
        return self.passwords.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        self._open()
        self.passwords[service, username] = password

    def delete_password(self, service: str, username: str) -> None:
        self._open()
        del self.passwords[service, username]

    def _open(self) -> None:
        if self.locked:
            raise KeyringLocked("locked")


class Forgetful(Memory):
    """A keyring that stores nothing and says nothing."""

    def set_password(self, service: str, username: str, password: str) -> None:
        pass


@contextmanager
def using(backend: Memory) -> Iterator[None]:
    """Make a keyring that of the system."""
    before = keyring.get_keyring()
    keyring.set_keyring(backend)
    try:
        yield
    finally:
        keyring.set_keyring(before)
