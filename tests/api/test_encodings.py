"""The encoding of the file of a note, as programs choose it."""

from pathlib import Path

from starlette.testclient import TestClient

from core.workspace import Workspace


def test_a_program_chooses_the_encoding_of_a_file(program: TestClient, workspace: Workspace, tmp_path: Path) -> None:
    folder = tmp_path / "old"
    folder.mkdir()
    (folder / "note.txt").write_bytes("Zoë\n".encode("cp1252"))
    workspace.imports.apply(workspace.imports.plan_folder(folder))
    (note,) = (card.id for card in workspace.notes.all() if card.base == "old")
    place = f"/api/v1/notes/{note}"
    assert program.get(place).json()["left_out"][0]["explanation"] == "the encoding of 1 file was guessed: Windows-1252"
    found = program.get(f"{place}/encodings").json()["encodings"]
    assert {"encoding": "Windows-1251", "beginning": "Zoл"} in found
    assert program.post(f"{place}/encoding", json={"encoding": "windows-1251"}).json()["version"] == 2
    read = program.get(place).json()
    assert (read["body"], read["encoding"], read["left_out"]) == ("Zoл\n", "Windows-1251", [])
    assert program.post(f"{place}/encoding", json={"encoding": "klingon"}).status_code == 422
    assert program.post(f"{place}/encoding", json={}).json()["version"] == 3
