"""`tessera base`, and what an import says of a base that it makes."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from core.base.registry import Entry
from core.documents import converting
from core.doors import cli
from core.embedding import EMBEDDERS
from tests import samples
from tests.fakes import read_picture
from tests.model_server import ModelServer

Run = Callable[..., Any]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return samples.write(tmp_path / "vault")


@pytest.fixture(autouse=True)
def _words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(EMBEDDERS, "words", Entry("tests.fakes:WordLengths"))
    monkeypatch.setenv("TESSERA_EMBEDDER", "words")


@pytest.fixture
def said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run a command, and return its status and what it printed, on stdout and on stderr."""

    def said(*arguments: object) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as end:
            cli.main([*map(str, arguments), "--workspace", str(tmp_path / "workspace")])
        return int(end.value.code or 0), *capsys.readouterr()

    return said


@pytest.fixture
def run(said: Run) -> Run:
    """Run a command with --json, and return what it printed."""

    def run(*arguments: object) -> Any:
        code, out, error = said(*arguments, "--json")
        assert code == 0, error
        return json.loads(out)

    return run


def test_a_base_is_made_shown_and_listed(run: Run, said: Run) -> None:
    made = run(
        *("base", "new", "work", "--description", "What I do", "--chunk-size", 300, "--limit", 4),
        *("--min-similarity", 0.25, "--index-later", "--watch", "--trust-programs", "--read-pictures"),
    )
    assert made["chunking"]["chunk_size"] == 300
    assert made["search"] == {"limit": 4, "score_threshold": 0.25}
    assert (made["embed_at_once"], made["watch"], made["write_files"]) == (False, True, False)
    assert made["trusts_programs"]
    assert made["read_pictures"]
    assert run("base", "show", "work") == made
    assert run("base", "list")["bases"] == [made]
    _, out, _ = said("base", "show", "work")
    for text in ("What I do", "Chunk size: 300", "Number of hits: 4"):
        assert text in out
    assert "New notes are indexed at once: no" in out
    assert "Edits are saved to the files: no" in out
    assert "work  By meaning and keyword" in said("base", "list")[1]
    code, _, error = said("base", "new", "work")
    assert (code, "already" in error) == (1, True)


def test_settings_are_changed_and_what_needs_indexing_asks(run: Run, said: Run, folder: Path) -> None:
    (folder / "long.md").write_text(samples.long_note(60))
    run("import", folder)
    changed = run("base", "set", "vault", "--limit", 3, "--write-files", "--description", "Mine")
    assert (changed["search"], changed["write_files"], changed["description"]) == ({"limit": 3}, True, "Mine")
    assert "Programs may write without asking: no" in said("base", "show", "vault")[1]
    assert run("base", "set", "vault", "--min-similarity", 0.1)["search"] == {"limit": 3, "score_threshold": 0.1}
    code, _, error = said("base", "set", "vault", "--strategy", "recursive", "--limit", 9)
    assert code == 1
    assert "4 notes will be split again" in error
    assert "--yes" in error
    assert run("base", "show", "vault")["search"]["limit"] == 3
    split = run("base", "set", "vault", "--strategy", "recursive", "--yes")
    assert split["chunking"]["strategy"] == "recursive"
    code, _, error = said("base", "set", "vault", "--embedder", "tfidf", "--yes")
    assert "pieces of text will be indexed with 'tfidf'" in error
    assert run("base", "show", "vault")["embedder"] == "tfidf"


def test_a_base_is_renamed_and_deleted(run: Run, said: Run, folder: Path) -> None:
    run("import", folder)
    assert run("base", "rename", "vault", "mine")["name"] == "mine"
    code, _, error = said("base", "delete", "mine")
    assert (code, "will go to the trash with 3 notes" in error) == (1, True)
    assert run("base", "show", "mine")["notes"] == 3
    assert run("base", "delete", "mine", "--yes") == {"base": "mine", "notes": 3, "deleted": True}
    assert said("base", "list")[1] == "There are no bases yet.\n"


