"""The files beside notes over HTTP: those that a page links to, of folders that the person chose."""

import re
import zipfile
from html import unescape
from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from core.workspace import Workspace
from pages.ui.notes import attachments
from pages.ui.shared import shell
from tests.pages.conftest import Screen

PNG = b"\x89PNG\r\n\x1a\n picture"
NOTE = "# Heron\n\n![a](pic.png) ![b](sound.png) [paper](paper.pdf) [data](data.xyz) ![loop](loop.png) ![[far.png]]\n"


@pytest.fixture
def browser() -> TestClient:
    return TestClient(Starlette(routes=[attachments.route(shell.workspace)]), raise_server_exceptions=False)


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
        workspace.notes.apply(workspace.notes.plan_folder(folder))
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
        assert browser.get(attachments.address(note_id, place)).status_code == 404, place
        assert browser.get(attachments.address("../x", place)).status_code == 404, place


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
        assert workspace.notes.attachment(card.id, "/secret.png") is None
        assert workspace.notes.attachment(card.id, "secret.png") is None
        assert workspace.notes.attachment(note_id, "/pic.png")
    Screen().finish("warm")
    assert browser.get(attachments.address(card.id, "secret.png")).status_code == 404


def _json(path: Path) -> bytes:
    return f'"{path}"'.encode()
