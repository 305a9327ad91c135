"""Every change of a note is one version, written with it; nothing else is."""

import shutil
from pathlib import Path

import pytest

from core.base.errors import Conflict, NoteNotFound, VersionNotFound
from core.workspace import Workspace
from tests.notes.conftest import agree
from tests.store.test_old_workspaces import FILES


def kinds(workspace: Workspace, note_id: str) -> list[tuple[str, str]]:
    return [(version.kind, version.author) for version in reversed(workspace.versions.all(note_id))]


def synced(workspace: Workspace, folder: Path) -> None:
    workspace.imports.apply(workspace.imports.plan_folder(folder), confirmed=True)


def test_the_life_of_a_note_is_its_history(workspace: Workspace) -> None:
    notes = workspace.notes
    note = notes.add("desk", "the first text #plan", title="Plan", tags=["mine"], author="person")
    assert (note.version, note.tags, note.path) == (1, ("mine", "plan"), "Plan.md")
    notes.update(note.id, body="the second text", title="Plan B", author="person", expected_version=1)
    notes.update(note.id, body="the second text", title="Plan B")
    notes.set_fields([note.id], priority=3, tags=["mine", "plan"])
    notes.tag([note.id], add=["#new"], remove=["MINE"])
    notes.archive([note.id])
    notes.archive([note.id])
    workspace.trash.restore([note.id])
    workspace.versions.revert(note.id, 1)
    workspace.trash.put([note.id], author="program")
    workspace.trash.put(note.id)
    agree(workspace)
    with pytest.raises(NoteNotFound):
        notes.get(note.id)
    assert workspace.versions.get(note.id, 8).tags == ("mine", "plan")
    workspace.trash.restore([note.id])

    assert kinds(workspace, note.id) == [
        ("create", "person"), ("update", "person"), ("update", "person"), ("update", "person"),
        ("archive", "person"), ("restore", "person"), ("revert", "person"), ("delete", "program"),
        ("restore", "person"),
    ]  # fmt: skip
    now = notes.get(note.id)
    assert (now.title, now.body, now.tags, now.priority, now.version) == (
        "Plan", "the first text #plan", ("mine", "plan"), 0, 9,
    )  # fmt: skip
    assert [hit.note.id for hit in workspace.search("second", mode="keyword").hits] == []
    assert [hit.note.id for hit in workspace.search("first", mode="keyword").hits] == [note.id]


def test_a_change_of_another_version_is_a_conflict_that_holds_both(workspace: Workspace) -> None:
    note = workspace.notes.add("desk", "one")
    workspace.notes.update(note.id, body="two")
    with pytest.raises(Conflict) as conflict:
        workspace.notes.update(note.id, body="three", expected_version=1)
    assert conflict.value.stored.body == "two"
    assert workspace.notes.get(note.id).body == "two"
    with pytest.raises(Conflict):
        workspace.versions.revert(note.id, 1, expected_version=1)
    with pytest.raises(VersionNotFound):
        workspace.versions.revert(note.id, 7)


