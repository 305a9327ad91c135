"""The doctor names what is wrong, mends what can be mended, and says the rest; a sound workspace stays untouched."""

import json
import os
import shutil
from base64 import b64decode, b64encode
from pathlib import Path

import pytest

from core.base.errors import DiskFull
from core.doors.cli import main
from core.embedding import windows
from core.features.archives.service import CHECKS as ARCHIVES
from core.features.backups.service import CHECKS as BACKUPS
from core.features.doctor import workspace_checks
from core.features.doctor.database_checks import OF_DATABASE
from core.features.doctor.workspace_checks import OF_FILES, OF_MACHINE, OF_RESOURCES
from core.store.database import Connection
from core.workspace import Workspace
from tests.features.doctor import damages
from tests.features.doctor.damages import DAMAGES

PNG = b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")
CHECKS = [*OF_DATABASE, *OF_RESOURCES, *BACKUPS, *OF_MACHINE, *OF_FILES, *ARCHIVES]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("doctor") / "made"
    with pytest.MonkeyPatch.context() as patch:
        settings(patch)
        damages.make(place)
    return place


@pytest.fixture(autouse=True)
def _settings(monkeypatch: pytest.MonkeyPatch) -> None:
    settings(monkeypatch)


def settings(patch: pytest.MonkeyPatch) -> None:
    patch.setenv("TESSERA_EMBEDDER", "tfidf")
    patch.setenv("TESSERA_INDEX__KIND", "none")
    patch.setenv("TESSERA_SEARCH__RERANKER", "none")


@pytest.mark.parametrize("name", [name for name, damage in DAMAGES.items() if not damage.chroma])
def test_damage_is_named_and_mended_or_told(made: Path, tmp_path: Path, name: str) -> None:
    assert damages.tried(made, tmp_path / "here", DAMAGES[name]) == ""


@pytest.mark.parametrize("name", [name for name, damage in DAMAGES.items() if damage.chroma])
def test_damage_of_the_index_is_named_and_mended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv("TESSERA_INDEX__KIND", "chroma")
    damages.make(tmp_path / "made")
    assert damages.tried(tmp_path / "made", tmp_path / "here", DAMAGES[name]) == ""


def test_only_what_is_missing_of_what_notes_show_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TESSERA_WORKSPACE", str(tmp_path / "here"))
    notes = tmp_path / "notes"
    (notes / "sub").mkdir(parents=True)
    (notes / "real.png").write_bytes(PNG)
    (notes / "doc.pdf").write_bytes(b"%PDF-1.4 not read")
    (notes / "Guest.md").write_text("---\naliases: [Alias Name]\n---\n# Guest\n\n## Part\n\nguest text\n")
    (notes / "sub" / "Deep.md").write_text("# Deep\n\nblock ^b1\n")
    there = "Guest", "Guest#Part", "sub/Deep#^b1", "Alias Name", "doc.pdf#page=2", "real.png|200", "#Host"
    gone = "![[nothing here]] ![a](lost%20one.png) ![b][ref] ![[lost two.jpg|300]]\n\n[ref]: <lost three.png>\n"
    shown = "\n".join(f"![[{name}]]" for name in there)
    written = (
        "![x](Guest.md) ![y](<real.png>) ![z](data:image/png;base64,AAAA) ![w](https://example.org/a.png) `![[code]]`"
    )
    (notes / "Host.md").write_text(f"# Host\n\n{shown}\n\n{written}\n\n```\n![[code]]\n```\n\n{gone}")
    output = {"output_type": "display_data", "metadata": {}, "data": {"image/png": b64encode(PNG).decode()}}
    cells = [
        {"cell_type": "code", "id": "b", "execution_count": 1, "metadata": {}, "source": ["1"], "outputs": [output]},
        {"cell_type": "markdown", "id": "a", "metadata": {}, "source": ["![there](real.png) ![gone](pics/lost.png)"]},
    ]
    notebook = {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells}
    (notes / "Book.ipynb").write_text(json.dumps(notebook))
    for command in (["import", str(notes), "--base", "vault"], ["doctor"]):
        capsys.readouterr()
        with pytest.raises(SystemExit):
            main(command)
    said = capsys.readouterr().out
    lost = [
        "Host: nothing here",
        "Host: lost one.png",
        "Host: lost three.png",
        "Host: lost two.jpg",
        "Book: pics/lost.png",
    ]
    assert "5 pictures or files are missing" in said
    assert [name for name in lost if name not in said] == []


def test_every_check_has_its_damage() -> None:
    # What a disk without space and a folder without rights do needs another disk and another person.
    # Notes of a release that knew no rows are in the test below.
    others = {"space", "servers", "watched", "tokens", "rows"}
    assert {*CHECKS} - {damage.check for damage in DAMAGES.values()} == others


