"""A log becomes a note that waits, and is found once a person accepts it."""

from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Tab

pytestmark = pytest.mark.browser

LOG = """ada@build:~/site$ npm run build
Error: Cannot find module 'vite'
npm ERR! code 1
ada@build:~/site$ npm ci && npm run build
added 212 packages in 9s
dist/index.html built in 3.1s
"""


def test_a_log_is_learnt_reviewed_accepted_and_found(tab: Tab, tmp_path: Path) -> None:
    log = tmp_path / "deploy.log"
    log.write_text(LOG, encoding="utf-8")
    page = tab.page
    tab.open("/review")
    page.get_by_text("Suggest notes from logs").click()
    page.locator(".st-key-learning_on button").click()
    go = page.locator(".st-key-learning_go button")
    go.click()
    expect(page.get_by_text("There is nothing to look in yet.")).to_be_visible()
    with page.expect_response(lambda answer: "upload_file" in answer.url):
        page.locator(".st-key-learning_files input[type=file]").set_input_files(str(log))
    expect(page.get_by_text("There is nothing to look in yet.")).to_have_count(0)  # the server has the file
    go.click()
    expect(page.get_by_text("1 note suggested")).to_be_visible()
    tab.open("/search?q=cannot+find+module+vite")
    expect(page.locator("[class*='st-key-hit_']")).to_have_count(0)
    tab.open("/review")
    expect(page.locator(".st-key-review_matter")).to_contain_text("npm ci")
    keys = page.locator(".st-key-decide_accept [aria-label^='Shortcut ']")
    expect(keys).to_be_visible()
    touch = page.context.new_cdp_session(page)
    touch.send("Emulation.setTouchEmulationEnabled", {"enabled": True})
    expect(keys).to_be_hidden()
    touch.send("Emulation.setTouchEmulationEnabled", {"enabled": False})
    page.locator(".st-key-decide_accept button").click()
    expect(page.get_by_text("There is nothing to review.")).to_be_visible()
    tab.open("/search?q=cannot+find+module+vite")
    expect(page.locator(".st-key-hit_1")).to_contain_text("npm ci")
