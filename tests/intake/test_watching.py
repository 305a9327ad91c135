"""Watched bases: their folders are synced, carefully, and never beside an import."""

import os
import shutil
import threading
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest

from core.base.errors import TesseraError
from core.base.registry import Entry
from core.embedding import EMBEDDERS
from core.workspace import Workspace
from tests import samples
from tests.importers import exports
from tests.waiting import wait_until


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    return samples.write(tmp_path / "vault")


@pytest.fixture
def workspace(tmp_path: Path, vault: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Workspace]:
    monkeypatch.setitem(EMBEDDERS, "words", Entry("tests.fakes:WordLengths"))
    monkeypatch.setenv("TESSERA_EMBEDDER", "words")
    monkeypatch.setenv("TESSERA_WATCH_SECONDS", "1")
    with Workspace(tmp_path / "workspace") as workspace:
        workspace.imports.apply(workspace.imports.plan_folder(vault))
        workspace.bases.update("vault", watch=True)
        yield workspace


def titles(workspace: Workspace) -> set[str]:
    return {card.path or "" for card in workspace.notes.all()}


def test_a_watched_folder_is_synced_by_itself(workspace: Workspace, vault: Path) -> None:
    (vault / "herons.md").write_text("Herons stand in shallow water.")
    workspace.start_watching()
    workspace.start_watching()
    assert [thread.name for thread in threading.enumerate()].count("watching") == 1
    wait_until(lambda: "herons.md" in titles(workspace) and not workspace.pending.any())
    wait_until(lambda: workspace.jobs.find("import") is None)
    wait_until(lambda: bool(workspace.watching.folders(workspace.bases.get("vault"))))
    (seen,) = workspace.watching.folders(workspace.bases.get("vault"))
    assert (seen.folder, seen.problem, seen.removals) == (str(vault), None, 0)


def test_a_deleted_note_stays_in_the_trash_until_its_file_changes(workspace: Workspace, vault: Path) -> None:
    (vault / "herons.md").write_text("Herons stand in shallow water.")
    (vault / "storks.md").write_text("Storks nest on roofs.")
    workspace.watching.look()
    workspace.trash.put(workspace.notes.resolve("herons").id)
    (vault / "storks.md").unlink()
    workspace.watching.look()
    assert not {"herons.md", "storks.md"} & titles(workspace)
    (vault / "storks.md").write_text("Storks nest on roofs.")
    workspace.watching.look()
    assert {"herons.md", "storks.md"} & titles(workspace) == {"storks.md"}
    (vault / "herons.md").write_text("Herons stand in deep water.")
    workspace.watching.look()
    assert "herons.md" in titles(workspace)
    deleted = workspace.notes.resolve("herons").id
    workspace.trash.put(deleted)
    plan = workspace.imports.plan_folder(vault)
    assert [left.path for left in plan.left_out] == ["herons.md"]
    workspace.imports.apply(plan)
    assert "herons.md" not in titles(workspace)
    workspace.trash.restore([deleted])
    assert workspace.imports.plan_folder(vault).is_empty
    assert workspace.notes.get(deleted).in_file


def test_a_note_that_is_deleted_for_good_stays_away_until_its_file_changes(workspace: Workspace, vault: Path) -> None:
    file, numbers = vault / "herons.md", count()
    file.write_text("Herons stand in shallow water.")
    workspace.watching.look()

    def delete() -> None:
        workspace.trash.put(workspace.notes.resolve("herons").id)
        workspace.trash.empty()
        (vault / "storks.md").write_text(f"Storks nest on roofs. {next(numbers)}")  # another sync
        workspace.watching.look()
        workspace.watching.look()
        assert "herons.md" not in titles(workspace)

    delete()
    file.write_text("Herons stand in deep water.")
    workspace.watching.look()
    assert "herons.md" in titles(workspace)
    delete()
    workspace.imports.apply(workspace.imports.plan_folder(vault))
    assert "herons.md" not in titles(workspace)
    file.write_text("Herons stand in the reeds.")
    workspace.watching.look()
    assert "herons.md" in titles(workspace)


def test_only_watched_bases_are_synced(workspace: Workspace, vault: Path) -> None:
    workspace.bases.update("vault", watch=False)
    (vault / "herons.md").write_text("Herons.")
    workspace.watching.look()
    assert "herons.md" not in titles(workspace)
    assert workspace.watching.folders(workspace.bases.get("vault")) == []


