"""A file that isn't there yet keeps its note: placeholders, locks, files without content; leftovers are no files."""

import errno
import io
import json
import os
import shutil
import zipfile
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from core.base.errors import SourceError
from core.doors import cli
from core.intake import placeholders
from core.intake.folder import scan
from core.intake.placeholders import NotDownloaded
from core.model import FolderSynced, SyncReport
from core.workspace import Workspace


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Workspace]:
    monkeypatch.setenv("TESSERA_EMBEDDER", "tfidf")
    with Workspace(tmp_path / "workspace") as workspace:
        yield workspace


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    folder = tmp_path / "vault"
    folder.mkdir()
    for number in range(1, 10):
        (folder / f"Note {number}.md").write_text(f"# Note {number}\n\nThe lamp of lighthouse{number} is green.\n")
    return folder


def sync(workspace: Workspace, vault: Path) -> SyncReport:
    return workspace.imports.apply(workspace.imports.plan_folder(vault), embed=False)


def away(report: SyncReport) -> dict[str, str]:
    return {one.path: str(one.error) for one in report.not_downloaded}


def found(workspace: Workspace, word: str) -> list[str]:
    return [str(hit.note.path) for hit in workspace.search(word, mode="keyword").hits]


def evict(file: Path) -> Path:
    place = file.with_name(f".{file.name}.icloud")
    file.unlink()
    place.write_bytes(b"bplist00")
    return place


def test_a_note_whose_placeholder_is_there_stays_and_comes_back_once(workspace: Workspace, vault: Path) -> None:
    sync(workspace, vault)
    ids = {card.path: card.id for card in workspace.notes.all()}
    texts = {name: (vault / name).read_text() for name in ("Note 3.md", "Note 4.md")}
    places = [evict(vault / name) for name in texts]
    (vault / ".Never here.pdf.icloud").write_bytes(b"bplist00")
    (vault / ".picture.jpg.icloud").write_bytes(b"bplist00")
    plan = workspace.imports.plan_folder(vault)
    assert (plan.removed, [one.path for one in plan.not_downloaded]) == ((), ["Never here.pdf", *texts])
    report = sync(workspace, vault)
    assert (report.removed, report.failed) == (0, ())
    stays = f"{placeholders.PLACEHOLDER} Until then, its note stays unchanged."
    assert away(report) == {"Never here.pdf": str(placeholders.PLACEHOLDER), **dict.fromkeys(texts, stays)}
    assert found(workspace, "lighthouse3") == ["Note 3.md"]
    assert workspace.search("lighthouse3", mode="keyword").hits[0].file == "same", "the file isn't gone"
    assert {one.path for one in workspace.documents.unread("vault")} == {"Never here.pdf", *texts}
    for place, (name, text) in zip(places, texts.items(), strict=True):
        place.unlink()
        (vault / name).write_text(text)
    (vault / "Note 4.md").write_text("# Note 4\n\nIts lamp is red.\n")
    report = sync(workspace, vault)
    assert (report.added, report.changed, [*away(report)]) == (0, 1, ["Never here.pdf"])
    assert {card.path: card.id for card in workspace.notes.all()} == ids


@pytest.mark.parametrize("place", ["{}.nextcloud", "{}.owncloud", "{}.RSLS"])
def test_placeholders_of_other_programs_are_known(workspace: Workspace, vault: Path, place: str) -> None:
    sync(workspace, vault)
    (vault / "Note 1.md").rename(vault / place.format("Note 1.md"))
    report = sync(workspace, vault)
    assert (report.removed, report.skipped, [*away(report)]) == (0, (), ["Note 1.md"])


def test_a_placeholder_beside_its_file_and_one_that_rules_leave_out_are_none(vault: Path) -> None:
    for name in (".Note 1.md.icloud", ".drafts.md.icloud", "...icloud", "..md.icloud", ".icloud"):
        (vault / name).write_bytes(b"bplist00")
    (vault / ".tesseraignore").write_text("drafts.md\n")
    assert scan(vault).not_downloaded == ()


