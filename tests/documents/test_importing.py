"""Documents as notes: of a folder, of an upload, converted again, and those that aren't read."""

import re
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from tempfile import gettempdir

import pypandoc
import pytest

from core.base.errors import EditError, SourceError, UnknownChoice
from core.documents import Converted, converting, process
from core.documents.pandoc import Pandoc
from core.doors import cli
from core.intake import notefile
from core.model import ChunkingOptions, SyncReport
from core.workspace import Workspace
from tests.documents.making import zipped
from tests.documents.pdfs import PdfPage, pdf

RST = b"Garden\n======\n\nTomatoes need sun.\n"


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    with Workspace(tmp_path / "workspace") as opened:
        opened.bases.add("work", embedder="tfidf")
        yield opened


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "work"
    (place / "sub").mkdir(parents=True)
    return place


def two_pages() -> bytes:
    first, second = PdfPage(), PdfPage()
    first.text(72, 100, "Beginnings", 18, "bold")
    first.text(72, 140, "Potatoes grow below the ground.")
    second.text(72, 100, "Endings", 18, "bold")
    second.text(72, 140, "Cucumbers grow above it.")
    return pdf([first, second], title="Vegetables")


def brought(workspace: Workspace, folder: Path) -> SyncReport:
    return workspace.imports.apply(workspace.imports.plan_folder(folder, "work"))


@pytest.mark.usefixtures("any_size")
def test_a_folder_of_documents_becomes_notes_that_know_their_pages(workspace: Workspace, folder: Path) -> None:
    (folder / "vegetables.pdf").write_bytes(two_pages())
    (folder / "garden.rst").write_bytes(RST)
    (folder / "sub" / "garden.rst").write_bytes(RST.replace(b"Tomatoes", b"Peppers"))
    (folder / "note.md").write_text("# Note\n", "utf-8")
    assert brought(workspace, folder).added == 4
    notes = {note.path: note for note in workspace.notes.all()}
    assert {path: note.title for path, note in notes.items()} == {
        "garden.rst": "Garden",
        "note.md": "Note",
        "sub/garden.rst": "Garden",
        "vegetables.pdf": "Vegetables",
    }
    read = workspace.notes.get(notes["vegetables.pdf"].id)
    assert read.document
    assert (read.document.kind, read.document.pages, read.extra) == ("pdf", (0, 47), {"author": "Ada"})
    assert read.document.converter.startswith("pdfplumber")
    assert read.created_at
    assert read.created_at.isoformat() == "2024-01-31T12:00:00+00:00"
    assert read.body == ("# Beginnings\n\nPotatoes grow below the ground.\n\n# Endings\n\nCucumbers grow above it.\n")
    workspace.chunks.rechunk("work", options=ChunkingOptions(strategy="recursive", chunk_size=12, chunk_overlap=0))
    hit = workspace.search("cucumbers").hits[0]
    assert (hit.chunk.page, hit.note.document and hit.note.document.kind) == (2, "pdf")
    assert {hit.chunk.page for hit in workspace.search("kind:pdf page:2..").hits} == {2}
    assert {hit.note.path for hit in workspace.search("-kind:pdf tomatoes").hits} >= {"garden.rst"}
    assert not [hit for hit in workspace.search("-kind:pdf cucumbers").hits if hit.note.path == "vegetables.pdf"]
    assert [one.page for one in workspace.context("cucumbers").citations if one.section == ("Endings",)] == [2]
    assert workspace.documents.original(read.id).path == str(folder / "vegetables.pdf")


def test_a_chunk_is_of_the_page_on_which_its_own_text_begins(workspace: Workspace, folder: Path) -> None:
    pages = [PdfPage(), PdfPage()]
    for page, plant in zip(pages, ("Potatoes", "Cucumbers"), strict=True):
        page.text(72, 100, plant, 18, "bold")
        for number in range(24):
            page.text(72, 140 + 20 * number, f"{plant} grow in the bed of number {number}, and in others.")
    (folder / "beds.pdf").write_bytes(pdf(pages))
    brought(workspace, folder)
    second = workspace.search("cucumbers").hits[0].chunk
    assert (second.section, second.page) == (("Cucumbers",), 2)
    assert second.text.startswith("Potatoes"), "it begins with the end of the chunk before"


