"""Files that change while a base watches their folder: each is synced by itself, as the system tells of it."""

import shutil
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.base.registry import Entry
from core.embedding import EMBEDDERS
from core.intake import folder as folders
from core.intake import watching
from core.intake.folder import Paths
from core.model import FolderSynced, SyncReport
from core.workspace import Workspace
from tests import samples
from tests.waiting import wait_until


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    place = samples.write(tmp_path / "vault")
    for number in range(9):
        (place / f"note {number}.md").write_text(f"Note {number} says {number}.")
    return place


@pytest.fixture
def workspace(tmp_path: Path, vault: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Workspace]:
    monkeypatch.setitem(EMBEDDERS, "words", Entry("tests.fakes:WordLengths"))
    monkeypatch.setenv("TESSERA_EMBEDDER", "words")
    monkeypatch.setattr(watching, "_TICK", 0.05)
    monkeypatch.setattr(watching, "_PATIENCE", 0.02)
    monkeypatch.setattr(watching, "_FIRST", 3600.0)  # without a look at the whole folder: only events tell
    with Workspace(tmp_path / "workspace") as workspace:
        workspace.imports.apply(workspace.imports.plan_folder(vault))
        yield workspace


def paths(workspace: Workspace) -> dict[str, str]:
    return {card.path or "": card.id for card in workspace.notes.all()}


@pytest.fixture
def syncs(workspace: Workspace) -> list[SyncReport]:
    """Watch, and return what comes of each sync."""
    reports: list[SyncReport] = []
    workspace.store.events.subscribe(FolderSynced, lambda sync: reports.append(sync.report))
    workspace.start_watching()
    wait_until(lambda: bool(workspace.watching._events._followed))
    return reports


