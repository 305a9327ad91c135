"""A row that can't be read is that row's problem: it is named, everything else goes on, and it can be deleted."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from core import cli
from core.embedding import EMBEDDERS
from core.registry import Entry
from core.workspace import Workspace

MANY = "1" * 6_000
UNREADABLE = {
    "aliases, a number": "extra = '{\"aliases\": 5}'",
    "aliases, numbers": "extra = '{\"aliases\": [5, null]}'",
    "a number of 6,000 figures": f"extra = '{{\"x\": {MANY}}}'",
    "no JSON": "extra = '{', links = '[', warnings = 'x', overridden = '', supersedes = '[[', related = '5'",
    "half a character": """extra = '{"x": "\\ud800"}', supersedes = '["\\ud800"]'""",
    "nested": f"extra = '{'[' * 100_000}', depends_on = '{'[' * 900}{']' * 900}'",
    "no number": 'extra = \'{"x": NaN, "y": 1e999}\'',
    "other types": "extra = 'null', links = '{}', supersedes = '{\"a\": 1}', overridden = '[]', warnings = '[5]'",
    "a warning that has no fields": """warnings = '[{"text": "{n}", "fields": {}}, {"text": 5}]'""",
    "a priority of 5,000 figures": f"priority = '{'9' * 5_000}'",
    "priorities": "priority = 1e300",
    "a blob": "title = x'ff00', priority = x'00', created_at = x'00', type = x'ff', body = x'ff'",
    "times": "created_at = 'yesterday', updated_at = '', expires_at = '2026-13-01'",
    "times that are numbers": "created_at = 5, updated_at = 1e300, expires_at = -1",
    "no status": "status = 'lost'",
    "other fields": 'overridden = \'{"priority": "x", "nothing": 1}\'',
    "its own chunking": 'chunking = \'{"chunk_size": "x"}\'',
}
READABLE = {
    "created at the end of the calendar": "created_at = '9999-12-31T23:59:59-14:00', updated_at = '9999-12-31'",
    "expires at the end of the calendar": "expires_at = '9999-12-31T00:00:00+00:00'",
    "at its beginning": "created_at = '0001-01-01T00:00:00+14:00', expires_at = NULL",
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A workspace with a note for each way to damage its row, which is named after it, and one that stays as it is."""
    monkeypatch.setitem(EMBEDDERS, "words", Entry("tests.fakes:WordLengths"))
    for name, value in {"EMBEDDER": "words", "SEARCH__RERANKER": "none", "INDEX__KIND": "none"}.items():
        monkeypatch.setenv(f"TESSERA_{name}", value)
    with Workspace(tmp_path / "workspace") as workspace:
        bodies = {
            "Stork": "a stork stands",
            **{wrong: f"a heron, {wrong}, [[Stork]]" for wrong in UNREADABLE | READABLE},
        }
        for title, body in bodies.items():
            workspace.notes.add("desk", body, title=title, author="person", embed=False)
    return tmp_path / "workspace"


def change(folder: Path, *statements: str) -> None:
    with closing(sqlite3.connect(folder / "notes.db")) as database:
        for statement in statements:
            database.execute(statement)
        database.commit()


class Shell:
    """Runs commands, none of which may fail."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder, self._capsys, self.beside = folder, capsys, ""

    def run(self, *arguments: str) -> Any:
        cli.main([*arguments, "--workspace", str(self.folder), "--json"])  # ends by SystemExit
        raise AssertionError

    def __call__(self, *arguments: str) -> Any:
        with pytest.raises(SystemExit) as end:
            self.run(*arguments)
        printed = self._capsys.readouterr()
        assert not end.value.code, (arguments, printed.err)
        self.beside = printed.err
        return json.loads(printed.out)


def test_a_note_that_can_not_be_read_is_one_note_s_problem(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tessera = Shell(folder, capsys)
    ids = {note["title"]: note["id"] for note in tessera("note", "list")["notes"]}
    wrongs = UNREADABLE | READABLE
    change(folder, *(f"UPDATE notes SET {wrong} WHERE id = '{ids[title]}'" for title, wrong in wrongs.items()))

    assert tessera("status")["bases"][0]["notes"] == len(ids)
    assert len(tessera("note", "list")["notes"]) == len(ids)
    assert "'aliases, a number'" in tessera.beside
    for question in ("stork", "heron OR stork", "stork -tag:x priority:..5", 'in:stork "stork"', "stork after:2000"):
        assert tessera("search", question, "--mode", "keyword")["hits"], question
    for form in ("zip", "json", "yaml", "markdown"):
        tessera("export", "desk", "--to", str(folder.parent / f"out {form}"), "--as", form)
    with Workspace(folder) as workspace:
        workspace.notes.expiring(days=36_500)
        workspace.notes.switch("stork", 5)
        for title, note_id in ids.items():
            workspace.notes.links().to(note_id)
            workspace.store.database.unread.clear()
            assert workspace.notes.get(note_id).id == note_id
            workspace.store.notes.options(note_id)
            assert bool(workspace.unreadable) == (title in UNREADABLE), title
    for note_id in ids.values():
        tessera("note", "show", note_id)
        tessera("note", "history", note_id)
    tessera("note", "set", *ids.values(), "--tag", "seen")
    tessera("note", "list")
    assert not tessera.beside