def test_a_folder_that_is_missing_or_empty_keeps_its_notes(
    workspace: Workspace, vault: Path, caplog: pytest.LogCaptureFixture
) -> None:
    before = titles(workspace)
    shutil.move(vault, away := vault.with_name("away"))
    workspace.watching.look()
    workspace.watching.look()
    assert titles(workspace) == before
    (seen,) = workspace.watching.folders(workspace.bases.get("vault"))
    assert "doesn't exist" in str(seen.problem)
    assert caplog.text.count("A watched folder can't be synced") == 1
    vault.mkdir()
    workspace.watching.look()
    assert titles(workspace) == before
    assert workspace.watching.folders(workspace.bases.get("vault"))[0].problem
    vault.rmdir()
    shutil.move(away, vault)
    workspace.watching.look()
    assert workspace.watching.folders(workspace.bases.get("vault"))[0].problem is None


def test_a_sync_that_would_remove_much_waits_for_a_person(workspace: Workspace, vault: Path) -> None:
    for number in range(6):
        (vault / f"note {number}.md").write_text(f"Note {number} says {number}.")
    workspace.watching.look()
    assert len(titles(workspace)) == 9
    for number in range(6):
        (vault / f"note {number}.md").unlink()
    workspace.watching.look()
    assert len(titles(workspace)) == 9
    (seen,) = workspace.watching.folders(workspace.bases.get("vault"))
    assert seen.removals == 6
    workspace.imports.apply(workspace.imports.plan_folder(vault), confirmed=True)
    workspace.watching.look()
    assert workspace.watching.folders(workspace.bases.get("vault"))[0].removals == 0


def test_nothing_is_synced_beside_an_import(workspace: Workspace, vault: Path) -> None:
    started, go_on = threading.Event(), threading.Event()
    workspace.jobs.start("import", lambda progress: (started.set(), go_on.wait(60)))
    started.wait(60)
    (vault / "herons.md").write_text("Herons.")
    workspace.watching.look()
    assert "herons.md" not in titles(workspace)
    go_on.set()
    workspace.jobs.wait("import")
    workspace.watching.look()
    assert "herons.md" in titles(workspace)


def test_a_sync_that_fails_is_told(workspace: Workspace, vault: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (vault / "herons.md").write_text("Herons.")

    def fail(*_: object, **__: object) -> None:
        raise TesseraError("The disk is on fire.")

    with monkeypatch.context() as patched:
        patched.setattr(workspace.imports, "apply", fail)
        workspace.watching.look()
    assert str(workspace.watching.folders(workspace.bases.get("vault"))[0].problem) == "The disk is on fire."
    workspace.watching.look()
    assert workspace.watching.folders(workspace.bases.get("vault"))[0].problem is None
    assert "herons.md" in titles(workspace)


@pytest.mark.parametrize(("at", "byte"), [(0, 0), (4, 99), (6, 99), (8, 1), (10, 77), (28, 255), (30, 255)])
def test_a_damaged_archive_in_a_watched_folder_stops_no_sync(
    workspace: Workspace, vault: Path, at: int, byte: int
) -> None:
    packed = bytearray(exports.zipped(exports.keep()))
    packed[packed.index(b"PK\1\2") + at] = byte  # in the archive's list of files
    (vault / "takeout.zip").write_bytes(packed)
    (vault / "herons.md").write_text("Herons.")
    workspace.watching.look()
    assert "herons.md" in titles(workspace)
    problem = workspace.watching.folders(workspace.bases.get("vault"))[0].problem
    assert problem is None or str(problem).startswith("takeout.zip: This zip archive is damaged")


def test_a_changed_file_is_a_new_version_and_a_renamed_base_is_still_watched(workspace: Workspace, vault: Path) -> None:
    workspace.bases.rename("vault", "mine")
    note = next(card for card in workspace.notes.all() if card.path == "backups.md")
    (vault / "backups.md").write_text("Another text about herons.")
    os.utime(vault / "backups.md", (2_000_000_000, 2_000_000_000))
    workspace.watching.look()
    assert [base.name for base in workspace.bases.all()] == ["mine"]
    assert workspace.notes.get(note.id).body == "Another text about herons."
    assert workspace.versions.all(note.id)[0].kind == "sync"


def test_closing_stops_a_sync(workspace: Workspace, vault: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(64):
        (vault / f"note {number}.md").write_text(f"Note {number} says {number}.")
    writes, write = [], workspace.store.put

    def put(*given: object) -> None:
        writes.append(given)
        wait_until(lambda: any(stop.is_set() for stop in workspace.jobs._stops.values()))
        write(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(workspace.store, "put", put)
    workspace.start_watching()
    wait_until(lambda: writes)
    workspace.close()
    assert len(writes) < 4, "64 notes are written in groups of 16"
    assert "watching" not in [thread.name for thread in threading.enumerate()]
    workspace.watching.look()