def test_an_unchanged_document_is_not_read_and_a_changed_one_is_converted(
    workspace: Workspace, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "garden.rst").write_bytes(RST)
    brought(workspace, folder)
    converted: list[str] = []
    whole = notefile.convert
    monkeypatch.setattr(
        notefile, "convert", lambda data, path, **how: converted.append(path) or whole(data, path, **how)
    )
    assert brought(workspace, folder).unchanged == 1
    (folder / "garden.rst").touch()
    assert brought(workspace, folder).unchanged == 1
    assert converted == []
    (folder / "garden.rst").write_bytes(RST.replace(b"Tomatoes", b"Old trees"))
    assert brought(workspace, folder).changed == 1
    assert converted == ["garden.rst"]
    assert "Old trees" in workspace.notes.get(workspace.notes.all()[0].id).body


def test_files_that_are_not_read_are_listed_and_tried_again_when_they_change(
    workspace: Workspace, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "note.md").write_text("# Note\n", "utf-8")
    (folder / "locked.pdf").write_bytes(pdf([PdfPage()], encrypted=True))
    (folder / "program.docx").write_bytes(b"MZ" + b"\0" * 600)
    (folder / "film.mp4").write_bytes(b"\0")
    report = brought(workspace, folder)
    assert (report.added, len(report.failed), len(report.skipped)) == (1, 2, 1)
    listed = {one.path: str(one.error) for one in workspace.documents.unread("work")}
    assert listed == {
        "film.mp4": "This is a recording. Tessera doesn't transcribe speech, so put a transcript next to it as a text "
        "file.",
        "locked.pdf": "This file is encrypted. Save a copy without a password and import that copy.",
        "program.docx": "This file is a program, although its extension says otherwise. It was not imported.",
    }
    monkeypatch.setattr(notefile, "convert", None)
    again = workspace.imports.plan_folder(folder, "work")
    assert again.is_empty
    assert {one.path for one in again.failed} == {"locked.pdf", "program.docx"}
    monkeypatch.undo()
    (folder / "locked.pdf").write_bytes(two_pages())
    assert brought(workspace, folder).added == 1
    assert {one.path for one in workspace.documents.unread("work")} == {"film.mp4", "program.docx"}


def test_a_zip_of_documents_is_read_and_what_is_not_is_listed(workspace: Workspace) -> None:
    data = zipped(
        {"a/x.rst": RST, "b/x.rst": RST.replace(b"sun", b"rain"), "b/clip.mov": b"\0", ".hidden/y.mov": b"\0"}
    )
    plan = workspace.imports.plan_upload([("all.zip", data), ("song.mp3", b"\0")], "work")
    assert [file.path for file in plan.added] == ["a/x.rst", "b/x.rst"]
    assert [one.path for one in plan.skipped] == ["b/clip.mov", "song.mp3"]
    assert workspace.imports.apply(plan).added == 2


def test_files_of_one_name_in_one_upload_are_notes_with_their_own_originals(workspace: Workspace) -> None:
    texts = [RST.replace(b"sun", word) for word in (b"rain", b"soil", b"shade", b"time")]
    packed = zipped({"north/bed.rst": texts[2], "south/bed.rst": texts[3]})
    files = [("bed.rst", texts[0]), ("bed.rst", texts[1]), ("all.zip", packed)]
    assert workspace.imports.apply(workspace.imports.plan_upload(files, "work")).added == 4
    notes = {note.path: note.id for note in workspace.notes.all()}
    paths = ["bed.rst", "bed 2.rst", "north/bed.rst", "south/bed.rst"]
    assert [workspace.documents.original(notes[path]).data for path in paths] == texts
    again = workspace.imports.plan_upload(files, "work")
    assert (again.added, again.changed, len(again.touched)) == ((), (), 4)


def test_an_upload_is_converted_again_without_being_uploaded_again(workspace: Workspace) -> None:
    workspace.imports.apply(workspace.imports.plan_upload([("vegetables.pdf", two_pages())], "work"))
    note = workspace.notes.get(workspace.notes.all()[0].id)
    assert workspace.documents.original(note.id).data == two_pages()
    workspace.notes.set_fields([note.id], category="food")
    again = workspace.documents.convert(note.id, "pdftext")
    assert again.body.startswith("Beginnings\nPotatoes")
    assert (again.category, again.version, again.document and again.document.chosen) == ("food", 3, "pdftext")
    assert workspace.documents.convert(note.id).body == note.body
    with pytest.raises(UnknownChoice):
        workspace.documents.convert(note.id, "nobody")
    workspace.trash.put([note.id])
    workspace.trash.restore([note.id])
    assert workspace.documents.original(note.id).data == two_pages()
    workspace.trash.put([note.id])
    workspace.trash.empty()
    assert workspace.store.documents.original(str(note.document and note.document.original)) is None


