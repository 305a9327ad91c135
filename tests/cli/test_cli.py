"""The command line: what scripts read, and what a mistake says."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Sequence
from contextlib import closing, suppress
from dataclasses import replace
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from core.base import app_paths
from core.base.errors import ModelError
from core.base.registry import Entry
from core.doors import cli
from core.embedding import EMBEDDERS
from core.features.answers.operations import AnswerView, AnswerWriting, format_answer
from core.model import Matrix, Role
from core.workspace import Workspace
from tests import samples
from tests.fakes import WordLengths
from tests.model_server import ModelServer
from tests.waiting import wait_until

pytestmark = pytest.mark.usefixtures("bundled")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return samples.write(tmp_path / "vault")


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
    text = {"text": "This file is empty.", "fields": {}}
    assert (again["failed"], again["skipped"]) == (
        [],
        [{"path": "empty.md", "error": "This file is empty.", "message": text}],
    )


def test_commands_and_the_app_use_the_workspace_that_the_settings_name(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def said(*arguments: str) -> str:
        with suppress(SystemExit):
            cli.main([*arguments])
        return capsys.readouterr().out

    monkeypatch.chdir(tmp_path)
    Path("tessera.toml").write_text('workspace = "mine"\n')
    said("import", str(folder))
    with Workspace() as workspace:
        assert workspace.store.folder == tmp_path / "mine"
    assert "vault" in said("base", "list")
    assert "vault" not in said("base", "list", "--workspace", "other")
    monkeypatch.chdir("/")
    config = said("mcp", "--settings", str(tmp_path / "tessera.toml"), "--print-config", "--json")
    own = json.loads(json.loads(config)["snippets"][0]["text"])["mcpServers"]["tessera"]["args"]
    assert own[own.index("--workspace") + 1] == str(tmp_path / "mine")


def test_a_question_of_filters_only_lists_notes(
    run: Any, folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run("import", folder)
    with pytest.raises(SystemExit, match="0"):
        cli.main(["search", "tag:redis", "--workspace", str(tmp_path / "workspace")])
    assert capsys.readouterr().out.startswith("1 hit · by filters · ")


def test_search_hits_point_into_the_file(run: Any, folder: Path) -> None:
    run("import", folder)
    result = run("search", "怎样避免缓存同时过期", "--limit", 2)
    assert result["mode"] == "hybrid"
    assert len(result["hits"]) == 2
    hit = result["hits"][0]
    assert (hit["rank"], hit["base"], hit["path"], hit["title"]) == (1, "vault", "缓存/雪崩.md", "缓存雪崩")
    assert (hit["chunk_index"], hit["total_chunks"]) == (0, 1)
    assert hit["section"] == ["缓存雪崩"]
    assert set(hit["scores"]) == set(hit["ranks"]) == {"vector", "keyword", "fused", "rerank", "final"}
    source = (folder / hit["path"]).read_text(encoding="utf-8")
    assert source[hit["file_start"] : hit["file_end"]] == hit["text"]
    assert hit["file_end"] - hit["file_start"] == hit["end"] - hit["start"] == len(hit["text"])
    assert [hit["path"] for hit in run("search", "dough", "--tag", "redis")["hits"]] == ["缓存/雪崩.md"]


def test_a_question_that_the_notes_do_not_answer_is_told(
    run: Any, folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run("import", folder)
    nonsense = "zxqv blorptang 99817"
    for command in ("search", "context"):
        assert run(command, "how do I restore a database")["confident"]
        assert not run(command, nonsense)["confident"]
        with pytest.raises(SystemExit, match="0"):
            cli.main([command, nonsense, "--workspace", str(tmp_path / "workspace")])
        assert "Nothing similar was found. The closest hits:\n\n" in capsys.readouterr().out


def test_a_question_is_answered_from_the_notes_or_refused(
    run: Any, folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run("import", folder)
    answer = run("ask", "what are backups worth?")
    assert answer["answered"] != "no"
    (cited,) = [one for one in answer["citations"] if one["quote"].startswith("Backups are only worth")]
    assert cited["path"] == "backups.md"
    assert answer["answer"].startswith("Backups are only worth")
    assert answer["answer"].removesuffix(" [1]") in cited["quote"]
    with pytest.raises(SystemExit, match="0"):
        cli.main(["ask", "what are backups worth?", "--workspace", str(tmp_path / "workspace")])
    printed = capsys.readouterr().out
    assert "Backups are only worth what their last restore proved." in printed.partition("[1]")[0]
    refused = run("ask", "zxqv blorptang 99817")
    assert refused["answered"] == "no"
    assert (refused["answer"], refused["sentences"], refused["citations"]) == ("", [], [])
    assert refused["nearest"]
    assert refused["explanation"] == "I found nothing in your notes that answers this."
    with Workspace(tmp_path / "workspace") as workspace:
        view = AnswerView.from_answer(workspace.answers.ask("zxqv blorptang 99817"))
        written = AnswerView.from_answer(workspace.answers.ask("what are backups worth?"))
    lines = format_answer(replace(view, nearest=view.nearest * 2))
    assert len(lines) == len(set(lines))

    row = replace(written.citations[0], quote="| a | b |")
    written = replace(written, writing=AnswerWriting("m", stopped=False, task="", material=""))
    for kind, shown in {"code": "| a | b |", "row": "a · b", "passage": "a · b"}.items():
        lines = format_answer(replace(written, citations=(replace(row, kind=kind),)))
        assert lines[-1].endswith(f": {shown}")


def test_a_language_model_answers_and_a_thread_goes_on(
    run: Any, folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    run("import", folder)
    assert "No model server is set up" in run("ask", "what are backups worth?", "--with-model")[1]
    with ModelServer() as server:
        monkeypatch.setenv("TESSERA_LLM__BASE_URL", server.url)
        monkeypatch.setenv("TESSERA_LLM__MODEL", "scripted")
        answer = run("ask", "what are backups worth?", "--with-model")
        assert answer["writing"]["model"] == "scripted"
        assert {number for one in answer["sentences"] for number in one["citations"]} == {
            one["number"] for one in answer["citations"]
        }
        thread = run("thread", "ask", "what are backups worth?")["id"]
        turns = run("thread", "ask", "how often?", "--thread", thread)["turns"]
        assert [turn["question"] for turn in turns][1] == "what are backups worth? how often?"
        with pytest.raises(SystemExit, match="0"):
            cli.main(["thread", "show", thread, "--workspace", str(tmp_path / "workspace")])
        printed = capsys.readouterr().out
        assert "Searched for: what are backups worth? how often?" in printed
        assert "[1] " in printed
    assert run("thread", "keep", thread)["status"] == "pending"
    assert [one["id"] for one in run("thread", "list")["threads"]] == [thread]
    run("thread", "delete", thread)
    assert run("thread", "list") == {"threads": []}
    assert "There is no thread" in run("thread", "show", thread)[1]


def test_expanding_shows_the_neighbours(run: Any, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TESSERA_EMBEDDER", "tfidf")  # for so many windows the bundled model would load torch
    (folder / "long.md").write_text(samples.long_note(20))
    run("import", folder)
    plain = run("search", "word7", "--mode", "keyword")["hits"][0]
    wide = run("search", "word7", "--mode", "keyword", "--expand", 1)["hits"][0]
    assert plain["chunk_id"] == wide["chunk_id"]
    assert plain["text"] in wide["text"]
    assert wide["start"] < plain["start"] < plain["end"] < wide["end"]


@pytest.mark.usefixtures("any_size")
def test_chunks_shows_the_cut_and_stores_nothing(run: Any, folder: Path, tmp_path: Path) -> None:
    cut = run("chunks", folder / "缓存/雪崩.md")
    assert cut["strategy"] == "none"
    assert cut["reasons"]
    (chunk,) = cut["chunks"]
    assert chunk["kind"] == "full_document"
    assert samples.CACHE[chunk["file_start"] : chunk["file_end"]] == chunk["text"]
    lines = run("chunks", folder / "kitchen/bread.txt", "--strategy", "lines")
    assert [chunk["kind"] for chunk in lines["chunks"]] == ["line"]
    small = run("chunks", folder / "backups.md", "--strategy", "recursive", "--chunk-size", 20, "--chunk-overlap", 5)
    assert len(small["chunks"]) > 2
    assert not (tmp_path / "workspace").exists()


def test_chunks_compares_two_strategies_and_draws_them(run: Any, folder: Path, capsys: Any) -> None:
    (folder / "long.md").write_text(samples.long_note(20) + "<script>alert(1)</script>\n")
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
    assert evaluation["metrics"].keys() >= {"hit@1", "hit@5", "hit@10", "mrr@10", "hit@4000chars"}
    (question,) = evaluation["per_question"]
    assert question["id"] == "q1"
    assert {"path", "file_start", "file_end", "score"} == set(question["hits"][0])
    questions.write_text("{}\n")
    assert "line 1" in run("evaluate", questions, "--base", "vault")[1]


def questions_of(tmp_path: Path) -> Path:
    gold = [{"path": "backups.md", "quote": "Count the rows of the\nlargest table"}]
    file = tmp_path / "questions.jsonl"
    file.write_text(json.dumps({"id": "q1", "question": "how to check a restored database", "gold": gold}))
    return file


def test_evaluate_compares_ways_to_search_and_writes_a_report(run: Any, folder: Path, tmp_path: Path) -> None:
    run("import", folder)
    asked = ("evaluate", questions_of(tmp_path), "--base", "vault", "--compare", "mode=keyword,limit=3")
    for name, holds in (("out.csv", "q1,"), ("out.md", "| First hit is correct |"), ("out.html", "<!doctype html>")):
        told = run(*asked, "--report", tmp_path / name)
        assert [one["pipeline"] for one in told["compared"]["runs"]] == ["Current settings", "mode=keyword,limit=3"]
        assert told["compared"]["settings"]["mode"] == ["auto", "keyword"]
        assert "too few questions" in told["compared"]["differences"]["hit@1"]["explanation"]
        assert holds in (tmp_path / name).read_text(encoding="utf-8-sig")
    assert "csv" in run(*asked, "--report", tmp_path / "out.docx")[1]
    assert "Choices: answers, chunk_overlap" in run(*asked, "--compare", "magic=1")[1]


def test_evaluate_keeps_runs_under_a_name_and_asks_them_again(run: Any, folder: Path, tmp_path: Path) -> None:
    run("import", folder)
    file = questions_of(tmp_path)
    run("evaluate", file, "--base", "vault", "--save", "mine")
    assert "already in the question set" in run("evaluate", file, "--base", "vault", "--save", "mine")[1]
    assert run("evaluate", "mine", "--base", "vault", "--save", "mine")["metrics"]["hit@1"] == 1.0
    assert run("evaluate", "mine", "--base", "vault")["questions"] == 1
    assert "Question sets: mine" in run("evaluate", "yours", "--base", "vault")[1]
    with Workspace(tmp_path / "workspace", readonly=True) as workspace:
        assert [one.set_name for one in workspace.runs.all("vault")] == ["mine", "mine"]


def test_evaluate_fails_under_a_target(run: Any, folder: Path, tmp_path: Path) -> None:
    run("import", folder)
    asked = ("evaluate", questions_of(tmp_path), "--base", "vault")
    assert run(*asked, "--fail-under", "hit@5=0.8", "--fail-under", "mrr@10=0.5")["metrics"]["hit@5"] == 1.0
    status, error = run(*asked, "--fail-under", "span_iou=0.99")
    assert status == 1
    assert "span_iou is 0." in error
    assert "Choices: hit@1" in run(*asked, "--fail-under", "magic=0.8")[1]
    assert "hit@5=0.8" in run(*asked, "--fail-under", "hit@5")[1]


def test_rebuild_gives_the_same_hits(run: Any, folder: Path, tmp_path: Path) -> None:
    run("import", folder)
    with Workspace(tmp_path / "workspace") as workspace:
        workspace.store.index.open()
        before = [hit.chunk.id for hit in workspace.search("restore").hits]
    for file in sorted((tmp_path / "workspace" / "chroma").rglob("*"), reverse=True):
        file.rmdir() if file.is_dir() else file.unlink()
    assert run("rebuild") == {"windows": 3, "index": "chroma"}
    with Workspace(tmp_path / "workspace") as workspace:
        workspace.store.index.open()
        assert [hit.chunk.id for hit in workspace.search("restore").hits] == before
    status = run("status")
    assert [(base["name"], base["notes"], base["chunks"]) for base in status["bases"]] == [("vault", 3, 3)]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["search", ""], "empty"),
        (["search", "x", "--limit", "0"], "number of hits is 0"),
        (["search", "x", "--limit", "-1"], "number of hits is -1"),
        (["search", "x", "--mode", "fuzzy"], "auto, hybrid, keyword, semantic"),
        (["search", "x", "--base", "valt"], "Did you mean 'vault'"),
        (["search", "x", "--after", "someday"], "2026-01-31"),
        (["import", "/nowhere/at/all"], "doesn't exist"),
        (["chunks", "/nowhere/x.md"], "/nowhere/x.md"),
        (["search", "caf\udce9"], "'caf\\\\udce9' contains bytes that aren't text"),
        (["import", ".", "--base", "caf\udce9"], "'caf\\\\udce9' contains bytes that aren't text"),
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
    assert run("ask")[0] == 2
    assert run("search", "x", "--limit", "many")[0] == 2


def test_a_workspace_in_use_is_refused_for_writing_and_open_for_reading(run: Any, folder: Path, tmp_path: Path) -> None:
    run("import", folder)
    with Workspace(tmp_path / "workspace"):
        (folder / "new.md").write_text("# New")
        command = [sys.executable, "-m", "core.doors.cli", "import", folder, "--workspace", tmp_path / "workspace"]
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == 1
        assert f"process {os.getpid()}" in done.stderr
        assert run("search", "pg_restore", "--mode", "keyword")["hits"]


def _has_notes(database: Path) -> bool:
    with suppress(sqlite3.OperationalError), closing(sqlite3.connect(f"{database.as_uri()}?mode=ro", uri=True)) as read:
        return bool(read.execute("SELECT 1 FROM notes LIMIT 1").fetchone())
    return False


def test_ctrl_c_leaves_a_workspace_that_opens(run: Any, tmp_path: Path) -> None:
    folder = tmp_path / "many"
    folder.mkdir()
    for number in range(40):
        (folder / f"{number}.md").write_text(samples.long_note(60).replace("word", f"note{number}word"))
    command = [
        sys.executable,
        "-m",
        "core.doors.cli",
        "import",
        str(folder),
        "--workspace",
        str(tmp_path / "workspace"),
    ]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    wait_until(lambda: _has_notes(tmp_path / "workspace" / "notes.db") or process.poll() is not None)
    process.send_signal(signal.SIGINT)
    _, error = process.communicate(timeout=180)
    assert process.returncode == 130
    assert "Traceback" not in error
    with Workspace(tmp_path / "workspace") as workspace:
        assert all(card.chunks > 1 for card in workspace.notes.all())
        workspace.store.index.open()
        assert not workspace.store.index.problem


def test_a_base_whose_model_is_another_now_is_searched_by_words(run: Any, folder: Path, tmp_path: Path) -> None:
    run("import", folder)
    with Workspace(tmp_path / "workspace") as workspace:
        workspace.store.bases.change(workspace.bases.all()[0], fingerprint="the model of before")
    result = run("search", "pg_restore")
    assert (result["mode"], result["notices"]) == ("keyword", ["other_model"])
    assert "pg_restore" in result["hits"][0]["text"]
    status, error = run("search", "pg_restore", "--mode", "semantic")
    assert status == 1
    assert "tessera models switch vault" in error


def test_version(run: Any) -> None:
    assert run("version")["version"].count(".") == 2


def test_version_is_an_option_too(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        cli.main(["--version"])
    assert (end.value.code, capsys.readouterr().out.startswith("tessera 0.")) == (0, True)


class Stoppable(WordLengths):
    """Another embedder, which Ctrl-C meets after `left` more texts of notes; None: never."""

    fingerprint = "stoppable"
    left: int | None = None

    def embed(self, texts: Sequence[str], *, role: Role) -> Matrix:
        if role == "note" and Stoppable.left is not None:
            Stoppable.left -= len(texts)
            if Stoppable.left < 0:
                raise KeyboardInterrupt
        return super().embed(texts, role=role)


@pytest.fixture
def words(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two embedders without a model; new bases get the first."""
    monkeypatch.setitem(EMBEDDERS, "words", Entry("tests.fakes:WordTokens"))
    monkeypatch.setitem(EMBEDDERS, "stoppable", Entry("tests.cli.test_cli:Stoppable"))
    monkeypatch.setenv("TESSERA_EMBEDDER", "words")
    monkeypatch.setattr(Stoppable, "left", None)


