"""Documents in the browser: dropped, found and opened at the page of a hit; folders that other programs change."""

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urldefrag

import pytest
from PIL import Image, ImageDraw, ImageFont
from playwright.sync_api import expect

from tests.browser.conftest import Tab, importing, vault_workspace
from tests.documents.pdfs import PdfPage, pdf

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A workspace that watches the folder `vault` beside it."""
    folder = tmp_path_factory.mktemp("documents")
    (folder / "vault").mkdir()
    (folder / "vault" / "shed.md").write_text("# Shed\n\nThe rake hangs on the left.\n", "utf-8")
    with vault_workspace(folder) as place:
        yield place


def drop(tab: Tab, *files: Path) -> None:
    """Upload files on the page Notes, and wait until they are imported."""
    page = tab.page
    tab.open("/notes?import=1")
    page.get_by_role("tab", name="Upload files").click()
    with page.expect_response("**/_stcore/upload_file/**"):
        page.locator(".st-key-by_files input[type=file]").set_input_files(files)
    expect(page.locator(".st-key-by_files")).to_contain_text(files[-1].name)
    tab.settle()
    page.locator(".st-key-look_files button").click()
    expect(page.get_by_text("What will change")).to_be_visible()
    tab.settle()
    with importing(tab):
        page.get_by_role("button", name="Apply").click()


def test_a_dropped_pdf_is_found_and_opens_at_the_page_of_the_hit(tab: Tab, tmp_path: Path) -> None:
    page, pages = tab.page, []
    for heading, line in (("Beginnings", "Potatoes grow below the ground."), ("Endings", "The zanzibar is ripe.")):
        pages.append(one := PdfPage())
        one.text(72, 100, heading, 18, "bold")
        for number in range(24):
            one.text(72, 140 + 20 * number, f"{line} This is sentence {number} of the part.")
    (tmp_path / "garden.pdf").write_bytes(pdf(pages))
    drop(tab, tmp_path / "garden.pdf")
    tab.open("/search?q=zanzibar")
    hit = page.locator(".st-key-hit_1")
    expect(hit).to_contain_text("page 2")
    hit.locator(".st-key-head_1 a").click()
    link = page.get_by_role("link", name="Open the original at page 2")
    expect(link).to_be_visible()
    address, fragment = urldefrag(link.get_attribute("href") or "")
    assert fragment == "page=2"
    answer = page.request.get(f"{tab.url}{address}")
    assert (answer.status, answer.headers["content-type"]) == (200, "application/pdf")
    assert answer.headers["content-disposition"].startswith("inline")
    assert answer.body() == (tmp_path / "garden.pdf").read_bytes()


def test_a_dropped_scan_is_found(tab: Tab, tmp_path: Path) -> None:
    pytest.importorskip("rapidocr")
    scan = Image.new("RGB", (900, 200), "white")
    ImageDraw.Draw(scan).text((40, 70), "The gondola leaves at noon", "black", ImageFont.load_default(48))
    scan.save(tmp_path / "ticket.png")
    drop(tab, tmp_path / "ticket.png")
    tab.open("/search?q=gondola")
    hit = tab.page.locator(".st-key-hit_1")
    expect(hit).to_contain_text("ticket")
    expect(hit.locator("mark").first).to_have_text("gondola")


def test_a_file_that_another_program_changed_is_found_soon(tab: Tab, place: Path) -> None:
    hit = tab.page.locator(".st-key-hit_1")
    tab.open("/search?q=rake")
    expect(hit).to_contain_text("Shed")
    file = place.parent / "vault" / "shed.md"
    (file.parent / "shed.tmp").write_text("# Shed\n\nThe kayak hangs on the left.\n", "utf-8")
    (file.parent / "shed.tmp").replace(file)

    def is_found() -> bool:
        tab.open("/search?q=kayak")
        return hit.get_by_text("kayak").count() > 0

    tab.wait_until(is_found)


def test_a_page_shows_what_another_program_wrote_without_being_loaded_anew(tab: Tab, place: Path) -> None:
    tab.open("/")
    expect(tab.page.get_by_role("heading", name="Recent notes")).to_be_visible()
    tab.settle()
    (place.parent / "vault" / "quay.md").write_text("# Quay\n\nThe gondola lies here.\n", "utf-8")
    expect(tab.page.get_by_test_id("stMain").get_by_text("Quay")).to_be_visible()
    (place.parent / "vault" / "quay.md").unlink()
    expect(tab.page.get_by_test_id("stMain").get_by_text("Quay")).to_have_count(0)
