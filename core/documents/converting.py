"""The bytes of a document -> Markdown, converted in a process of its own that can be ended."""

import json
import logging
import os
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

from core.documents import CONVERTERS, Converted
from core.documents.kinds import PICTURES, check, kind_of
from core.errors import ModelError, SourceError
from core.messages import from_json, message, skeleton
from core.model import Omission
from core.registry import Entry

_LOG = logging.getLogger(__name__)
SECONDS, OCR_SECONDS = 120, 3600
"""Time that a document may take; scans are read page by page, each in a few seconds."""
MEGABYTES, OCR_MEGABYTES = 2048, 4096
"""Address space that a converter may take."""
_LOOK = 0.05


def default_for(kind: str) -> str:
    """Return the name of the converter of a kind, "" for a kind that nobody reads: the first of the table."""
    return next(iter(converters_for(kind)), "")


def converters_for(kind: str) -> list[str]:
    """Return the names of the converters that read a kind."""
    return [name for name in CONVERTERS if kind in _kinds(name, CONVERTERS[name])] if kind else []


@cache
def _kinds(name: str, _: Entry) -> tuple[str, ...]:
    """Return the kinds that a converter reads, none for one of a package that can't be loaded."""
    try:
        return tuple(CONVERTERS.build(name).kinds.split())
    except ModelError as error:
        _LOG.warning("A converter is left out: %s", skeleton(error.message))
        return ()


def is_document(path: str, *, pictures: bool = False) -> bool:
    """Return whether a file is a document that becomes a note, by its name.

    A picture of a folder belongs to the notes that link to it; with `pictures` it is a document as well.
    """
    kind = kind_of(path)
    return (pictures or kind not in PICTURES) and bool(default_for(kind))


def convert(data: bytes, path: str, *, converter: str = "") -> tuple[Converted, str]:
    """Return a document as Markdown, and the version of what converted it.

    Raises SourceError for a document that is refused or can't be converted, UnknownChoice for a converter.
    """
    kind = kind_of(path)
    check(data, kind, path)
    name = converter or default_for(kind)
    chosen = CONVERTERS.build(name)
    if kind not in chosen.kinds.split():
        raise SourceError(path, "can't be read by the converter '{converter}'.", converter=name)
    started = time.perf_counter()
    with tempfile.TemporaryDirectory(prefix="tessera-document-") as folder:
        place = Path(folder)
        (place / "source").write_bytes(data)
        result = _run(name, kind, place, path)
    _LOG.info("Converted: a .%s of %d bytes by %s in %.2f s", kind, len(data), name, time.perf_counter() - started)
    if "reason" in result:
        raise SourceError(path, from_json(result["reason"]))
    values = result["converted"]
    lists = {
        "pages": tuple(values["pages"]),
        "warnings": tuple(map(from_json, values["warnings"])),
        "left_out": tuple(Omission(**omission) for omission in values["left_out"]),
    }
    return Converted(**values | lists), result["version"]


def _run(name: str, kind: str, place: Path, path: str) -> dict[str, Any]:
    """Run the worker until it ends or takes too long; return its result."""
    reads_scans = "ocr" in (name, kind) or kind == "pdf"
    seconds = OCR_SECONDS if reads_scans else SECONDS
    megabytes = OCR_MEGABYTES if reads_scans else MEGABYTES
    ends = time.monotonic() + seconds
    with start_worker(name, kind, place, seconds, megabytes) as process:
        try:
            while process.poll() is None:
                if time.monotonic() > ends:
                    raise SourceError(path, "takes longer than {n} seconds to convert. Divide it.", n=seconds)
                time.sleep(_LOOK)
        finally:
            end_worker(process)
    return result_of(process, place, path)


def start_worker(name: str, kind: str, place: Path, seconds: int, megabytes: int) -> "subprocess.Popen[bytes]":
    """Start the process that converts the document in a folder."""
    command = [sys.executable, "-m", "core.documents.worker", name, kind, str(place), str(seconds), str(megabytes)]
    return subprocess.Popen(
        command,
        stdin=subprocess.PIPE,  # by which the worker knows that this process is there
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd=Path(__file__).parents[2],
        start_new_session=True,
    )


def result_of(process: "subprocess.Popen[bytes]", place: Path, path: str) -> dict[str, Any]:
    """Return what a worker wrote; raises SourceError where it ended without a result."""
    try:
        result: dict[str, Any] = json.loads((place / "result").read_bytes())
    except (OSError, ValueError):
        ended = message("can't be converted: its converter ended with the status {n}.", n=process.returncode)
        raise SourceError(path, ended) from None
    return result


def end_worker(process: "subprocess.Popen[bytes]") -> None:
    """End a worker and what it started."""
    with suppress(OSError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
