"""`tessera base scan`: text folders are brought into their bases, with counts."""

import json
from pathlib import Path
from typing import Any

import pytest

from core.base.registry import Entry
from core.doors import cli
from core.embedding import EMBEDDERS


@pytest.fixture
def texts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(EMBEDDERS, "words", Entry("tests.fakes:WordLengths"))
    monkeypatch.setenv("TESSERA_EMBEDDER", "words")
    folder = tmp_path / "knowledge" / "faq" / "texts"
    folder.mkdir(parents=True)
    return folder


def said(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as end:
        cli.main([*arguments, "--workspace", "workspace"])
    return int(end.value.code or 0), *capsys.readouterr()


def counts(capsys: pytest.CaptureFixture[str], *more: str) -> Any:
    code, out, error = said(capsys, "base", "scan", "--json", *more)
    assert code == 0, error
    (folder,) = json.loads(out)["folders"]
    return tuple(folder[name] for name in ("made", "added", "changed", "removed", "unchanged", "chunks"))


def test_a_scan_tells_its_counts_and_hits_their_lines(texts: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "[knowledge]" in said(capsys, "base", "scan")[2]
    Path("tessera.toml").write_text("[knowledge]\nenabled = true\n")
    (texts / "a.txt").write_text("first\n\nthe third line\n")
    (texts / "b.txt").write_text("other\n")
    assert counts(capsys) == (True, 2, 0, 0, 0, 3)
    assert counts(capsys) == (False, 0, 0, 0, 2, 0)
    (texts / "a.txt").write_text("first\nsecond\nthe third line\n")
    (texts / "b.txt").unlink()
    assert counts(capsys) == (False, 0, 1, 1, 0, 3)
    assert "faq: a.txt:3" in said(capsys, "search", "third", "--rerank", "none")[1]
    hits = json.loads(said(capsys, "search", "third", "--rerank", "none", "--json")[1])["hits"]
    assert (hits[0]["path"], hits[0]["line"], hits[0]["text"]) == ("a.txt", 3, "the third line")


def test_a_folder_that_lost_many_files_waits_for_a_word(texts: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("tessera.toml").write_text("[knowledge]\nenabled = true\n")
    for number in range(6):
        (texts / f"{number}.txt").write_text(f"file {number}\n")
    said(capsys, "base", "scan")
    for number in range(5):
        (texts / f"{number}.txt").unlink()
    code, out, error = said(capsys, "base", "scan")
    assert code == 1
    assert "5 of 6 notes are no longer in" in out
    assert "--allow-removals" in error
    assert counts(capsys, "--allow-removals") == (False, 0, 0, 5, 1, 0)
