"""The bytes of pictures -> their text, in a process of its own that reads one after another and can be ended."""

import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from core.documents.converting import OCR_MEGABYTES, OCR_SECONDS, end_worker, result_of, start_worker
from core.documents.extras import has
from core.documents.kinds import MAX_BYTES, picture_kind, too_large
from core.documents.worker import PICTURE_SECONDS
from core.errors import ConfigError, SourceError
from core.messages import from_json

_AGE, _PICTURES = 1800, 200
"""Seconds and pictures after which a process is replaced by a new one."""
_LIFE = _AGE + OCR_SECONDS
_LOOK = 0.05
_CONVERTER = "ocr"


def can_read() -> bool:
    """Return whether what reads pictures is installed."""
    return has("rapidocr")


def check() -> None:
    """Raise ConfigError, with the command that installs it, where what reads pictures is missing."""
    if not can_read():
        raise ConfigError(
            "What reads pictures isn't installed yet. Install it, then start Tessera again: {command}",
            command="pip install 'tessera-notes[ocr]'",
        )


def holds_words(text: str) -> bool:
    """Return whether what was read of a picture holds two signs side by side.

    A line or a circle is read as a sign by itself, and with a high score.
    """
    return any(len(word) > 1 for word in text.split())


class PictureReader:
    """Reads pictures at the lowest priority. Its process holds the models, half a gigabyte, until it is closed."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._place = Path()
        self._began = 0.0
        self._count = 0

    def __enter__(self) -> "PictureReader":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def read(self, data: bytes, path: str, look: Callable[[], object]) -> tuple[str, str]:
        """Return the text of a picture, "" where there is none or it is doubtful, and the version of what read it.

        `look` is called often meanwhile; what it raises ends the process. Raises SourceError for a picture that is
        refused or can't be read.
        """
        if not data:
            raise SourceError(path, "is empty.")
        if len(data) > MAX_BYTES:
            raise too_large(path, len(data))
        if not picture_kind(data):
            raise SourceError(path, "is no picture that can be read, whatever its name says.")
        try:
            result = self._result(data, path, look)
        except BaseException:
            self.close()
            raise
        if "converted" in result:
            text = str(result["converted"]["text"])
            return text if holds_words(text) else "", str(result["version"])
        if "version" in result:
            return "", str(result["version"])
        raise SourceError(path, from_json(result["reason"]))

    def close(self) -> None:
        """End the process."""
        if self._process is not None:
            with self._process as process:
                end_worker(process)
            self._process = None
            shutil.rmtree(self._place, ignore_errors=True)

    def _result(self, data: bytes, path: str, look: Callable[[], object]) -> dict[str, Any]:
        process, result = self._started(), self._place / "result"
        result.unlink(missing_ok=True)
        (self._place / "source").write_bytes(data)
        ends = time.monotonic() + OCR_SECONDS
        with suppress(BrokenPipeError):
            assert process.stdin is not None
            process.stdin.write(b"\n")
            process.stdin.flush()
        while process.poll() is None and not result.exists():
            look()
            if time.monotonic() > ends:
                raise _too_long(path)
            time.sleep(_LOOK)
        self._count += 1
        if process.returncode and process.returncode == -getattr(signal, "SIGPROF", 0):
            raise _too_long(path)
        return result_of(process, self._place, path)

    def _started(self) -> "subprocess.Popen[bytes]":
        """Return the process, a new one where the last ended, is old, or has read many pictures."""
        is_old = time.monotonic() - self._began > _AGE or self._count >= _PICTURES
        if self._process is not None and (is_old or self._process.poll() is not None):
            self.close()
        if self._process is None:
            self._place = Path(tempfile.mkdtemp(prefix="tessera-pictures-"))
            self._process = start_worker(_CONVERTER, "", self._place, _LIFE, OCR_MEGABYTES)
            self._began, self._count = time.monotonic(), 0
        return self._process


def _too_long(path: str) -> SourceError:
    return SourceError(path, "takes longer than {n} seconds to read. Make it smaller.", n=PICTURE_SECONDS)
