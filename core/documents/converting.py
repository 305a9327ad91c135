"""Conversion of documents to Markdown, OCR of pictures, and thumbnails, all in a separate process."""

import atexit
import base64
import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from threading import Lock

import numpy as np

from core.base.codec import DAMAGE, decode
from core.base.errors import ConfigError, ModelError, SourceError
from core.base.frozen import Texts
from core.base.messages import Message, message, skeleton
from core.base.registry import Entry
from core.documents import CONVERTERS, Converted
from core.documents.kinds import PICTURES, check, check_size, damaged, has, kind_of, picture_kind, sound_title
from core.documents.process import (
    THUMBNAIL,
    ConverterProcess,
    Interrupted,
    Limits,
    Look,
    WorkerResult,
    end_error,
)
from core.model import Pixels

_LOG = logging.getLogger(__name__)
# CPU seconds allowed for a small document.
SECONDS = 20
# Maximum CPU seconds allowed for a document of any size.
MOST_SECONDS = 120
# CPU seconds allowed for a PDF that may be a scan.
OCR_SECONDS = 3600
# Megabytes of address space allowed for a small document.
MEGABYTES = 1024
# Maximum megabytes of address space allowed for a document of any size.
MOST_MEGABYTES = 2048
# Megabytes of address space allowed for a scan.
OCR_MEGABYTES = 4096
_IDLE: list[ConverterProcess] = []
_IDLE_LOCK = Lock()
# Lock held while reading a possible scan, because each scan takes nearly 1 GB of memory.
_SCANNER = Lock()


def converters_for(kind: str) -> list[str]:
    """Return the names of the converters that read a given kind."""
    return [name for name in CONVERTERS if kind in _kinds(name, CONVERTERS[name])] if kind else []


@cache
def _kinds(name: str, entry: Entry) -> Texts:
    """Return the kinds a converter reads, or () if its package can't be loaded."""
    try:
        return tuple((entry.kinds or CONVERTERS.build(name).kinds).split())
    except ModelError as error:
        _LOG.warning("A converter is left out: %s", skeleton(error.message))
        return ()


def is_document(path: str, *, pictures: bool = False) -> bool:
    """Return whether a file is imported as a document, judging by its name.

    A picture in a folder belongs to the notes that link to it. With `pictures`, it also counts as a document.
    """
    kind = kind_of(path)
    return (pictures or kind not in PICTURES) and bool(converters_for(kind))


def convert(data: bytes, path: str, *, converter: str = "", look: Look = lambda: None) -> tuple[Converted, str]:
    """Convert a document to Markdown. Return the result and the converter's version.

    `look` is called regularly during the conversion. If it raises an exception, the conversion is stopped. Raises
    SourceError if the document can't be converted, and Interrupted if the document isn't to blame.
    """
    kind = kind_of(path)
    check(data, kind, path)
    name = converter or next(iter(converters_for(kind)), "")
    if kind not in CONVERTERS.build(name).kinds.split():
        raise SourceError(
            path, "The converter '{converter}' can't read this file. Choose another converter.", converter=name
        )
    started = time.perf_counter()
    result = _run(name, kind, data, path, look)
    _LOG.info("Converted: a .%s of %d bytes by %s in %.2f s", kind, len(data), name, time.perf_counter() - started)
    if str(cause := result.get("cause")).isidentifier() and cause:
        _LOG.warning("A converter failed: a .%s of %d bytes by %s: %s", kind, len(data), name, cause)
    if "converted" not in result:
        raise _failure(result, path)
    with _checked(path):
        converted = decode(Converted, result["converted"])
        version = decode(str, result["version"])
    converted = replace(converted, title=sound_title(converted.title))
    return converted, ", ".join(filter(None, (version, converted.ocr)))


@contextmanager
def _checked(path: str) -> Iterator[None]:
    """Raise SourceError if a worker's result is malformed, because a hostile document may control the worker."""
    try:
        yield
    except DAMAGE as error:
        raise damaged(path) from error


def _run(name: str, kind: str, data: bytes, path: str, look: Look) -> WorkerResult:
    """Convert a document in an idle or new process. Possible scans are read one at a time."""
    reads_scans = name == "ocr" or kind == "pdf"
    is_large = reads_scans and can_read()
    while is_large and not _SCANNER.acquire(timeout=0.1):
        look()
    try:
        limits = limits_of(len(data), reads_scans=reads_scans)
        process = _take_process(limits)
        too_slow = message(
            "This file takes longer than {n} seconds to convert. Split it, or save it in another format.",
            n=limits.processor_seconds,
        )
        with _in_time(path, too_slow):
            result = process.convert(data, name, kind, look)
    finally:
        if is_large:
            _SCANNER.release()
    with _IDLE_LOCK:
        _IDLE.append(process)
        if len(_IDLE) > 2:
            _IDLE.pop(0).close()
    return result


