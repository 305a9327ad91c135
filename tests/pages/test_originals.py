"""The document that a note was converted from: named in the reader, and answered to the page that links to it."""

from pathlib import Path
from urllib.parse import urlsplit

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from core.intake import webpage
from core.intake.webpage import WebPage
from core.workspace import Workspace
from pages.ui.notes import routes
from pages.ui.shared import shell
from tests.documents.pdfs import PdfPage, pdf
from tests.pages.conftest import Screen


@pytest.fixture
def notes(place: Path) -> dict[str, str]:
    page = PdfPage()
    page.text(72, 120, "Potatoes grow below the ground.")
    files = [("potatoes.pdf", pdf([page])), ("peas.rst", b"Peas\n====\n\nPeas climb.\n")]
    with Workspace(place) as workspace:
        workspace.imports.apply(workspace.imports.plan_upload(files, "uploads"))
        return {str(note.path): note.id for note in workspace.notes.all()}


def test_a_pdf_opens_at_the_page_of_its_passage_and_other_kinds_are_saved(notes: dict[str, str]) -> None:
    browser = TestClient(Starlette(routes=routes.routes(shell.open_workspace)))
    screen = Screen().finish("warm").open("notes", note=notes["potatoes.pdf"], chunk="0")
    assert any("pdfplumber" in one.value for one in screen.app.caption)
    (link,) = (one for one in screen.app.get("link_button") if "original" in one.proto.label)
    assert (link.proto.label, urlsplit(link.proto.url).fragment) == ("Open the original at page 1", "page=1")
    answer = browser.get(link.proto.url)
    assert (answer.headers["content-type"], answer.content[:5]) == ("application/pdf", b"%PDF-")
    assert answer.headers["content-disposition"].startswith("inline")
    assert browser.get(f"/original/{'0' * 64}/{notes['potatoes.pdf']}").status_code == 404
    screen.open("notes", note=notes["peas.rst"])
    (link,) = (one for one in screen.app.get("link_button") if "original" in one.proto.label)
    saved = browser.get(link.proto.url)
    assert saved.headers["content-disposition"].startswith("attachment")
    assert saved.headers["content-type"] == "application/octet-stream"


def test_a_sentence_over_the_page_opens_the_original_at_its_own(place: Path) -> None:
    pages = [PdfPage(), PdfPage()]
    pages[0].text(72, 120, "Potatoes grow below the ground in rows that the gardener heaps up with")
    pages[1].text(72, 120, "earth twice. Cucumbers climb.")
    with Workspace(place) as workspace:
        workspace.imports.apply(workspace.imports.plan_upload([("both.pdf", pdf(pages))], "uploads"))
        (note,) = (workspace.notes.get(card.id) for card in workspace.notes.all())
    start = note.body.index("Cucumbers")
    screen = Screen().finish("warm")
    for at, page in (("", 1), (f"{start}-{start + 16}", 2)):
        screen.open("notes", note=note.id, chunk="0", at=at)
        (link,) = (one for one in screen.app.get("link_button") if "original" in one.proto.label)
        assert link.proto.label == f"Open the original at page {page}"


def test_a_page_of_the_web_is_asked_for_only_once_it_is_switched_on(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    screen = Screen().finish("warm").open("notes", **{"import": ""})
    assert not [one for one in screen.app.text_input if one.key == "import_address"]
    screen.open("settings").tab("General", "converters")
    (switch,) = (one for one in screen.app.toggle if one.key == "web_pages")
    switch.set_value(True).run()
    fetched = WebPage("https://example.org/heron", "example.org/heron.html", b"<h1>Heron</h1><p>It waits.</p>")
    monkeypatch.setattr(webpage, "fetch", lambda address: fetched)
    screen.open("notes", **{"import": ""})
    next(one for one in screen.app.text_input if one.key == "import_address").input("https://example.org/heron").run()
    screen.press("look_address").press("plan_apply").finish()
    (note,) = screen.workspace.notes.all()
    assert (note.base, note.title) == ("My notes", "Heron")
