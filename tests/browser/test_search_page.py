"""Asking in a real browser: what a click on a chip, a facet, a hit or a verdict does, and what outlives a reload."""

import re
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Locator, Page, expect

from tests.browser.conftest import Tab, import_folder, visiting
from tests.model_server import Handler, ModelServer, Request

pytestmark = pytest.mark.browser

SECTION = "The {name} of the house is described here in a sentence that is long enough to fill a line. " * 24
NOTE = "---\ntags: [{tag}]\nproject: restorations_of_neighbourhood_{tag}s\n---\n\n# {title}\n\n{text}\n"


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


@pytest.fixture(scope="module")
def _imported(server: str, visitor: BrowserContext, vault: Path) -> None:
    with visiting(visitor, server) as tab:
        import_folder(tab, vault)


@pytest.fixture
def filled(_imported: None, tab: Tab) -> Page:
    """The tab, with the houses imported."""
    return tab.page


def title(page: Page, text: str) -> Locator:
    return page.locator("[class*='st-key-head_']").get_by_role("link", name=text)


def test_a_question_is_asked_narrowed_looked_into_and_judged(tab: Tab, filled: Page) -> None:
    page = filled
    tab.open("/search")
    box = page.get_by_role("textbox", name="Ask a question")
    box.fill("cellar -window")
    first, chips, facets = page.locator(".st-key-hit_1"), page.locator(".st-key-chips"), page.locator(".st-key-facets")
    expect(first).to_contain_text("Cellar")
    expect(title(page, "The flat")).to_have_count(0)
    expect(page).to_have_url(re.compile(r"\?q=cellar"))
    tab.settle()

    # A chip is a part of the question that a click takes away.
    chips.get_by_role("button", name="without window").click()
    expect(page).to_have_url(re.compile(r"\?q=cellar$"))
    expect(box).to_have_value("cellar")
    expect(title(page, "The flat")).to_be_visible()
    tab.settle()

    # A facet is one that a click adds, and another takes away.
    facets.get_by_role("radio", name=re.compile("^old")).click()
    expect(box).to_have_value("cellar path:old/")
    expect(title(page, "The flat")).to_have_count(0)
    tab.settle()
    expect(facets.get_by_role("radio", name=re.compile("^new"))).to_be_visible()
    tab.settle()

    # A hit is read in place, alone.
    mill = page.locator("[class*='st-key-hit_']", has_text="The mill")
    mill.get_by_role("button", name="Show more").first.click()
    mill.get_by_role("radio", name="±1").click()
    expect(mill.locator(".t-around").first).to_contain_text("Kitchen")
    expect(page.locator(".t-context")).to_have_count(1)
    tab.settle()

    # What is said of a hit is kept with the question.
    reasons = mill.locator("[class*='st-key-why_body_']")
    mill.get_by_role("button", name="Why this?").first.click()
    expect(reasons).to_contain_text("meaning")
    reasons.get_by_role("radio", name="Not helpful").click()
    expect(reasons.get_by_role("radio", name="Not helpful")).to_be_checked()
    tab.settle()
    page.keyboard.press("Escape")
    chips.get_by_role("button", name="For an assistant").click()
    expect(page.locator("code", has_text="[1] <note> The ")).to_be_visible()
    expect(page.get_by_role("button", name="Download")).to_be_visible()
    page.get_by_test_id("stCode").hover()
    expect(page.get_by_role("button", name="Copy to clipboard")).to_be_visible()

    page.reload()
    expect(box).to_have_value("cellar path:old/")
    mill.get_by_role("button", name="Why this?").first.click()
    expect(reasons.get_by_role("radio", name="Not helpful")).to_be_checked()
    tab.settle()
    page.keyboard.press("Escape")

    # Question can be asked again, and saved.
    page.get_by_role("button", name="History").click()
    page.get_by_role("textbox", name="Save this question as").fill("Dry cellars")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_role("link", name="Dry cellars")).to_be_visible()
    again = page.get_by_role("dialog").get_by_role("link", name="cellar -window")
    expect(again).to_have_count(1)  # two while the list that is saved is drawn above the other
    tab.settle()
    again.click()
    expect(box).to_have_value("cellar -window")
    expect(chips.get_by_role("button", name="without window")).to_be_visible()


def test_keys_lead_from_any_page_to_a_passage_and_back(tab: Tab, filled: Page) -> None:
    page = filled
    tab.open("/settings")
    tab.await_keys()
    page.keyboard.press("Control+k")
    box = page.get_by_role("textbox", name="Ask a question")
    expect(box).to_be_focused()
    tab.settle()
    page.keyboard.type("attic", delay=30)
    expect(page.locator(".st-key-hit_1")).to_contain_text("Attic")
    expect(page).to_have_url(re.compile(r"\?q=attic$"))
    tab.settle()
    expect(box).to_be_focused()
    expect(box).to_have_value("attic")

    links = page.locator("[class*='st-key-head_'] a[data-testid='stPageLink-NavLink']")
    page.keyboard.press("ArrowDown")
    expect(links.nth(0)).to_be_focused()
    page.keyboard.press("ArrowDown")
    expect(links.nth(1)).to_be_focused()
    page.keyboard.press("/")
    expect(box).to_be_focused()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")

    # The passage is in sight and marked; the way back leads to the same hits.
    passage = page.locator(".passage")
    expect(passage).to_contain_text(re.compile("attic", re.IGNORECASE))
    expect(passage).to_be_in_viewport()
    tab.settle()
    page.get_by_role("link", name="Back to the hits").click()
    expect(box).to_have_value("attic")
    expect(page.locator(".st-key-hit_1")).to_contain_text("Attic")
    tab.settle()

    # The lines of a hit lead there too.
    page.locator(".st-key-hit_1 .t-lines").first.click()
    expect(passage).to_contain_text(re.compile("attic", re.IGNORECASE))


