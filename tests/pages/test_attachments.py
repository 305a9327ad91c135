"""The files beside notes over HTTP: those that a page links to, of folders that the person chose."""

import re
import zipfile
from html import unescape
from pathlib import Path
from urllib.parse import quote

import httpx
import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from core.workspace import Workspace
from pages.ui.notes import routes
from pages.ui.shared import shell
from tests.pages.conftest import Screen

DIGEST = "a44fd144"
PNG = b"\x89PNG\r\n\x1a\n picture"
NOTE = "# Heron\n\n![a](pic.png) ![b](sound.png) [paper](paper.pdf) [data](data.xyz) ![loop](loop.png) ![[far.png]]\n"


@pytest.fixture
def browser() -> TestClient:
    return TestClient(Starlette(routes=routes.routes(shell.open_workspace)), raise_server_exceptions=False)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "folder"
    folder.mkdir()
    files = {
        "pic.png": PNG,
        "sound.png": b"no picture",
        "paper.pdf": b"%PDF-1.7",
        "data.xyz": b"data",
        "key": b"secret",
    }
    for name, data in {"heron.md": NOTE.encode(), **files}.items():
        (folder / name).write_bytes(data)
    (folder / "loop.png").symlink_to("loop.png")
    (folder / "far.png").symlink_to(folder / "\udcff.png")
    (folder / "\udcff.png").write_bytes(PNG)  # a name that is no text
    return folder


@pytest.fixture
def note_id(place: Path, folder: Path) -> str:
    with Workspace(place) as workspace:
        workspace.imports.apply(workspace.imports.plan_folder(folder))
        return workspace.notes.all()[0].id


def test_what_a_note_links_to_is_answered_to_the_page_that_shows_it(note_id: str, browser: TestClient) -> None:
    document = Screen().finish("warm").open("notes", note=note_id).document
    addresses = {
        address.rpartition("/")[2]: unescape(address)
        for address in re.findall(r'(?:src|href)="(/attach[^"]*)"', document)
    }
    assert {*addresses} == {"pic.png", "sound.png", "paper.pdf", "data.xyz"}
    answers = {name: browser.get(address) for name, address in addresses.items()}
    assert {answer.status_code for answer in answers.values()} == {200}
    assert (answers["pic.png"].content, answers["pic.png"].headers["Content-Type"]) == (PNG, "image/png")
    assert answers["pic.png"].headers["Content-Disposition"].startswith("inline")
    for name in ("sound.png", "paper.pdf", "data.xyz"):
        assert answers[name].headers["Content-Type"] == "application/octet-stream"
        assert answers[name].headers["Content-Disposition"].startswith("attachment")
    pic = addresses["pic.png"]
    for other in (
        pic.replace("pic.png", "key"),
        pic.replace(note_id, "other"),
        pic.replace("pic.png", "%2e/pic.png"),
        f"/attachment/{note_id}/pic.png",
        f"/attachment//{note_id}/pic.png",
        f"/attachment/{'0' * 64}/{note_id}/pic.png",
        f"/attachment/é/{note_id}/pic.png",
    ):
        assert browser.get(other).status_code == 404, other


def test_a_place_that_is_none_is_not_found(note_id: str, browser: TestClient) -> None:
    """Though its address were one that a page links to."""
    Screen().finish("warm")
    long = "a" * 300, "a/" * 3000, "../" * 3000
    outside = "/etc/passwd", "../../etc/passwd", "..", "", "~", ".", "\\..\\x", "%2e%2e/x"
    for place in ("loop.png", "loop.png/x", "heron.md/x", "a\0b", *long, *outside):
        assert browser.get(routes.file_address(note_id, place)).status_code == 404, place
        assert browser.get(routes.file_address("../x", place)).status_code == 404, place


def test_an_archive_opens_no_folder(
    place: Path, folder: Path, note_id: str, tmp_path: Path, browser: TestClient
) -> None:
    secret = tmp_path / "elsewhere"
    secret.mkdir()
    (secret / "secret.png").write_bytes(PNG)
    with Workspace(place) as workspace:
        workspace.archives.export(workspace.bases.all()[0].name, tmp_path / "a.zip", "zip")
    with zipfile.ZipFile(tmp_path / "a.zip") as source, zipfile.ZipFile(tmp_path / "b.zip", "w") as target:
        for name in source.namelist():
            target.writestr(
                name, source.read(name).replace(b'"source_ref": ' + _json(folder), b'"source_ref": ' + _json(secret))
            )
    with Workspace(place) as workspace:
        base = workspace.archives.restore(tmp_path / "b.zip", "guest").base
        [card] = workspace.notes.all(workspace.searching.filters(bases=[base.name]))
        assert workspace.attachments.find(card.id, "/secret.png") is None
        assert workspace.attachments.find(card.id, "secret.png") is None
        assert workspace.attachments.find(note_id, "/pic.png")
    Screen().finish("warm")
    assert browser.get(routes.file_address(card.id, "secret.png")).status_code == 404