@pytest.mark.parametrize("form", ["zip", "json", "yaml", "markdown"])
def test_a_base_is_exported_and_restored(run: Run, said: Run, folder: Path, tmp_path: Path, form: str) -> None:
    run("import", folder)
    place = tmp_path / f"out.{form}"
    assert run("export", "vault", "--to", place, "--as", form) == {
        "base": "vault",
        "as": form,
        "place": str(place),
    }
    code, _, error = said("export", "vault", "--to", place)
    assert (code, "Choose another name" in error) == (1, True)
    code, _, error = said("restore", place, "--base", "vault")
    assert (code, "already" in error) == (1, True)
    restored = run("restore", place, "--base", "copy")
    assert (restored["base"], restored["notes"], restored["foreign"]) == ("copy", 3, False)
    run("base", "delete", "vault", "--yes")
    assert run("search", "pg_restore", "--mode", "keyword")["hits"]


def test_a_bad_export_is_refused_with_its_lines(run: Run, said: Run, folder: Path, tmp_path: Path) -> None:
    run("import", folder)
    bad = tmp_path / "bad.json"
    bad.write_text('{"tessera": "base", "version": 1, "base": {"name": "b"}, "notes": [\n{"path": "../a.md"},\n1]}')
    code, _, error = said("restore", bad)
    assert code == 1
    assert "line 2: " in error
    assert "line 3: " in error
    assert [base["name"] for base in run("base", "list")["bases"]] == ["vault"]


def test_the_trash_of_bases_is_listed_restored_and_emptied(run: Run, said: Run, folder: Path) -> None:
    run("import", folder)
    assert said("restore")[1] == "There are no deleted bases.\n"
    run("base", "delete", "vault", "--yes")
    assert [one["base"] for one in run("restore")["trash"]] == ["vault"]
    restored = run("restore", "--deleted", "vault")
    assert (restored["base"], restored["notes"], restored["foreign"]) == ("vault", 3, False)
    assert run("restore")["trash"] == []
    assert run("base", "empty-trash") == {"deleted": 0}
    for name in ("one", "two"):
        run("base", "new", name)
        run("base", "delete", name, "--yes")
    code, _, error = said("base", "empty-trash")
    assert (code, "2 bases in the trash will be deleted for good" in error) == (1, True)
    key = run("restore")["trash"][0]["key"]
    assert run("base", "empty-trash", key, "--yes") == {"deleted": 1}
    assert [one["base"] for one in run("restore")["trash"]] == ["one"]
    assert "1 base was deleted" in said("base", "empty-trash", "--yes")[1]
    assert run("restore")["trash"] == []


def test_an_import_says_what_it_makes(run: Run, said: Run, folder: Path) -> None:
    said("base", "new", "other")
    _, _, error = said("import", folder, "--dry-run")
    assert "There is no base 'vault' yet, so this import will create it. Model: words." in error
    assert "chunks of 512 tokens, at most 1,500" in error
    assert "tessera base new vault" in error
    planned = run("import", folder, "--dry-run")["makes"]
    assert (planned["base"], planned["embedder"], planned["chunking"]["chunk_size"]) == ("vault", "words", 512)
    assert len(run("base", "list")["bases"]) == 1
    assert run("import", folder)["makes"] == planned
    assert run("import", folder)["makes"] is None
    assert said("import", folder)[2] == ""


