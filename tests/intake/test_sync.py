"""A plan says what became of every note, and never removes one it isn't sure of."""

import json
import os
import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest

from core.base.errors import SourceError
from core.base.messages import message
from core.intake.folder import content_hash, scan, with_text
from core.intake.sync import plan
from core.model import Failed, KnownNote, SyncPlan, SyncReport

LATER = 4_000_000_000_000_000_000
"""Nanoseconds; a time after that of every test."""


@pytest.fixture(autouse=True)
def settled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every file was written long ago."""
    monkeypatch.setattr("core.intake.folder.time_ns", lambda: LATER)


def write(folder: Path, **files: str) -> None:
    for name, text in files.items():
        path = folder / f"{name.replace('__', '/')}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def known_of(folder: Path) -> list[KnownNote]:
    """What a base knows after the folder was synced into it."""
    added = plan("base", folder, []).added
    return [
        KnownNote(f"id of {file.path}", file.path, str(folder), file.content_hash, file.mtime_ns, file.size, file.stamp)
        for file in added
    ]


def summary(result: SyncPlan) -> dict[str, list[str]]:
    """The plan's parts that hold something, as paths."""
    parts = {
        "added": [file.path for file in result.added],
        "changed": [f"{match.note.note_id} -> {match.file.path}" for match in result.changed],
        "renamed": [f"{match.note.path} -> {match.file.path}" for match in result.renamed],
        "removed": [note.path for note in result.removed],
        "unchanged": [note.path for note in result.unchanged],
        "touched": [match.file.path for match in result.touched],
        "failed": [item.path for item in result.failed],
    }
    return {name: paths for name, paths in parts.items() if paths}


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    folder = tmp_path / "vault"
    write(folder, a="note a", b="note b", c="note c", sub__d="note d", sub__e="note e", sub__f="note f")
    return folder


@pytest.fixture
def known(vault: Path) -> Sequence[KnownNote]:
    return known_of(vault)


def test_first_sync_adds_everything(vault: Path) -> None:
    result = plan("base", vault, [])
    assert summary(result) == {"added": ["a.md", "b.md", "c.md", "sub/d.md", "sub/e.md", "sub/f.md"]}
    assert result.added[0].content_hash == content_hash(b"note a")
    assert (result.base, result.source_ref) == ("base", str(vault))
    assert not result.is_empty


def test_nothing_changed(vault: Path, known: Sequence[KnownNote]) -> None:
    result = plan("base", vault, known)
    assert result.is_empty
    assert len(result.unchanged) == 6


