"""A new note of the user is a file, where its base writes files: under a name of its own, and gone if it is undone."""

from pathlib import Path
from unittest.mock import Mock

import pytest

from core.base import safe_replace
from core.base.errors import Conflict, DiskFull, EditError, SourceError
from core.intake.encoding import MAX_BYTES
from core.model import Note
from core.store import Store
from core.workspace import Workspace


@pytest.fixture
def vault(workspace: Workspace, tmp_path: Path) -> Path:
    """The folder of a base that writes files."""
    folder = tmp_path / "vault"
    (folder / "work").mkdir(parents=True)
    (folder / "a.md").write_text("A note.")
    (folder / ".tesseraignore").write_text("private/\nDraft*\n")
    workspace.imports.apply(workspace.imports.plan_folder(folder), embed=False)
    workspace.bases.update("vault", write_files=True)
    return folder


def added(workspace: Workspace, body: str, path: str = "", **fields: object) -> Note:
    return workspace.notes.add("vault", body, path=path, author="person", embed=False, **fields)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("body", "path", "fields", "file", "text"),
    [
        ("Feed the hens.\nAt six.", "", {}, "Feed the hens.md", "Feed the hens.\nAt six."),
        ("# Why? A/B\n", "work/", {}, "work/Why A B.md", "# Why? A/B\n"),
        ("Hens lay.", "new/deep/", {"title": "Eggs"}, "new/deep/Eggs.md", "Hens lay."),
        ("Hens lay.", "", {"title": "Eggs?"}, "Eggs.md", '---\ntitle: Eggs?\n---\nHens lay.'),
        ("", "", {"title": "Eggs"}, "Eggs.md", "---\ntitle: Eggs\n---\n"),
        ("---\nno: front\n---\nHens", "", {"title": "Eggs"}, "Eggs.md", None),
        ("母鸡\r\n下蛋", "", {"tags": ["farm"]}, "母鸡.md", "---\r\ntags: [farm]\r\n---\r\n母鸡\r\n下蛋"),
    ],
)  # fmt: skip
def test_it_is_a_file_that_reads_as_the_note(
    workspace: Workspace, vault: Path, body: str, path: str, fields: dict[str, object], file: str, text: str | None
) -> None:
    note = added(workspace, body, path, **fields)
    assert (note.path, note.in_file, note.body) == (file, True, body)
    assert text is None or (vault / file).read_bytes().decode() == text
    [version] = workspace.versions.all(note.id)
    assert (version.kind, version.author) == ("create", "person")
    assert workspace.imports.plan_folder(vault).is_empty
    workspace.notes.update(note.id, body="Other.", author="person", embed=False)
    assert (vault / file).read_bytes().decode().endswith("Other.")


def test_no_file_is_ever_written_over(workspace: Workspace, vault: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (vault / "Hens.md").write_text("Made elsewhere.")
    (vault / "Hens 2.md").symlink_to(vault / "nowhere")
    assert added(workspace, "# Hens").path == "Hens 3.md"
    create = safe_replace.create

    def late(file: Path, data: bytes) -> None:
        if file.name == "Eggs.md":
            file.write_text("Made in between.")
        create(file, data)

    monkeypatch.setattr(safe_replace, "create", late)
    note = added(workspace, "Lay.", title="Eggs")
    assert (note.path, note.title, note.body) == ("Eggs 2.md", "Eggs", "Lay.")
    assert (vault / "Eggs.md").read_text() == "Made in between."
    assert (vault / "Hens.md").read_text() == "Made elsewhere."


def test_notes_of_programs_and_where_no_import_reads_get_none(workspace: Workspace, vault: Path) -> None:
    before = sorted(vault.rglob("*"))
    notes = [
        workspace.notes.add("vault", "# By a program", embed=False),
        added(workspace, "# To be reviewed", status="pending"),
        added(workspace, "# Left out", "private/"),
        added(workspace, "# From a log", source="import"),
    ]
    assert [note.in_file for note in notes] == [False] * 4
    workspace.bases.update("vault", write_files=False)
    assert not added(workspace, "# Only read").in_file
    assert sorted(vault.rglob("*")) == before


def test_nothing_is_left_of_a_note_that_cant_be_written(
    workspace: Workspace, vault: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = sorted(vault.rglob("*"))
    with pytest.raises(EditError, match="20 MB"):
        added(workspace, "x" * MAX_BYTES, tags=["long"])
    with pytest.raises(SourceError):
        added(workspace, "Under a file.", "a.md/")
    with monkeypatch.context() as patch:
        patch.setattr(Store, "put", Mock(side_effect=DiskFull("There is no space left.")))
        with pytest.raises(DiskFull):
            added(workspace, "# Hens")
    assert sorted(vault.rglob("*")) == before
    vault.rename(vault.with_name("elsewhere"))
    with pytest.raises(EditError, match="Connect its disk"):
        added(workspace, "# Hens")


def test_while_it_is_made_its_file_is_named_as_it_is(workspace: Workspace, vault: Path) -> None:
    note = added(workspace, "Feed", "work/")

    def typed(**values: str) -> str:
        joined = workspace.notes.update(note.id, author="person", embed=False, joins=True, **values)  # type: ignore[arg-type]
        assert (vault / str(joined.path)).read_bytes().decode().endswith(joined.body)
        assert [file.name for file in (vault / "work").iterdir()] == [Path(str(joined.path)).name]
        return str(joined.path)

    assert typed(body="Feed the hens.") == "work/Feed the hens.md"
    (vault / "work" / "Feed the geese.md").mkdir()
    (vault / "work" / "Feed the geese.md").rmdir()
    assert typed(body="# Feed the geese\n\nAt six.") == "work/Feed the geese.md"
    assert typed(body="# Drafts of the geese") == "work/Feed the geese.md"
    assert typed(title="Geese") == "work/Geese.md"
    assert typed(body="# Feed the ducks\n\nAt six.") == "work/Geese.md"
    assert [one.kind for one in workspace.versions.all(note.id)] == ["create"]
    assert workspace.imports.plan_folder(vault).is_empty
    workspace.notes.update(note.id, body="# Later\n", author="person", embed=False)
    assert workspace.notes.get(note.id).path == "work/Geese.md"


def test_it_is_taken_back_with_its_file_unless_another_program_changed_that(workspace: Workspace, vault: Path) -> None:
    first, second = added(workspace, "# Hens"), added(workspace, "# Geese")
    workspace.trash.take_back(first.id, expected_version=first.version)
    assert not (vault / "Hens.md").exists()
    assert [one.version.note_id for one in workspace.trash.all()] == [first.id]
    (vault / "Geese.md").write_text("Changed elsewhere.")
    with pytest.raises(Conflict):
        workspace.trash.take_back(second.id)
    assert (vault / "Geese.md").read_text() == "Changed elsewhere."
    assert workspace.notes.get(second.id).title == "Geese"
    third = added(workspace, "# Ducks")
    (vault / "Ducks.md").unlink()
    workspace.trash.take_back(third.id)
    assert {one.version.note_id for one in workspace.trash.all()} == {first.id, third.id}
