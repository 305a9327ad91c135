"""Asking in a real browser: what a click on a chip, a facet, a hit or a verdict does, and what outlives a reload."""

import re
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Tab, import_folder
from tests.model_server import Handler, ModelServer, Request

pytestmark = pytest.mark.browser

SECTION = "The {name} of the house is described here in a sentence that is long enough to fill a line. " * 24
NOTE = "---\ntags: [{tag}]\n---\n\n# {title}\n\n{text}\n"


class Judge(ModelServer):
    """A rerank server that answers while its gate is open."""

    gate = threading.Event()

    def serve(self, handler: Handler, request: Request) -> None:
        self.gate.wait(60)
        super().serve(handler, request)


@pytest.fixture(scope="module", autouse=True)
def judge() -> Iterator[Judge]:
    """In the settings of the app, which is started after it."""
    with pytest.MonkeyPatch.context() as settings, Judge() as judge:
        judge.gate.set()
        settings.setenv("TESSERA_RERANK__BASE_URL", judge.url)
        settings.setenv("TESSERA_RERANK__MODEL", "judge")
        yield judge
        judge.gate.set()


@pytest.fixture(scope="module")
def vault(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("houses") / "houses"
    rooms = "\n\n".join(f"## {name}\n\n{SECTION.format(name=name)}" for name in ("Kitchen", "Cellar", "Attic"))
    for path, tag, title, text in (
        ("old/mill.md", "mill", "The mill", rooms),
        ("old/barn.md", "barn", "The barn", "The cellar of the barn is dry and holds apples."),
        ("new/flat.md", "flat", "The flat", "This flat has a cellar with a window, and no attic."),
    ):
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(NOTE.format(tag=tag, title=title, text=text), encoding="utf-8")
    return folder


@pytest.fixture
def filled(tab: Tab, vault: Path) -> Page:
    """The tab, with the houses imported."""
    import_folder(tab, vault)
    return tab.page


def test_a_question_is_asked_narrowed_looked_into_and_judged(tab: Tab, filled: Page) -> None:
    page = filled
    tab.open("/search")
    box = page.get_by_role("textbox", name="Ask a question")
    box.fill("cellar -window")
    box.press("Enter")
    first, chips, facets = page.locator(".st-key-hit_1"), page.locator(".st-key-chips"), page.locator(".st-key-facets")
    expect(first).to_contain_text("Cellar")
    expect(page.locator(".t-name", has_text="The flat")).to_have_count(0)
    tab.settle()

    # A chip is a part of the question that a click takes away.
    chips.get_by_role("button", name="without window").click()
    expect(page).to_have_url(re.compile(r"\?q=cellar$"))
    expect(box).to_have_value("cellar")
    expect(page.locator(".t-name", has_text="The flat")).to_be_visible()
    tab.settle()

    # A facet is one that a click adds.
    facets.get_by_role("radio", name=re.compile("^old")).click()
    expect(box).to_have_value("cellar path:old/")
    expect(chips.get_by_role("button", name="path: old/")).to_be_visible()
    expect(page.locator(".t-name", has_text="The flat")).to_have_count(0)
    tab.settle()

    # A hit is widened alone.
    mill = page.locator("[class*='st-key-hit_']", has_text="Cellar").filter(has_text="The mill").first
    mill.get_by_role("radio", name="±1").click()
    expect(mill.locator(".t-around").first).to_contain_text("Kitchen")
    expect(page.locator(".t-context")).to_have_count(1)
    tab.settle()

    # What is said of a hit is kept with the question.
    mill.get_by_role("radio", name="Not helpful").click()
    expect(mill.get_by_role("radio", name="Not helpful")).to_be_checked()
    tab.settle()
    page.get_by_text("Context for a prompt").click()
    expect(page.locator("code", has_text="[1] The ")).to_be_visible()
    expect(page.get_by_role("button", name="Download")).to_be_visible()
    page.get_by_test_id("stCode").hover()
    expect(page.get_by_role("button", name="Copy to clipboard")).to_be_visible()

    page.reload()
    expect(box).to_have_value("cellar path:old/")
    expect(mill.get_by_role("radio", name="Not helpful")).to_be_checked()
    tab.settle()
    mill.get_by_role("radio", name="Not helpful").click()
    expect(mill.get_by_role("radio", name="Not helpful")).not_to_be_checked()
    tab.settle()

    # What was asked can be asked again, and saved.
    page.get_by_role("button", name="History").click()
    page.get_by_role("textbox", name="Save this question as").fill("Dry cellars")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_role("link", name="Dry cellars")).to_be_visible()
    tab.settle()
    page.locator(".st-key-past_body").get_by_role("link", name="cellar -window").click()
    expect(box).to_have_value("cellar -window")
    expect(chips.get_by_role("button", name="without window")).to_be_visible()


def test_the_hits_are_there_while_a_slow_reranker_judges_them(tab: Tab, filled: Page, judge: Judge) -> None:
    page = filled
    tab.open("/search?q=apples")
    expect(page.locator(".st-key-hit_1")).to_contain_text("apples")
    tab.settle()
    page.get_by_role("button", name="Options").click()
    page.get_by_role("combobox", name="Second look").click()
    page.get_by_role("option", name="Ranking server", exact=True).click()
    expect(page.get_by_text("second look: Ranking server")).to_be_visible()
    page.keyboard.press("Escape")
    tab.settle()

    judge.gate.clear()
    box = page.get_by_role("textbox", name="Ask a question")
    box.fill("window attic")
    box.press("Enter")
    expect(page.get_by_text("Taking a second look…")).to_be_visible()
    expect(page.locator(".t-hit").first).to_contain_text("window")
    expect(page.get_by_text("holds apples")).to_have_count(1)
    judge.gate.set()
    expect(page.get_by_text("second look: Ranking server")).to_be_visible()
    expect(page.get_by_text("Taking a second look…")).to_have_count(0)
    # Each hit once more, now with what can be done with it.
    expect(page.locator(".t-hit")).to_have_count(5)
    expect(page.get_by_role("radiogroup", name="Was it of use?")).to_have_count(5)


def test_what_is_wrong_with_a_question_is_shown_in_it(tab: Tab, filled: Page) -> None:
    page = filled
    tab.open("/search?q=attic after:2026-02-30")
    expect(page.locator(".t-asked mark")).to_have_text("2026-02-30")
    page.get_by_role("button", name="Search without it").click()
    expect(page).to_have_url(re.compile(r"\?q=attic$"))
    expect(page.locator(".st-key-hit_1")).to_contain_text("Attic")