def test_the_same_text_converted_again_is_no_new_version(workspace: Workspace, folder: Path) -> None:
    (folder / "garden.rst").write_bytes(RST)
    brought(workspace, folder)
    (card,) = workspace.notes.all()
    (folder / "garden.rst").write_bytes(RST + b"\n\n")
    again = workspace.documents.convert(card.id, "pandoc")
    assert (again.version, again.document and again.document.chosen) == (1, "pandoc")
    assert len(workspace.versions.all(card.id)) == 1
    assert workspace.imports.plan_folder(folder, "work").is_empty
    assert workspace.documents.convert(card.id).version == 1
    assert workspace.store.notes.reading_choices(card.id) == ("", "")
    (folder / "garden.rst").write_bytes(RST.replace(b"sun", b"rain"))
    assert workspace.documents.convert(card.id).version == 2


def test_the_text_of_a_document_in_a_folder_is_edited_in_the_document(workspace: Workspace, folder: Path) -> None:
    (folder / "garden.rst").write_bytes(RST)
    brought(workspace, folder)
    workspace.bases.update("work", write_files=True)
    note = workspace.notes.all()[0]
    with pytest.raises(EditError, match="converted from a document"):
        workspace.notes.update(note.id, body="Other text.")
    workspace.notes.set_fields([note.id], category="plants")
    assert (folder / "garden.rst").read_bytes() == RST
    assert workspace.notes.get(note.id).category == "plants"


