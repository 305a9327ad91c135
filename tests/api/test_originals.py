"""The file that a note was converted from, for programs and for commands."""

from pathlib import Path

import pytest
from starlette.testclient import TestClient

from core.doors import cli
from core.workspace import Workspace
from tests.documents.pdfs import PdfPage, pdf

RST = b"Peas\n====\n\nPeas climb.\n"


@pytest.fixture
def place(tmp_path: Path, workspace: Workspace) -> Path:
    """A folder of documents that is synced with the base `garden`; `uploads` holds one that was uploaded."""
    folder = tmp_path / "garden"
    folder.mkdir()
    page = PdfPage()
    page.text(72, 120, "Potatoes grow below the ground.")
    (folder / "potatoes.pdf").write_bytes(pdf([page]))
    workspace.imports.apply(workspace.imports.plan_folder(folder))
    workspace.imports.apply(workspace.imports.plan_upload([("豌豆 peas.rst", RST)], "uploads"))
    return folder


def test_a_program_gets_the_file_that_a_note_was_converted_from(
    program: TestClient, workspace: Workspace, place: Path
) -> None:
    notes = {str(card.path): card.id for card in workspace.notes.all()}
    shown = program.get(f"/api/v1/notes/{notes['potatoes.pdf']}/original")
    assert (shown.status_code, shown.content) == (200, (place / "potatoes.pdf").read_bytes())
    assert shown.headers["Content-Type"] == "application/pdf"
    assert shown.headers["Content-Disposition"] == "inline; filename*=utf-8''potatoes.pdf"
    saved = program.get(f"/api/v1/notes/{notes['豌豆 peas.rst']}/original")
    assert (saved.content, saved.headers["Content-Type"]) == (RST, "application/octet-stream")
    assert saved.headers["Content-Disposition"] == "attachment; filename*=utf-8''%E8%B1%8C%E8%B1%86%20peas.rst"
    assert saved.headers["X-Content-Type-Options"] == "nosniff"


def test_what_is_no_document_or_leads_out_of_its_folder_has_no_original(
    program: TestClient, stranger: TestClient, workspace: Workspace, note: str, place: Path, tmp_path: Path
) -> None:
    document = next(card.id for card in workspace.notes.all() if card.path == "potatoes.pdf")
    for missing in ("none", note):
        assert program.get(f"/api/v1/notes/{missing}/original").status_code == 404
    (tmp_path / "secret.pdf").write_bytes(b"%PDF-1.7 a secret")
    (place / "potatoes.pdf").unlink()
    (place / "potatoes.pdf").symlink_to(tmp_path / "secret.pdf")
    refused = program.get(f"/api/v1/notes/{document}/original")
    assert (refused.status_code, refused.json()["error"]) == (404, "NotFound")
    assert b"a secret" not in refused.content
    del stranger.headers["Authorization"]
    assert stranger.get(f"/api/v1/notes/{document}/original").status_code == 401


def test_a_command_says_where_the_original_is_and_writes_a_copy(
    workspace: Workspace, place: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    workspace.close()

    def printed(*arguments: str) -> tuple[int, str]:
        with pytest.raises(SystemExit) as ended:
            cli.main(["document", "original", *arguments, "--workspace", str(workspace.store.folder)])
        out = capsys.readouterr()
        return int(ended.value.code or 0), out.out + out.err

    assert printed("potatoes.pdf") == (0, f"{place / 'potatoes.pdf'}\n")
    assert "is stored in the workspace" in printed("豌豆 peas.rst")[1]
    for name, data in (("potatoes.pdf", (place / "potatoes.pdf").read_bytes()), ("豌豆 peas.rst", RST)):
        copy = tmp_path / "copies" / name
        assert printed(name, "--to", str(copy)) == (0, f"{copy}\n")
        assert copy.read_bytes() == data
        assert printed(name, "--to", str(copy))[0] == 1