def _json(path: Path) -> bytes:
    return f'"{path}"'.encode()


PICTURES = TestClient(Starlette(routes=routes.routes(shell.open_workspace)), raise_server_exceptions=False)


def put_in(base: str, note_id: str, name: str, data: bytes) -> httpx.Response:
    return PICTURES.post(f"{routes.picture_address(base, note_id, 'en')}&name={quote(name)}", content=data)


def test_a_picture_goes_beside_the_file_of_its_note_where_files_are_written(note_id: str, folder: Path) -> None:
    workspace = shell.open_workspace()
    (base,) = workspace.bases.all()
    path = put_in(base.name, note_id, "../../Möwe am Meer.png", PNG).json()["path"]
    assert path == f"attachments/Möwe-am-Meer-{DIGEST}.png"
    assert (workspace.attachments.own_folder / path).read_bytes() == PNG  # files are only read
    workspace.bases.update(base.name, write_files=True)
    assert put_in(base.name, note_id, "Möwe am Meer.png", PNG).json()["path"] == path
    assert put_in(base.name, note_id, "Möwe am Meer.png", PNG).json()["path"] == path
    assert [file.name for file in (folder / "attachments").iterdir()] == [path.partition("/")[2]]
    attached = workspace.attachments.find(note_id, path)
    assert attached is not None
    assert (attached.path, attached.type) == (folder / path, "image/png")


def test_a_picture_of_a_note_that_lives_here_is_the_workspaces_own_and_is_in_its_backup(place: Path) -> None:
    with Workspace(place) as workspace:
        note = workspace.notes.add("home", "Text", title="Heron", path="birds/", embed=False)
    path = put_in("home", note.id, "image.png", PNG).json()["path"]
    workspace = shell.open_workspace()
    note = workspace.notes.update(note.id, body=f"![heron]({path}) ![no](../notes.db)", embed=False)
    assert workspace.attachments.missing(note) == ()
    assert path in Screen().open("notes", note=note.id).document
    assert workspace.attachments.find(note.id, "../notes.db") is None
    assert workspace.attachments.find(note.id, "/../notes.db") is None
    with zipfile.ZipFile(workspace.backups.make().file) as backup:
        assert backup.read(f"files/{path}") == PNG


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"no picture", "Only pictures ("),
        (b"<svg xmlns='http://www.w3.org/2000/svg'/>", "Only pictures ("),
        (PNG + bytes(20_000_000), "larger than 20 MB"),
    ],
)
def test_what_is_no_picture_is_refused_with_the_reason(note_id: str, folder: Path, data: bytes, reason: str) -> None:
    answer = put_in(shell.open_workspace().bases.all()[0].name, note_id, "a.png", data)
    assert answer.status_code == 422
    assert reason in answer.json()["refused"]
    assert not (folder / "attachments").exists()


def test_no_picture_leaves_the_folder_or_comes_without_a_seal(note_id: str, folder: Path, tmp_path: Path) -> None:
    (base,) = shell.open_workspace().bases.all()
    shell.open_workspace().bases.update(base.name, write_files=True)
    (tmp_path / "elsewhere").mkdir()
    (folder / "attachments").symlink_to(tmp_path / "elsewhere")
    assert "points to another location" in put_in(base.name, note_id, "a.png", PNG).json()["refused"]
    assert list((tmp_path / "elsewhere").iterdir()) == []
    address = routes.picture_address(base.name, note_id, "en").replace(note_id, "other")
    assert PICTURES.post(address, content=PNG).status_code == 404


def test_the_editor_is_led_to_the_pictures_that_its_note_shows_and_to_nothing_else(note_id: str) -> None:
    (base,) = shell.open_workspace().bases.all()
    address = routes.picture_address(base.name, note_id, "en")
    answer = PICTURES.get(f"{address}&path=pic.png")
    assert (answer.content, answer.url.path) == (PNG, routes.file_address(note_id, "pic.png"))
    for path in (
        "sound.png",
        "paper.pdf",
        "loop.png",
        "none.png",
        "../key",
        "/etc/passwd",
        "https://evil.test/a.png",
        "",
    ):
        assert PICTURES.get(f"{address}&path={quote(path, safe='')}").status_code == 404, path
    for other in (address.replace(note_id, "other"), routes.picture_address(base.name, "", "en")):
        assert PICTURES.get(f"{other}&path=pic.png").status_code == 404
