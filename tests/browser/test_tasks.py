"""The tasks of a first-time user, in clicks and by keyboard alone; what is typed and Enter count as no click."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.conftest import IMPORT, Tab, vault_workspace

pytestmark = pytest.mark.browser


class Hand:
    """A hand that clicks in a tab, and counts, or one that has only `keys`."""

    def __init__(self, tab: Tab, *, keys: bool) -> None:
        self._tab, self._keys, self.clicks = tab, keys, 0

    def click(self, control: Locator) -> None:
        expect(control).to_be_visible()
        self._tab.settle()
        if self._keys:
            self._tab.reach(control)
            self._tab.page.keyboard.press("Enter")
        else:
            control.click()
        self.clicks += 1

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
        "vault": "rake",
        "clicks": "punt",
        "keys": "oar",
        "garden": "zanzibar",
        "meadow": "madagascar",
    }.items():
        (folder / name).mkdir()
        (folder / name / "one.md").write_text(f"# One\n\nA {line} stands in the shed.\n", encoding="utf-8")
    with vault_workspace(folder) as place:
        yield place


@pytest.mark.parametrize("way", ["clicks", "keys"])
def test_a_folder_is_added_in_three_clicks(tab: Tab, place: Path, way: str) -> None:
    page, hand = tab.page, Hand(tab, keys=way == "keys")
    tab.open("/")
    hand.click(page.get_by_role("link", name="Import more notes"))
    hand.type(page.get_by_role("textbox", name="Folder path"), str(place.parent / way))
    hand.click(page.get_by_role("button", name="Apply"))
    expect(page.locator(".t-done b", has_text="Import finished")).to_be_visible(timeout=IMPORT)
    assert hand.clicks <= 3


@pytest.mark.parametrize(("name", "word", "keys"), [("garden", "zanzibar", False), ("meadow", "madagascar", True)])
def test_a_new_base_with_its_first_notes_is_searched_in_four_clicks(
    tab: Tab, place: Path, name: str, word: str, *, keys: bool
) -> None:
    page, hand = tab.page, Hand(tab, keys=keys)
    tab.open("/")
    hand.click(page.get_by_role("link", name="New base"))
    hand.type(page.get_by_role("textbox", name="Name"), name)
    hand.click(page.get_by_role("button", name="Make the base"))
    hand.type(page.get_by_role("textbox", name="Folder path"), str(place.parent / name))
    hand.click(page.get_by_role("button", name="Apply"))
    expect(page.locator(".t-done b", has_text="Import finished")).to_be_visible(timeout=IMPORT)
    tab.settle()
    hand.click(page.get_by_test_id("stSidebar").get_by_role("link", name="Search"))
    hand.type(page.get_by_role("textbox", name="Ask a question"), word)
    expect(page.locator(".st-key-hit_1")).to_contain_text(word)
    assert hand.clicks <= 4
