"""Choices the user makes on pages, stored in a file in the workspace."""

import json
from contextlib import suppress
from logging import getLogger
from pathlib import Path
from threading import Lock

from core.base import files
from core.base.codec import decoder
from core.base.frozen import TextValues

FILE = "preferences.json"
# Name of the preference for checking bases after an import. Its value is "on" or "off".
CHECK_AFTER_IMPORT = "check_after_import"
_LOG = getLogger(__name__)


class Preferences:
    """The user's choices by name. With `readonly`, `set` does nothing."""

    def __init__(self, folder: Path, *, readonly: bool) -> None:
        self._file = folder / FILE
        self._readonly = readonly
        self._lock = Lock()

    def get(self, name: str) -> str:
        with suppress(OSError):
            return self._choices().get(name, "")
        return ""

    def set(self, name: str, value: str) -> None:
        """Store a choice. Errors are logged, not raised."""
        if self._readonly:
            return
        try:
            with self._lock:
                files.replace(self._file, json.dumps(self._choices() | {name: value}))
        except OSError as error:
            _LOG.warning("The choice '%s' isn't stored: %s", name, error)

    def _choices(self) -> TextValues:
        return files.load(self._file, decoder(TextValues), aside=not self._readonly) or {}


class Switchable:
    """Something that the user can turn on or off. A value in the settings takes precedence over the user's choice.

    `_switch` is the name of the preference, and `_usual` the state until the user makes a choice.
    """

    _preferences: Preferences
    _switch: str
    _usual = False

    @property
    def _decided(self) -> bool | None:
        """The value in the settings, if any."""
        return None

    @property
    def enabled(self) -> bool:
        if (decided := self._decided) is not None:
            return decided
        return {"on": True, "off": False}.get(self._preferences.get(self._switch), self._usual)

    def enable(self, enabled: bool) -> None:
        """Store the user's choice."""
        self._preferences.set(self._switch, "on" if enabled else "off")
