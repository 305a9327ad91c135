"""Pictures on the pages: the switch of a base, the picture of a hit, the warnings of a note."""

import re
from html import unescape
from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from core.base.errors import SourceError
from core.documents import converting
from core.workspace import Workspace
from pages.ui.notes import routes
from pages.ui.shared import shell
from pages.ui.shared.knobs import INSTALL
from tests.pages.conftest import Screen

PNG = b"\x89PNG\r\n\x1a\n picture"
TORN = b"\x89PNG\r\n\x1a\n torn"


@pytest.fixture(autouse=True)
def _reader(monkeypatch: pytest.MonkeyPatch) -> None:
    def read(_: object, data: bytes, path: str, __: object) -> tuple[str, str]:
        if data == TORN:
            raise SourceError(path, "This file is damaged. Open it in its own program, save it again, and import it.")
        return "Irrigation of the <b>greenhouse</b>", "a reader"

    monkeypatch.setattr(converting.PictureReader, "read", read)


@pytest.fixture
def screen(place: Path, tmp_path: Path) -> Screen:
    """The app with a note that shows two pictures, in a base that doesn't read them yet."""
    folder = tmp_path / "garden"
    folder.mkdir()
    (folder / "plan.md").write_text("# Plan\n\n## Water\n\n![[board.png]] and ![[torn.png]]\n")
    (folder / "board.png").write_bytes(PNG)
    (folder / "torn.png").write_bytes(TORN)
    with Workspace(place) as workspace:
        workspace.imports.apply(workspace.imports.plan_folder(folder, "garden"))
    return Screen().finish("warm")


def toggle(screen: Screen) -> object:
    return next(one for one in screen.app.toggle if (one.key or "").startswith("read_pictures_"))


def test_the_switch_of_a_base_reads_its_pictures_and_a_hit_shows_its_own(screen: Screen) -> None:
    screen.open("bases", base="garden")
    assert INSTALL not in screen.text
    toggle(screen).set_value(True).run()  # type: ignore[attr-defined]
    assert screen.workspace.bases.get("garden").read_pictures
    screen.finish("pictures").open("search", q="irrigation")
    assert "picture board.png" in screen.text
    assert "&lt;b&gt;greenhouse" in screen.text
    (address,) = [unescape(one) for one in re.findall(r'<img class="t-picture" src="([^"]+)"', screen.text)]
    browser = TestClient(Starlette(routes=routes.routes(shell.open_workspace)))
    answer = browser.get(address)
    assert (answer.status_code, answer.content, answer.headers["Content-Type"]) == (200, PNG, "image/png")
    screen.open("notes", note=screen.workspace.notes.all()[0].id)
    assert "Picture torn.png: This file is damaged." in screen.text.replace("\\", "")
    assert "Irrigation" not in screen.document
    screen.open("bases", base="garden")
    toggle(screen).set_value(False).run()  # type: ignore[attr-defined]
    assert not screen.open("search", q="irrigation").workspace.search("irrigation", mode="keyword").hits


def test_the_bands_of_a_note_name_the_picture_of_a_chunk(screen: Screen) -> None:
    screen.workspace.bases.update("garden", read_pictures=True)
    screen.finish("pictures").open("chunks", note=screen.workspace.notes.all()[0].id)
    (bands,) = [one for one in screen.app.get("bidi_component") if one.proto.component_name == "chunk_bands"]
    assert "picture board.png" in bands.proto.json
    assert bands.proto.json.count("Irrigation") == 1


def test_a_form_without_what_reads_pictures_says_how_to_install_it(
    screen: Screen, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(converting, "has", lambda _: False)
    screen.open("bases", base="garden")
    assert toggle(screen).disabled  # type: ignore[attr-defined]
    assert INSTALL in screen.text
    screen.open("bases", new="yes")
    assert screen.app.toggle("new_read_pictures").disabled
    assert INSTALL in screen.text
