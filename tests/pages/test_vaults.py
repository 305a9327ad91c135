"""Vaults and exports on the page Notes: which program they are of, what is left out, and what a note lacks."""

from pathlib import Path

import pytest

from core.workspace import Workspace
from tests.importers.exports import PROGRAMS, zipped
from tests.importers.test_importers import ENEX, LOGSEQ, vault
from tests.importers.test_other_programs import NOTES
from tests.pages.conftest import Screen


def looked_at(place: Path) -> Screen:
    screen = Screen().open("notes")
    screen.app.text_input("import_path").input(str(place))
    return screen.press("look_path")


def test_a_graph_says_its_program_and_what_is_left_out_before_it_is_imported(tmp_path: Path) -> None:
    graph = vault(tmp_path / "graph", {**LOGSEQ, ".tesseraignore": "pages/a*\n", "pages/a.md": "a"})
    screen = looked_at(graph)
    assert "Read as Logseq notes" in screen.text
    assert "Left out · 3" in screen.text
    assert "pages/a.md" in screen.text
    assert "This is excluded by .tesseraignore" in screen.text.replace("\\", "")
    assert "is a Logseq backup" in screen.text
    assert screen.workspace.notes.all() == []
    screen.press("plan_apply").finish()
    assert "Left out · 3" in [expander.label for expander in screen.app.expander]


def test_a_plain_folder_is_of_no_program_and_nothing_is_left_out(tmp_path: Path) -> None:
    screen = looked_at(vault(tmp_path / "plain", {"a.md": "a"}))
    assert "Read as " not in screen.text
    assert "Left out" not in screen.text


def test_an_export_is_known_and_its_note_names_the_files_that_are_missing(tmp_path: Path) -> None:
    (tmp_path / "Kitchen.enex").write_text(ENEX, "utf-8")
    screen = looked_at(tmp_path / "Kitchen.enex")
    assert "Read as Evernote notes" in screen.text
    screen.press("plan_apply").finish()
    (soup,) = (note for note in screen.workspace.notes.all() if note.path == "Kitchen/Soup today.md")
    screen.open("notes", note=soup.id)
    assert "2 files of this note are missing: leek.png, file-2.pdf" in screen.text.replace("\\", "")


def test_a_note_with_its_picture_lacks_nothing(place: Path, tmp_path: Path) -> None:
    folder = vault(tmp_path / "vault", {"a.md": "# A\n\n![[b.png]] and ![[c.png]]\n"})
    (folder / "b.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    with Workspace(place) as workspace:
        workspace.imports.apply(workspace.imports.plan_folder(folder))
        (note,) = workspace.notes.all()
    screen = Screen().open("notes", note=note.id)
    assert "1 file of this note is missing: c.png" in screen.text.replace("\\", "")
    (folder / "c.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    assert "missing" not in screen.open("notes", note=note.id).text


def test_an_import_names_what_notes_lack_and_so_does_each_note(tmp_path: Path) -> None:
    lacking = vault(tmp_path / "lacking", {"a.md": "A caf� and a na�ve r�le.", "b.md": "b"})
    screen = looked_at(lacking).press("plan_apply").finish()
    assert "1 note is missing parts of its file" in screen.text
    told = "3 characters could not be read: caf�, na�ve, r�le."
    assert f"a.md <i>{told}</i>" in screen.text
    (note,) = (one for one in screen.workspace.notes.all() if one.path == "a.md")
    assert told in screen.open("notes", note=note.id).text.replace("\\", "")


def test_a_guessed_encoding_is_no_missing_part(tmp_path: Path) -> None:
    folder = vault(tmp_path / "guessed", {"b.md": "b"})
    (folder / "note.txt").write_bytes(b"Zo\xeb\n")
    screen = looked_at(folder).press("plan_apply").finish()
    assert "The encoding of 1 file was guessed" in screen.text
    assert "note.txt <i>Windows-1252</i>" in screen.text
    assert "missing parts" not in screen.text
    assert "Incomplete" not in screen.text


def test_what_is_known_of_a_document_only_after_the_import_is_said_before_it(tmp_path: Path) -> None:
    folder = vault(tmp_path / "papers", {"b.md": "b"})
    later = "Documents are read during the import. If any can't be read, the report will list them."
    assert later not in looked_at(folder).text
    (folder / "torn.docx").write_bytes(b"PK\x03\x04no archive")
    screen = looked_at(folder)
    assert later in screen.text
    screen = screen.press("plan_apply").finish()
    assert "torn.docx <i>This file is damaged." in screen.text


@pytest.mark.parametrize("program", PROGRAMS)
def test_an_export_is_uploaded_as_a_folder_and_as_a_zip(program: str) -> None:
    files = PROGRAMS[program]()
    top = "" if len(files) == 1 else "Export/"
    uploads = [(f"{top}{path}", data, "") for path, data in files.items()]
    for number, key, sent in ((0, "directory", uploads), (1, "files", [("a.zip", zipped(files), "")])):
        screen = Screen()
        screen.workspace.bases.add(key)
        screen.open("notes", **{"import": "yes"})
        screen.app.file_uploader[number].set_value(sent).run()
        if number:
            screen.app.selectbox(f"upload_base_{key}").set_value(key).run()
        screen.press(f"look_{key}").press("plan_apply").finish()
        assert {note.path for note in screen.workspace.notes.all() if note.base == key} == NOTES[program]