def test_a_vault_that_is_not_downloaded_at_all_keeps_its_notes(workspace: Workspace, vault: Path) -> None:
    sync(workspace, vault)
    for file in list(vault.iterdir()):
        evict(file)
    report = sync(workspace, vault)
    assert (report.removed, len(report.not_downloaded), len(workspace.notes.all())) == (0, 9, 9)


def test_a_note_that_was_moved_elsewhere_and_is_not_downloaded_stays_and_moves_then(
    workspace: Workspace, vault: Path
) -> None:
    sync(workspace, vault)
    ids = {card.id for card in workspace.notes.all()}
    text = (vault / "Note 1.md").read_text()
    (vault / "Note 1.md").unlink()
    (vault / "Archive").mkdir()
    (vault / "Archive/.Note 1.md.icloud").write_bytes(b"bplist00")
    report = sync(workspace, vault)
    assert (report.removed, [*away(report)]) == (0, ["Archive/Note 1.md", "Note 1.md"])
    (vault / "Archive/.Note 1.md.icloud").unlink()
    (vault / "Archive/Note 1.md").write_text(text)
    assert sync(workspace, vault).renamed == 1
    assert {card.id for card in workspace.notes.all()} == ids


def test_a_file_that_became_empty_or_zero_bytes_keeps_its_note_until_it_is_deleted(
    workspace: Workspace, vault: Path
) -> None:
    sync(workspace, vault)
    (vault / "Note 1.md").write_bytes(b"")
    (vault / "Note 2.md").write_bytes(b"\0" * 4096)
    os.truncate(vault / "Note 3.md", 0)
    os.truncate(vault / "Note 3.md", 4096)
    (vault / "new.md").write_bytes(b"")
    (vault / "new.csv").write_bytes(b"")
    (vault / "new zero.pdf").write_bytes(b"\0" * 4096)
    report = sync(workspace, vault)
    assert [*away(report)] == ["Note 1.md", "Note 2.md", "Note 3.md", "new zero.pdf"]
    told = away(report)
    zeros = "This file contains only zero bytes. Wait until its program has finished writing it."
    assert told["Note 2.md"] == f"{zeros} Until then, its note stays unchanged."
    assert told["new zero.pdf"] == zeros
    assert [(one.path, str(one.error)) for one in report.skipped] == [
        ("new.csv", "This file is empty."),
        ("new.md", "This file is empty."),
    ]
    assert (report.failed, [*map(str, workspace.freshness_of().messages)]) == ((), ["9 notes aren't indexed yet"])
    assert found(workspace, "lighthouse1") == ["Note 1.md"]
    (vault / "Note 1.md").unlink()
    report = sync(workspace, vault)
    assert (report.removed, found(workspace, "lighthouse1")) == (1, [])