def test_a_picture_that_is_dropped_by_itself_is_a_note_and_one_of_a_folder_is_not(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = Converted("Minutes of Friday\n"), "rapidocr"
    monkeypatch.setattr(notefile, "convert", lambda *_, **__: read)
    png = b"\x89PNG\r\n\x1a\n" + b"\0" * 100
    plan = workspace.imports.plan_upload([("scan.png", png), ("folder/board.png", png)], "work")
    assert [one.path for one in plan.skipped] == ["folder/board.png"]
    assert workspace.imports.apply(plan).added == 1
    assert workspace.search("minutes").hits[0].note.path == "scan.png"


def test_commands_say_what_was_not_read_and_convert_again(
    workspace: Workspace, folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "garden.rst").write_bytes(RST)
    (folder / "broken.docx").write_bytes(b"PK\x03\x04garbage")
    brought(workspace, folder)
    workspace.close()

    def printed(*arguments: str) -> str:
        with suppress(SystemExit):
            cli.main([*arguments, "--workspace", str(tmp_path / "workspace")])
        return capsys.readouterr().out

    assert printed("document", "unread", "work").startswith("broken.docx: This file is damaged.")
    assert re.search(r"pandoc +\S.* docx, odt, ", printed("document", "converters"))
    assert printed("document", "convert", "garden.rst") == "'garden.rst' is now version 1.\n"


def test_halves_of_characters_in_a_document_are_marked_and_stop_no_other_file(
    workspace: Workspace, folder: Path
) -> None:
    (folder / "a.canvas").write_text('{"nodes": [{"id": "1", "type": "text", "text": "a\\ud800b\\u0000c"}]}', "utf-8")
    (folder / "b.md").write_text("# Note\n", "utf-8")
    report = brought(workspace, folder)
    assert (report.added, report.failed) == (2, ())
    ids = {card.path: card.id for card in workspace.notes.all()}
    assert workspace.notes.get(ids["a.canvas"]).body == "a�b�c"


def test_an_original_is_answered_from_the_folder_of_its_note_only(
    workspace: Workspace, folder: Path, tmp_path: Path
) -> None:
    (tmp_path / "secret").write_text("A secret", "utf-8")
    (folder / "garden.rst").write_bytes(RST)
    brought(workspace, folder)
    (card,) = workspace.notes.all()
    assert workspace.documents.original(card.id).path == str(folder / "garden.rst")
    (folder / "garden.rst").unlink()
    (folder / "garden.rst").symlink_to(tmp_path / "secret")
    with pytest.raises(SourceError, match="no longer exists"):
        workspace.documents.original(card.id)
    with pytest.raises(SourceError, match="no longer exists"):
        workspace.documents.convert(card.id)


def test_a_page_of_an_uploaded_graph_has_no_original_in_the_folder_of_the_program(
    workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    graph = zipped({"logseq/config.edn": b"{}", "pages/a.md": b"- A page\n"})
    workspace.imports.apply(workspace.imports.plan_upload([("graph.zip", graph)], "work"))
    (card,) = workspace.notes.all()
    (tmp_path / "upload" / "pages").mkdir(parents=True)
    (tmp_path / "upload" / "pages" / "a.md").write_text("Another file", "utf-8")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SourceError, match="no longer exists"):
        workspace.documents.original(card.id)


def test_a_chosen_converter_that_is_gone_stops_no_import(workspace: Workspace, folder: Path) -> None:
    (folder / "vegetables.pdf").write_bytes(two_pages())
    brought(workspace, folder)
    (card,) = workspace.notes.all()
    workspace.documents.convert(card.id, "pdftext")
    workspace.store.database.execute("UPDATE notes SET document = json_set(document, '$.chosen', 'gone')")
    (folder / "vegetables.pdf").write_bytes(two_pages() + b"\n")
    (folder / "zebra.md").write_text("# Zebra\n", "utf-8")
    report = brought(workspace, folder)
    assert (report.added, report.changed, report.failed) == (1, 1, ())
    assert "# Beginnings" in workspace.notes.get(card.id).body


def test_a_conversion_that_was_stopped_is_tried_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TESSERA_EMBEDDER", "tfidf")
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "a.rst").write_text("Restoring\n=========\n\nA backup.\n")
    (folder / "b.docx").write_bytes(b"PK\x03\x04no archive")
    killed = (sys.executable, "-c", "import os, signal; os.kill(os.getpid(), signal.SIGKILL)")
    with Workspace(tmp_path / "workspace") as workspace:

        def imported() -> tuple[int, dict[str, str]]:
            report = workspace.imports.apply(workspace.imports.plan_folder(folder, "b"))
            return report.added, {one.path: str(one.error) for one in report.failed}

        converting._close_idle()
        with monkeypatch.context() as broken:
            broken.setattr(process, "_COMMAND", killed)
            added, failed = imported()
        assert added == 0
        assert "was stopped (signal 9)" in failed["a.rst"]
        with monkeypatch.context() as counted:
            asked: list[str] = []
            run = converting._run
            counted.setattr(converting, "_run", lambda *given: asked.append(given[3]) or run(*given))
            added, failed = imported()
            assert (added, [*failed], asked) == (1, ["b.docx"], ["a.rst"])
            assert imported()[0] == 0
            assert asked == ["a.rst"]


def test_a_full_disk_says_nothing_of_the_document(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TESSERA_EMBEDDER", "tfidf")
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "a.csv").write_text("plant,water\nfern,often\n")

    def full(prefix: str) -> str:
        place = tmp_path / f"{prefix}{len([*tmp_path.iterdir()])}"
        place.mkdir()
        (place / "source").symlink_to("/dev/full")
        return str(place)

    with Workspace(tmp_path / "workspace") as workspace:

        def imported() -> tuple[int, list[str]]:
            report = workspace.imports.apply(workspace.imports.plan_folder(folder, "b"))
            return report.added, [str(one.error) for one in report.failed]

        converting._close_idle()
        with monkeypatch.context() as broken:
            broken.setattr(process.tempfile, "mkdtemp", full)
            added, (why,) = imported()
        assert added == 0
        assert (
            why == f"This file was not converted because no space is left in {gettempdir()}. "
            "Free some space there, then import the file again."
        )
        assert imported() == (1, [])


def test_a_pandoc_that_is_killed_says_nothing_of_the_document(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "pandoc"
    program.write_text("#!/bin/sh\nkill -9 $$\n")
    program.chmod(0o700)
    monkeypatch.setattr(pypandoc, "get_pandoc_path", lambda: str(program))
    with pytest.raises(process.Interrupted, match="signal 9"):
        Pandoc().convert(b"Words\n=====\n", "rst")
    monkeypatch.setattr(pypandoc, "get_pandoc_path", lambda: str(tmp_path / "none"))
    with pytest.raises(process.Interrupted, match="is missing"):
        Pandoc().convert(b"Words\n=====\n", "rst")
