"""`tessera chunk`, `questions` and `runs`: what a person reads."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from core.doors import cli
from tests import samples

pytestmark = pytest.mark.usefixtures("bundled")

QUOTE = "Create an empty database and run `pg_restore --dbname=shop_test shop.dump`."
QUESTION = {"id": "q1", "question": "How is a dump restored?", "gold": [{"path": "backups.md", "quote": QUOTE}]}


@pytest.fixture
def run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Any:
    """Run a command in a workspace with the sample notes, and return what it printed, or with `as_json` its values."""

    def run(*arguments: object, as_json: bool = False) -> Any:
        code = None
        try:
            cli.main([*map(str, arguments), "--workspace", str(tmp_path / "workspace"), *["--json"] * as_json])
        except SystemExit as end:
            code = end.code
        printed = capsys.readouterr()
        assert not code, printed.err
        return json.loads(printed.out) if as_json else printed.out

    run("import", samples.write(tmp_path / "vault"), "--base", "mine")
    return run


def test_chunks_are_listed_hidden_and_shown_again(run: Any) -> None:
    listed = run("chunk", "list", "backups.md")
    assert "[1] Backups" in listed
    assert QUOTE in listed
    assert "indexed" in listed
    chunk = run("chunk", "list", "backups.md", as_json=True)["chunks"][0]["id"]
    command = run("chunk", "hide", chunk).strip().partition("tessera ")[2]
    assert "hidden" in run("chunk", "list", "backups.md")
    assert run(*command.split()) == "The chunk was restored.\n"
    assert "hidden" not in run("chunk", "list", "backups.md")


def test_questions_and_their_runs_are_shown(run: Any, tmp_path: Path) -> None:
    file = tmp_path / "questions.jsonl"
    file.write_text(json.dumps(QUESTION), encoding="utf-8")
    assert run("questions", "list", "--base", "mine") == "The base has no question sets.\n"
    assert run("runs", "list", "--base", "mine") == "This base has no test runs yet.\n"
    run("evaluate", file, "--base", "mine", "--save", "dumps")
    assert re.search(r"\ndumps +1  \w+\n$", run("questions", "list", "--base", "mine"))
    questions = run("questions", "list", "--base", "mine", as_json=True)["question_sets"][0]["id"]
    assert f"{QUESTION['question']}\n  backups.md: {QUOTE}\n" in run("questions", "show", questions)
    assert re.search(r"\ndumps +1 +1  \w+\n$", run("runs", "list", "--base", "mine"))
    saved = run("runs", "list", "--base", "mine", as_json=True)["runs"][0]["id"]
    shown = run("runs", "show", saved)
    assert "  How is a dump restored? (rank 1)\n" in shown
    assert "hit@5" in shown
    assert run("runs", "delete", saved) == "The test run was deleted.\n"
    assert run("questions", "delete", questions) == "The question set was deleted. Its test runs are kept.\n"
