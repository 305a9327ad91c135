"""Backups at their edges: clocks, names, programs, keys, damaged and hostile files."""

import hashlib
import io
import json
import os
import shutil
import sqlite3
import sys
import time
import zipfile
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from core.base.errors import ConfigError, NewerSchema, SourceError
from core.base.messages import message
from core.doors.cli import main
from core.features.backups import operations
from core.operations.declaring import PERSON, PROGRAM
from core.store.backups import making, manifest, restoring
from core.workspace import Workspace


@pytest.mark.parametrize("now", [0.0, 4.5e9])
def test_a_clock_out_of_the_years_of_a_zip_stops_no_backup(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch, now: float
) -> None:
    monkeypatch.setattr(time, "time", lambda: now)
    made = workspace.backups.make()
    assert workspace.backups.verify(made.name) == made


@pytest.mark.skipif(os.name != "posix", reason="other systems have no such names")
@pytest.mark.parametrize("name", [b"a\\b.zip", b"\xff.zip"])
def test_a_name_that_no_zip_holds_is_left_out(workspace: Workspace, name: bytes) -> None:
    """A program that unpacks into the trash may leave one there."""
    (workspace.store.folder / "trash" / os.fsdecode(name)).write_bytes(b"x")
    made = workspace.backups.make()
    assert workspace.backups.verify(made.name) == made


@pytest.mark.skipif(os.name != "posix", reason="other systems have no such names")
def test_a_folder_whose_name_is_no_text_is_backed_up(tmp_path: Path) -> None:
    with Workspace(tmp_path / os.fsdecode(b"\xff")) as workspace:
        made = workspace.backups.make()
        assert workspace.backups.verify(made.name).workspace == str(workspace.store.folder)


