"""A workspace's log of events and failures, `logs/tessera.log`. It contains no text from notes.

Tessera's own records are written with their fields. Only the types and traceback lines of exceptions are logged,
because exception messages may quote notes. For the same reason, the messages in other libraries' records are left out.
The setting `log_texts` adds all messages.
"""

import logging
import os
import re
import sys
import time
import traceback
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import field
from errno import errorcode
from io import TextIOWrapper
from itertools import chain
from logging.handlers import RotatingFileHandler
from pathlib import Path
from types import FrameType

from core.base import call_log, files
from core.base.app_paths import PROGRAM
from core.base.errors import TesseraError
from core.base.frozen import frozen
from core.base.messages import skeleton

FILE = Path("logs") / "tessera.log"
_BYTES = 1_000_000
_OLDER = 2
# Maximum number of logged traceback lines per exception, and of logged exceptions per chain.
_FRAMES = 30
_CHAIN = 5
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_HEAD = re.compile(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ) (WARNING|ERROR|CRITICAL) ([\w.]+:\d+) ")
_KIND = re.compile(r"  ([\w.]+)(?:: .*)?")
_PLACE = re.compile(r"    ([\w./-]+:\d+)")

# The beginning of the names of Tessera's own loggers.
_OURS = "core."
_CORE = logging.getLogger("core")
_CORE.setLevel(logging.INFO)
_CORE.addHandler(logging.NullHandler())  # without a handler, logging would print warnings to the terminal


def print_nothing() -> None:
    """Keep log records off the terminal, even if a library configures logging later. The user sees messages instead.

    If the root logger had no handler, `logging.warning` and `logging.basicConfig` would print all later records.
    """
    logging.basicConfig(handlers=[logging.NullHandler()])


@frozen
class LogEntry:
    """A warning or error in the log, with its time and location, and its exceptions' types and traceback lines."""

    at: str
    where: str
    trace: list[str] = field(default_factory=list)


class Log(RotatingFileHandler):
    """A workspace's log. If the log file can't be written, nothing is logged.

    A process that doesn't hold the workspace's lock writes only warnings, errors and calls, and never rotates the file.
    """

    def __init__(self, folder: Path, *, readonly: bool, texts: bool) -> None:
        super().__init__(folder / FILE, backupCount=_OLDER, encoding="utf-8", errors="backslashreplace", delay=True)
        self._readonly = readonly
        self.setLevel(logging.INFO)
        self.setFormatter(_Lines(texts))
        self._loggers: list[logging.Logger] = []
        self.listen("core")
        file = Path(self.baseFilename)
        with suppress(OSError):
            if not readonly:
                files.folder(file.parent)
                # A device such as /dev/null isn't set aside.
                if os.path.lexists(file) and not (file.is_file() or file.is_char_device()):
                    files.set_aside(file)

    def listen(self, *names: str) -> None:
        """Write the records of the given loggers too."""
        for logger in map(logging.getLogger, names):
            logger.addHandler(self)
            self._loggers.append(logger)

    def limit(self) -> None:
        """Start to rotate the file whenever it gets too large."""
        self.maxBytes = _BYTES

    def filter(self, record: logging.LogRecord) -> bool:
        """Return whether to write a record.

        Warnings and errors are always written. Any other record must be Tessera's own. If the log is read-only, the
        record must also be about a call.
        """
        usual = record.name.startswith(_OURS) and (not self._readonly or record.name == call_log.__name__)
        return bool(super().filter(record)) and (usual or record.levelno >= logging.WARNING)

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802
        """Do nothing, because `logging` would print a traceback."""

    def close(self) -> None:
        for logger in self._loggers:
            logger.removeHandler(self)
        with suppress(OSError):  # buffered text doesn't fit on a full disk
            super().close()

    def _open(self) -> TextIOWrapper:
        file = Path(self.baseFilename)
        if not self._readonly:
            file.parent.mkdir(mode=0o700, exist_ok=True)
        return os.fdopen(
            os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND | files.AT_ONCE, 0o600),
            "a",
            encoding=self.encoding,
            errors=self.errors,
        )


def tail(folder: Path, count: int) -> list[str]:
    """Return the last `count` lines of the log, oldest first, or [] if the log can't be read."""
    return list(_lines(folder))[-count:]


def errors(folder: Path, count: int) -> list[LogEntry]:
    """Return the last `count` warnings and errors, oldest first, without their messages."""
    logged = []
    open_entry = False
    for line in _lines(folder):
        if not line.startswith(" "):
            head = _HEAD.match(line)
            open_entry = head is not None
            logged += [LogEntry(head[1], head[3])] if head else []
        elif open_entry and (part := _KIND.fullmatch(line) or _PLACE.fullmatch(line)):
            logged[-1].trace.append(part[1])
    return logged[-count:]


def _lines(folder: Path) -> Iterator[str]:
    file = folder / FILE
    for path in (*(file.with_name(f"{file.name}.{number}") for number in range(_OLDER, 0, -1)), file):
        with suppress(OSError, files.Unfit):
            yield from files.read(path).decode("utf-8", "replace").split("\n")[:-1]


class _Lines(logging.Formatter):
    """Formats a record for the log as a line, followed by the type and traceback lines of each chained exception."""

    def __init__(self, texts: bool) -> None:
        super().__init__()
        self._texts = texts

    def format(self, record: logging.LogRecord) -> str:
        at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(record.created))
        text = ""
        if self._texts or record.name.startswith(_OURS):
            args = record.args if isinstance(record.args, tuple) else ()
            fields = tuple(self._error_kind(arg) if isinstance(arg, BaseException) else arg for arg in args)
            text = str(record.msg) % fields if fields else record.getMessage()
        head = f"{at} {record.levelname} {record.name}:{record.lineno} {text}"
        return "\n".join(
            _CONTROL.sub(" ", line)
            for line in chain([head], self._trace(record.exc_info[1] if record.exc_info else None))
        )

    def _trace(self, error: BaseException | None) -> Iterator[str]:
        for _ in range(_CHAIN):
            if error is None:
                return
            yield f"  {self._error_kind(error)}"
            for frame, line in list(traceback.walk_tb(error.__traceback__))[-_FRAMES:]:
                yield f"    {_module_of(frame)}:{line}"
            error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)

    def _error_kind(self, error: BaseException) -> str:
        """Return the type of an exception, with the part of its message that can't quote a note.

        If all messages are logged, return the type and the whole message.
        """
        kind = type(error)
        name = kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"
        text = getattr(error, "sqlite_errorname", "")
        if self._texts:
            text = str(error)
        elif isinstance(error, TesseraError):
            text = str(skeleton(error.message))
        elif isinstance(error, OSError):
            text = errorcode.get(error.errno or 0, "")
        return f"{name}: {text}" if text else name


def _module_of(frame: FrameType) -> str:
    """Return a frame's module name, a script's path in the program's folder, or "elsewhere" for any other file."""
    file = Path(frame.f_code.co_filename)
    name = str(frame.f_globals.get("__name__", ""))
    if name == "__main__" and file.is_relative_to(PROGRAM):
        return file.relative_to(PROGRAM).as_posix()
    known = (PROGRAM, Path(__file__).parents[2], Path(sys.prefix), Path(sys.base_prefix))
    return name if name != "__main__" and any(map(file.is_relative_to, known)) else "elsewhere"
