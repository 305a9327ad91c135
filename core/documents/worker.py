"""The process that converts documents one by one, within a memory limit it can't raise.

It is started with `python -m core.documents.worker FOLDER MEGABYTES runs`. For each line on its standard input,
`CONVERTER KIND MEGABYTES SECONDS`, it converts `FOLDER/source` and writes `FOLDER/result`. The kind `-` means a
picture of any kind, to be shrunk by the converter `thumbnail`. SECONDS is CPU time. With `waits` instead of `runs`, the
process runs at low priority. It ends if no request arrives for a minute. When its standard input is closed, it kills
its children and itself.
"""

import errno
import json
import os
import shutil
import signal
import sys
import tempfile
from contextlib import suppress
from dataclasses import asdict
from io import FileIO
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Thread

from core.base.text import make_storable
from core.documents import process

_IDLE_SECONDS = 60
# Share of the memory limit above which the process is replaced, to leave enough for the next document.
_GROWN = 0.5
# Errors caused by the machine, not by a document.
_MACHINE_ERRORS = (
    errno.ENOSPC,
    errno.EDQUOT,
    errno.EIO,
    errno.EROFS,
    errno.ENOMEM,
    errno.EMFILE,
    errno.ENFILE,
    errno.EAGAIN,
)


def _has_grown(megabytes: int) -> bool:
    """Return whether the process has used so much memory that it should be replaced."""
    with suppress(OSError, IndexError, ValueError):
        peak = Path("/proc/self/status").read_text("utf-8").partition("VmHWM:")[2].split()[0]
        return int(peak) << 10 > _GROWN * (megabytes << 20)
    if not process.resource:
        return False
    unit = 1 if sys.platform == "darwin" else 1024
    return process.resource.getrusage(process.resource.RUSAGE_SELF).ru_maxrss * unit > _GROWN * (megabytes << 20)


def _end_with_parent(folder: str, heard: "SimpleQueue[str]") -> None:
    """Forward the parent's lines until the parent ends. Then delete the folder and kill the process group."""
    for line in FileIO(0):  # unbuffered: a buffer would still be locked when the process ends
        heard.put(line.decode())
    for _ in range(10):  # a file written in the meantime keeps the folder from being deleted
        shutil.rmtree(folder, ignore_errors=True)
        if not Path(folder).exists():
            break
    if hasattr(os, "killpg"):
        os.killpg(0, signal.SIGKILL)
    os._exit(1)


def main(folder: str, megabytes: str, priority: str) -> None:
    """Convert each `source` within its limits. Write the document, or the reason for the failure, to `result`."""
    if process.resource:  # systems without such limits rely on the parent's time limit
        for name, most in {"FSIZE": process.RESULT_BYTES, "CORE": 0, "AS": int(megabytes) << 20}.items():
            what = getattr(process.resource, f"RLIMIT_{name}")
            hard = process.resource.getrlimit(what)[1]
            most = most if hard == process.resource.RLIM_INFINITY else min(most, hard)
            process.resource.setrlimit(what, (most, most))
    heard = SimpleQueue[str]()
    Thread(target=_end_with_parent, args=(folder, heard), daemon=True).start()
    if priority == "waits" and hasattr(os, "nice"):
        os.nice(10)
    place = Path(folder)
    while True:
        try:
            name, kind, own, seconds = heard.get(timeout=_IDLE_SECONDS).split()
        except Empty:
            shutil.rmtree(folder, ignore_errors=True)
            return
        temporary = place / "temporary"
        temporary.mkdir()
        tempfile.tempdir = str(temporary)  # deleted however the conversion ends
        process.grant(int(own), int(seconds))
        result = _convert(name, "" if kind == "-" else kind, place)
        process.limit_time(0)
        shutil.rmtree(temporary, ignore_errors=True)
        (place / "source").unlink(missing_ok=True)
        result |= {"has_grown": _has_grown(int(megabytes))}
        written = place / "result.new"
        written.write_text(make_storable(json.dumps(result, ensure_ascii=False)), "utf-8")
        written.replace(place / "result")


def _convert(name: str, kind: str, place: Path) -> process.WorkerResult:
    """Return the converted document or the reason for the failure. An empty `kind` means a picture of any kind."""
    from core.base.errors import SourceError, TesseraError
    from core.base.messages import message, to_json
    from core.documents import CONVERTERS
    from core.documents.kinds import check, picture_kind
    from core.documents.ocr import NoText, thumbnail
    from core.documents.process import TOO_MUCH_MEMORY, Interrupted, machine_reason

    try:
        data = (place / "source").read_bytes()
        kind = kind or picture_kind(data)
        check(data, kind, "")
        if name == process.THUMBNAIL:
            return {"thumbnail": thumbnail(data)}
        converter = CONVERTERS.make(name)
        converted = converter.convert(data, kind)
        return {
            "converted": asdict(converted) | {"warnings": list(map(to_json, converted.warnings))},
            "version": converter.version,
        }
    except NoText as error:
        return {"reason": to_json(error.reason), "version": converter.version}
    except Interrupted as error:
        return {"reason": to_json(error.reason), "is_interrupted": True}
    except TesseraError as error:
        reason = error.reason if isinstance(error, SourceError) else error.message
        status = str(error.__cause__) if isinstance(error.__cause__, ChildProcessError) else ""
        return {"reason": to_json(reason), "cause": status}
    except TimeoutError:
        return {"is_too_slow": True}
    except MemoryError:
        return {"reason": to_json(TOO_MUCH_MEMORY), "is_interrupted": True}
    except RecursionError:
        return {
            "reason": to_json(message("This file is nested too deeply. Simplify it, or save it in another format."))
        }
    except Exception as error:  # noqa: BLE001 a hostile document may raise anything in a parser
        if isinstance(error, OSError) and error.errno in _MACHINE_ERRORS:
            return {"reason": to_json(machine_reason(error)), "is_interrupted": True}
        reason = message(
            "This file can't be read because it is damaged or contains something that Tessera doesn't recognise. "
            "Open it in its own program, save it again, and import it."
        )
        return {"reason": to_json(reason), "cause": type(error).__name__}


if __name__ == "__main__":
    main(*sys.argv[1:])
