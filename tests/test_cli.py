"""The command line: what scripts read, and what a mistake says."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from core import cli
from core.workspace import Workspace
from tests import notes

pytestmark = pytest.mark.usefixtures("bundled")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return notes.write(tmp_path / "vault")


@pytest.fixture
def run(tmp_path: Path, capsys: pytest.CaptureFixture[str]):  # type: ignore[no-untyped-def]
    """Run a command with --workspace and --json, and return what it printed; a failure is (status, stderr)."""

    def run(*arguments: object) -> Any:
        command = [str(argument) for argument in arguments]
        try:
            cli.main([*command, "--workspace", str(tmp_path / "workspace"), "--json"])
        except SystemExit as end:
            printed = capsys.readouterr()
            return json.loads(printed.out) if not end.code else (end.code, printed.err)
        return json.loads(capsys.readouterr().out)

    return run


def test_import_says_what_it_did(run: Any, folder: Path) -> None:
    planned = run("import", folder, "--base", "mine", "--dry-run")
    assert planned["added"] == 3
    assert planned["embedded_windows"] == 0
    assert run("status")["bases"] == []
    report = run("import", folder, "--base", "mine")
    expected = {"added": 3, "changed": 0, "renamed": 0, "removed": 0, "unchanged": 0, "failed": [], "chunks": 3}
    assert report.items() >= expected.items()
    assert report["embedded_windows"] == 3
    assert report["seconds"] > 0
    (folder / "empty.md").touch()
    again = run("import", folder, "--base", "mine")
    assert again["unchanged"] == 3
    assert again["failed"] == [{"path": "empty.md", "error": again["failed"][0]["error"]}]


def test_search_hits_point_into_the_file(run: Any, folder: Path) -> None:
    run("import", folder)
    result = run("search", "怎样避免缓存同时过期", "--limit", 2)
    assert result["mode"] == "hybrid"
    assert len(result["hits"]) == 2
    hit = result["hits"][0]
    assert (hit["rank"], hit["base"], hit["path"], hit["title"]) == (1, "vault", "缓存/雪崩.md", "缓存雪崩")
    assert (hit["chunk_index"], hit["total_chunks"]) == (0, 1)
    assert hit["section"] == ["缓存雪崩"]
    assert set(hit["scores"]) == {"vector", "keyword", "fused"}
    source = (folder / hit["path"]).read_text(encoding="utf-8")
    assert source[hit["file_start"] : hit["file_end"]] == hit["text"]
    assert hit["file_end"] - hit["file_start"] == hit["end"] - hit["start"] == len(hit["text"])
    assert [hit["path"] for hit in run("search", "dough", "--tag", "redis")["hits"]] == ["缓存/雪崩.md"]


def test_expanding_shows_the_neighbours(run: Any, folder: Path) -> None:
    (folder / "long.md").write_text(notes.long_note(20))
    run("import", folder)
    plain = run("search", "word7", "--mode", "keyword")["hits"][0]
    wide = run("search", "word7", "--mode", "keyword", "--expand", 1)["hits"][0]
    assert plain["chunk_id"] == wide["chunk_id"]
    assert plain["text"] in wide["text"]
    assert wide["start"] < plain["start"] < plain["end"] < wide["end"]


def test_chunks_shows_the_cut_and_stores_nothing(run: Any, folder: Path, tmp_path: Path) -> None:
    cut = run("chunks", folder / "缓存/雪崩.md")
    assert cut["strategy"] == "none"
    assert cut["reasons"]
    (chunk,) = cut["chunks"]
    assert chunk["kind"] == "full_document"
    assert notes.CACHE[chunk["file_start"] : chunk["file_end"]] == chunk["text"]
    lines = run("chunks", folder / "kitchen/bread.txt", "--strategy", "lines")
    assert [chunk["kind"] for chunk in lines["chunks"]] == ["line"]
    small = run("chunks", folder / "backups.md", "--strategy", "recursive", "--chunk-size", 20, "--chunk-overlap", 5)
    assert len(small["chunks"]) > 2
    assert not (tmp_path / "workspace").exists()


def test_chunks_compares_two_strategies_and_draws_them(run: Any, folder: Path, capsys: Any) -> None:
    (folder / "long.md").write_text(notes.long_note(20) + "<script>alert(1)</script>\n")
    shown = run("chunks", folder / "long.md", "--compare", "recursive")
    assert (shown["strategy"], shown["compare"]["strategy"]) == ("markdown", "recursive")
    assert shown["sizes"]["count"] == len(shown["chunks"])
    cuts = shown["compare"]["cuts"]
    assert {chunk["start"] for chunk in shown["chunks"]} == {*cuts["both"], *cuts["first"]}
    assert cuts["second"]
    with pytest.raises(SystemExit) as end:
        cli.main(["chunks", str(folder / "long.md"), "--compare", "recursive", "--format", "html"])
    assert end.value.code == 0
    page = capsys.readouterr().out
    assert page.count("<article") == len(shown["chunks"]) + len(shown["compare"]["chunks"])
    assert "<script" not in page
    assert run("chunks", folder / "long.md", "--format", "pdf")[0] == 1


def test_evaluate_reports_every_question(run: Any, folder: Path, tmp_path: Path) -> None:
    run("import", folder)
    questions = tmp_path / "questions.jsonl"
    gold = [{"path": "backups.md", "quote": "Count the rows of the\nlargest table"}]
    questions.write_text(json.dumps({"id": "q1", "question": "how to check a restored database", "gold": gold}))
    evaluation = run("evaluate", questions, "--base", "vault")
    assert evaluation["questions"] == 1
    assert set(evaluation["metrics"]) == {"hit@1", "hit@5", "hit@10", "mrr@10", "hit@4000chars"}
    (question,) = evaluation["per_question"]
    assert question["id"] == "q1"
    assert {"path", "file_start", "file_end", "score"} == set(question["hits"][0])
    questions.write_text("{}\n")
    assert "line 1" in run("evaluate", questions, "--base", "vault")[1]


def test_rebuild_gives_the_same_hits(run: Any, folder: Path, tmp_path: Path) -> None:
    run("import", folder)
    with Workspace(tmp_path / "workspace") as workspace:
        workspace.store.open_index()
        before = [hit.chunk.id for hit in workspace.search("restore").hits]
    for file in sorted((tmp_path / "workspace" / "chroma").rglob("*"), reverse=True):
        file.rmdir() if file.is_dir() else file.unlink()
    assert run("rebuild") == {"windows": 3}
    with Workspace(tmp_path / "workspace") as workspace:
        workspace.store.open_index()
        assert [hit.chunk.id for hit in workspace.search("restore").hits] == before
    status = run("status")
    assert [(base["name"], base["notes"], base["chunks"]) for base in status["bases"]] == [("vault", 3, 3)]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["search", ""], "empty"),
        (["search", "...!"], "punctuation"),
        (["search", "x", "--limit", "0"], "limit is 0"),
        (["search", "x", "--limit", "-1"], "limit is -1"),
        (["search", "x", "--mode", "fuzzy"], "auto, hybrid, keyword, semantic"),
        (["search", "x", "--base", "valt"], "Did you mean 'vault'"),
        (["search", "x", "--after", "yesterday"], "2026-01-31"),
        (["import", "/nowhere/at/all"], "doesn't exist"),
        (["chunks", "/nowhere/x.md"], "/nowhere/x.md"),
        (["evaluate", "/nowhere.jsonl", "--base", "vault"], "/nowhere.jsonl"),
    ],
)
def test_a_mistake_is_one_line_that_says_what_to_do(run: Any, folder: Path, arguments: list[str], says: str) -> None:
    run("import", folder)
    status, error = run(*arguments)
    assert status == 1
    assert says in error
    assert error.count("\n") == 1


def test_an_unknown_strategy_lists_the_choices(run: Any, folder: Path) -> None:
    status, error = run("chunks", folder / "backups.md", "--strategy", "magic")
    assert status == 1
    assert "auto, lines, markdown, none, recursive" in error


def test_wrong_usage_is_another_status(run: Any) -> None:
    assert run("search")[0] == 2
    assert run("search", "x", "--limit", "many")[0] == 2


def test_a_workspace_in_use_is_refused_for_writing_and_open_for_reading(run: Any, folder: Path, tmp_path: Path) -> None:
    run("import", folder)
    with Workspace(tmp_path / "workspace"):
        (folder / "new.md").write_text("# New")
        command = [sys.executable, "-m", "core.cli", "import", folder, "--workspace", tmp_path / "workspace"]
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == 1
        assert f"process {os.getpid()}" in done.stderr
        assert run("search", "pg_restore", "--mode", "keyword")["hits"]


def test_ctrl_c_leaves_a_workspace_that_opens(run: Any, tmp_path: Path) -> None:
    folder = tmp_path / "many"
    folder.mkdir()
    for number in range(40):
        (folder / f"{number}.md").write_text(notes.long_note(60).replace("word", f"note{number}word"))
    command = [sys.executable, "-m", "core.cli", "import", str(folder), "--workspace", str(tmp_path / "workspace")]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    while not (tmp_path / "workspace" / "chroma").exists() and process.poll() is None:
        time.sleep(0.1)
    time.sleep(1)
    process.send_signal(signal.SIGINT)
    _, error = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "Traceback" not in error
    with Workspace(tmp_path / "workspace") as workspace:
        assert all(card.chunks > 1 for card in workspace.notes())
        workspace.store.open_index()
        assert not workspace.store.index_problem


def test_version(run: Any) -> None:
    assert run("version")["version"].count(".") == 2
