"""A person's choices on the screens, stored in a file of the workspace."""

import json
import logging
import threading
from pathlib import Path

from core import files

FILE = "preferences.json"
_LOG = logging.getLogger(__name__)


class Preferences:
    """Choices by name. With `readonly`, `set` stores nothing."""

    def __init__(self, folder: Path, *, readonly: bool) -> None:
        self._file = folder / FILE
        self._readonly = readonly
        self._lock = threading.Lock()

    def get(self, name: str) -> str:
        """Return a choice, empty if there is none."""
        return str(self._choices().get(name, ""))

    def set(self, name: str, value: str) -> None:
        """Store a choice; one that can't be stored is no reason to fail."""
        if self._readonly:
            return
        try:
            with self._lock:
                files.replace(self._file, json.dumps(self._choices() | {name: value}, ensure_ascii=False))
        except OSError as error:
            _LOG.warning("The choice '%s' isn't stored: %s", name, error)

    def _choices(self) -> dict[str, object]:
        try:
            choices = json.loads(self._file.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}  # no file yet, or a damaged one, which is no reason to fail
        return choices if isinstance(choices, dict) else {}
