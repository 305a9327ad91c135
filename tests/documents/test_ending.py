"""Documents that one process converts in turn, and conversions that are ended: nothing of them goes on or stays."""

import json
import os
import pickle
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from core.base.errors import SourceError
from core.documents import converting
from core.documents import process as module
from core.documents.process import ConverterProcess, Limits
from tests.documents.making import hostile
from tests.waiting import wait_until

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there is no ps")

_CONVERT = """
from tests.documents.making import hostile
from core.documents.converting import convert
convert(hostile()["deep-emphasis.org"], "deep-emphasis.org")
"""


def _running(place: Path) -> list[str]:
    """Return the commands that name a place."""
    shown = subprocess.run(["ps", "-ww", "-eo", "args"], capture_output=True, text=True, check=True).stdout
    return [line for line in shown.splitlines() if str(place) in line]


def test_a_conversion_ends_with_the_process_that_wants_it(tmp_path: Path) -> None:
    parent = subprocess.Popen([sys.executable, "-c", _CONVERT], env={**os.environ, "TMPDIR": str(tmp_path)})
    wait_until(lambda: any("+RTS" in line for line in _running(tmp_path)))
    parent.kill()
    parent.wait()
    wait_until(lambda: not _running(tmp_path))
    assert [*tmp_path.iterdir()] == []