def test_unchanged_files_are_not_read(vault: Path, known: Sequence[KnownNote], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.intake.sync.with_text", None)
    assert len(plan("base", vault, known).unchanged) == 6


def test_a_change_is_seen_where_time_and_size_are_the_same(vault: Path, known: Sequence[KnownNote]) -> None:
    for name, written in (("a.md", False), ("b.md", True)):
        file, about = vault / name, (vault / name).stat()
        if written:
            file.write_bytes(b"NOTE B")
        else:
            (vault / "new").write_bytes(b"NOTE A")
            (vault / "new").replace(file)
        os.utime(file, ns=(about.st_atime_ns, about.st_mtime_ns))
    assert summary(plan("base", vault, known))["changed"] == ["id of a.md -> a.md", "id of b.md -> b.md"]


def test_a_file_with_a_time_of_the_last_two_seconds_is_read(
    vault: Path, known: Sequence[KnownNote], monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str] = []
    monkeypatch.setattr("core.intake.sync.with_text", lambda *given: read.append(given[1].path) or with_text(*given))
    now = (vault / "a.md").stat().st_ctime_ns + 1_900_000_000
    monkeypatch.setattr("core.intake.folder.time_ns", lambda: now)
    os.utime(vault / "b.md", ns=(1, 1))
    result = plan("base", vault, known)
    assert (len(read), len(result.unchanged), summary(result)["touched"]) == (6, 5, ["b.md"])


@pytest.mark.parametrize(
    ("second", "age", "settled"), [(0, 1.9, False), (0, 2.1, True), (1, 0.05, False), (1, 0.2, True)]
)
def test_a_file_whose_clock_may_not_have_gone_on_is_read_once_more(
    vault: Path, monkeypatch: pytest.MonkeyPatch, second: int, age: float, settled: bool
) -> None:
    """Some file systems count two seconds: what is written twice in them has one time."""
    time_of = 1_700_000_000_000_000_000 + second
    os.utime(vault / "a.md", ns=(time_of, time_of))
    monkeypatch.setattr("core.intake.folder.time_ns", lambda: time_of + int(age * 1e9))
    assert bool(scan(vault).files[0].stamp) is settled


def test_every_kind_of_change_in_one_plan(vault: Path, known: Sequence[KnownNote]) -> None:
    (vault / "a.md").write_text("note a, longer", encoding="utf-8")
    os.utime(vault / "b.md", ns=(1, 1))
    (vault / "c.md").unlink()
    (vault / "sub/d.md").rename(vault / "moved.md")
    write(vault, new="brand new")
    result = plan("base", vault, known)
    assert summary(result) == {
        "added": ["new.md"],
        "changed": ["id of a.md -> a.md"],
        "renamed": ["sub/d.md -> moved.md"],
        "removed": ["c.md"],
        "unchanged": ["sub/e.md", "sub/f.md"],
        "touched": ["b.md"],
    }
    assert result.touched[0].file.mtime_ns == 1


def test_renames_among_equal_notes_prefer_the_same_file_name(tmp_path: Path) -> None:
    folder = tmp_path / "vault"
    write(folder, one__x="same", one__y="same", one__z="same")
    known = known_of(folder)
    (folder / "one").rename(folder / "two")
    (folder / "two/x.md").rename(folder / "two/a.md")
    assert summary(plan("base", folder, known)) == {
        "renamed": ["one/x.md -> two/a.md", "one/y.md -> two/y.md", "one/z.md -> two/z.md"]
    }


def test_a_copy_is_new_and_not_a_rename(vault: Path, known: Sequence[KnownNote]) -> None:
    shutil.copy2(vault / "a.md", vault / "copy.md")
    assert summary(plan("base", vault, known))["added"] == ["copy.md"]


def test_a_moved_vault_keeps_its_notes(tmp_path: Path, vault: Path, known: Sequence[KnownNote]) -> None:
    new = tmp_path / "new place"
    vault.rename(new)
    (new / "a.md").write_text("edited after the move", encoding="utf-8")
    (new / "b.md").rename(new / "b2.md")
    (new / "c.md").unlink()
    result = plan("base", new, known)
    assert summary(result) == {
        "changed": ["id of a.md -> a.md"],
        "renamed": ["b.md -> b2.md", "sub/d.md -> sub/d.md", "sub/e.md -> sub/e.md", "sub/f.md -> sub/f.md"],
        "removed": ["c.md"],
    }
    assert result.source_ref == str(new)


def test_another_folder_that_still_exists_is_left_alone(
    tmp_path: Path, vault: Path, known: Sequence[KnownNote]
) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(vault, copy)
    assert list(summary(plan("base", copy, known))) == ["added"]


def test_one_common_note_does_not_make_a_moved_vault(tmp_path: Path, vault: Path, known: Sequence[KnownNote]) -> None:
    shutil.rmtree(vault)
    other = tmp_path / "other"
    write(other, a="note a", mine="mine")
    assert summary(plan("base", other, known)) == {"added": ["a.md", "mine.md"]}


def test_failed_files_keep_their_notes(vault: Path, known: Sequence[KnownNote]) -> None:
    (vault / "a.md").write_bytes(b"")
    (vault / "b.md").write_bytes(b"\x89PNG\r\n\x1a\n\0\0")
    with (vault / "c.md").open("wb") as file:
        file.truncate(50 * 1024 * 1024)
    (vault / "sub/d.md").unlink()
    (vault / "sub/d.md").symlink_to("/etc/hostname")
    result = plan("base", vault, known)
    assert sorted(summary(result)["failed"]) == ["b.md", "c.md", "sub/d.md"]
    assert result.removed == ()
    assert [(item.path, str(item.error)[:19]) for item in result.not_downloaded] == [("a.md", "This file is empty,")]


def test_a_folder_that_became_a_link_keeps_its_notes(tmp_path: Path, vault: Path, known: Sequence[KnownNote]) -> None:
    (vault / "sub").rename(tmp_path / "elsewhere")
    (vault / "sub").symlink_to(tmp_path / "elsewhere", target_is_directory=True)
    result = plan("base", vault, known)
    assert result.removed == ()
    assert result.failed == (
        Failed("sub", message("This is a link that points outside the folder. It was not imported.")),
    )


def test_binary_new_files_fail_and_the_rest_goes_on(vault: Path) -> None:
    (vault / "z.md").write_bytes(bytes(range(256)) * 10)
    result = plan("base", vault, [])
    assert len(result.added) == 6
    assert result.failed[0].path == "z.md"


@pytest.mark.parametrize(("gone", "asks"), [(2, False), (3, True), (5, True)])
def test_losing_over_a_third_asks_first(vault: Path, known: Sequence[KnownNote], gone: int, asks: bool) -> None:
    for note in known[:gone]:
        (vault / note.path).unlink()
    result = plan("base", vault, known)
    assert len(result.removed) == gone
    assert result.needs_confirmation is asks


def test_a_handful_of_notes_is_not_guarded(tmp_path: Path) -> None:
    write(tmp_path, a="a", b="b", c="c", d="d")
    known = known_of(tmp_path)
    for name in "abc":
        (tmp_path / f"{name}.md").unlink()
    assert not plan("base", tmp_path, known).needs_confirmation


def test_an_emptied_folder_is_an_error_and_not_a_removal(vault: Path, known: Sequence[KnownNote]) -> None:
    for note in known:
        (vault / note.path).unlink()
    with pytest.raises(SourceError, match="no files to read here"):
        plan("base", vault, known)


def test_an_upload_never_removes_or_renames(tmp_path: Path) -> None:
    known = [
        KnownNote("1", "kept.md", "upload", content_hash(b"kept"), 1, 4),
        KnownNote("2", "again.md", "upload", content_hash(b"old"), 1, 3),
    ]
    write(tmp_path, again="new", other="kept")
    result = plan("base", tmp_path, known, upload="upload")
    assert summary(result) == {"added": ["other.md"], "changed": ["2 -> again.md"]}


def test_an_upload_takes_over_no_moved_folder(tmp_path: Path) -> None:
    known = [KnownNote("1", "a.md", str(tmp_path / "gone"), content_hash(b"same"), 1, 4)]
    write(tmp_path, a="same")
    result = plan("base", tmp_path, known, upload="upload")
    assert summary(result) == {"added": ["a.md"]}
    assert result.known == 0


def test_report_is_json() -> None:
    report = SyncReport(added=2, failed=(Failed("x.md", message("This file is empty.")),), chunks=5, seconds=0.5)
    assert json.loads(json.dumps(report.to_dict())) == {
        "added": 2,
        "changed": 0,
        "renamed": 0,
        "removed": 0,
        "unchanged": 0,
        "failed": [
            {"path": "x.md", "error": "This file is empty.", "message": {"text": "This file is empty.", "fields": {}}}
        ],
        "not_downloaded": [],
        "skipped": [],
        "left_out": [],
        "incomplete": [],
        "chunks": 5,
        "embedded_windows": 0,
        "indexed": 0,
        "edits_flagged": 0,
        "edits_kept": 0,
        "seconds": 0.5,
        "waiting": 0,
        "problem": None,
        "refused": 0,
        "importer": "",
    }


def test_pictures_in_a_folder_for_what_notes_show_are_not_among_the_files_that_are_not_read(vault: Path) -> None:
    for place in (
        "attachments/pasted-1a2b3c4d.png",
        "sub/Assets/board.jpg",
        "topic/images/plan.png",
        "Pictures/Scans/page.png",
        "loose.png",
    ):
        (vault / place).parent.mkdir(parents=True, exist_ok=True)
        (vault / place).write_bytes(b"\x89PNG\r\n\x1a\n" + b"0" * 20_000)
    assert [item.path for item in plan("base", vault, []).skipped] == ["Pictures/Scans/page.png", "loose.png"]
