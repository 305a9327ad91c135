"""A base that writes files deletes, restores and moves them with their notes; one that only reads leaves them."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from core.base.errors import Conflict, EditError, NotWritable, SourceError
from core.notes import file_writing
from core.store.note_table import NoteTable
from core.workspace import Workspace
from tests.documents.making import of_markdown, zipped
from tests.documents.pdfs import PdfPage, pdf

FILES = {
    "plain.md": b"# Plain\n\nText.\n",
    "crlf.md": b"\xef\xbb\xbf---\r\ntags: [a]\r\nown: 1\r\n---\r\nWith ends of lines.\r\n",
    "deep/old.md": "Grüße aus Köln.\n".encode("cp1252"),
    "deep/page.html": b"<html><body><h1>Page</h1><p>Of the web.</p></body></html>\n",
}


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    for path, data in FILES.items():
        (file := tmp_path / "vault" / path).parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)
    return tmp_path / "vault"


@pytest.fixture
def workspace(vault: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Workspace]:
    for name, value in {"TESSERA_EMBEDDER": "tfidf", "TESSERA_INDEX__KIND": "none"}.items():
        monkeypatch.setenv(name, value)
    with Workspace(tmp_path / "workspace") as workspace:
        update(workspace, vault)
        workspace.bases.update("vault", write_files=True)
        yield workspace


def update(workspace: Workspace, vault: Path) -> set[str]:
    """Update the folder; return the paths of the notes."""
    workspace.imports.apply(workspace.imports.plan_folder(vault, "vault"), confirmed=True, embed=False)
    return {str(card.path) for card in workspace.notes.all()}


def files(vault: Path) -> dict[str, bytes]:
    return {file.relative_to(vault).as_posix(): file.read_bytes() for file in vault.rglob("*") if file.is_file()}


@pytest.mark.parametrize("path", FILES)
def test_a_file_goes_with_its_note_and_comes_back_byte_by_byte(
    workspace: Workspace, vault: Path, trash: Path, path: str
) -> None:
    note = workspace.notes.resolve(path)
    assert workspace.trash.put(note.id) == set()
    assert files(vault) == {other: data for other, data in FILES.items() if other != path}
    assert FILES[path] in [file.read_bytes() for file in trash.iterdir()]
    assert update(workspace, vault) == {*FILES} - {path}
    workspace.trash.restore([note.id])
    assert files(vault) == FILES
    assert workspace.imports.plan_folder(vault, "vault").is_empty
    assert workspace.notes.get(note.id).in_file


@pytest.mark.parametrize("trusted", [False, True])
def test_a_program_deletes_files_only_where_the_base_trusts_programs(
    workspace: Workspace, vault: Path, trash: Path, trusted: bool
) -> None:
    workspace.bases.update("vault", trusts_programs=trusted)
    note = workspace.notes.resolve("plain.md")
    assert workspace.trash.put(note.id, author="program") == set()
    assert ("plain.md" in files(vault)) is not trusted
    assert "plain.md" not in update(workspace, vault)
    workspace.trash.restore([note.id], author="program")
    assert files(vault) == FILES
    workspace.trash.put(note.id)
    workspace.trash.restore([note.id], author="program")
    assert ("plain.md" in files(vault)) is trusted
    assert workspace.notes.get(note.id).body == "# Plain\n\nText.\n"


def test_what_another_program_wrote_last_is_what_is_deleted_and_restored(workspace: Workspace, vault: Path) -> None:
    note = workspace.notes.resolve("plain.md")
    (vault / "plain.md").write_text("Written elsewhere.\n")
    workspace.trash.put(note.id)
    (vault / "plain.md").write_text("Another note.\n")
    assert "plain.md" in update(workspace, vault)
    workspace.trash.put(note.id)
    for path in ("plain.md", "plain 2.md"):
        (vault / path).write_text("Taken.\n")
    workspace.trash.restore([note.id], embed=False)
    assert (vault / "plain 3.md").read_text() == "Another note.\n"
    assert workspace.notes.get(note.id).path == "plain 3.md"
    assert workspace.versions.get(note.id, 2).body == "Written elsewhere.\n"


def test_a_file_that_is_no_note_any_more_is_deleted_as_it_is(workspace: Workspace, vault: Path, trash: Path) -> None:
    for path, data in {"plain.md": b"", "crlf.md": bytes(range(9)) * 50}.items():
        (vault / path).write_bytes(data)
        workspace.trash.put(workspace.notes.resolve(path).id)
        assert data in [file.read_bytes() for file in trash.iterdir()]
    (vault / "deep/old.md").unlink()
    workspace.trash.put(workspace.notes.resolve("deep/old.md").id)
    assert update(workspace, vault) == {"deep/page.html"}


def test_without_a_trash_files_go_into_a_folder_next_to_them(
    workspace: Workspace, vault: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def refuse(file: Path) -> None:
        raise PermissionError(13, "no trash", str(file))

    monkeypatch.setattr(file_writing, "_send_to_trash", refuse)
    (vault / "deep/plain.md").write_bytes(b"Of the same name.\n")
    update(workspace, vault)
    both = [workspace.notes.resolve(path).id for path in ("plain.md", "deep/plain.md")]
    assert workspace.trash.put(both) == {vault / ".trash"}
    there = {file.name: file.read_bytes() for file in (vault / ".trash").iterdir()}
    assert there == {"plain.md": FILES["plain.md"], "plain 2.md": b"Of the same name.\n"}
    assert update(workspace, vault) == {*FILES} - {"plain.md"}
    workspace.trash.restore(both)
    assert (vault / "plain.md").read_bytes() == FILES["plain.md"]
    for file in (vault / ".trash").iterdir():
        file.unlink()
    (vault / ".trash").rmdir()
    (vault / ".trash").symlink_to(tmp_path)
    with pytest.raises(NotWritable):
        workspace.trash.put(both)
    assert {"plain.md", "deep/plain.md"} <= update(workspace, vault)


def test_a_base_that_only_reads_hides_the_note_until_it_is_restored(workspace: Workspace, vault: Path) -> None:
    workspace.bases.update("vault", write_files=False)
    notes = [workspace.notes.resolve(path).id for path in FILES]
    workspace.trash.put(notes)
    plan = workspace.imports.plan_folder(vault, "vault")
    assert {left.path for left in plan.left_out} == {*FILES}
    assert "Restore the note" in str(plan.left_out[0].error)
    assert update(workspace, vault) == set()
    assert files(vault) == FILES
    workspace.trash.restore(notes, embed=False)
    assert update(workspace, vault) == {*FILES}
    assert all(workspace.notes.get(note).in_file for note in notes)


def test_a_folder_that_is_away_loses_its_notes_and_keeps_its_files(workspace: Workspace, vault: Path) -> None:
    vault.rename(vault.with_name("away"))
    note = workspace.notes.resolve("plain.md").id
    workspace.trash.put(note)
    vault.with_name("away").rename(vault)
    assert "plain.md" not in update(workspace, vault)
    assert files(vault) == FILES


LINKED = {
    "garden/Hens.md": b"# Hens\n\n![coop](pics/coop.png) and ![[pics/coop.png]], [map](../map.md), [[plain]].\n",
    "garden/pics/coop.png": b"\x89PNG\r\n\x1a\n",
    "map.md": b"To [hens](garden/Hens.md#hens), [[Hens]], [[garden/Hens|them]].\n",
}


def test_a_note_moves_with_its_file_and_all_links_lead_where_they_led(workspace: Workspace, vault: Path) -> None:
    for path, data in LINKED.items():
        (vault / path).parent.mkdir(exist_ok=True)
        (vault / path).write_bytes(data)
    (vault / "C#: odd").mkdir()
    update(workspace, vault)
    before = files(vault)
    both = [workspace.notes.resolve(path).id for path in ("garden/Hens.md", "crlf.md")]
    done = workspace.renames.move(both, "C#: odd")
    after = files(vault)
    assert after["C#: odd/crlf.md"] == FILES["crlf.md"]
    hens = after["C#: odd/Hens.md"].decode()
    assert "![coop](../garden/pics/coop.png)" in hens
    assert "![[garden/pics/coop.png]], [map](../map.md), [[plain]]" in hens
    assert "(C%23:%20odd/Hens.md#hens), [[Hens]], [[" in after["map.md"].decode()
    links = workspace.notes.links()
    there = workspace.notes.resolve("map.md")
    assert {links.target(workspace.notes.get(there.id), link) for link in workspace.notes.get(there.id).links} == {
        both[0]
    }
    assert workspace.imports.plan_folder(vault, "vault").is_empty
    for renaming in reversed(done):
        workspace.renames.undo(renaming)
    assert files(vault) == before


@pytest.mark.parametrize("folder", ["../out", "node_modules", ".hidden", "deep/../..", "link"])
def test_no_note_moves_where_no_import_reads_it(workspace: Workspace, vault: Path, folder: str) -> None:
    (vault / "link").symlink_to(vault.parent)
    both = [workspace.notes.resolve(path).id for path in ("plain.md", "crlf.md")]
    with pytest.raises(EditError):
        workspace.renames.move(both, folder)
    assert files(vault) == FILES


def test_a_note_that_is_only_read_is_not_moved(workspace: Workspace, vault: Path) -> None:
    workspace.bases.update("vault", write_files=False)
    own = workspace.notes.add("vault", "Own.", path="own.md").id
    for path in FILES:
        with pytest.raises(EditError, match="isn't allowed to change files"):
            workspace.renames.move([own, workspace.notes.resolve(path).id], "other")
    assert workspace.notes.get(own).path == "own.md"
    assert files(vault) == FILES


def test_a_document_moves_with_its_file_and_the_links_to_it_follow(workspace: Workspace, vault: Path) -> None:
    page = PdfPage()
    page.text(72, 100, "Text of a page.")
    kinds = {kind: of_markdown("# Paper\n\nIts text.\n", kind) for kind in ("docx", "html")}
    kinds |= {"pdf": pdf([page]), "csv": b"bird,eggs\ntern,2\n"}
    kinds |= {"eml": b"From: a@example.org\nSubject: Paper\n\nText of a mail.\n"}
    for kind, data in kinds.items():
        (vault / f"paper.{kind}").write_bytes(data)
    written = "[{0}]({1}paper.{0}#p) and ![[{1}paper.{0}|it]], [[paper.{0}]]\n\n{2}"
    (vault / "map.md").write_text("".join(written.format(kind, "", "paper pdf.") for kind in kinds))
    (vault / "deep" / "own.md").write_text("[up](../paper%2Epdf), [[paper.pdf]]\n")
    update(workspace, vault)
    before = files(vault)
    papers = {kind: workspace.notes.resolve(f"paper.{kind}") for kind in kinds}
    texts = {kind: workspace.notes.get(paper.id).body for kind, paper in papers.items()}
    done = workspace.renames.move([paper.id for paper in papers.values()], "read/later")
    after = files(vault)
    for kind, data in kinds.items():
        assert after[f"read/later/paper.{kind}"] == data
        assert f"paper.{kind}" not in after
        moved = workspace.notes.get(papers[kind].id)
        assert (moved.body, moved.path, moved.in_file) == (texts[kind], f"read/later/paper.{kind}", True)
    follow = "[{0}]({1}paper.{0}#p) and ![[paper.{0}|it]], [[paper.{0}]]\n\n{2}"
    assert after["map.md"].decode() == "".join(follow.format(kind, "read/later/", "paper pdf.") for kind in kinds)
    assert after["deep/own.md"] == b"[up](../read/later/paper.pdf), [[paper.pdf]]\n"
    linking = {renaming.path_before: {link.title for link in renaming.linking} for renaming in done}
    assert linking == {f"paper.{kind}": {"map", *(["own"] if kind == "pdf" else [])} for kind in kinds}
    assert workspace.imports.plan_folder(vault, "vault").is_empty
    workspace.renames.undo(*done)
    assert files(vault) == before
    assert workspace.imports.plan_folder(vault, "vault").is_empty


def test_a_document_of_an_upload_keeps_its_place(workspace: Workspace, vault: Path) -> None:
    workspace.imports.apply(
        workspace.imports.plan_upload([("pages.zip", zipped({"a.html": FILES["deep/page.html"]}))], "up")
    )
    uploaded = next(card for card in workspace.notes.all() if card.source == "upload" and card.document)
    with pytest.raises(EditError, match="a pack or an upload"):
        workspace.renames.move([workspace.notes.resolve("plain.md").id, uploaded.id], "other")
    assert workspace.renames.move([], "other") == []
    assert files(vault) == FILES


def test_many_notes_move_as_one_change(workspace: Workspace, vault: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(12):
        (file := vault / f"from {number}" / "same.md").parent.mkdir()
        file.write_text(f"# Same {number}\n\nTo [next](../from%20{(number + 1) % 12}/same.md).\n")
    (vault / "map.md").write_text("".join(f"[{number}](from%20{number}/same.md)\n" for number in range(12)))
    update(workspace, vault)
    before, tables = files(vault), list[int]()
    named = NoteTable.named
    monkeypatch.setattr(NoteTable, "named", lambda table: [tables.append(1), named(table)][1])
    many = [workspace.notes.resolve(f"from {number}/same.md").id for number in range(12)]
    tables.clear()
    (one,) = workspace.renames.move(many[0], "one")
    workspace.renames.undo(one)
    of_one = len(tables)
    done = workspace.renames.move(many, "all")
    assert {str(renaming.path) for renaming in done} == {"all/same.md", *(f"all/same {n}.md" for n in range(2, 13))}
    workspace.renames.undo(*done)
    assert len(tables) == 2 * of_one
    assert files(vault) == before
    workspace.renames.move(many, "all")
    there = workspace.notes.resolve("map.md").id
    assert len([version for version in workspace.versions.all(there) if version.author == "person"]) == 5
    for note_id in [there, *many]:
        note, led = (
            workspace.notes.get(note_id),
            [*many[many.index(note_id) + 1 :], many[0]][:1] if note_id in many else many,
        )
        assert [workspace.notes.links().target(note, link) for link in note.links] == led
    assert workspace.imports.plan_folder(vault, "vault").is_empty


def test_of_many_notes_all_move_or_none(workspace: Workspace, vault: Path) -> None:
    (vault / "crlf.md").write_text("Changed elsewhere.\n")
    before = files(vault)
    with pytest.raises(Conflict):
        workspace.renames.move([workspace.notes.resolve(path).id for path in FILES], "other")
    assert files(vault) == before
    assert {str(card.path) for card in workspace.notes.all()} == {*FILES}


def test_a_folder_with_too_long_a_name_is_refused_with_its_reason(workspace: Workspace, vault: Path) -> None:
    with pytest.raises(SourceError, match="can't be written"):
        workspace.renames.move(workspace.notes.resolve("plain.md").id, "a" * 300)
    assert files(vault) == FILES
    assert workspace.notes.resolve("plain.md").path == "plain.md"