def test_the_oldest_versions_go_and_never_the_last(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TESSERA_KEEP_VERSIONS", "3")
    with Workspace(tmp_path / "workspace") as workspace:
        note = workspace.notes.add("desk", "0", embed=False)
        for number in range(1, 6):
            workspace.notes.update(note.id, body=str(number), embed=False)
        assert [version.number for version in workspace.versions.all(note.id)] == [6, 5, 4]
        agree(workspace)
    monkeypatch.setenv("TESSERA_KEEP_VERSIONS", "1")
    with Workspace(tmp_path / "workspace") as workspace:
        workspace.trash.put(note.id)
        assert [version.number for version in workspace.versions.all(note.id)] == [7]
        workspace.trash.restore([note.id], embed=False)
        assert workspace.notes.get(note.id).body == "5"
        agree(workspace)


def test_several_notes_change_together_or_not_at_all(workspace: Workspace) -> None:
    added = workspace.notes.add_many("desk", [{"body": f"text {number}"} for number in range(5)])
    before = workspace.store.database.version()
    workspace.notes.set_fields(added.note_ids, type="rule", status="archived")
    assert workspace.store.database.version() == before + 1
    with pytest.raises(NoteNotFound):
        workspace.notes.set_fields([*added.note_ids, "none"], type="other")
    assert {card.type for card in workspace.notes.all()} == {"rule"}
    assert {card.version for card in workspace.notes.all()} == {2}


def test_a_sync_writes_a_version_only_of_what_it_changed(workspace: Workspace, tmp_path: Path) -> None:
    folder = tmp_path / "vault"
    folder.mkdir()
    (folder / "a.md").write_text("alpha")
    (folder / "b.md").write_text("beta")
    synced(workspace, folder)
    synced(workspace, folder)
    a = workspace.notes.find("a.md").id
    (folder / "a.md").write_text("alpha changed")
    (folder / "b.md").touch()
    synced(workspace, folder)
    (folder / "a.md").rename(folder / "c.md")
    synced(workspace, folder)
    workspace.notes.set_fields([a], priority=5)
    (folder / "c.md").write_text("alpha again")
    synced(workspace, folder)
    assert workspace.notes.get(a).priority == 5
    (folder / "c.md").unlink()
    synced(workspace, folder)
    assert [one.version.note_id for one in workspace.trash.all("vault")] == [a]
    (folder / "c.md").write_text("alpha is back")
    synced(workspace, folder)
    now = workspace.notes.get(a)
    assert (now.body, now.priority, dict(now.overridden)) == ("alpha is back", 5, {"priority": 0})
    assert kinds(workspace, a) == [
        ("create", "sync"), ("sync", "sync"), ("sync", "sync"), ("update", "person"), ("sync", "sync"),
        ("delete", "sync"), ("restore", "sync"),
    ]  # fmt: skip
    assert kinds(workspace, workspace.notes.find("b.md").id) == [("create", "sync")]


def test_a_file_takes_up_the_history_of_its_own_note_only(workspace: Workspace, tmp_path: Path) -> None:
    mine = workspace.notes.add("vault", "written here", path="a.md")
    workspace.trash.put(mine.id)
    folder = tmp_path / "vault"
    folder.mkdir()
    (folder / "a.md").write_text("from a file")
    synced(workspace, folder)
    assert [one.version.note_id for one in workspace.trash.all()] == [mine.id]
    workspace.trash.restore([mine.id])
    assert {card.source for card in workspace.notes.all()} == {"folder", "program"}


def test_a_sync_keeps_what_was_set_while_it_ran(workspace: Workspace, tmp_path: Path) -> None:
    folder = tmp_path / "vault"
    folder.mkdir()
    for name in "ab":
        (folder / f"{name}.md").write_text(name)
    synced(workspace, folder)
    a = workspace.notes.find("a.md").id
    for name in "ab":
        (folder / f"{name}.md").write_text(f"{name} changed")
    reports = 0

    def meanwhile(*_: object) -> None:
        nonlocal reports
        reports += 1
        if reports == 2:  # the first note is cut by now, and not written
            workspace.notes.set_fields([a], tags=["mine"])

    workspace.imports.apply(workspace.imports.plan_folder(folder), confirmed=True, progress=meanwhile)
    now = workspace.notes.get(a)
    assert (now.body, now.tags, now.version) == ("a changed", ("mine",), 3)


def test_a_sync_leaves_a_note_whose_text_was_changed_since_it_was_compared(workspace: Workspace) -> None:
    notes = workspace.notes
    workspace.imports.apply(workspace.imports.plan_upload([("a.md", b"uploaded")], "desk"))
    a = notes.find("a.md").id
    plan = workspace.imports.plan_upload([("a.md", b"uploaded again")], "desk")
    notes.update(a, body="written meanwhile", author="person")
    report = workspace.imports.apply(plan)
    assert [failed.path for failed in report.failed] == ["a.md"]
    assert notes.get(a).body == "written meanwhile"
    workspace.imports.apply(workspace.imports.plan_upload([("a.md", b"uploaded again")], "desk"))
    assert notes.get(a).body == "uploaded again"
    assert workspace.versions.get(a, 2).body == "written meanwhile"
    assert kinds(workspace, a) == [("create", "sync"), ("update", "person"), ("sync", "sync")]


@pytest.mark.parametrize("schema", FILES)
def test_every_note_of_an_earlier_workspace_is_its_first_version(tmp_path: Path, schema: int) -> None:
    shutil.copyfile(FILES[schema], tmp_path / "notes.db")
    with Workspace(tmp_path) as workspace:
        cards = workspace.notes.all()
        assert cards
        assert {len(workspace.versions.all(card.id)) for card in cards} == {1}
        agree(workspace)