@pytest.fixture
def taken(workspace: Workspace, syncs: list[SyncReport], monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """Return what the thread that watches takes up, at each of its looks."""
    looks: list[object] = []
    take = workspace.watching._events.take
    monkeypatch.setattr(workspace.watching._events, "take", lambda: (looks.append(found := take()), found)[1])
    return looks


def test_each_changed_file_is_read_alone(
    workspace: Workspace, vault: Path, syncs: list[SyncReport], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert workspace.bases.get("vault").watch
    read: list[str] = []
    original = folders.read
    monkeypatch.setattr(folders, "read", lambda place, path: (read.append(path), original(place, path))[1])
    before = paths(workspace)
    (vault / "note 1.md").write_text("Herons stand in shallow water.")
    (vault / "deep" / "er").mkdir(parents=True)
    (vault / "deep" / "er" / "new.md").write_text("A new one.")
    wait_until(lambda: "deep/er/new.md" in paths(workspace) and not workspace.pending.any() and len(syncs) > 0)
    assert "Herons" in workspace.notes.get(before["note 1.md"]).body
    assert set(read) == {"note 1.md", "deep/er/new.md"}
    assert (syncs[-1].unchanged, syncs[-1].removed) in {(11, 0), (12, 0)}
    assert workspace.search("herons").hits[0].note.id == before["note 1.md"]


def test_moved_files_and_folders_are_renamed_notes(workspace: Workspace, vault: Path, syncs: list[SyncReport]) -> None:
    before = paths(workspace)
    (vault / "sub").mkdir()
    (vault / "note 2.md").rename(vault / "sub" / "two.md")
    wait_until(lambda: "sub/two.md" in paths(workspace))
    (vault / "sub").rename(vault / "other")
    wait_until(lambda: "other/two.md" in paths(workspace))
    wait_until(lambda: len(syncs) == 2)
    now = paths(workspace)
    assert now["other/two.md"] == before["note 2.md"]
    assert len(now) == len(before)
    assert [(one.renamed, one.added, one.removed) for one in syncs] == [(1, 0, 0)] * 2


def test_deleted_files_leave_and_what_was_added_here_stays(
    workspace: Workspace, vault: Path, syncs: list[SyncReport]
) -> None:
    workspace.notes.add("vault", body="Written here.", title="Mine")
    (vault / "note 3.md").unlink()
    wait_until(lambda: "note 3.md" not in paths(workspace))
    assert "Mine" in {card.title for card in workspace.notes.all()}
    wait_until(lambda: [one.removed for one in syncs] == [1])


def test_a_folder_that_is_suddenly_empty_or_away_removes_nothing(
    workspace: Workspace, vault: Path, taken: list[object]
) -> None:
    base, before = workspace.bases.get("vault"), paths(workspace)
    for file in vault.iterdir():
        shutil.rmtree(file) if file.is_dir() else file.unlink()
    wait_until(lambda: any(one.problem for one in workspace.watching.folders(base)))
    assert paths(workspace) == before
    vault.rename(vault.with_name("away"))
    looks = len(taken)
    wait_until(lambda: len(taken) > looks + 5)
    assert paths(workspace) == before


def test_a_folder_that_is_emptied_bit_by_bit_waits_for_a_person_while_edits_go_on(
    workspace: Workspace, vault: Path, syncs: list[SyncReport]
) -> None:
    base = workspace.bases.get("vault")

    def removals() -> int:
        return sum(one.removals for one in workspace.watching.folders(base))

    for number in range(6):
        (vault / f"note {number}.md").unlink()
        wait_until(lambda number=number: f"note {number}.md" not in paths(workspace) or removals() > 0)
    assert removals() > 0
    assert len(paths(workspace)) > 6
    (vault / "note 8.md").write_text("Still written.")
    eight = paths(workspace)["note 8.md"]
    wait_until(lambda: workspace.notes.get(eight).body == "Still written.")
    assert removals() > 0
    assert sum(one.removed for one in syncs) <= 4


def test_a_file_that_cannot_be_read_is_listed_and_read_when_it_changed(
    workspace: Workspace, vault: Path, syncs: list[SyncReport]
) -> None:
    (vault / "bad.md").write_bytes(b"\x00\x01\x02" * 100)
    base = workspace.bases.get("vault")
    wait_until(lambda: [one.path for one in workspace.folders.failures(base)] == ["bad.md"])
    (vault / "note 5.md").write_text("Another one changes.")
    five = paths(workspace)["note 5.md"]
    wait_until(lambda: workspace.notes.get(five).body == "Another one changes.")
    assert [one.path for one in workspace.folders.failures(base)] == ["bad.md"]
    (vault / "bad.md").write_text("Now it is text.")
    wait_until(lambda: "bad.md" in paths(workspace) and workspace.folders.failures(base) == [])


def test_changes_wait_for_the_end_of_an_import(
    workspace: Workspace, vault: Path, syncs: list[SyncReport], taken: list[object]
) -> None:
    go_on = threading.Event()
    workspace.jobs.start("import", lambda progress: go_on.wait(60))
    (vault / "herons.md").write_text("Herons.")
    wait_until(lambda: len([*filter(None, taken)]) > 1)  # it was put back once
    assert "herons.md" not in paths(workspace)
    go_on.set()
    workspace.jobs.wait("import")
    wait_until(lambda: syncs)
    assert "herons.md" in paths(workspace)
    told = workspace.jobs.find("import")
    assert told is not None
    assert not told.quiet  # a person may still read what came of it


def test_without_events_the_looks_find_it(
    workspace: Workspace, vault: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    from watchfiles import _rust_notify

    def none(*_: object) -> None:
        raise OSError("No space left for watches")

    monkeypatch.setattr(_rust_notify, "RustNotify", none)
    monkeypatch.setattr(watching, "_FIRST", 0.3)
    workspace.start_watching()
    (vault / "herons.md").write_text("Herons.")
    wait_until(lambda: "herons.md" in paths(workspace))
    assert caplog.text.count("can't be watched") == 1


def test_uploads_and_programs_make_no_watched_base(workspace: Workspace, vault: Path) -> None:
    workspace.imports.apply(workspace.imports.plan_upload([("a.md", b"Text.")], "uploaded"))
    workspace.imports.apply(workspace.imports.plan_folder(vault, "programs"), watch=False)
    assert [base.name for base in workspace.bases.all() if base.watch] == ["vault"]


def test_paths_lead_through_folders() -> None:
    only = Paths(["a/b", "c.md"])
    assert [path in only for path in ("a/b", "a/b/c.md", "a/bc.md", "a", "c.md")] == [True, True, False, False, True]
    assert [only.lead_through(path) for path in ("a", "a/b", "a/b/c", "a/c", "b")] == [True, True, True, False, False]


def test_what_is_not_read_stays_listed_when_another_file_changes(
    workspace: Workspace, vault: Path, syncs: list[SyncReport]
) -> None:
    (vault / "tool.exe").write_bytes(b"MZ")
    (vault / "bad.md").write_bytes(b"\x00\x01" * 99)
    workspace.imports.apply(workspace.imports.plan_folder(vault))
    before = {one.path for one in workspace.documents.unread("vault")}
    assert before == {"tool.exe", "bad.md"}
    (vault / "note 5.md").write_text("Another one changes.")
    wait_until(lambda: bool(syncs) and syncs[-1].changed == 1)
    after = {one.path for one in workspace.documents.unread("vault")}
    assert after == before


def test_a_file_of_rules_that_changes_decides_for_the_whole_folder(
    workspace: Workspace, vault: Path, syncs: list[SyncReport]
) -> None:
    (vault / ".tesseraignore").write_text("note 1.md\n")
    wait_until(lambda: "note 1.md" not in paths(workspace))
    (vault / ".tesseraignore").unlink()
    wait_until(lambda: "note 1.md" in paths(workspace))
