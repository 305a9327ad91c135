"""The process that converts one document, within limits that it can't raise again.

`python -m core.documents.worker CONVERTER KIND FOLDER SECONDS MEGABYTES`: FOLDER holds `source`; `result` is written.
Without a KIND it converts one picture after another: each byte of its standard input says that there is a `source`.
It ends, and with it what it started, once the other end of its standard input is closed.
"""

import json
import os
import shutil
import signal
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path
from queue import SimpleQueue
from threading import Thread
from typing import Any

_RESULT_BYTES = 1 << 28
PICTURE_SECONDS = 120
"""Seconds of the processor that one picture may take; most take one or two."""
_LOWER = 10
"""How much lower the priority is of what nobody waits for."""


def _limit(seconds: int, megabytes: int) -> None:
    """Limit this process and those it starts. A system without such limits has the time limit of its parent."""
    try:
        import resource
    except ImportError:
        return
    for what, most in (
        (resource.RLIMIT_CPU, seconds),
        (resource.RLIMIT_FSIZE, _RESULT_BYTES),
        (resource.RLIMIT_AS, megabytes << 20),
        (resource.RLIMIT_CORE, 0),
    ):
        hard = resource.getrlimit(what)[1]
        resource.setrlimit(what, (most, most) if hard == resource.RLIM_INFINITY else (min(most, hard), hard))
    signal.alarm(seconds + 5)  # where the parent hangs


def _end_with_parent(folder: str, heard: "SimpleQueue[bytes]") -> None:
    """Wait until the parent is gone; then delete the document, and end this process and those it started."""
    while byte := os.read(0, 1):
        heard.put(byte)
    for _ in range(10):  # what is written meanwhile keeps a folder
        shutil.rmtree(folder, ignore_errors=True)
        if not Path(folder).exists():
            break
    if hasattr(os, "killpg"):
        os.killpg(0, signal.SIGKILL)
    os._exit(1)


def main(name: str, kind: str, folder: str, seconds: str, megabytes: str) -> None:
    """Convert `source`, and write the converted document or the reason of its failure to `result`."""
    _limit(int(seconds), int(megabytes))
    tempfile.tempdir = folder  # which the parent deletes, however this process ends
    heard: SimpleQueue[bytes] = SimpleQueue()
    Thread(target=_end_with_parent, args=(folder, heard), daemon=True).start()
    place = Path(folder)
    if kind:
        _write(place, _converted(name, kind, place))
        return
    if hasattr(os, "nice"):
        os.nice(_LOWER)
    while heard.get():
        _time(PICTURE_SECONDS)
        result = _converted(name, "", place)
        _time(0)
        _write(place, result)


def _time(seconds: int) -> None:
    """End this process by a signal once it has used so many seconds of the processor; 0 for never.

    At a low priority the time on the clock says nothing: a busy machine may leave it none for minutes.
    """
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_PROF, seconds)


def _write(place: Path, result: dict[str, Any]) -> None:
    (place / "result.new").write_text(json.dumps(result), "utf-8")
    (place / "result.new").replace(place / "result")


def _converted(name: str, kind: str, place: Path) -> dict[str, Any]:
    """Return the converted document, or the reason of its failure; without a `kind` it is a picture of any."""
    from core.documents import CONVERTERS
    from core.documents.kinds import check, picture_kind
    from core.documents.ocr import NoText
    from core.errors import SourceError, TesseraError
    from core.messages import message, to_json

    try:
        data = (place / "source").read_bytes()
        kind = kind or picture_kind(data)
        check(data, kind, "")
        converter = CONVERTERS.make(name)
        converted = converter.convert(data, kind)
        warnings = [to_json(warning) for warning in converted.warnings]
        return {"converted": asdict(converted) | {"warnings": warnings}, "version": converter.version}
    except NoText as error:
        return {"reason": to_json(error.reason), "version": converter.version}
    except (SourceError, TesseraError) as error:
        return {"reason": to_json(error.reason if isinstance(error, SourceError) else error.message)}
    except MemoryError:
        return {"reason": to_json(message("needs more memory than a document may take. Divide it."))}
    except RecursionError:
        return {"reason": to_json(message("is nested more deeply than any document."))}
    except Exception as error:  # noqa: BLE001 a hostile document may raise anything in a parser
        why = f"{type(error).__name__}: {error}"[:200]
        return {"reason": to_json(message("can't be converted ({why}).", why=why))}


if __name__ == "__main__":
    main(*sys.argv[1:])
