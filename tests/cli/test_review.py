"""`tessera review`: what waits is listed, put off, let be and merged. `tessera learn` suggests it."""

import json
from pathlib import Path
from typing import Any

import pytest

from core.workspace import Workspace
from tests.cli.test_chunks_and_questions import run
from tests.features.packs.test_packs import NOTES, ids, write
from tests.model_server import ModelServer, stream

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
    assert "The text is added; the note is version 2 now." in run("review", "merge", waiting[0]["key"], "Bread")
    changed = run("review", "list", "--kind", "contradiction", as_json=True)["waiting"]
    assert changed[0]["key"] != waiting[1]["key"]
    run("review", "later", changed[0]["key"])
    assert run("review", "list").strip() == "Nothing waits for you."
    with Workspace(tmp_path / "workspace") as workspace:
        assert workspace.notes.get(bread.id).body == "Bread at 220 degrees in an oven.\n\nThyme is fine.\n"


def test_a_log_is_learnt_from_with_a_model(tmp_path: Path, run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    log = tmp_path / "app.log"
    log.write_text("2026-01-02 10:00:00 INFO config - setting pool.most = 20\nparcels above 30 kg go by road\n")
    lines = [{"line": 2, "quote": "parcels above 30 kg"}]
    notes = [{"title": "By road", "text": "Heavy.", "lines": lines}, {"title": "Made up", "text": "No.", "lines": []}]
    with ModelServer(stream(json.dumps({"notes": notes})), stream("no"), stream("no")) as server:
        for name, value in {"ENABLE_LEARNING": "true", "LLM__BASE_URL": server.url, "LLM__MODEL": "scripted"}.items():
            monkeypatch.setenv(f"TESSERA_{name}", value)
        printed = run("learn", log, "--with-model").splitlines()
        assert "2 notes suggested" in printed[0]
        assert printed[1:3] == [
            "  1 of them by the language model",
            "  Dropped: Made up (it isn't in the form that was asked for)",
        ]
        with pytest.raises(AssertionError, match="didn't answer in the form that was asked for"):
            run("learn", log, "--with-model")
    assert [one["title"] for one in run("review", "list", as_json=True)["waiting"]] == ["pool.most = 20", "By road"]


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