def test_a_base_of_words_is_made_asked_and_given_a_model(
    run: Run, said: Run, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "has no model" in said("base", "new", "work", "--kind", "literal", "--embedder", "words")[2]
    assert "kind of base" in said("base", "new", "work", "--kind", "litteral")[2]
    made = run("base", "new", "work", "--kind", "literal")
    assert (made["kind"], made["chunking"]["strategy"]) == ("literal", "markdown")
    report = run("import", folder, "--base", "work")
    assert (report["added"], report["waiting"]) == (3, 0)
    shown = said("base", "show", "work")[1]
    assert "Kind: By keyword only" in shown
    assert "By keyword only" in said("base", "list")[1]
    alone = run("search", "restore")
    assert (alone["mode"], alone["choice"]["by"]) == ("keyword", "")
    assert "No language model is set up" in said("search", "restore")[1]
    with ModelServer() as server:
        monkeypatch.setenv("TESSERA_LLM__BASE_URL", server.url)
        monkeypatch.setenv("TESSERA_LLM__MODEL", "small")
        chosen = run("search", "restore the largest table")
        assert chosen["choice"]["chunks"] == [hit["chunk_id"] for hit in chosen["hits"]]
        lines = said("search", "restore the largest table")[1].splitlines()
        assert lines[1:3] == [
            "The language model small chose 2 sections, which come first:",
            "An answer from 2 of 2 sections.",
        ]
    changed = run("base", "set", "work", "--embedder", "words", "--yes")
    assert (changed["kind"], changed["embedder"], changed["pending"]) == ("vector", "words", 0)


def test_a_base_may_come_after_the_options(run: Run, folder: Path) -> None:
    run("import", folder)
    assert run("base", "set", "--description", "Mills", "vault")["description"] == "Mills"
    assert run("note", "new", "--title", "Oats", "--body", "Oats.", "vault")["base"] == "vault"


def test_a_restored_base_says_what_it_may_not_do_and_a_folder_is_connected(
    run: Run, said: Run, folder: Path, tmp_path: Path
) -> None:
    run("import", folder)
    run("base", "set", "vault", "--write-files", "--watch", "--trust-programs")
    place = tmp_path / "out.zip"
    run("export", "vault", "--to", place)
    _, out, _ = said("restore", place, "--base", "my copy")
    for option in ("--write-files", "--watch", "--trust-programs"):
        assert f"tessera base set --base 'my copy' {option}" in out
    assert f"The base's notes were files in {folder}" in out
    assert run("base", "show", "my copy")["write_files"] is False
    (folder / "backups.md").write_text("another text")
    planned = run("base", "connect", "my copy", folder, "--dry-run")
    assert (planned["joined"], planned["differing"], planned["connected"]) == (3, ["backups.md"], False)
    code, _, error = said("base", "connect", "my copy", folder)
    assert (code, "1 note differs from its file" in error) == (1, True)
    assert run("base", "show", "my copy")["folders"] == []
    done = run("base", "connect", "my copy", folder, "--yes")
    assert (done["connected"], done["changed"], done["unchanged"]) == (True, 1, 2)
    assert [one["path"] for one in run("base", "show", "my copy")["folders"]] == [str(folder)]
    assert run("import", folder, "--base", "my copy")["unchanged"] == 3


def test_a_fifo_is_no_export_no_log_and_no_question_file(
    said: Run, run: Run, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TESSERA_ENABLE_LEARNING", "true")
    os.mkfifo(tmp_path / "fifo")
    run("import", folder)
    fifo = tmp_path / "fifo"
    for command in (("restore", fifo), ("learn", fifo), ("evaluate", fifo, "--base", "vault")):
        code, _, error = said(*command)
        assert (code, "not a file" in error) == (1, True)


def test_a_person_that_nobody_knows_is_a_name_of_a_folder(
    run: Run, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("import", folder)
    monkeypatch.chdir(tmp_path)
    run("export", "--base", "vault", "--to", "~nobody-here/x.json", "--as", "json")
    assert (tmp_path / "~nobody-here" / "x.json").is_file()


def test_pictures_are_read_and_a_hit_names_its_own(
    run: Run, said: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(converting.PictureReader, "read", read_picture)
    garden = samples.write_pictured(tmp_path / "garden")
    run("import", garden)
    assert "Text in pictures is read: no" in said("base", "show", "garden")[1]
    assert run("base", "set", "--base", "garden", "--read-pictures")["read_pictures"]
    run("document", "pictures")
    assert said("document", "pictures")[1] == "0 pictures were read.\n"
    assert "garden: plan.md, picture board.png" in said("search", "irrigation")[1]
    assert run("search", "irrigation")["hits"][0]["picture"] == "board.png"
    assert "torn.png: This file is damaged." in said("note", "show", "plan.md")[1]
    run("base", "set", "--base", "garden", "--leave-pictures")
    assert not run("search", "irrigation", "--mode", "keyword")["hits"]
