"""The tasks of a first-time user, in clicks and by keyboard alone; what is typed and Enter count as no click."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.conftest import IMPORT, Tab, importing, tessera, vault_workspace

pytestmark = pytest.mark.browser


class Hand:
    """A hand that clicks in a tab, and counts, or one that has only `keys`."""

    def __init__(self, tab: Tab, *, keys: bool) -> None:
        self._tab, self._keys, self.clicks = tab, keys, 0

    def click(self, control: Locator) -> None:
        expect(control).to_be_visible()
        self._tab.settle()
        if self._keys:
            self._reach(control)
            self._tab.page.keyboard.press("Enter")
        else:
            control.click()
        self.clicks += 1

    def _reach(self, control: Locator) -> None:
        """Reach a control by Tab, and one of a group of choices by the arrow from the first of them."""
        if control.get_attribute("role") != "radio":
            self._tab.reach(control)
            return
        choices = control.locator("xpath=ancestor::*[@role='radiogroup']").get_by_role("radio")
        self._tab.reach(choices.first)
        for _ in range(choices.count()):
            if control.evaluate("one => one === document.activeElement"):
                return
            self._tab.page.keyboard.press("ArrowRight")
        raise AssertionError(f"no arrow leads to {control}")

    def type(self, box: Locator, text: str) -> None:
        expect(box).to_be_visible()
        self._tab.settle()
        if self._keys:
            self._tab.reach(box)
            self._tab.page.keyboard.insert_text(text)
        else:
            box.fill(text)
        box.press("Enter")


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("tasks")
    for name, line in {
        "vault": "rake for the meadow",
        "clicks": "punt",
        "keys": "oar",
        "garden": "zanzibar",
        "meadow": "madagascar",
    }.items():
        (folder / name).mkdir()
        (folder / name / "one.md").write_text(f"# One\n\nA {line} stands in the shed.\n", encoding="utf-8")
    with vault_workspace(folder) as place:
        tessera("base", "new", "fens")  # Home offers a new base where there are two
        yield place


@pytest.mark.parametrize("way", ["clicks", "keys"])
def test_a_folder_is_added_in_three_clicks(tab: Tab, place: Path, way: str) -> None:
    page, hand = tab.page, Hand(tab, keys=way == "keys")
    tab.open("/")
    hand.click(page.get_by_role("link", name="Import more notes"))
    hand.type(page.get_by_role("textbox", name="Folder path"), str(place.parent / way))
    with importing(tab):
        hand.click(page.get_by_role("button", name="Apply"))
    assert hand.clicks <= 3


@pytest.mark.parametrize(("name", "word", "keys"), [("garden", "zanzibar", False), ("meadow", "madagascar", True)])
def test_a_new_base_with_its_first_notes_is_searched_in_four_clicks(
    tab: Tab, place: Path, name: str, word: str, *, keys: bool
) -> None:
    page, hand = tab.page, Hand(tab, keys=keys)
    tab.open("/")
    hand.click(page.get_by_role("link", name="New base"))
    hand.type(page.get_by_role("textbox", name="Name"), name)
    hand.click(page.get_by_role("button", name="Create base"))
    hand.type(page.get_by_role("textbox", name="Folder path"), str(place.parent / name))
    with importing(tab):
        hand.click(page.get_by_role("button", name="Apply"))
    tab.settle()
    hand.click(page.get_by_test_id("stSidebar").get_by_role("link", name="Search"))
    hand.type(page.get_by_role("textbox", name="Ask a question"), word)
    expect(page.locator(".st-key-hit_1")).to_contain_text(word)
    assert hand.clicks <= 4


@pytest.mark.parametrize("way", ["clicks", "keys"])
def test_two_setups_are_compared_on_a_question_of_ones_own_in_five_clicks(tab: Tab, way: str) -> None:
    page, hand = tab.page, Hand(tab, keys=way == "keys")
    tab.open("/")
    hand.type(page.get_by_role("textbox", name="What are you looking for?"), f"what is of use on a meadow for {way}")
    card = page.locator("[class*='st-key-hit_']").filter(has_text=re.compile("rake|Quoted above")).first
    hand.click(card.get_by_role("button", name="Why this?").first)
    reasons = card.locator("[class*='st-key-why_body_']")
    hand.click(reasons.get_by_role("button", name="Correct passage"))
    expect(page.get_by_text("Added to 'My questions'")).to_be_visible()
    hand.click(reasons.get_by_role("link", name="Evaluation"))
    hand.click(page.locator(".st-key-way_1").get_by_role("radio", name="Keywords only"))
    expect(page.locator(".st-key-way_1 .t-name")).to_have_text("By keyword only")
    hand.click(page.get_by_role("button", name="Run these 2 setups"))
    expect(page.locator(".t-verdict")).to_be_visible(timeout=IMPORT)
    assert hand.clicks <= 5
