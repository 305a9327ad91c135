"""The bytes of pictures -> their text or pixels, in a process that reads one after another and can be ended."""

import base64
from collections.abc import Callable
from typing import Any

import numpy as np

from core.base.errors import ConfigError, SourceError
from core.base.messages import from_json, message
from core.documents.converting import OCR_MEGABYTES, OCR_SECONDS
from core.documents.kinds import check_size, has, picture_kind
from core.documents.process import THUMBNAIL, ConverterProcess, Interrupted, Limits, end_error
from core.model import Pixels

PICTURE_SECONDS = 120
"""Seconds of the processor that one picture may take; most take one or two."""
_LIMITS = Limits(OCR_SECONDS, PICTURE_SECONDS, OCR_MEGABYTES, OCR_MEGABYTES)
_CONVERTER, _ANY_KIND = "ocr", "-"


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

    A line or a circle is read as a single sign, and with a high score.
    """
    return any(len(word) > 1 for word in text.split())


class PictureReader:
    """Reads pictures at the lowest priority. Its process holds the models, half a gigabyte, until it is closed."""

    def __init__(self) -> None:
        self._process = ConverterProcess(_LIMITS, waits=True)

    def __enter__(self) -> "PictureReader":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def read(self, data: bytes, path: str, look: Callable[[], object]) -> tuple[str, str]:
        """Return the text of a picture, "" where there is none or it is doubtful, and the version of what read it.

        `look` is called often meanwhile; what it raises ends the process. Raises SourceError for a picture that is
        refused or can't be read, Interrupted where that isn't the fault of the picture.
        """
        result = self._result(data, path, _CONVERTER, look)
        if "converted" in result:
            text = str(result["converted"]["text"])
            return text if holds_words(text) else "", str(result["version"])
        if "version" in result:
            return "", str(result["version"])
        raise _failure(result, path)

    def shrink(self, data: bytes, path: str, look: Callable[[], object]) -> Pixels:
        """Return a picture made small, as `read` looks at one; raises SourceError as that does."""
        result = self._result(data, path, THUMBNAIL, look)
        if "thumbnail" not in result:
            raise _failure(result, path)
        values = result["thumbnail"]
        flat = np.frombuffer(base64.b64decode(values["pixels"]), np.uint8)
        return flat.reshape(values["height"], values["width"], 3)

    def _result(self, data: bytes, path: str, converter: str, look: Callable[[], object]) -> dict[str, Any]:
        check_size(data, path)
        if not picture_kind(data):
            raise SourceError(path, "is no picture that can be read, whatever its name says.")
        try:
            return self._process.convert(data, converter, _ANY_KIND, look)
        except TimeoutError:
            reason = message("takes longer than {n} seconds to read. Make it smaller.", n=PICTURE_SECONDS)
            raise Interrupted(path, reason) from None
        except ChildProcessError as error:
            raise end_error(path, error) from None

    def close(self) -> None:
        """End the process."""
        self._process.close()


def _failure(result: dict[str, Any], path: str) -> SourceError:
    return (Interrupted if result.get("is_interrupted") else SourceError)(path, from_json(result["reason"]))
