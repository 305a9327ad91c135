"""Lists of notes are read once and are never older than the last write."""

from pathlib import Path

import pytest

from core.model import Filters
from core.workspace import Workspace


@pytest.fixture(autouse=True)
def _settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TESSERA_EMBEDDER", "tfidf")
    monkeypatch.setenv("TESSERA_INDEX__KIND", "none")


def test_what_another_process_writes_is_in_the_next_list(tmp_path: Path) -> None:
    with Workspace(tmp_path) as writer, Workspace(tmp_path, readonly=True) as reader:
        note = writer.notes.add("work", "To [[Other]].", title="Plan", tags=["rust"])
        for workspace in (writer, reader):
            assert [one.title for one in workspace.notes.all()] == ["Plan"]
            assert workspace.vocabulary.tags() == {"rust": 1}
            assert workspace.notes.links().names[note.id].title == "Plan"
        writer.notes.update(note.id, title="Roadmap", tags=["go"])
        other = writer.notes.add("home", "A note.", title="Other")
        for workspace in (writer, reader):
            assert [one.title for one in workspace.notes.all()] == ["Other", "Roadmap"]
            assert [one.title for one in workspace.notes.all(Filters(bases=("home",)))] == ["Other"]
            assert workspace.vocabulary.tags() == {"go": 1}
            assert workspace.notes.links().to(other.id) == [note.id]
        writer.trash.put([note.id])
        for workspace in (writer, reader):
            assert [one.title for one in workspace.notes.all()] == ["Other"]
            assert workspace.vocabulary.tags() == {}


def test_a_list_is_the_own_of_who_asks(tmp_path: Path) -> None:
    with Workspace(tmp_path) as workspace:
        workspace.notes.add("work", "A note.", title="Plan", tags=["rust"])
        workspace.notes.all().clear()
        workspace.vocabulary.tags().clear()
        assert [one.title for one in workspace.notes.all()] == ["Plan"]
        assert workspace.vocabulary.tags() == {"rust": 1}


def test_within_a_change_it_is_as_it_is_being_changed(tmp_path: Path) -> None:
    with Workspace(tmp_path) as workspace:
        workspace.notes.add("work", "A note.", title="Plan")
        with workspace.store.database.write() as connection:
            connection.execute("UPDATE notes SET title = 'Roadmap'")
            assert [one.title for one in workspace.notes.all()] == ["Roadmap"]
        assert [one.title for one in workspace.notes.all()] == ["Roadmap"]
