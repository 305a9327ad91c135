"""Documents of an import are converted ahead, two at a time, and no more of them than have room."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from threading import Barrier, BrokenBarrierError, Event
from types import SimpleNamespace
from typing import Any

import pytest

from core.base.errors import Cancelled, SourceError
from core.documents import converting
from core.intake import converting_ahead, notefile
from core.intake.converting_ahead import convert_ahead
from core.model import Document, SourceFile
from core.workspace import Workspace


def _files(place: Path, *names: str) -> list[SourceFile]:
    for name in names:
        (place / name).write_text(name)
    return [SourceFile(name, 1, len(name)) for name in names]


def _converting(monkeypatch: pytest.MonkeyPatch, convert: Callable[[str, Callable[[], object]], None]) -> None:
    def document_text(data: bytes, path: str, *, look: Callable[[], object], **_: Any) -> notefile.DocumentText:
        convert(path, look)
        return notefile.DocumentText(f"text of {data.decode()}", Document("rst", ""))

    monkeypatch.setattr(notefile, "document_text", document_text)


def test_two_documents_are_converted_at_once_and_all_come_in_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    both = Barrier(2, timeout=60)
    _converting(monkeypatch, lambda path, look: both.wait() if path != "e.rst" else None)
    files = _files(tmp_path, "a.rst", "b.md", "c.rst", "d.rst", "e.rst", "f.rst")
    choices = {file.path: ("", "") for file in files if file.path.endswith("rst")}
    taken = [
        (file.path, document().read.text if document else "")
        for file, document in convert_ahead(tmp_path, files, choices, uploaded=False)
    ]
    assert taken == [(path, "" if path == "b.md" else f"text of {path}") for path in (file.path for file in files)]


def test_a_document_that_fails_raises_when_it_is_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def convert(path: str, look: Callable[[], object]) -> None:
        if path == "a.rst":
            raise SourceError(path, "is damaged")

    _converting(monkeypatch, convert)
    files = _files(tmp_path, "a.rst", "b.rst")
    texts = []
    for _, document in convert_ahead(tmp_path, files, {"a.rst": ("", ""), "b.rst": ("", "")}, uploaded=False):
        try:
            assert document
            texts.append(document().read.text)
        except SourceError:
            texts.append("damaged")
    assert texts == ["damaged", "text of b.rst"]


def test_only_documents_that_have_room_are_held(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[str] = []
    _converting(monkeypatch, lambda path, look: begun.append(path))
    monkeypatch.setattr(converting_ahead, "_BYTES", 10)
    files = _files(tmp_path, *(f"{letter}.rst" for letter in "abcdef"))
    for number, (_, document) in enumerate(
        convert_ahead(tmp_path, files, {file.path: ("", "") for file in files}, uploaded=False)
    ):
        assert document
        document()
        assert len(begun) <= number + 2  # two of five bytes each


def test_conversions_end_once_nobody_takes_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    begun, ended = Event(), []

    def convert(path: str, look: Callable[[], object]) -> None:
        begun.set()
        try:
            while True:
                look()
        except Cancelled:
            ended.append(path)
            raise

    _converting(monkeypatch, convert)
    files = _files(tmp_path, "a.rst", "b.rst", "c.rst")
    taking = convert_ahead(tmp_path, files, {file.path: ("", "") for file in files}, uploaded=False)
    next(taking)
    assert begun.wait(60)
    taking.close()
    assert "a.rst" in ended
    assert "c.rst" not in ended


def test_an_import_that_is_stopped_does_not_wait_for_a_document(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hangs = Event()

    def convert(path: str, look: Callable[[], object]) -> None:
        while path == "b.rst":
            hangs.set()
            look()

    def progress(done: float, total: float, what: object) -> None:
        if hangs.is_set():
            raise Cancelled

    _converting(monkeypatch, convert)
    folder = tmp_path / "notes"
    folder.mkdir()
    _files(folder, "a.rst", "b.rst", "c.rst")
    with Workspace(tmp_path / "workspace") as workspace:
        report = workspace.imports.apply(workspace.imports.plan_folder(folder, "b"), progress=progress)
    assert report.added < 2


_ENDS = """
import threading, time
from core.base.threads import DaemonPool

begun = threading.Event()

def work():
    begun.set()
    time.sleep(600)

def job():
    with DaemonPool(1, "long") as pool:
        pool.submit(work)

threading.Thread(target=job, daemon=True).start()
begun.wait()
"""


def test_the_end_of_the_program_does_not_wait_for_what_is_under_way() -> None:
    subprocess.run([sys.executable, "-c", _ENDS], check=True, timeout=30)


def test_one_document_at_a_time_may_be_a_scan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    together, alone = Barrier(2), []

    def run(*_: object) -> dict[str, Any]:
        try:
            together.wait(0.2)
        except BrokenBarrierError:
            alone.append(True)
        together.reset()
        raise SourceError("", "is damaged")

    monkeypatch.setattr(converting, "_take_process", lambda limits: SimpleNamespace(convert=run))
    monkeypatch.setattr(converting, "can_read", lambda: True)
    files = _files(tmp_path, "a.pdf", "b.pdf", "c.pdf", "d.pdf")
    for file in files:
        (tmp_path / file.path).write_bytes(b"%PDF-1.7")
    for _, document in convert_ahead(tmp_path, files, {file.path: ("", "") for file in files}, uploaded=False):
        assert document
        with pytest.raises(SourceError):
            document()
    assert len(alone) == 4
