"""Each event of the store is published by the acts that it is of, and acted on once it is committed."""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

from core.model import Condition, Filters, events
from core.workspace import SUBSCRIBERS, Workspace


def _rename(workspace: Workspace) -> None:
    workspace.renames.rename(workspace.notes.add("garden", "Basil.", embed=False).id, "Thyme")


def _decide(workspace: Workspace) -> None:
    workspace.proposals.add("garden", "Mint.", title="Mint")
    workspace.proposals.reject(workspace.proposals.all(), reason="No.")


def _sync(workspace: Workspace) -> None:
    folder = workspace.store.folder.parent / "vault"
    folder.mkdir()
    (folder / "a.md").write_text("A.\n")
    workspace.imports.apply(workspace.imports.plan_folder(folder, "vault"), embed=False)
    (folder / "b.md").write_text("B.\n")
    workspace.watching.look()


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    with Workspace(tmp_path / "workspace") as workspace:
        yield workspace


ACTS: dict[type, Callable[[Workspace], object]] = {
    events.ChunksPending: lambda workspace: workspace.notes.add("garden", "Basil.", embed=False),
    events.PictureReadingChanged: lambda workspace: workspace.bases.update("garden", read_pictures=True),
    events.BaseRenamed: lambda workspace: workspace.bases.rename("garden", "beds"),
    events.NoteRenamed: _rename,
    events.NotesDecided: _decide,
    events.FolderSynced: _sync,
}


def test_each_event_has_an_act() -> None:
    declared = {noun for noun in vars(events).values() if isinstance(noun, type) and noun.__module__ == events.__name__}
    assert ACTS.keys() == declared
    assert SUBSCRIBERS.keys() <= declared


@pytest.mark.parametrize("event", ACTS, ids=lambda event: event.__name__)
def test_an_event_is_acted_on_once_in_the_order_of_its_subscribers(
    event: type, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    calls: list[str] = []

    def subscriber(name: str) -> Callable[[Workspace, object], None]:
        def take(workspace: Workspace, happened: object) -> None:
            assert isinstance(happened, event)
            assert not workspace.store.database.connection.in_transaction
            calls.append(name)
            if name == "first":
                raise LookupError(name)

        return take

    with Workspace(tmp_path / "workspace") as workspace:
        for name in ("first", "last"):
            workspace.store.events.subscribe(event, partial(subscriber(name), workspace))
        workspace.bases.add("garden")
        if event is not events.ChunksPending:
            assert calls == []
        calls.clear()
        ACTS[event](workspace)
        assert calls == ["first", "last"]
    assert [record.exc_info[0] for record in caplog.records if record.exc_info] == [LookupError]


def test_a_failed_subscriber_loses_no_write(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workspace.daily, "follow", lambda _: [][0])
    note = workspace.notes.add("garden", "Basil.", title="Basil", embed=False)
    assert workspace.renames.rename(note.id, "Thyme").title == "Thyme"
    assert workspace.notes.get(note.id).title == "Thyme"


def test_a_rejection_that_fails_settles_nothing(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    settled: list[object] = []
    workspace.store.events.subscribe(events.NotesDecided, settled.append)
    workspace.proposals.add("garden", "Mint.", title="Mint")
    waiting = workspace.proposals.all()
    with monkeypatch.context() as patched:
        patched.setattr(workspace.trash, "put", lambda _: {}["no disk"])
        with pytest.raises(LookupError):
            workspace.proposals.reject(waiting)
    pending = Filters(conditions=(Condition("status", ("pending",)),))
    assert [card.title for card in workspace.notes.all(pending)] == ["Mint"]
    assert settled == []
    workspace.proposals.reject(workspace.proposals.all(), reason="Not mine.")
    (decided,) = settled
    assert isinstance(decided, events.NotesDecided)
    assert decided.reason == "Not mine."
