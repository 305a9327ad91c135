"""Whatever SQLite or a disk refuses is told with what to do, and what was stored is there afterwards."""

import os
import re
import resource
import shlex
import shutil
import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from core.base.errors import DiskFull, IndexDamaged, NotesDamaged, NotWritable, StoreError, WorkspaceLocked
from core.base.faults import newest_backup
from core.base.registry import Entry
from core.doors.cli import main
from core.embedding import EMBEDDERS
from core.workspace import Workspace
from tests.store.test_old_workspaces import FILES


@pytest.fixture(autouse=True)
def _embedders(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(EMBEDDERS, "_built", {})
    monkeypatch.setitem(EMBEDDERS, "words", Entry("tests.fakes:WordLengths"))
    monkeypatch.setitem(EMBEDDERS, "word-tokens", Entry("tests.fakes:WordTokens"))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A workspace with something of everything, migrated."""
    folder = tmp_path / "workspace"
    folder.mkdir()
    shutil.copyfile(FILES[19], folder / "notes.db")
    Workspace(folder).close()
    return folder


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    vault = tmp_path / "vault"
    vault.mkdir()
    for number in range(30):
        (vault / f"{number}.md").write_text(f"# Note {number}\n\n" + f"word{number} more words. " * 400)
    return vault


@contextmanager
def limit(size: int) -> Iterator[None]:
    """No file of this process grows beyond a size."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@contextmanager
def disk(folder: Path) -> Iterator[None]:
    """A small disk in the place of a folder, with what the folder holds."""
    beside = shutil.copytree(folder, folder.with_name("beside"))
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", folder], capture_output=True).returncode:
        pytest.skip("mounting needs more rights")
    try:
        shutil.copytree(beside, folder, dirs_exist_ok=True)
        yield
    finally:
        subprocess.run(["umount", "-l", folder], check=True)


def remount(folder: Path, how: str) -> None:
    subprocess.run(["mount", "-o", f"remount,{how}", folder], check=True)


def sync(workspace: Workspace, vault: Path) -> None:
    workspace.imports.apply(workspace.imports.plan_folder(vault, "notes"), confirmed=True)


def titles(workspace: Workspace) -> set[str]:
    return {card.title for card in workspace.notes.all()}


def overwrite(file: Path, start: int) -> None:
    with file.open("r+b") as stream:
        stream.seek(start)
        stream.write(bytes(file.stat().st_size - start))


def test_a_full_disk_is_told_and_what_was_stored_is_there(folder: Path, vault: Path) -> None:
    with Workspace(folder) as workspace:
        workspace.store.index.open()
        before = titles(workspace)
        with limit(300_000), pytest.raises(DiskFull, match="Free some space on its disk"):
            sync(workspace, vault)
        assert titles(workspace) >= before
        sync(workspace, vault)
        assert titles(workspace) == before | {f"Note {number}" for number in range(30)}


def test_a_read_only_disk_is_read_and_told_when_written(folder: Path) -> None:
    with disk(folder):
        remount(folder, "ro")
        with pytest.raises(NotWritable, match="can be searched but not changed"):
            Workspace(folder)
        with Workspace(folder, readonly=True) as workspace:
            assert "Backup runbook" in titles(workspace)
            assert workspace.search("restoring", mode="keyword").hits
        remount(folder, "rw")
        shutil.copyfile(FILES[1], folder / "notes.db")
        remount(folder, "ro")
        with pytest.raises(NotWritable, match="earlier version"):
            Workspace(folder, readonly=True)


def test_what_is_damaged_while_it_is_open_is_told_in_every_thread(folder: Path) -> None:
    with Workspace(folder) as workspace:
        (card, *_) = workspace.notes.all()
        overwrite(folder / "notes.db", 8192)
        workspace.jobs.start("job", lambda _: workspace.notes.get(card.id))
        job = workspace.jobs.wait("job")
        assert job is not None
        assert isinstance(job.error, NotesDamaged)
        assert f"tessera backup restore {newest_backup(folder)} --workspace {folder}" in str(job.error)


@pytest.mark.parametrize("act", ["unlink", "replace"])
def test_a_database_that_is_gone_takes_no_more_notes(folder: Path, act: str) -> None:
    with Workspace(folder) as workspace:
        (base, *_) = workspace.bases.all()
        getattr(folder / "notes.db", act)(*([folder / "away.db"] if act == "replace" else []))
        with pytest.raises(NotesDamaged, match="Put it back"):
            workspace.bases.update(base.name, embed_at_once=False)
    assert not (folder / "notes.db").exists()


def test_a_value_that_tessera_did_not_write_is_told(folder: Path) -> None:
    change(folder, "UPDATE notes SET links = '[', extra = '{'")
    with Workspace(folder) as workspace:
        for card in workspace.notes.all():
            assert workspace.notes.get(card.id).body
        assert {f"'{card.title}'" in str(workspace.unreadable) for card in workspace.notes.all()} == {True}
        assert "can't be read completely. Missing: aliases, links, extra" in str(workspace.unreadable[0])


def test_a_short_vector_is_told_and_computed_again_by_a_rebuild(folder: Path) -> None:
    change(folder, "UPDATE vectors SET vector = X'0000803F' WHERE id = (SELECT min(vector) FROM windows)")
    with Workspace(folder) as workspace:
        with pytest.raises(IndexDamaged, match="tessera rebuild"):
            workspace.search("backup", mode="semantic")
        workspace.store.index.open()
        assert "tessera rebuild" in str(workspace.status().index_problem)
        pending = workspace.pending.count("notes")
        workspace.rebuild()
        assert workspace.pending.count("notes") > pending
        workspace.pending.embed("notes")
        assert workspace.search("backup", mode="semantic").hits


def test_another_program_that_holds_the_database_is_told(folder: Path) -> None:
    with Workspace(folder) as workspace, closing(sqlite3.connect(folder / "notes.db")) as other:
        other.execute("BEGIN IMMEDIATE")
        workspace.store.database.connection.execute("PRAGMA busy_timeout = 0")
        with pytest.raises(WorkspaceLocked, match="Another program has"):
            workspace.searches.add("a question")
        other.rollback()
        workspace.searches.add("a question")
        assert "a question" in {past.query for past in workspace.searches.all()}


def test_a_commit_that_fails_leaves_no_half_transaction(folder: Path) -> None:
    with Workspace(folder) as workspace:
        connection = workspace.store.database.connection
        connection.execute("CREATE TEMP TABLE bad (id PRIMARY KEY, of REFERENCES bad DEFERRABLE INITIALLY DEFERRED)")
        with pytest.raises(sqlite3.IntegrityError):
            workspace.store.database.execute("INSERT INTO bad VALUES (1, 2)")
        assert not connection.in_transaction
        assert titles(workspace)


@pytest.mark.parametrize("name", ["notes.db", "notes.db-wal", "notes.db-shm"])
def test_a_folder_in_the_place_of_a_file_is_told(folder: Path, name: str) -> None:
    (folder / name).unlink(missing_ok=True)
    (folder / name).mkdir()
    with pytest.raises(StoreError, match=f"{folder}/{name} is in the way"), Workspace(folder) as workspace:
        workspace.searches.add("a question")


def test_a_folder_in_the_place_of_a_small_file_stops_nothing_else(folder: Path) -> None:
    for name in ("preferences.json", "synonyms.txt"):
        (folder / name).unlink(missing_ok=True)
        (folder / name).mkdir()
    with Workspace(folder) as workspace:
        workspace.preferences.set("language", "en")
        assert workspace.search("backup", mode="keyword").hits


def test_commands_say_it_in_one_line(folder: Path, vault: Path, capsys: pytest.CaptureFixture[str]) -> None:
    overwrite(folder / "notes.db", 4096)
    for command in (["status"], ["search", "backup"], ["import", str(vault)], ["rebuild"], ["index"]):
        with pytest.raises(SystemExit) as stopped:
            main([*command, "--workspace", str(folder)])
        assert stopped.value.code == 1
        said = capsys.readouterr().err
        assert said.count("\n") == 1
        assert "is damaged" in said


@pytest.mark.parametrize("emptied", ["missing", "empty", "without tables"])
@pytest.mark.parametrize("readonly", [False, True])
def test_an_emptied_workspace_is_no_new_one(folder: Path, emptied: str, readonly: bool) -> None:
    with Workspace(folder) as workspace:
        workspace.store.index.open()
    shutil.rmtree(folder / "backups")
    (folder / "notes.db").unlink()
    if emptied == "empty":
        (folder / "notes.db").touch()
    elif emptied == "without tables":
        with closing(sqlite3.connect(folder / "notes.db")) as connection:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("VACUUM")
    before = contents(folder)
    with pytest.raises(NotesDamaged, match="To start over instead, move these items elsewhere: chroma"):
        Workspace(folder, readonly=readonly)
    assert contents(folder) == before
    shutil.rmtree(folder / "chroma")
    Workspace(folder).close()


def test_an_emptied_workspace_names_its_backup(folder: Path) -> None:
    (folder / "notes.db").write_bytes(b"")
    command = ["backup", "restore", str(newest_backup(folder)), "--workspace", str(folder)]
    with pytest.raises(NotesDamaged, match=re.escape(shlex.join(["tessera", *command]))):
        Workspace(folder)
    with pytest.raises(SystemExit) as ended:
        main([*command, "--yes"])
    assert not ended.value.code
    with Workspace(folder) as workspace:
        assert "Backup runbook" in titles(workspace)


@pytest.mark.skipif(os.name != "posix", reason="there are no such permissions")
def test_a_workspace_is_its_owner_s_only(folder: Path) -> None:
    with Workspace(folder) as workspace:
        workspace.store.index.open()
        workspace.preferences.set("language", "en")
    for path in (folder, *folder.rglob("*")):
        path.chmod(0o777 if path.is_dir() else 0o666)
    with Workspace(folder) as workspace:
        assert {path.name: oct(path.stat().st_mode) for path in folder.iterdir() if path.stat().st_mode & 0o077} == {}
        assert folder.stat().st_mode & 0o777 == 0o700
        assert {path for path in folder.rglob("*") if path.stat().st_mode & 0o077} == set()


def contents(folder: Path) -> dict[str, bytes]:
    return {
        str(file.relative_to(folder)): file.read_bytes()
        for file in folder.rglob("*")
        if file.is_file() and file.name not in ("lock.json", "tessera.log")
    }


def change(folder: Path, statement: str) -> None:
    with closing(sqlite3.connect(folder / "notes.db")) as connection:
        connection.execute(statement)
        connection.commit()
