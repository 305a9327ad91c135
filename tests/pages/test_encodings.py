"""The reader names an encoding that was guessed and lets a person choose another."""

from pathlib import Path

from core.workspace import Workspace
from tests.pages.conftest import Screen


def test_a_guessed_encoding_is_named_beside_the_choice(place: Path, tmp_path: Path) -> None:
    folder = tmp_path / "old"
    folder.mkdir()
    (folder / "note.txt").write_bytes("Zoë\n".encode("cp1252"))
    with Workspace(place) as workspace:
        workspace.imports.apply(workspace.imports.plan_folder(folder))
        (note,) = workspace.notes.all()
    screen = Screen().finish("warm").open("notes", note=note.id)
    assert ["Windows" in one.value for one in screen.app.warning] == [True]
    screen.press("read_as")
    (choice,) = (one for one in screen.app.selectbox if one.key == f"encoding_{note.id}")
    assert "Windows-1251: Zoл" in choice.options
    choice.select("Windows-1251")
    screen.press("read_as_yes")
    assert screen.workspace.notes.get(note.id).body == "Zoл\n"
    assert not screen.app.warning


def test_a_property_that_cannot_be_read_is_told_once_with_what_helps(place: Path, tmp_path: Path) -> None:
    folder = tmp_path / "old"
    folder.mkdir()
    (folder / "note.md").write_text("---\nauthor: Kim\nplan: [open\n---\nThe oven.\n")
    (folder / "kr.txt").write_bytes("안녕 메모".encode("euc-kr"))
    with Workspace(place) as workspace:
        workspace.imports.apply(workspace.imports.plan_folder(folder))
        told = {note.path: note.id for note in workspace.notes.all()}
    screen = Screen().finish("warm").open("notes", note=told["note.md"])
    (warning,) = screen.app.warning
    assert "Line 3 of the front matter" in warning.value
    (warning,) = screen.open("notes", note=told["kr.txt"]).app.warning
    assert warning.value.startswith("The encoding of 1 file was guessed")
