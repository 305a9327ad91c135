"""The small files of a workspace: whatever else lies in their place is set aside, and they are made anew."""

import os
import shutil
import sqlite3
import zipfile
from collections.abc import Callable
from pathlib import Path
from unittest.mock import patch

import pytest

from core.base import files
from core.base.errors import ConfigError, StoreError
from core.doors.remote.client import connect_running
from core.settings.access import AccessTokens
from core.store.backups import making, manifest
from core.store.backups.manifest import OBSOLETE
from core.workspace import Workspace

NAMES = ("token", "run.json", "preferences.json", "lock.json", "chroma.seal", "lock")
PERSONS = ("synonyms.txt", "vocabulary.txt")


@pytest.fixture(scope="module")
def used(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A closed workspace that an app was killed in."""
    folder = tmp_path_factory.mktemp("used") / "w"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TESSERA_EMBEDDER", "tfidf")
        with Workspace(folder) as workspace:
            workspace.notes.add("desk", "a text about backups", title="A note")
            workspace.store.index.open()
            workspace.preferences.set("language", "en")
            workspace.search("backups")
            workspace.access.open("http://127.0.0.1:8501")
            workspace.access._own = None
    return folder


@pytest.fixture
def folder(used: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TESSERA_EMBEDDER", "tfidf")
    return Path(shutil.copytree(used, tmp_path / "w"))


def a_folder(file: Path) -> None:
    (file / "inside").mkdir(parents=True)


def a_loop(file: Path) -> None:
    file.symlink_to(file)


def holding(data: bytes) -> Callable[[Path], object]:
    return lambda file: file.write_bytes(data)


SHAPES: dict[str, Callable[[Path], object]] = {
    "a folder": a_folder,
    "a pipe": os.mkfifo,
    "a loop": a_loop,
    "random": holding(bytes(range(256)) * 20),
    "empty": holding(b""),
    "zeros": holding(bytes(43)),
    "nested": holding(b"[" * 100_000),
    "half a character": holding(b'{"language": "\\ud800", "address": "\\ud800", "pid": "\\ud800"}'),
    "a list": holding(b"[1, 2]"),
    "other types": holding(b'{"language": 5, "address": [], "token": {}, "files": 1, "pid": null, "x": 1e999}'),
    "huge": holding(b" " * 5_000_000),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_what_is_broken_is_set_aside_and_made_anew(folder: Path, shape: str) -> None:
    for name in NAMES:
        (folder / name).unlink(missing_ok=True)
        SHAPES[shape](folder / name)
    before = {name: _state(folder / name) for name in NAMES}
    assert connect_running(folder) is None
    with Workspace(folder, readonly=True) as reader:
        assert not reader.access.admits("", programs=True)
        assert reader.search("backups", mode="keyword").hits
        reader.preferences.set("language", "en")
    assert {name: _state(folder / name) for name in NAMES} == before
    with Workspace(folder) as workspace:
        workspace.store.index.open()
        assert not workspace.access.admits("", programs=True)
        token = workspace.access.token
        assert workspace.access.admits(token, programs=True)
        workspace.access.open("http://127.0.0.1:8501")
        assert AccessTokens(folder).run is not None
        workspace.preferences.set("language", "zh")
        assert workspace.preferences.get("language") == "zh"
        workspace.notes.add("desk", "another text about backups", title="Another")
        assert len(workspace.search("backups").hits) == 2
        workspace.answers.ask("what about backups?")
        assert {"token.broken", "run.json.broken", "lock.json.broken"} <= set(workspace.status().set_aside)
        assert "is set aside as preferences.json.broken" in (folder / "logs" / "tessera.log").read_text()
    assert all((folder / name).is_file() for name in NAMES if name not in ("run.json", "chroma.seal"))


def test_what_a_killed_write_left_goes_at_the_next_opening(folder: Path) -> None:
    left = [folder / name for name in (".lock.json.ab_3xyz9", ".preferences.json.01234567")]
    others = [folder / name for name in (".lock.json", "lock.json.ab_3xyz9")]
    for file in (*left, *others):
        file.write_text("{}")
    with Workspace(folder, readonly=True):
        assert all(file.exists() for file in left)
    Workspace(folder).close()
    assert [file.exists() for file in (*left, *others)] == [False, False, True, True]


def test_files_of_earlier_versions_go_and_are_in_no_backup(folder: Path) -> None:
    """An old backup may have them: it can be restored, and they go again."""
    old = [folder / name for name in OBSOLETE]
    for file in old:
        file.write_text("{}")
    with Workspace(folder, readonly=True):
        assert all(file.exists() for file in old)
    belonging = patch.object(manifest, "BELONGING", (*manifest.BELONGING, *OBSOLETE))
    with belonging, sqlite3.connect(folder / "notes.db") as connection:
        backup = making.make(connection, folder, "person")
    assert {*OBSOLETE} <= {*zipfile.ZipFile(backup.file).namelist()}
    with Workspace(folder) as workspace:
        assert not any(file.exists() for file in old)
        assert not {*OBSOLETE} & {*zipfile.ZipFile(workspace.backups.make().file).namelist()}
        restored = workspace.backups.restore(backup.file)
    assert restored.waits
    with Workspace(folder) as workspace:
        assert workspace.search("backups").hits
        assert not any(file.exists() for file in old)


def _state(file: Path) -> tuple[int, int]:
    state = file.lstat()
    return state.st_ino, state.st_size


@pytest.mark.parametrize("token", ["", "a" * 42, "a" * 21 + "\0" * 22, "é" * 43, "a" * 43 + "\n" + "b" * 43])
def test_a_damaged_token_admits_nobody(folder: Path, token: str) -> None:
    (folder / "token").write_text(token)
    access = AccessTokens(folder)
    assert not access.admits(token, programs=True)
    assert not access.admits("", programs=True)
    assert access.token != token
    assert access.admits(access.token, programs=True)


@pytest.mark.parametrize("shape", ["a folder", "a pipe", "a loop"])
def test_what_is_no_file_of_words_is_set_aside(folder: Path, shape: str) -> None:
    for name in PERSONS:
        (folder / name).unlink(missing_ok=True)
        SHAPES[shape](folder / name)
    with Workspace(folder) as workspace:
        assert workspace.search("backups").hits
        assert workspace.vocabulary.types()
        assert workspace.status().set_aside == ("synonyms.txt.broken", "vocabulary.txt.broken")
    assert all((folder / name).is_file() for name in PERSONS)


def test_a_file_of_words_that_was_edited_is_never_set_aside(folder: Path) -> None:
    for name in PERSONS:
        (folder / name).write_bytes("类型".encode("utf-16"))
    with Workspace(folder) as workspace:
        with pytest.raises(ConfigError, match="isn't UTF-8 text"):
            workspace.search("backups", level="exploratory")
        assert workspace.vocabulary.problems()
        assert workspace.status().set_aside == ()


def test_only_some_of_what_was_set_aside_stays(tmp_path: Path) -> None:
    for number in range(9):
        (tmp_path / "token").write_text(str(number))
        files.set_aside(tmp_path / "token")
    texts = {name: (tmp_path / name).read_text() for name in files.list_set_aside(tmp_path)}
    assert list(texts) == ["token.broken", *(f"token.broken-{number}" for number in range(2, 6))]
    assert list(texts.values()) == ["0", "1", "2", "3", "8"]


@pytest.mark.parametrize("shape", ["a folder", "a pipe", "a loop", "random", "huge", "nested"])
def test_settings_that_cant_be_read_are_told(shape: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    SHAPES[shape](tmp_path / "tessera.toml")
    before = _state(tmp_path / "tessera.toml")
    with pytest.raises(ConfigError, match=r"tessera\.toml"):
        Workspace(tmp_path / "w")
    assert _state(tmp_path / "tessera.toml") == before


def test_a_loop_in_the_place_of_the_workspace_is_told(tmp_path: Path) -> None:
    (tmp_path / "w").symlink_to(tmp_path / "w")
    for readonly in (False, True):
        with pytest.raises(StoreError, match=r"Choose another folder|no workspace"):
            Workspace(tmp_path / "w", readonly=readonly)