@pytest.mark.parametrize("code", [errno.EACCES, errno.EBUSY, errno.EDEADLK])
def test_a_file_that_another_program_holds_keeps_its_note_and_is_read_later(
    workspace: Workspace, vault: Path, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    sync(workspace, vault)
    (vault / "Note 1.md").write_text("# Note 1\n\nIts lamp is red.\n")
    (vault / "data.csv").write_text("lamp,color\nlighthouse10,red\n")
    held = {"Note 1.md", "data.csv"}
    opened = Path.open

    def refuse(self: Path, *args: Any, **kwargs: Any) -> Any:
        if self.name in held:
            raise OSError(code, os.strerror(code))
        return opened(self, *args, **kwargs)

    monkeypatch.setattr(Path, "open", refuse)
    report = sync(workspace, vault)
    assert ([*away(report)], report.failed) == (["Note 1.md", "data.csv"], ())
    assert os.strerror(code) in away(report)["Note 1.md"]
    assert found(workspace, "lighthouse1") == ["Note 1.md"]
    held.clear()
    report = sync(workspace, vault)
    assert (report.added, report.changed, report.not_downloaded) == (1, 1, ())


def test_a_document_that_is_held_while_its_note_is_written_is_read_at_the_next_sync(
    workspace: Workspace, vault: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (vault / "data.csv").write_text("lamp,color\nlighthouse10,red\n")
    plan = workspace.imports.plan_folder(vault)
    with monkeypatch.context() as patch:
        patch.setattr("core.intake.imports.folder.read", lambda *_: _raise(NotDownloaded("data.csv", "is held.")))
        report = workspace.imports.apply(plan, embed=False)
    assert (away(report), report.failed) == ({"data.csv": "is held."}, ())
    assert sync(workspace, vault).added == 1


def _raise(error: Exception) -> None:
    raise error


def test_a_folder_that_is_not_there_or_empty_keeps_its_notes(workspace: Workspace, vault: Path) -> None:
    sync(workspace, vault)
    shutil.move(vault, vault.with_name("elsewhere"))
    for there in (False, True):
        if there:
            vault.mkdir()
        with pytest.raises(SourceError):
            workspace.imports.plan_folder(vault)
    assert len(workspace.notes.all()) == 9
    vault.rmdir()
    shutil.move(vault.with_name("elsewhere"), vault)
    report = sync(workspace, vault)
    assert (report.added, report.removed, report.unchanged) == (0, 0, 9)


@pytest.mark.parametrize(
    ("status", "is_one"),
    [
        ({"st_file_attributes": 0x400000}, True),  # OneDrive: RECALL_ON_DATA_ACCESS
        ({"st_file_attributes": 0x1000}, True),  # OFFLINE
        ({"st_file_attributes": 0x20}, False),
        ({"st_flags": 0x40000000, "st_blocks": 0}, True),  # macOS: SF_DATALESS
        ({"st_flags": 0, "st_blocks": 8}, False),
    ],
)
def test_a_placeholder_is_known_by_its_attributes(status: dict[str, int], is_one: bool) -> None:
    assert placeholders.is_placeholder(SimpleNamespace(st_size=100, **status)) is is_one  # type: ignore[arg-type]


def test_a_file_without_blocks_is_a_placeholder_on_a_mac_only(monkeypatch: pytest.MonkeyPatch) -> None:
    bare: Any = SimpleNamespace(st_size=100, st_blocks=0, st_flags=0)
    assert not placeholders.is_placeholder(bare)
    monkeypatch.setattr("sys.platform", "darwin")
    assert placeholders.is_placeholder(bare)
    bare.st_flags = 0x20  # compressed
    assert not placeholders.is_placeholder(bare)


def test_leftovers_of_programs_are_not_listed_as_unread(workspace: Workspace, vault: Path) -> None:
    names = (
        "a.md.part b.crdownload ~$report.docx desktop.ini .DS_Store Thumbs.db Icon\r ~syncthing~win.md.tmp #note.md#"
        " .goutputstream-AB12CD note.md.swp 4913 note.md~ .~lock.report.odt# ._note.md"
    )
    for name in names.split(" "):
        (vault / name).write_bytes(b"x")
    (vault / "~$ prices.md").write_text("A note of a person.\n")
    (vault / "film.mp4").write_bytes(b"x")
    report = sync(workspace, vault)
    assert (report.failed, [one.path for one in report.skipped]) == ((), ["film.mp4"])
    assert {one.path for one in report.left_out} == set(names.split(" "))
    assert report.added == 10


def test_an_archive_of_a_vault_names_what_is_not_downloaded(workspace: Workspace) -> None:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        for name in ("v/a.md", "v/.Boiler.md.icloud", "v/Thumbs.db", "v/b.md.part", "v/film.mp4"):
            archive.writestr(name, "text")
        archive.writestr("v/zero.md", b"\0" * 100)
    report = workspace.imports.apply(workspace.imports.plan_upload([("v.zip", data.getvalue())], "base"), embed=False)
    assert [one.path for one in report.skipped] == ["v/Boiler.md", "v/film.mp4"]
    assert [one.path for one in report.failed] == ["v/zero.md"], "an upload doesn't come back"


def test_a_note_that_is_not_downloaded_is_not_edited_and_restored_as_that_of_its_file(
    workspace: Workspace, vault: Path
) -> None:
    sync(workspace, vault)
    workspace.bases.update("vault", write_files=True)
    (note_id,) = (card.id for card in workspace.notes.all() if card.path == "Note 1.md")
    evict(vault / "Note 1.md")
    with pytest.raises(NotDownloaded):
        workspace.notes.update(note_id, body="Else.\n", author="person")


def test_a_watched_folder_keeps_the_notes_of_files_that_are_taken_away(workspace: Workspace, vault: Path) -> None:
    sync(workspace, vault)
    workspace.bases.update("vault", watch=True)
    told: list[SyncReport] = []
    workspace.store.events.subscribe(FolderSynced, lambda sync: told.append(sync.report))
    base, text = workspace.bases.get("vault"), (vault / "Note 1.md").read_text()
    place = evict(vault / "Note 1.md")
    for _ in range(2):
        workspace.watching.look()
        assert [one.path for one in workspace.folders.not_downloaded(base)] == ["Note 1.md"]
    place.unlink()
    (vault / "Note 1.md").write_text(text)
    workspace.watching.look()
    assert [len(one.not_downloaded) for one in told] == [1, 0]
    assert (len(workspace.notes.all()), workspace.folders.not_downloaded(base)) == (9, [])
    (vault / "Note 2.md").touch()
    workspace.watching.look()
    assert len(told) == 2, "a new time alone is no news"


def test_a_sync_that_ends_midway_is_made_up_for_after_a_restart(
    workspace: Workspace, vault: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sync(workspace, vault)
    text = (vault / "Note 1.md").read_text()
    place = evict(vault / "Note 1.md")
    (vault / "Note 2.md").write_text("# Note 2\n\nIts lamp is red.\n")
    with monkeypatch.context() as patch:
        patch.setattr(type(workspace.store.documents), "set_unread", lambda *_: _raise(KeyboardInterrupt()))
        with pytest.raises(KeyboardInterrupt):
            sync(workspace, vault)
    workspace.close()
    with Workspace(tmp_path / "workspace") as again:
        assert [one.path for one in again.imports.plan_folder(vault).not_downloaded] == ["Note 1.md"]
        place.unlink()
        (vault / "Note 1.md").write_text(text)
        report = sync(again, vault)
        assert (report.added, report.changed, report.removed) == (0, 0, 0)
        assert len(again.notes.all()) == 9


def test_a_name_of_a_file_that_is_too_long_for_a_placeholder_is_gone(workspace: Workspace, vault: Path) -> None:
    long = vault / f"{'long ' * 50}.md"
    long.write_text("# Long\n\nThe lamp of lighthouse99 is green.\n")
    sync(workspace, vault)
    long.unlink()
    assert workspace.search("lighthouse99", mode="keyword").hits[0].file == "gone"


def test_the_doors_list_what_is_not_downloaded(
    tmp_path: Path, vault: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TESSERA_EMBEDDER", "tfidf")
    place = "--workspace", str(tmp_path / "ws")

    def run(*words: str) -> str:
        with pytest.raises(SystemExit, match="0"):
            cli.main([*words, *place])
        return capsys.readouterr().out

    run("import", str(vault))
    evict(vault / "Note 1.md")
    planned = json.loads(run("import", str(vault), "--dry-run", "--json"))
    assert [one["path"] for one in planned["not_downloaded"]] == ["Note 1.md"]
    assert "  not downloaded (1): Note 1.md: This file isn't downloaded." in run("import", str(vault))
    assert "Note 1.md" in run("document", "unread", "vault")
