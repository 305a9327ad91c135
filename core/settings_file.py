"""`tessera.toml`, read again when it changes while the program runs."""

import logging
from collections.abc import Callable
from pathlib import Path

from core.config import FILE, Settings, settings
from core.errors import TesseraError
from core.messages import Message
from core.settings_sections import KEYS

_LOG = logging.getLogger(__name__)


def usual_workspace() -> Path:
    """Return the folder of the workspace that the settings name; raises ConfigError for settings that are not valid."""
    return settings().workspace


class SettingsFile:
    """Brings settings up to date with the file: `[knowledge]`, the model servers and `scan_interval`.

    `servers_changed` is called if a server is another one. A file that isn't valid changes nothing; `problem` says why.
    """

    def __init__(self, settings: Settings, servers_changed: Callable[[], object]) -> None:
        self._settings = settings
        self._servers_changed = servers_changed
        self._stamp = _stamp()
        self.problem: Message | None = None

    def look(self) -> None:
        """Read the file if its time or size is another one than at the last look."""
        stamp = _stamp()
        if stamp == self._stamp:
            return
        self._stamp = stamp
        try:
            new = settings()
        except TesseraError as error:
            self.problem = error.message
            _LOG.warning("The settings stay as they are: %s can't be used", FILE, exc_info=error)
            return
        self.problem = None
        self._settings.knowledge = new.knowledge
        self._settings.scan_interval, self._settings.watch_seconds = new.scan_interval, new.watch_seconds
        if any(getattr(new, section) != getattr(self._settings, section) for section in KEYS):
            self._servers_changed()
        _LOG.info("%s was read again", FILE)


def _stamp() -> tuple[int, int] | None:
    """Return the time and the size of the file, None without one."""
    try:
        state = FILE.stat()
    except OSError:
        return None
    return state.st_mtime_ns, state.st_size
