from collections.abc import Iterator
from pathlib import Path

import pytest

from core import embedding
from core.workspace import Workspace
from tests.fakes import WordLengths


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> WordLengths:
    fake = WordLengths()
    monkeypatch.setitem(embedding.EMBEDDERS._built, "fake", fake)
    monkeypatch.setenv("TESSERA_EMBEDDER", "fake")
    return fake


@pytest.fixture
def workspace(tmp_path: Path, model: WordLengths) -> Iterator[Workspace]:
    with Workspace(tmp_path / "workspace") as workspace:
        yield workspace
        agree(workspace)


def agree(workspace: Workspace) -> None:
    """Every note is its last version, and every version of a note follows the one before."""
    database = workspace.store.database
    for card in workspace.notes.all():
        versions = workspace.versions.all(card.id)
        assert [one.number for one in versions] == list(range(card.version, card.version - len(versions), -1))
        now, last = workspace.store.notes.note(card.id), workspace.versions.get(card.id, card.version)
        assert (last.title, last.body, last.path, last.version) == (now.title, now.body, now.path, now.version)
        assert (last.tags, last.status, last.overridden) == (now.tags, now.status, now.overridden)
        assert versions[0].kind != "delete"
    for one in workspace.trash.all():
        assert one.version == workspace.versions.all(one.version.note_id)[0]
        assert one.version.kind == "delete"
    strays = "SELECT count(*) FROM notes WHERE version != (SELECT max(number) FROM versions WHERE note_id = notes.id)"
    assert database.value(strays) == 0
