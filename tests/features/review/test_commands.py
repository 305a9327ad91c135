"""`tessera review`: what waits is listed, put off, let be and merged."""

from pathlib import Path
from typing import Any

import pytest

from core.workspace import Workspace
from tests.cli.test_chunks_and_questions import run
from tests.features.packs.test_packs import NOTES, ids, write

__all__ = ["run"]


def test_what_waits_is_listed_and_decided(tmp_path: Path, run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TESSERA_EMBEDDER", "tfidf")
    with Workspace(tmp_path / "workspace") as workspace:
        bread = workspace.notes.add("home", "Bread at 220 degrees in an oven.\n", title="Bread", author="person")
        workspace.notes.add("home", "Bread at 240 degrees in an oven.\n", title="Bread anew", author="person")
        workspace.proposals.add("home", "Thyme is fine.", title="Thyme")
    waiting = run("review", "list", as_json=True)["waiting"]
    assert [(one["kind"], one["title"]) for one in waiting] == [("note", "Thyme"), ("contradiction", "Bread anew")]
    assert run("review", as_json=True)["waiting"] == waiting
    assert run("review", "--kind", "note", as_json=True)["waiting"] == waiting[:1]
    with pytest.raises(AssertionError, match="No such command ''"):
        run("review", "")
    lines = run("review", "list")
    assert run("review") == lines
    assert "New notes" in lines
    assert "Bread at 240 degrees in an oven." in lines
    assert "The text was added. The note is now version 2." in run("review", "merge", waiting[0]["key"], "Bread")
    changed = run("review", "list", "--kind", "contradiction", as_json=True)["waiting"]
    assert changed[0]["key"] != waiting[1]["key"]
    run("review", "later", changed[0]["key"])
    assert run("review", "list").strip() == "There is nothing to review."
    with Workspace(tmp_path / "workspace") as workspace:
        assert workspace.notes.get(bread.id).body == "Bread at 220 degrees in an oven.\n\nThyme is fine.\n"


def test_a_note_with_two_texts_is_settled(tmp_path: Path, run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TESSERA_EMBEDDER", "tfidf")
    with Workspace(tmp_path / "workspace") as workspace:
        workspace.packs.install(write(tmp_path / "pack"))
        workspace.notes.update(ids(workspace)["kettle.md"], body="Mine.\n", author="person")
        workspace.packs.install(write(tmp_path / "pack", "1.1", NOTES | {"kettle.md": "Theirs.\n"}))
    (one,) = run("review", "list", as_json=True)["waiting"]
    assert (one["kind"], one["title"]) == ("upgrade", "Mine.")
    assert run("review", "settle", one["key"], "theirs", as_json=True) == {"keys": [one["key"]]}
    with Workspace(tmp_path / "workspace") as workspace:
        assert workspace.notes.get(ids(workspace)["kettle.md"]).body == "Theirs.\n"
