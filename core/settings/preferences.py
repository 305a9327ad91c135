"""Choices the user makes on pages, stored in a file in the workspace."""

import json
from contextlib import suppress
from logging import getLogger
from pathlib import Path
from threading import Lock

from core.base import files
from core.base.codec import decoder

FILE = "preferences.json"
CHECK_AFTER_IMPORT = "check_after_import"
"""Name of the preference for checking bases after an import. Its value is "on" or "off"."""
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

    def _choices(self) -> dict[str, str]:
        return files.load(self._file, decoder(dict[str, str]), aside=not self._readonly) or {}
