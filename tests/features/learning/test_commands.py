"""`tessera learn` suggests notes."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.test_chunks_and_questions import run
from tests.model_server import ModelServer, stream

__all__ = ["run"]


def test_a_log_is_learnt_from_with_a_model(tmp_path: Path, run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    log = tmp_path / "app.log"
    log.write_text(
        "2026-01-02 10:00:00 INFO config - setting pool.most = 20, pool.least = 2\nparcels above 30 kg go by road\n"
    )
    lines = [{"line": 2, "quote": "parcels above 30 kg"}]
    notes = [{"title": "By road", "text": "Heavy.", "lines": lines}, {"title": "Made up", "text": "No.", "lines": []}]
    with ModelServer(stream(json.dumps({"notes": notes})), stream("no"), stream("no")) as server:
        for name, value in {"ENABLE_LEARNING": "true", "LLM__BASE_URL": server.url, "LLM__MODEL": "scripted"}.items():
            monkeypatch.setenv(f"TESSERA_{name}", value)
        printed = run("learn", log, "--with-model").splitlines()
        assert "2 notes suggested" in printed[0]
        assert printed[1:3] == [
            "  1 of them by the language model",
            "  Dropped: Made up (it isn't in the requested format)",
        ]
        with pytest.raises(AssertionError, match="didn't answer in the requested format"):
            run("learn", log, "--with-model")
    assert [one["title"] for one in run("review", "list", as_json=True)["waiting"]] == [
        "Settings of config: pool.most, pool.least",
        "By road",
    ]