def test_the_newest_backup_stays_where_the_clock_went_back(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With seven of a later day there, the one of today was deleted as the oldest: none was ever made again."""
    with monkeypatch.context() as patch:
        patch.setattr(making, "utc_now", lambda: datetime.now(UTC) + timedelta(days=2000))
        for _ in range(making.KEPT["daily"]):
            workspace.backups.make("daily")
    first, second = workspace.backups.make("daily"), workspace.backups.make("daily")
    assert not first.file.exists()
    assert second.file.exists()
    assert len(workspace.backups.all()) == making.KEPT["daily"]


@pytest.mark.usefixtures("cheap_passphrases")
def test_an_empty_passphrase_does_not_end_encryption(
    workspace: Workspace, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A script whose variable is empty, and an input that is closed, left all later backups readable."""
    workspace.backups.protect("a long passphrase")
    workspace.close()
    for typed in ("", "\n"):
        monkeypatch.setattr(sys, "stdin", io.StringIO(typed))
        with pytest.raises(SystemExit) as ended:
            main(["backup", "encrypt", "--workspace", str(workspace.store.folder)])
        assert ended.value.code
        assert "at least" in capsys.readouterr().err
        assert workspace.backups.encrypted
    workspace.backups.unprotect()
    assert not workspace.backups.encrypted


def test_a_restore_prepared_again_and_killed_leaves_a_whole_one(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first one was deleted file by file under the name that the next opening puts in place."""
    workspace.backups.make()
    workspace.backups.restore("latest")
    delete = shutil.rmtree

    def killed(place: Path, *given: Any, **named: Any) -> None:
        if not (place / "aside.txt").is_file():
            delete(place, *given, **named)
            return
        (place / "notes.db").unlink(missing_ok=True)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(shutil, "rmtree", killed)
        with pytest.raises(KeyboardInterrupt):
            workspace.backups.restore("latest")
    folder = workspace.store.folder
    workspace.close()
    with Workspace(folder) as again:
        assert len(again.notes.all()) == 3


@pytest.mark.usefixtures("cheap_passphrases")
def test_a_restored_backup_brings_no_other_key(workspace: Workspace, tmp_path: Path) -> None:
    """One from before encryption ended it, and one of somebody else set a key that only they can read."""
    workspace.backups.make()
    workspace.backups.protect("a long passphrase")
    key = (workspace.store.folder / manifest.KEY_FILE).read_bytes()
    workspace.backups.restore("latest")
    folder = workspace.store.folder
    workspace.close()
    with Workspace(folder) as again:
        assert (folder / manifest.KEY_FILE).read_bytes() == key
        again.backups.make()
        again.backups.protect("another passphrase")
        again.backups.restore("latest", passphrase="a long passphrase")
        key = (folder / manifest.KEY_FILE).read_bytes()
    with Workspace(folder) as again:
        assert (folder / manifest.KEY_FILE).read_bytes() == key
        again.backups.restore(again.backups.make().name, to=tmp_path / "new", passphrase="another passphrase")
    assert (tmp_path / "new" / manifest.KEY_FILE).read_bytes() == key


@pytest.mark.parametrize("schema", [0, -5])
def test_a_database_of_another_program_is_not_put_in_place(workspace: Workspace, tmp_path: Path, schema: int) -> None:
    file = tmp_path / "other.db"
    with closing(sqlite3.connect(file)) as connection:
        connection.executescript(f"CREATE TABLE bases (id); PRAGMA user_version = {schema};")
    with pytest.raises(SourceError, match="a Tessera database"):
        workspace.backups.restore(str(file))
    assert not restoring.is_pending(workspace.store.folder)


@pytest.mark.usefixtures("cheap_passphrases")
def test_a_backup_that_was_encrypted_by_others_is_told_to_be_damaged(workspace: Workspace, tmp_path: Path) -> None:
    age = pytest.importorskip("pyrage")
    workspace.backups.protect("a long passphrase")
    with zipfile.ZipFile(workspace.backups.make().file) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    secret = age.passphrase.encrypt
    changes = {
        "content.age": [b"no age" * 9, None],
        "key.age": [secret(b"\xff", "a long passphrase"), secret(b"AGE-NO-KEY", "a long passphrase"), None],
    }
    for name, data in [(name, each) for name, every in changes.items() for each in every]:
        file = _packed(tmp_path / "forged.zip", parts | {name: data})
        with pytest.raises(SourceError, match="is damaged"):
            workspace.backups.restore(str(file), to=tmp_path / "new", passphrase="a long passphrase")


def _packed(file: Path, parts: dict[str, Any]) -> Path:
    """Write an encrypted backup of parts, but for those that are None, with a manifest that fits."""
    held = {name: data for name, data in parts.items() if data is not None and name != "manifest.json"}
    about = json.loads(parts["manifest.json"])
    about["files"] = {name: [len(data), hashlib.sha256(data).hexdigest()] for name, data in held.items()}
    with zipfile.ZipFile(file, "w") as archive:
        for name, data in (held | {"manifest.json": json.dumps(about)}).items():
            archive.writestr(name, data)
    return file


@pytest.mark.usefixtures("cheap_passphrases")
@pytest.mark.parametrize("recipient", ["age1zzz", 5])
def test_a_damaged_key_makes_no_readable_backup(workspace: Workspace, recipient: object) -> None:
    workspace.backups.protect("a long passphrase")
    key = workspace.store.folder / manifest.KEY_FILE
    key.write_text(json.dumps(json.loads(key.read_text()) | {"recipient": recipient}))
    with pytest.raises(SourceError, match="would not have been encrypted"):
        workspace.backups.make()
    assert workspace.backups.all() == []


def test_a_zip_whose_packing_is_damaged_stops_no_list(workspace: Workspace) -> None:
    made = workspace.backups.make()
    file = made.file.with_name("tessera-other.zip")
    with zipfile.ZipFile(file, "w", zipfile.ZIP_LZMA) as archive:
        archive.writestr("manifest.json", "{}" * 1000)
    data = bytearray(file.read_bytes())
    start = 30 + len("manifest.json")
    data[start + 4] = 0xFF  # a property that no LZMA has
    file.write_bytes(data)
    assert [one.name for one in workspace.backups.all() if one.problem] == [file.name]


@pytest.mark.parametrize("value", [None, [], {}, "x", {"notes.db": None}, {"notes.db": [1]}, {"../x": [1, ""]}])
def test_a_manifest_with_any_value_for_a_field_is_the_problem_of_its_file(workspace: Workspace, value: object) -> None:
    made = workspace.backups.make()
    with zipfile.ZipFile(made.file) as archive:
        about = json.loads(archive.read("manifest.json"))
    for name in about:
        with zipfile.ZipFile(made.file.with_name("tessera-other.zip"), "w") as archive:
            archive.writestr("manifest.json", json.dumps(about | {name: value}))
        others = [one for one in workspace.backups.all() if one.name != made.name]
        assert [bool(one.problem) for one in others] == [not (name in TEXTS and value == "x")], name
        workspace.doctor.examine()
    assert workspace.backups.make().file.exists()


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ("DROP TABLE golds", "is missing parts of a workspace"),
        ("CREATE TRIGGER other AFTER INSERT ON notes BEGIN DELETE FROM bases; END", "Tessera didn't make"),
        (
            "DROP TRIGGER golds_flagged; CREATE TRIGGER golds_flagged AFTER DELETE ON notes BEGIN SELECT 1; END",
            "Tessera didn't make",
        ),
        ("CREATE VIEW other AS SELECT * FROM notes", "Tessera didn't make"),
    ],
)
def test_a_database_that_is_no_whole_one_of_tessera_is_not_restored(
    workspace: Workspace, tmp_path: Path, change: str, why: str
) -> None:
    with zipfile.ZipFile(workspace.backups.make().file) as archive:
        archive.extract("notes.db", tmp_path)
    file = tmp_path / "notes.db"
    with closing(sqlite3.connect(file)) as connection:
        connection.executescript(change)
    with pytest.raises(SourceError, match=why):
        workspace.backups.restore(str(file), to=tmp_path / "restored")
    assert not (tmp_path / "restored" / "notes.db").exists()


@pytest.mark.parametrize("schema", [999, 2**31 - 1])
def test_a_database_of_a_newer_version_is_not_restored(workspace: Workspace, tmp_path: Path, schema: int) -> None:
    with zipfile.ZipFile(workspace.backups.make().file) as archive:
        archive.extract("notes.db", tmp_path)
    file = tmp_path / "notes.db"
    with closing(sqlite3.connect(file)) as connection:
        connection.execute(f"PRAGMA user_version = {schema}")
    for to in (None, tmp_path / "restored"):
        with pytest.raises(NewerSchema, match=r"notes\.db was made by a newer version"):
            workspace.backups.restore(str(file), to=to)
    assert not restoring.is_pending(workspace.store.folder)
    assert not any((tmp_path / "restored").iterdir())


TEXTS = ("workspace", "program")
"""Fields of a manifest that hold any text."""


def test_programs_fill_no_disk_with_backups(workspace: Workspace) -> None:
    """What they made counted as made by the person, and stayed."""
    by_hand = operations.make.run(workspace, PERSON, {})
    for _ in range(4):
        operations.make.run(workspace, PROGRAM, {})
    assert [one.reason for one in workspace.backups.all()] == ["program", "program", "person"]
    assert by_hand.file.exists()


@pytest.mark.parametrize("folder", ["~nobody-has-this-name/x", "/tmp/a\0b"])
def test_a_folder_that_is_none_is_told(workspace: Workspace, folder: str) -> None:
    with pytest.raises(ConfigError, match="a complete path"):
        workspace.backups.choose_place(folder)
    assert workspace.backups.place == workspace.store.folder / "backups"


def test_a_problem_ends_with_any_backup(workspace: Workspace) -> None:
    """The doctor made one more at each mending, and still told the problem of the last daily one."""
    workspace.backups.problem = message("the disk was away")
    workspace.backups.make()
    assert workspace.backups.problem is None


def test_a_problem_stays_after_a_backup_to_another_place(workspace: Workspace, tmp_path: Path) -> None:
    workspace.backups.problem = message("the disk was away")
    (tmp_path / "stick").mkdir()
    workspace.backups.make(to=tmp_path / "stick")
    assert workspace.backups.problem == message("the disk was away")


@pytest.mark.parametrize("errors", ["strict", "surrogateescape"])
def test_a_passphrase_that_is_no_text_is_refused(
    workspace: Workspace, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, errors: str
) -> None:
    workspace.close()
    typed = io.TextIOWrapper(io.BytesIO(b"\xff\xfe a long passphrase\n"), "utf-8", errors)
    monkeypatch.setattr(sys, "stdin", typed)
    with pytest.raises(SystemExit) as ended:
        main(["backup", "encrypt", "--workspace", str(workspace.store.folder)])
    assert ended.value.code == 1
    assert "UTF-8" in capsys.readouterr().err
    assert not workspace.backups.encrypted
