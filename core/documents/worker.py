"""The process that converts one document, within limits that it can't raise again.

`python -m core.documents.worker CONVERTER KIND FOLDER SECONDS MEGABYTES`: FOLDER holds `source`; `result` is written.
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
from threading import Thread

_RESULT_BYTES = 1 << 28


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


def _end_with_parent(folder: str) -> None:
    """Wait until the parent is gone; then delete the document, and end this process and those it started."""
    while os.read(0, 1):
        pass
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
    Thread(target=_end_with_parent, args=(folder,), daemon=True).start()
    from core.documents import CONVERTERS
    from core.documents.kinds import check
    from core.errors import SourceError, TesseraError
    from core.messages import message, to_json

    place = Path(folder)
    try:
        data = (place / "source").read_bytes()
        check(data, kind, "")
        converter = CONVERTERS.make(name)
        converted = converter.convert(data, kind)
        warnings = [to_json(warning) for warning in converted.warnings]
        result = {"converted": asdict(converted) | {"warnings": warnings}, "version": converter.version}
    except (SourceError, TesseraError) as error:
        result = {"reason": to_json(error.reason if isinstance(error, SourceError) else error.message)}
    except MemoryError:
        result = {"reason": to_json(message("needs more memory than a document may take. Divide it."))}
    except RecursionError:
        result = {"reason": to_json(message("is nested more deeply than any document."))}
    except Exception as error:  # noqa: BLE001 a hostile document may raise anything in a parser
        why = f"{type(error).__name__}: {error}"[:200]
        result = {"reason": to_json(message("can't be converted ({why}).", why=why))}
    (place / "result").write_text(json.dumps(result), "utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
