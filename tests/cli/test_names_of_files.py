"""A name of a file may hold the end of a line; a list of names has a line for each all the same."""

import json
from pathlib import Path

import pytest

from core.doors import cli


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TESSERA_EMBEDDER", "tfidf")
    monkeypatch.setenv("TESSERA_SEARCH__RERANKER", "none")
    monkeypatch.setenv("TESSERA_WORKSPACE", str(tmp_path / "workspace"))
    folder = tmp_path / "vault"
    (folder / "fol\nder").mkdir(parents=True)
    (folder / "fol\nder" / "a\nb.md").write_text("a heron\n")
    (folder / "link.md").write_text("a heron at [[a b]]\n")
    (folder / "bad\none.docx").write_bytes(b"\0\1")
    (folder / "pic\rture.xyz").write_bytes(b"\0\1")
    return folder


def test_no_list_is_broken(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def run(*arguments: str) -> list[str]:
        with pytest.raises(SystemExit, match="0"):
            cli.main([*arguments])
        return capsys.readouterr().out.splitlines()

    imported = run("import", str(folder), "--base", "vault")
    assert any(line.startswith("  failed (1): bad\u240aone.docx: ") for line in imported)
    assert any(line.startswith("  not read (1): pic\u240dture.xyz: ") for line in imported)
    assert [line.split()[2:] for line in run("note", "list")[1:]] == [
        ["fol\u240ader/a\u240ab.md", "a", "b", "active"],
        ["link.md", "link", "active"],
    ]
    assert len(run("document", "unread", "--base", "vault")) == 2
    assert "   vault: fol\u240ader/a\u240ab.md" in run("search", "heron", "--mode", "keyword")
    assert "  a b (vault: fol\u240ader/a\u240ab.md)" in run("note", "related", "link.md")
    (line,) = run("note", "list", "--json")
    assert {note["path"] for note in json.loads(line)["notes"]} == {"fol\nder/a\nb.md", "link.md"}