def test_an_import_whose_model_is_stopped_or_fails_goes_on_by_a_command(
    run: Any, words: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "long"
    folder.mkdir()
    (folder / "long.md").write_text(samples.long_note(30))
    monkeypatch.setenv("TESSERA_EMBEDDER", "stoppable")
    monkeypatch.setattr(Stoppable, "left", 5)
    status, error = run("import", folder)
    assert status == 130
    assert f"To continue: tessera import {folder}" in error
    assert run("status")["bases"][0].items() >= {"notes": 1, "chunks": 30, "waiting": 1}.items()
    assert run("search", "word7", "--mode", "keyword")["hits"]

    def fail(self: Stoppable, texts: Sequence[str], *, role: Role) -> Matrix:
        raise ModelError("The server doesn't answer. Start it.")

    with monkeypatch.context() as broken:
        broken.setattr(Stoppable, "embed", fail)
        (folder / "herons.md").write_text("A note about herons.")
        status, error = run("import", folder)
        assert status == 1
        assert "The server doesn't answer. Start it. To continue, run: tessera index" in error
        assert run("search", "herons", "--mode", "keyword")["hits"]
    monkeypatch.setattr(Stoppable, "left", None)
    assert run("index") == {"chunks": 31}
    assert run("status")["bases"][0]["waiting"] == 0


def test_models_are_listed_with_what_they_are(run: Any, folder: Path) -> None:
    before = {model["name"]: model for model in run("models", "list")["models"]}
    assert before["bundled"]["usable"]
    assert before["bundled"]["dimension"] == 384
    assert before["bundled"]["bytes"] > 10**8
    assert before["tfidf"]["device"] is None
    assert before["late-interaction"]["part"] == "reranker"
    assert not before["openai_compatible"]["usable"]
    run("import", folder)
    assert {model["name"] for model in run("models", "list")["models"]} == set(before)


@pytest.mark.parametrize("command", ["--help", "models --help", "models list", "models list --json"])
def test_a_list_and_a_help_import_no_torch(command: str, tmp_path: Path) -> None:
    code = "import sys\nfrom core.doors.cli import main\ntry: main()\nfinally: assert 'torch' not in sys.modules"
    folder = ("--workspace", str(tmp_path / "none")) if "list" in command else ()
    ran = subprocess.run([sys.executable, "-c", code, *command.split(), *folder], capture_output=True, text=True)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout


def test_models_are_listed_for_people(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    with pytest.raises(SystemExit):
        cli.main(["models", "list", "--workspace", str(tmp_path / "none")])
    printed = capsys.readouterr().out
    (bundled,) = [line.split() for line in printed.splitlines() if line.startswith("bundled ")]
    assert bundled[1:4] == ["embedder", "384", "512"]
    assert "cross-encoder:BAAI/bge-reranker-v2-m3 " in printed
    assert not (tmp_path / "none").exists()


def test_a_model_is_tested(run: Any, tiny_folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    trial = run("models", "test", "bundled")
    assert trial["usable"]
    assert trial["ranking"] == {"en": {"right": 3, "asked": 3}, "zh": {"right": 3, "asked": 3}}
    assert trial["dimension"] == 384
    assert trial["memory_bytes"] > 8 * 10**7  # without torch; with it, where it is loaded already, more
    assert trial["device"]["name"] in ("cpu", "cuda", "mps")
    assert run("models", "test", f"sentence:{tiny_folder}")[0] == 1
    assert run("models", "test", "BAAI/bge-m3")[0] == 1
    with pytest.raises(SystemExit) as end:
        cli.main(["models", "test", f"sentence:{tiny_folder}"])
    assert end.value.code == 1
    assert "Usable: no" in capsys.readouterr().out


def test_the_path_of_a_model(run: Any) -> None:
    assert (Path(run("models", "path", "bundled")["folder"]) / "modules.json").is_file()
    assert "no files of its own" in run("models", "path", "tfidf")[1]


def test_a_base_goes_over_to_another_embedder(run: Any, words: None, folder: Path) -> None:
    run("import", folder)
    done = run("models", "switch", "vault", "tfidf", "--yes")
    assert done.items() >= {"base": "vault", "switched": True, "embedder": "tfidf", "windows": 3, "to_embed": 3}.items()
    assert done["estimated_minutes"] >= 0
    assert run("status")["bases"][0]["embedder"] == "tfidf"
    assert run("search", "pg_restore", "--rerank", "none")["hits"][0]["path"] == "backups.md"
    assert "already" in run("models", "switch", "vault", "tfidf", "--yes")[1]


def test_nothing_begins_unasked(
    run: Any, words: None, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run("import", folder)
    monkeypatch.setattr("sys.stdin", StringIO("y\n"))
    status, error = run("models", "switch", "vault", "tfidf")
    assert status == 1
    assert "3 of 3 pieces of text will be indexed" in error
    assert "add --yes" in error
    assert run("status")["bases"][0]["embedder"] == "words"
    assert "No model switch is under way" in run("models", "switch", "vault")[1]


@pytest.mark.parametrize(("answer", "embedder"), [("y\n", "tfidf"), ("n\n", "words")])
def test_a_person_is_asked(
    run: Any, words: None, folder: Path, monkeypatch: pytest.MonkeyPatch, answer: str, embedder: str
) -> None:
    class Terminal(StringIO):
        def isatty(self) -> bool:
            return True

    run("import", folder)
    monkeypatch.setattr("sys.stdin", Terminal(answer))
    assert run("models", "switch", "vault", "tfidf")["embedder"] == embedder


def test_ctrl_c_leaves_a_switch_that_goes_on_or_is_abandoned(
    run: Any, words: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "long"
    folder.mkdir()
    (folder / "long.md").write_text(samples.long_note(30))
    run("import", folder)
    abandoned = run("models", "switch", "long", "stoppable", "--yes", "--abandon")
    assert (abandoned["base"], abandoned["switched"], abandoned["embedder"]) == ("long", False, "words")
    monkeypatch.setattr(Stoppable, "left", 50)
    status, error = run("models", "switch", "long", "stoppable", "--yes")
    assert status == 130
    assert "tessera models switch long" in error
    assert "Traceback" not in error
    assert run("status")["bases"][0]["embedder"] == "words"
    assert run("search", "word7", "--rerank", "none")["hits"]
    monkeypatch.setattr(Stoppable, "left", None)
    assert run("models", "switch", "long")["embedder"] == "stoppable"
    run("models", "switch", "long", "words", "--yes")
    monkeypatch.setattr(Stoppable, "left", 5)
    assert run("models", "switch", "long", "stoppable", "--yes")[0] == 130
    assert run("models", "switch", "long", "--abandon")["embedder"] == "words"
    assert "No model switch is under way" in run("models", "switch", "long")[1]


def test_token_bits_are_kept_or_not(run: Any, words: None, folder: Path) -> None:
    run("import", folder)
    off = run("models", "tokens", "vault", "off")
    assert off == {
        "base": "vault",
        "keep_tokens": False,
        "embedded_windows": 0,
        "windows": 4,
        "windows_with_bits": 0,
        "bytes": 0,
    }
    on = run("models", "tokens", "vault", "on")
    assert (on["keep_tokens"], on["embedded_windows"], on["windows_with_bits"]) == (True, 4, 4)
    assert on["bytes"] > 0
    assert "Write on or off" in run("models", "tokens", "vault", "maybe")[1]
    assert "no base 'other'" in run("models", "tokens", "other", "on")[1]


def test_a_server_is_set_up_tested_and_removed(run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(app_paths.VARIABLE, str(tmp_path / "tessera"))
    monkeypatch.delenv("TESSERA_RERANK_API_KEY", raising=False)
    assert [server["base_url"] for server in run("models", "server")["servers"]] == ["", "", ""]
    monkeypatch.setattr("sys.stdin", StringIO("sk-TESTKEY\n"))
    with ModelServer() as server:
        printed = run("models", "server", "rerank", "--url", server.url, "--model", "m", "--key", "--test")
    assert printed["test"]["right"]
    assert (printed["servers"][0]["key"], "TESTKEY" in json.dumps(printed)) == ("file", False)
    assert server.requests[0].headers["Authorization"] == "Bearer sk-TESTKEY"
    status, told = run("models", "server", "rerank", "--test")
    assert (status, "can't be reached" in told) == (1, True)
    assert run("models", "server", "rerank", "--remove-key")["servers"][0]["key"] == ""
    assert run("models", "server", "rerank", "--remove")["servers"][0]["base_url"] == ""
    assert "Name the server" in run("models", "server", "--test")[1]


def test_help_loads_no_command_and_a_command_only_its_own() -> None:
    code = (
        "import sys\nfrom core.doors.cli import main\ntry: main()\nfinally: print([name for name in sys.modules if "
        "name.startswith(('core.operations.', 'core.features.', 'core.model', 'pydantic', 'numpy'))])"
    )
    for arguments, others in (["--help"], "core.doors"), (["search", "--help"], "core.features"):
        command = [sys.executable, "-c", code, *arguments]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        assert others not in done.stdout.splitlines()[-1]
