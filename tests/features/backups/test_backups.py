"""Backups of a workspace: made while it is written to, whole or not at all, checked, and brought back."""

import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import zipfile
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from core.base.errors import ConfigError, DiskFull, NotesDamaged, SourceError, StoreError, UnknownChoice
from core.doors.cli import main
from core.features.backups import service
from core.model import Progress
from core.store.backups import making, restoring
from core.store.folder import take
from core.workspace import Workspace
from tests.waiting import wait_until


def hits(folder: Path) -> list[tuple[str, str, float]]:
    with Workspace(folder) as opened:
        found = opened.search("restoring a backup", mode="hybrid").hits
        return [(hit.note.title, hit.chunk.text, round(hit.score, 6)) for hit in found]


def test_a_backup_becomes_the_same_workspace_elsewhere(workspace: Workspace, tmp_path: Path) -> None:
    made = workspace.backups.make()
    assert (made.bases, made.notes, made.encrypted) == (1, 3, False)
    assert workspace.backups.verify(made.name) == made == workspace.backups.get("latest")
    assert made.file.stat().st_mode & 0o077 == 0
    restored = workspace.backups.restore("latest", to=tmp_path / "elsewhere")
    assert (restored.folder, restored.aside, restored.waits) == (tmp_path / "elsewhere", None, False)
    folder = workspace.store.folder
    workspace.close()
    assert hits(tmp_path / "elsewhere") == hits(folder) != []
    with Workspace(tmp_path / "elsewhere") as other:
        assert other.preferences.get("language") == "en"
        assert "recipe" in other.vocabulary.types()
        (trashed,) = other.archives.trash()
        assert other.archives.restore_deleted(trashed.key).base.name == "deleted"