def test_a_conversion_that_takes_too_long_leaves_no_copy_of_the_document(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", None)
    monkeypatch.setattr(converting, "SECONDS", 2)
    with pytest.raises(SourceError, match="longer than 2 seconds"):
        converting.convert(hostile()["deep-emphasis.org"], "deep-emphasis.org")
    wait_until(lambda: not _running(tmp_path))  # the system takes a killed one away a moment later
    assert [*tmp_path.iterdir()] == []


def _fresh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ConverterProcess:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return ConverterProcess(Limits(60, 60, 2048, 2048))


def _pid(process: ConverterProcess) -> int:
    assert process._process
    return process._process.pid


def test_one_process_converts_many_documents_and_keeps_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    large = bytearray(1100 << 20)  # what this process has needed once is no matter of the converter's
    large[:: 1 << 12] = b"x" * len(large[:: 1 << 12])
    del large
    process = _fresh(tmp_path, monkeypatch)
    texts = [
        process.convert(f"{name}\n====\n".encode(), "pandoc", "rst")["converted"]["text"] for name in ("One", "Two")
    ]
    pid = _pid(process)
    refused = process.convert(b"PK\x03\x04no archive", "pandoc", "docx")
    again = process.convert(b"Three\n=====\n", "pandoc", "rst")
    assert (texts, again["converted"]["text"]) == (["# One\n", "# Two\n"], "# Three\n")
    assert "reason" in refused
    assert _pid(process) == pid
    assert [*process._place.iterdir()] == []
    process._place.rmdir()
    assert process.convert(b"One\n===\n", "pandoc", "rst")["converted"]["text"] == "# One\n"
    process.close()
    assert [*tmp_path.iterdir()] == []


def test_a_document_that_ends_the_process_ends_only_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    process = _fresh(tmp_path, monkeypatch)
    process.convert(b"One\n===\n", "pandoc", "rst")
    pid = _pid(process)

    def die() -> None:
        os.kill(pid, 9)

    with pytest.raises(ChildProcessError) as died:
        process.convert(hostile()["deep-emphasis.org"], "pandoc", "org", die)
    assert died.value.args == (-9,)
    assert [*tmp_path.iterdir()] == []
    assert process.convert(b"Two\n===\n", "pandoc", "rst")["converted"]["text"] == "# Two\n"
    assert _pid(process) != pid
    process.close()


def test_each_document_has_its_own_time_of_the_processor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    process = ConverterProcess(Limits(60, 1, 2048, 2048))
    slow = b"| a |\n|---|\n" + b"\\trowd \\'41\\cell\\row " * 900_000
    with pytest.raises(TimeoutError):
        process.convert(b"{\\rtf1 " + slow + b"}", "pandoc", "rtf")
    for _ in range(4):
        assert process.convert(b"{\\rtf1 Text.}", "pandoc", "rtf")["converted"]["text"] == "Text.\n"
    process.close()


def test_a_process_that_nobody_asks_ends_and_the_next_document_gets_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    process = _fresh(tmp_path, monkeypatch)
    command = "from core.documents import worker; import sys; worker._IDLE_SECONDS = 0.2; worker.main(*sys.argv[1:])"
    monkeypatch.setattr(module, "_COMMAND", (sys.executable, "-c", command))
    process.convert(b"One\n===\n", "pandoc", "rst")
    pid = _pid(process)
    wait_until(lambda: [*tmp_path.iterdir()] == [])
    assert process.convert(b"Two\n===\n", "pandoc", "rst")["converted"]["text"] == "# Two\n"
    assert _pid(process) != pid
    process.close()


def test_a_process_is_replaced_after_a_document_that_needed_much_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    process = _fresh(tmp_path, monkeypatch)
    command = "from core.documents import worker; import sys; worker._GROWN = 0.0; worker.main(*sys.argv[1:])"
    monkeypatch.setattr(module, "_COMMAND", (sys.executable, "-c", command))
    for name in ("One", "Two"):
        assert process.convert(f"{name}\n====\n".encode(), "pandoc", "rst")["converted"]["text"] == f"# {name}\n"
        assert [*tmp_path.iterdir()] == []


_HOSTILE = """
import os, sys, time
folder = sys.argv[1]
sys.stdin.readline()
open(os.path.join(folder, "new"), "wb").write({payload!r})
{place}
time.sleep(60)
"""
_PLACED = 'os.replace(os.path.join(folder, "new"), os.path.join(folder, "result"))'
_PIPE = 'os.mkfifo(os.path.join(folder, "result"))'
_CONVERTED = {"text": "words", "title": "", "author": "", "created": "", "updated": "", "pages": [], "warnings": []}


class _RunWhenUnpickled:
    def __init__(self, file: Path) -> None:
        self.file = file

    def __reduce__(self) -> tuple[object, ...]:
        return os.mkdir, (str(self.file),)


def _json(**values: object) -> bytes:
    return json.dumps(values).encode()


def _hostile_results(folder: Path) -> dict[str, bytes]:
    document = _CONVERTED | {"left_out": [], "ocr": ""}
    wrong: list[dict[str, object]] = [
        {"text": 5}, {"title": ["x"]}, {"pages": {"a": 1}}, {"pages": ["1"]}, {"pages": 2**70},
        {"warnings": [{"x": 1}]},
        {"warnings": [{"text": "{n}", "fields": {}, "plural": "{n}s"}]}, {"left_out": [{"kind": []}]}, {"ocr": None},
    ]  # fmt: skip
    return {
        "pickle": pickle.dumps(_RunWhenUnpickled(folder / "run")),
        "no JSON": b"\x00\xff",
        "truncated": _json(converted=document, version="1")[:-9],
        "nested": b"[" * 100_000,
        "huge": _json(converted=document | {"text": "a" * 100_000}, version="1"),
        "no object": b"[1]",
        "nothing": b"{}",
        "half a character": b'{"converted": {"text": "\\ud800"}, "version": "1"}',
        "no document": _json(converted="words", version="1"),
        "no version": _json(converted=document),
        "a reason that is none": _json(reason={"text": 5, "fields": []}),
        **{f"wrong {values}": _json(converted=document | values, version="1") for values in wrong},
    }


@pytest.mark.parametrize("name", [*_hostile_results(Path()), "a pipe"])
def test_what_a_document_that_took_its_process_over_writes_is_data_or_an_error(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    payload = _hostile_results(tmp_path).get(name, b"")
    command = _HOSTILE.format(payload=payload, place=_PLACED if payload else _PIPE)
    monkeypatch.setattr(module, "_COMMAND", (sys.executable, "-S", "-c", command))
    monkeypatch.setattr(module, "RESULT_BYTES", 10_000)
    monkeypatch.setattr(converting, "_IDLE", [])
    with pytest.raises(SourceError, match="is damaged"):
        converting.convert(b"One\n===\n", "a.rst")
    for process in converting._IDLE:
        process.close()
    assert not (tmp_path / "run").exists()