def test_tables_of_an_earlier_release_are_named_and_get_their_rows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def problem(workspace: Workspace) -> str:
        (one,) = [check for check in workspace.doctor.examine().checks if check.name == "rows"]
        return str(one.problem or "")

    with Workspace(tmp_path / "workspace") as workspace:
        with monkeypatch.context() as patch:
            patch.setattr(windows, "MOST_ROWS", 0)
            workspace.notes.add("keys", "# Keys\n\n| What | Key |\n|---|---|\n| Delete it | K |\n| Copy it | D |\n")
            workspace.notes.add("words", "# Words\n\nNo table | here.\n")
        assert "keys" in problem(workspace)
        assert "words" not in problem(workspace)
        assert workspace.chunks.rechunk("keys").embedded_windows == 2
        assert problem(workspace) == ""
        assert workspace.chunks.rechunk("keys").embedded_windows == 0


def test_a_disk_that_refuses_ends_one_check_only(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = shutil.copytree(made / "workspace", tmp_path / "workspace")

    def refused(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied", str(folder / "lock"))

    monkeypatch.setattr(workspace_checks, "FileLock", refused)
    monkeypatch.setattr(workspace_checks, "disk_space", refused)
    assert not workspace_checks._in_use(folder)
    health = damages.examined(folder)
    assert [one.name for one in health.checks] == [*CHECKS]
    assert "Permission denied" in str(next(one.problem for one in health.checks if one.name == "space"))


def test_the_command_says_it_and_its_status_too(
    made: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = made / "workspace"
    monkeypatch.setenv("TESSERA_WORKSPACE", str(folder))
    before = {file: file.read_bytes() for file in folder.rglob("*") if file.is_file() and "logs" not in file.parts}
    assert status("doctor") == 0
    assert f"{len(CHECKS)} of {len(CHECKS)} checks found nothing wrong." in capsys.readouterr().out
    assert {file: file.read_bytes() for file in before} == before
    monkeypatch.setenv("TESSERA_LLM__BASE_URL", "http://example.org/v1")
    assert status("doctor", "--json") == 1
    (found,) = [one for one in json.loads(capsys.readouterr().out)["checks"] if one["problem"]]
    assert (found["name"], found["level"], found["mended"]) == ("servers", "look", False)
    with Workspace(folder) as workspace:
        workspace.store.database.execute("UPDATE bases SET embedder = 'sentence:acme/gone'")
    assert status("doctor", "--fix") == 2
    assert "BROKEN: sentence:acme/gone" in capsys.readouterr().out
    with Workspace(folder) as workspace:
        workspace.store.database.execute("UPDATE bases SET embedder = 'tfidf'")


def status(*command: str) -> int:
    with pytest.raises(SystemExit) as ended:
        main(command)
    return int(str(ended.value.code or 0))


def test_compacting_gives_space_back_and_refuses_without_room(
    made: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = shutil.copytree(made / "workspace", tmp_path / "workspace")
    with Workspace(folder) as workspace:
        for number in range(20):
            workspace.notes.add("large", "word " * 20_000 + str(number), title=str(number), embed=False)
        hits = [hit.chunk.id for hit in workspace.search(damages.QUESTION, bases=["base"]).hits]
        workspace.bases.delete_for_good("large")
        before = workspace.doctor.space()
        assert before.unused > 1_000_000
        usage = shutil.disk_usage(folder)
        with monkeypatch.context() as patch:
            patch.setattr(shutil, "disk_usage", lambda _: usage._replace(free=1_000_000))
            assert workspace.little_space == 1_000_000
            with pytest.raises(DiskFull, match="Nothing was changed"):
                workspace.doctor.compact()
        done = workspace.doctor.compact()
        assert done.after < done.before - 1_000_000
        assert workspace.doctor.space().unused == 0
        assert [hit.chunk.id for hit in workspace.search(damages.QUESTION, bases=["base"]).hits] == hits
    assert damages.examined(folder).level == "sound"
    assert status("space", "--workspace", str(folder)) == 0
    assert "backups" in capsys.readouterr().out


def test_compacting_changes_no_variable_that_other_threads_may_be_reading(
    made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = shutil.copytree(made / "workspace", tmp_path / "workspace")
    with Workspace(folder) as workspace:
        database, seen = workspace.store.database, list[object]()
        connect = database._connect

        def connecting(how: str) -> Connection:
            seen.append({**os.environ} == before)
            return connect(how)

        before = {**os.environ}
        monkeypatch.setattr(database, "_connect", connecting)
        database.compact()
    assert seen == [True]