def test_it_is_made_where_it_is_wanted(
    workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    stick, own = tmp_path / "stick", workspace.backups.make()
    (stick / ".partial").mkdir(parents=True)  # another program's
    first, second = workspace.backups.make(to=stick), workspace.backups.make(to=stick)
    named = workspace.backups.make(to=stick / "notes.zip")
    assert (named.file, named.notes) == (stick / "notes.zip", 3)
    assert {first.file, second.file, named.file, stick / ".partial"} == {*stick.iterdir()}
    assert workspace.backups.all() == [own]
    for place, why in ((named.file, "already"), (stick / "none", "is missing"), (stick / "none/a.zip", "is missing")):
        with pytest.raises((ConfigError, StoreError), match=why):
            workspace.backups.make(to=place)
    folder = workspace.store.folder
    workspace.close()
    monkeypatch.chdir(stick)
    main_(["backup", "make", "--to", "again.zip", "--workspace", str(folder)])
    assert "The backup was made and checked: " in capsys.readouterr().out
    main_(["backup", "restore", "again.zip", "--to", str(tmp_path / "elsewhere"), "--workspace", str(folder)])
    with Workspace(tmp_path / "elsewhere") as restored:
        assert len(restored.notes.all()) == 3


def test_its_place_may_be_a_folder_from_here_or_a_long_name(
    workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "stick").mkdir()
    monkeypatch.chdir(tmp_path)
    assert workspace.backups.make(to=Path("stick")).file.parent == tmp_path / "stick"
    with pytest.raises(StoreError, match="too long"):
        workspace.backups.make(to=tmp_path / f"{'x' * 300}.zip")


def test_what_a_stick_loses_is_no_backup(workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def lose(folder: Path) -> None:
        """Change a byte of the file, as a worn stick does once it is written."""
        (file,) = folder.glob("*.zip")
        data = bytearray(file.read_bytes())
        data[len(data) // 2] ^= 1
        file.write_bytes(data)

    monkeypatch.setattr(making, "sync_folder", lose)
    with pytest.raises(SourceError, match="is damaged"):
        workspace.backups.make(to=tmp_path)


def test_it_is_of_one_moment_while_others_write(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(making, "_PAGES", 1)
    first = workspace.notes.add("vault", "one", title="First", embed=False)
    stop, added = threading.Event(), [0]

    def write() -> None:
        while not stop.is_set():
            workspace.notes.update(first.id, body=f"text {added[0]}", author="person")
            added[0] += 1

    def step(*_: object) -> None:
        """Let a note be saved between two of the first steps."""
        before = added[0]
        wait_until(lambda: added[0] >= 3 or added[0] > before)

    writer = threading.Thread(target=write)
    writer.start()
    try:
        made = workspace.backups.make(progress=step)
    finally:
        stop.set()
        writer.join()
    assert added[0] >= 3
    assert workspace.backups.verify(made.name).notes == 4


def test_what_was_there_is_kept_aside(workspace: Workspace) -> None:
    folder = workspace.store.folder
    workspace.backups.make()
    workspace.notes.add("vault", "later", title="Later", embed=False)
    restored = workspace.backups.restore("latest")
    assert restored.waits
    assert len(workspace.notes.all()) == 4  # nothing has changed yet
    token = workspace.access.token
    workspace.close()
    with Workspace(folder) as again:
        assert sorted(card.title for card in again.notes.all()) == sorted(["Backups", "bread", "缓存雪崩"])
        assert again.access.token == token
        assert len(again.backups.all()) == 1
    assert restored.aside is not None
    with Workspace(restored.aside, readonly=True) as before:
        assert "Later" in [card.title for card in before.notes.all()]


def test_a_kill_at_any_step_of_a_restore_leaves_one_of_the_two(
    workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = workspace.store.folder
    workspace.backups.make()
    workspace.notes.add("vault", "later", title="Later", embed=False)
    workspace.backups.restore("latest")
    workspace.close()
    rename, steps = Path.rename, 0
    finished = False
    while not finished:
        place = shutil.copytree(folder, tmp_path / f"killed-{steps}")
        left = [steps]

        def killed(self: Path, target: Path, left: list[int] = left) -> Path:
            if not left[0]:
                raise KeyboardInterrupt
            left[0] -= 1
            return rename(self, target)

        monkeypatch.setattr(Path, "rename", killed)
        try:
            restoring.complete(place)
            finished = True
        except KeyboardInterrupt:
            pass
        monkeypatch.setattr(Path, "rename", rename)
        with Workspace(place, readonly=steps % 2 == 0) as opened:
            assert len(opened.notes.all()) == 3
        assert not [name for name in ("restoring", "restored") if (place / name).exists()]
        steps += 1
    assert steps > 5


def test_a_killed_backup_is_none(workspace: Workspace) -> None:
    code = f"""
import os, signal
from pathlib import Path
from core.store.backups import making
from core.workspace import Workspace
making._write_zip = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
Workspace(Path({str(workspace.store.folder)!r}), readonly=True).backups.make()
"""
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == -signal.SIGKILL
    assert list((workspace.backups.place / ".partial").iterdir())
    assert workspace.backups.all() == []
    made = workspace.backups.make()
    assert workspace.backups.all() == [made]
    assert not (workspace.backups.place / ".partial").exists()


def test_a_damaged_database_is_not_backed_up(workspace: Workspace) -> None:
    good = workspace.backups.make()
    folder = workspace.store.folder
    workspace.close()
    data = bytearray((folder / "notes.db").read_bytes())
    data[8192:12288] = os.urandom(4096)
    (folder / "notes.db").write_bytes(data)
    with pytest.raises(NotesDamaged), Workspace(folder, readonly=True) as opened:
        opened.backups.make()
    assert [one.name for one in (folder / "backups").glob("*.zip")] == [good.name]


@pytest.mark.parametrize("damage", ["cut", "a byte", "another file", "empty"])
def test_damage_is_told_and_nothing_of_it_comes_back(workspace: Workspace, tmp_path: Path, damage: str) -> None:
    made = workspace.backups.make()
    data = bytearray(made.file.read_bytes())
    if damage == "another file":
        with zipfile.ZipFile(made.file, "a") as archive:
            archive.writestr("../../outside.txt", "out")
    else:
        data[len(data) // 2] ^= 0xFF
        made.file.write_bytes({"cut": data[: len(data) // 2], "a byte": data, "empty": b""}[damage])
    with pytest.raises(SourceError):
        workspace.backups.verify(made.name)
    with pytest.raises(SourceError):
        workspace.backups.restore(made.name, to=tmp_path / "new")
    assert not (tmp_path / "new" / "notes.db").exists()
    assert not (tmp_path / "outside.txt").exists()


def test_daily_backups_are_due_once_a_day_and_seven_stay(workspace: Workspace) -> None:
    now = datetime.now(UTC)
    assert workspace.backups.due(now)
    assert workspace.backups.make_daily()
    workspace.jobs.wait("backup")
    assert not workspace.backups.due(now + timedelta(hours=23))
    assert workspace.backups.due(now + timedelta(hours=25))
    assert workspace.backups.due(now - timedelta(days=3))  # the clock was ahead
    by_hand = workspace.backups.make()
    for _ in range(8):
        workspace.backups.make("daily")
    listed = workspace.backups.all()
    assert [one.reason for one in listed] == ["daily"] * 7 + ["person"]
    assert listed[-1] == by_hand
    workspace.backups.enable(False)
    assert not workspace.backups.due(now + timedelta(days=9))


def test_the_first_import_is_in_the_backup_of_its_day(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TESSERA_EMBEDDER", "tfidf")
    monkeypatch.setattr(service, "_FIRST", 0.01)
    (tmp_path / "vault").mkdir()
    (tmp_path / "vault" / "a.md").write_text("Alpha.")
    with Workspace(tmp_path / "workspace") as workspace:
        assert not workspace.backups.make_daily()  # there is nothing to lose

        def work(_: Progress) -> None:
            workspace.imports.apply(workspace.imports.plan_folder(tmp_path / "vault", "vault"), embed=False)
            assert not workspace.backups.due(datetime.now(UTC))

        workspace.jobs.start("import", work)
        assert workspace.jobs.wait("import").state == "done"
        workspace.backups.start()
        wait_until(lambda: workspace.backups.all() and not workspace.jobs.running("backup"))
        assert [(backup.reason, backup.notes) for backup in workspace.backups.all()] == [("daily", 1)]


def test_another_disk_can_have_them_and_a_failure_is_told(workspace: Workspace, tmp_path: Path) -> None:
    with pytest.raises(ConfigError):
        workspace.backups.choose_place("not/whole")
    workspace.backups.choose_place(str(tmp_path / "disk"))
    assert workspace.backups.make().file.parent == tmp_path / "disk"
    shutil.rmtree(tmp_path / "disk")  # as one that isn't mounted
    assert workspace.backups.make_daily()
    workspace.jobs.wait("backup")
    assert "Connect its disk" in str(workspace.backups.problem)
    assert not (tmp_path / "disk").exists()
    workspace.backups.choose_place("")
    assert workspace.backups.make().file.parent == workspace.store.folder / "backups"


def test_without_space_nothing_is_begun(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    usage = shutil.disk_usage(workspace.store.folder)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage._replace(free=1000))
    with pytest.raises(DiskFull, match="Free some space there"):
        workspace.backups.make()
    assert workspace.backups.all() == []


def test_a_copy_of_the_database_alone_can_be_brought_back_too(workspace: Workspace, tmp_path: Path) -> None:
    folder = workspace.store.folder
    workspace.close()
    (folder / "backups").mkdir(exist_ok=True)
    shutil.copyfile(folder / "notes.db", folder / "backups" / "notes-schema-13.db")  # as earlier versions made it
    with Workspace(folder) as again:
        assert [one.reason for one in again.backups.all()] == ["migration"]
        again.backups.restore("notes-schema-13.db", to=tmp_path / "new")
    with Workspace(tmp_path / "new") as restored:
        assert len(restored.notes.all()) == 3


def test_two_at_once_are_refused(workspace: Workspace) -> None:
    workspace.backups.place.mkdir()
    with making._hold_folder(workspace.backups.place), pytest.raises(StoreError, match="being made"):
        workspace.backups.make()
    with pytest.raises(UnknownChoice):
        workspace.backups.get("latest")


def test_an_encrypted_backup_needs_its_passphrase(workspace: Workspace, tmp_path: Path) -> None:
    pytest.importorskip("pyrage")
    with pytest.raises(ConfigError, match="at least"):
        workspace.backups.protect("short")
    workspace.backups.protect("a long passphrase")
    made = workspace.backups.make()
    assert made.encrypted
    assert workspace.backups.verify(made.name).notes == 0
    with zipfile.ZipFile(made.file) as archive:
        assert not any(name == "notes.db" for name in archive.namelist())
        assert archive.read("content.age").startswith(b"age-encryption.org/v1")
    for wrong in ("", "another passphrase"):
        with pytest.raises(ConfigError):
            workspace.backups.restore("latest", to=tmp_path / "new", passphrase=wrong)
    workspace.backups.restore("latest", to=tmp_path / "new", passphrase="a long passphrase")
    with Workspace(tmp_path / "new") as other:
        assert len(other.notes.all()) == 3
        assert other.backups.encrypted
        other.backups.unprotect()
        assert not other.backups.make().encrypted


def test_the_commands_do_it_beside_the_open_app_and_on_a_damaged_workspace(
    workspace: Workspace, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TESSERA_WORKSPACE", str(workspace.store.folder))
    main_(["backup", "make"])
    main_(["backup", "list"])
    main_(["backup", "verify", "latest"])
    said = capsys.readouterr().out
    assert re.search(r"manual +1 +3\n", said)
    assert "The backup is intact" in said
    workspace.close()
    (workspace.store.folder / "notes.db").write_bytes(b"no database" * 500)
    main_(["backup", "restore", "latest", "--to", str(tmp_path / "new")])
    main_(["backup", "restore", "latest", "--yes"])
    assert "The previous data is kept in" in capsys.readouterr().out
    take(workspace.store.folder).release()
    with Workspace(workspace.store.folder) as again:
        assert len(again.notes.all()) == 3


def main_(command: list[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(command)
    assert not ended.value.code