@contextmanager
def _in_time(path: str, too_slow: Message) -> Iterator[None]:
    """Raise Interrupted if a process ends or takes too long."""
    try:
        yield
    except TimeoutError:
        raise Interrupted(path, too_slow) from None
    except ChildProcessError as error:
        raise end_error(path, error) from None


def limits_of(size: int, *, reads_scans: bool) -> Limits:
    """Return the limits for a document of `size` bytes. They are increased once a page turns out to be a scan."""
    most, scan = (OCR_SECONDS, OCR_MEGABYTES) if reads_scans else (MOST_SECONDS, MOST_MEGABYTES)
    # A larger document gets 20 more CPU seconds and 256 MB more memory per megabyte.
    seconds = min(most, SECONDS + 20 * (size >> 20))
    megabytes = min(MOST_MEGABYTES, MEGABYTES + 256 * (size >> 20))
    # On a busy machine, a process gets only part of the CPU, so it may take three times as long.
    elapsed = OCR_SECONDS if reads_scans else 3 * seconds
    return Limits(elapsed, seconds, megabytes, scan)


def _take_process(limits: Limits) -> ConverterProcess:
    with _IDLE_LOCK:
        for at, process in enumerate(_IDLE):
            if process.limits.scan_megabytes == limits.scan_megabytes:
                process.limits = limits
                return _IDLE.pop(at)
    return ConverterProcess(limits)


@atexit.register
def _close_idle() -> None:
    while _IDLE:
        _IDLE.pop().close()


# CPU seconds allowed for one picture. Most pictures take one or two.
PICTURE_SECONDS = 120
_LIMITS = Limits(OCR_SECONDS, PICTURE_SECONDS, OCR_MEGABYTES, OCR_MEGABYTES)


def can_read() -> bool:
    """Return whether the picture reader is installed."""
    return has("rapidocr")


def check_picture_reader() -> None:
    """Raise ConfigError with the installation command if the picture reader isn't installed."""
    if not can_read():
        raise ConfigError(
            "The component that reads pictures isn't installed yet. Install it, then restart Tessera: {command}",
            command="pip install 'tessera-notes[ocr]'",
        )


def holds_words(text: str) -> bool:
    """Return whether a picture's text contains a word of at least two characters.

    OCR often reads a line or a circle as a single character with a high score.
    """
    return any(len(word) > 1 for word in text.split())


class PictureReader:
    """Reads pictures at low priority. Its process keeps half a gigabyte of models in memory until it is closed."""

    def __init__(self) -> None:
        self._process = ConverterProcess(_LIMITS, waits=True)

    def read(self, data: bytes, path: str, look: Look) -> tuple[str, str]:
        """Return a picture's text, or "" if it contains no words, and the reader's version.

        `look` is called regularly. If it raises an exception, the reader's process is killed. Raises SourceError if the
        picture is rejected or can't be read, and Interrupted if the picture isn't to blame.
        """
        result = self._result(data, path, "ocr", look)
        with _checked(path):
            if "version" in result:  # there is no document if the picture contains no text
                text = decode(Converted, result["converted"]).text if "converted" in result else ""
                return text if holds_words(text) else "", decode(str, result["version"])
        raise _failure(result, path)

    def shrink(self, data: bytes, path: str, look: Look) -> Pixels:
        """Return a picture's thumbnail. `look` and the errors raised are the same as for `read`."""
        result = self._result(data, path, THUMBNAIL, look)
        if "thumbnail" not in result:
            raise _failure(result, path)
        with _checked(path):
            values = result["thumbnail"]
            return np.frombuffer(base64.b64decode(values["pixels"]), np.uint8).reshape(
                decode(int, values["height"]), decode(int, values["width"]), 3
            )

    def _result(self, data: bytes, path: str, converter: str, look: Look) -> WorkerResult:
        check_size(data, path)
        if not picture_kind(data):
            raise SourceError(
                path, "This picture is damaged, or has a format that Tessera can't read. Save it as PNG or JPEG."
            )
        with _in_time(
            path, message("This picture takes longer than {n} seconds to read. Make it smaller.", n=PICTURE_SECONDS)
        ):
            # The kind `-` means a picture of any kind.
            return self._process.convert(data, converter, "-", look)

    def close(self) -> None:
        self._process.close()


def _failure(result: WorkerResult, path: str) -> SourceError:
    with _checked(path):
        reason = decode(Message, result["reason"])
    return (Interrupted if result.get("is_interrupted") else SourceError)(path, reason)
