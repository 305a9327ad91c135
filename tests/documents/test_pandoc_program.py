"""The process of pandoc that converts one document after another: what it may open, take and keep."""

import io
import json
import os
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from PIL import Image

from core.documents import pandoc_program, process
from core.documents.pandoc_program import _run_once, _Service, run_pandoc
from core.documents.process import ConverterProcess, Limits
from tests.documents.making import hostile, of_markdown
from tests.waiting import wait_until

pytestmark = pytest.mark.skipif(not hasattr(process.resource, "prlimit"), reason="each document gets its own process")

_EMPTY = b'{"pandoc-api-version":[1,23,1],"meta":{},"blocks":[]}'
_CONVERT = """
import sys
from core.documents.converting import convert
from tests.documents.making import of_markdown
convert(of_markdown("One", "docx"), "one.docx")
print(flush=True)
sys.stdin.read()
"""


def _pid(service: _Service) -> int:
    assert service._process
    return service._process.pid


@pytest.fixture
def service(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[_Service]:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    made = _Service()
    monkeypatch.setattr(pandoc_program, "_SERVICE", made)
    monkeypatch.setattr(pandoc_program, "seconds_left", lambda: 60.0)
    yield made
    made.close()


def _children(pid: int) -> list[int]:
    shown = subprocess.run(["ps", "-o", "pid=", "--ppid", str(pid)], capture_output=True, text=True).stdout
    return [int(line) for line in shown.split()]


def test_many_documents_are_converted_by_one_process_that_ends_with_its_parent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    converter = ConverterProcess(Limits(60, 60, 2048, 2048))
    started = set[tuple[int, ...]]()
    for name in ("One", "Two", "Three"):
        result = converter.convert(of_markdown(name, "docx"), "pandoc", "docx")
        assert result["converted"]["text"] == f"{name}\n"
        assert converter._process
        started.add(tuple(_children(converter._process.pid)))
        assert [*converter._place.iterdir()] == []
    [(pid,)] = started
    converter.close()
    wait_until(lambda: not Path(f"/proc/{pid}/exe").exists())
    assert [*tmp_path.iterdir()] == []


def test_the_process_ends_with_the_program(tmp_path: Path) -> None:
    parent = subprocess.Popen(
        [sys.executable, "-c", _CONVERT],
        env={**os.environ, "TMPDIR": str(tmp_path)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    with parent:
        assert parent.stdout
        parent.stdout.readline()
        [worker] = _children(parent.pid)
        [pid] = _children(worker)
        parent.kill()
    wait_until(lambda: not Path(f"/proc/{pid}/exe").exists())
    assert [*tmp_path.iterdir()] == []


@pytest.mark.parametrize(("data", "reader", "writer"), [
    (of_markdown("# One\n\n- a\n- b [c](d)\n\n|a|b|\n|-|-|\n|1|2|\n\n$x^2$[^1]\n\n[^1]: Two", "docx"), "docx", "json"),
    (of_markdown("One\n\n> two", "odt"), "odt", "json"),
    (of_markdown("# One\n\ntwo", "epub"), "epub", "json"),
    (_EMPTY, "json", "gfm-raw_html"),
    (_EMPTY.replace(b"[]", b'[{"t":"Para","c":[{"t":"Str","c":"' + b"word " * 40 + b'"}]}]'), "json", "gfm-raw_html"),
])  # fmt: skip
def test_it_writes_what_the_command_writes(service: _Service, data: bytes, reader: str, writer: str) -> None:
    assert service.convert(data, reader, writer) == _run_once(data, "-f", reader, "-t", writer, "--wrap=none")


def test_neither_its_reader_nor_its_writer_opens_a_file(service: _Service, tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("s3cret")
    picture = tmp_path / "picture.png"
    Image.new("RGB", (4, 4)).save(picture)
    include = f".. include:: {secret}\n"
    assert service.convert(include.encode(), "rst", "gfm") == b"\n"
    page = service.convert(f"![a]({picture})".encode(), "markdown", "docx")
    assert page
    assert not [name for name in zipfile.ZipFile(io.BytesIO(page)).namelist() if "picture" in name or ".png" in name]
    assert sorted(file.name for file in Path(f"/proc/{_pid(service)}/fd").iterdir()) == ["0", "1", "2"]


def test_a_document_that_takes_longer_ends_the_process(service: _Service, monkeypatch: pytest.MonkeyPatch) -> None:
    service.convert(_EMPTY, "json", "gfm")
    first, service._seconds = _pid(service), 6.5
    service.convert(_EMPTY, "json", "gfm")
    assert process.resource.prlimit(first, process.resource.RLIMIT_CPU)[0] == 9
    service._seconds = 0.0
    assert service.convert(hostile()["deep-emphasis.org"], "org", "json") is None
    assert service._process is None
    monkeypatch.setattr(pandoc_program, "_LONG", 0.0)
    assert service.convert(_EMPTY, "json", "gfm") == b"\n"
    assert service._process is None


def test_a_document_that_it_cannot_convert_gets_a_process_of_its_own(
    service: _Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    service.convert(_EMPTY, "json", "gfm")
    first = _pid(service)
    with pytest.raises(Exception, match="This file is damaged"):
        run_pandoc(b"{}", "json", "gfm")
    assert run_pandoc(_EMPTY, "json", "gfm") == b"\n"
    assert _pid(service) != first
    os.kill(_pid(service), 9)
    wait_until(lambda: b"\0" not in Path(f"/proc/{_pid(service)}/cmdline").read_bytes())
    assert run_pandoc(_EMPTY, "json", "gfm") == b"\n"


def test_a_document_that_needs_more_memory_ends_the_process(service: _Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pandoc_program, "_RESERVED", ("+RTS", "-xr50m", "-RTS"))
    service.convert(_EMPTY, "json", "gfm")
    many = json.dumps(json.loads(_EMPTY) | {"blocks": [{"t": "Para", "c": [{"t": "Str", "c": "a"}]}] * 5_000})
    assert service.convert(many.encode(), "json", "gfm") is None
    assert service._process is None
    assert len(run_pandoc(many.encode(), "json", "gfm")) == 3 * 5_000 - 1