@pytest.mark.parametrize("width", [1440, 1120])
def test_words_of_facets_are_whole(tab: Tab, filled: Page, width: int) -> None:
    page = filled
    page.set_viewport_size({"width": width, "height": 800})
    tab.open("/search")
    page.get_by_role("textbox", name="Ask a question").fill("cellar")
    facet = page.locator(".st-key-facets p", has_text="neighbourhood_\u200bmills")
    expect(facet).to_be_visible()
    tab.settle()
    rows = facet.evaluate(
        """p => [...p.textContent.matchAll(/[a-z]+/g)].map(word => {
            const range = document.createRange()
            range.setStart(p.firstChild, word.index)
            range.setEnd(p.firstChild, word.index + word[0].length)
            return new Set([...range.getClientRects()].map(one => one.top)).size
        })"""
    )
    assert rows == [1, 1, 1, 1], "restorations, of, neighbourhood, mills"
    ask, facets, hit = page.locator(".st-key-ask_row, .st-key-facets, .st-key-hit_1").evaluate_all(
        "all => all.map(one => one.getBoundingClientRect())"
    )
    assert facets["right"] < hit["left"], "they are next to the hits, not above"
    assert (facets["left"], hit["right"]) == pytest.approx((ask["left"], ask["right"]), abs=1)


def test_a_wide_answer_ends_where_the_page_ends(tab: Tab, filled: Page, tmp_path: Path) -> None:
    """A table of many columns that answers pushed the column beyond the edge of the page."""
    heads, cells = "".join(f"| column number {n} " for n in range(14)), "| some words here " * 14
    table = f"| pantry {heads}|\n{'|---' * 15}|\n| wine {cells}|\n"
    for name, text in (("old/wide.md", f"The pantry has a window.\n\n{table}"), ("new/dry.md", "The pantry is dry.\n")):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(f"# {'Pantry title words ' * 20}\n\n{text}", encoding="utf-8")
    import_folder(tab, tmp_path)
    page = filled
    page.set_viewport_size({"width": 1280, "height": 800})
    tab.open("/search")
    page.get_by_role("textbox", name="Ask a question").fill("how many windows has the pantry?")
    expect(page.locator(".st-key-answer, .st-key-answer_perhaps")).to_be_visible()
    expect(page.locator(".st-key-facets")).to_be_visible()
    tab.settle()
    ask, hit = page.locator(".st-key-ask_row, .st-key-hit_1").evaluate_all(
        "all => all.map(one => one.getBoundingClientRect().right)"
    )
    assert hit == pytest.approx(ask, abs=1)


def test_on_a_narrow_screen_the_facets_are_a_drawer(tab: Tab, filled: Page) -> None:
    page = filled
    page.set_viewport_size({"width": 420, "height": 900})
    tab.open("/search?q=cellar")
    facets = page.locator(".st-key-facets")
    expect(page.locator(".st-key-hit_1")).to_be_visible()
    expect(facets).to_be_hidden()
    for _ in range(2):
        page.get_by_role("button", name="Filters").click()
        expect(facets).to_be_in_viewport()
        tab.settle()
        page.keyboard.press("Escape")
        expect(facets).to_be_hidden()
        tab.settle()
    page.get_by_role("button", name="Filters").click()
    expect(facets).to_be_in_viewport()
    tab.settle()
    facets.get_by_role("radio", name=re.compile("^new")).click()
    expect(page).to_have_url(re.compile("path"))
    expect(facets).to_be_hidden()
    expect(title(page, "The flat")).to_be_visible()


def test_the_hits_are_there_while_a_slow_reranker_judges_them(tab: Tab, filled: Page, judge: Judge) -> None:
    page = filled
    tab.open("/search?q=apples")
    expect(page.locator(".st-key-hit_1")).to_contain_text("apples")
    tab.settle()
    page.get_by_role("button", name="Options").click()
    page.get_by_text("Advanced", exact=True).click()
    page.get_by_role("combobox", name="Rerank the best hits").click()
    page.get_by_role("option", name="Ranking server", exact=True).click()
    waiting = page.locator("p", has_text="Reranking the best hits…")
    expect(page.get_by_role("button", name="Options · 1")).to_be_visible()  # no wait is shown before it is chosen too
    expect(waiting).to_have_count(0)
    tab.settle()

    judge.gate.clear()
    tab.open("/search?q=window attic")
    page.get_by_role("button", name="Options").click()
    page.get_by_text("Advanced", exact=True).click()
    page.get_by_role("combobox", name="Rerank the best hits").click()
    page.get_by_role("option", name="Ranking server", exact=True).click()
    expect(waiting).to_be_visible()
    expect(page.locator("[class*='st-key-early_'] .t-hit").first).to_contain_text("window")
    judge.gate.set()
    expect(waiting).to_have_count(0)
    # Each note once more, now with what can be done with it.
    expect(page.locator("[class*='st-key-early_']")).to_have_count(0)
    expect(page.get_by_role("button", name="Why this?")).not_to_have_count(0)


def test_what_is_wrong_with_a_question_is_shown_in_it(tab: Tab, filled: Page) -> None:
    page = filled
    tab.open("/search?q=attic after:2026-02-30")
    expect(page.locator(".t-asked mark")).to_have_text("2026-02-30")
    page.get_by_role("button", name="Search without this").click()
    expect(page).to_have_url(re.compile(r"\?q=attic$"))
    expect(page.locator(".st-key-hit_1")).to_contain_text("Attic")
