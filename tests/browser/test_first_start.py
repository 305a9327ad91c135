"""A first start in a real browser, in the order in which a person goes through it."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Tab, importing

pytestmark = pytest.mark.browser

HOSTILE = """---
title: '![t](http://evil.invalid/title.png) <b>bold</b> :red[red]'
tags: ['<img src=http://evil.invalid/tag.png>']
extra: '<script>window.pwned = 1</script>'
---
# Heading ![h](http://evil.invalid/heading.png)

The zanzibar paragraph ![p](http://evil.invalid/p.png) and ![ref][r] and [click](javascript:window.pwned=2).

[r]: http://evil.invalid/reference.png

<script>window.pwned = 3</script>
<img src="http://evil.invalid/raw.png" onerror="window.pwned = 4">
<svg onload="window.pwned = 5"></svg>
<iframe srcdoc="<script>parent.window.pwned = 6</script>"></iframe>
<style>body { background: rgb(255, 0, 0) !important; }</style>

```mermaid
flowchart LR
  A@{ img: "http://evil.invalid/diagram.png", label: "x" } --> B["<img src='http://evil.invalid/node.png'>"]
```

~~~mer&#109;aid
flowchart LR
  C["<img src='http://evil.invalid/node2.png' onerror='window.pwned = 7'>"]
~~~

$\\includegraphics{http://evil.invalid/math.png}$
"""


def test_a_cold_link_to_search_draws_the_page(tab: Tab) -> None:
    tab.open("/search?q=backup")
    expect(tab.page.get_by_role("heading", name="Search")).to_be_visible()
    expect(tab.page.get_by_role("textbox", name="Ask a question")).to_have_value("backup")
    expect(tab.page.get_by_text("There is nothing to search yet")).to_be_visible()
    assert tab.page.title() == "Search · Tessera"


def test_the_sample_notes_are_imported_searched_and_looked_at(tab: Tab) -> None:
    page = tab.page
    tab.open("/")
    with importing(tab):
        page.get_by_role("button", name="Try it with sample notes").click()
    expect(page.get_by_text("Ready to search")).to_be_visible()
    tab.settle()

    page.get_by_role("textbox").first.fill("有人拿瞎编的编号不停地刷接口，每次都落到数据库上，该怎么挡住？")
    page.keyboard.press("Enter")
    expect(page.locator(".st-key-hit_1")).to_contain_text("Redis 缓存穿透")
    assert "/search?q=" in page.url

    box = page.get_by_role("textbox", name="Ask a question")
    box.fill("How do I get back a commit after a hard reset?")
    box.press("Enter")
    expect(page.locator(".st-key-hit_1")).to_contain_text("Git rescue")
    expect(page.locator(".t-answer .t-near").first).to_be_visible()
    tab.settle()

    page.locator(".st-key-hit_1").get_by_role("button", name="Why this?").first.click()
    page.locator(".st-key-why_body_1").get_by_role("link", name="Open in Chunks").click()
    expect(page.locator(".own.on")).to_be_in_viewport()
    expect(page.get_by_text("Why this split")).to_be_visible()
    number = int(page.url.rpartition("chunk=")[2])
    assert page.locator(".own.on").get_attribute("data-index") == str(number)
    page.locator(".own:not(.on)").first.click()
    expect(page).not_to_have_url(re.compile(f"chunk={number}$"))
    expect(page.locator(".own.on")).to_be_visible()

    page.reload()
    expect(page.locator(".own.on")).to_be_visible()


def test_the_language_is_switched_and_remembered(tab: Tab) -> None:
    tab.open("/settings")
    tab.page.get_by_text("中文", exact=True).click()
    expect(tab.page.get_by_role("heading", name="设置")).to_be_visible()
    tab.open("/notes")
    expect(tab.page.get_by_role("heading", name="笔记")).to_be_visible()
    tab.open("/settings")
    tab.page.get_by_text("English", exact=True).click()
    expect(tab.page.get_by_role("heading", name="Settings")).to_be_visible()


def test_a_folder_is_imported_by_its_path_and_a_hostile_note_in_it_does_nothing(tab: Tab, tmp_path: Path) -> None:
    page = tab.page
    (tmp_path / "vault").mkdir()
    (tmp_path / "vault" / "![n](evil).md").write_text(HOSTILE, encoding="utf-8")
    (tmp_path / "vault" / "tame.md").write_text("# Tame\n\nA quiet note.\n", encoding="utf-8")
    tab.open("/notes?import=1")
    background = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.get_by_role("textbox", name="Folder path").fill(str(tmp_path / "vault"))
    page.keyboard.press("Enter")
    expect(page.get_by_text("What will change")).to_be_visible()
    tab.settle()
    with importing(tab):
        page.get_by_role("button", name="Apply").click()

    tab.open("/search?q=zanzibar")
    card = page.locator(".st-key-hit_1")
    expect(card).to_contain_text("zanzibar")
    card.locator(".st-key-head_1 a").click()
    expect(page.locator(".passage")).to_be_visible()
    tab.settle()
    tab.open(f"/notes?note={page.url.partition('note=')[2].partition('&')[0]}")
    expect(page.locator(".st-key-reader")).to_be_visible()
    expect(page.locator(".document")).to_contain_text("<script>")
    expect(page.locator(".document")).to_contain_text("flowchart LR")
    tab.settle()
    page.locator(".st-key-reader").get_by_role("button", name="More").click()
    page.get_by_text("Show the raw text").click()
    expect(page.locator(".document")).to_have_count(0)
    expect(page.locator(".st-key-reader code")).to_contain_text("evil.invalid")
    page.get_by_role("link", name="How it is split").click()
    expect(page.locator(".own").first).to_contain_text("evil.invalid")
    tab.settle()
    page.wait_for_timeout(1000)

    assert page.evaluate("window.pwned") is None
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == background
    assert page.locator("iframe[srcdoc], main img[src^=http]").count() == 0
    assert tab.outside == []


def test_a_row_of_the_list_opens_its_note(tab: Tab) -> None:
    page = tab.page
    tab.open("/")
    samples = page.get_by_role("button", name="Try it with sample notes")
    expect(samples.or_(page.get_by_text("Ready to search")).first).to_be_visible()
    if samples.is_visible():  # it runs alone
        with importing(tab):
            samples.click()
    tab.open("/notes")
    page.get_by_text("List", exact=True).click()
    table = page.get_by_test_id("stDataFrame").first
    expect(table.locator("[role=gridcell]").first).to_be_attached()
    box = tab.still(table)
    table.hover()
    expect(page.get_by_role("button", name="Search", exact=True)).to_be_visible()
    csv = page.get_by_label("Download as CSV")
    expect(csv).to_have_count(1)
    expect(csv).not_to_be_visible()  # its cells are no text to a spreadsheet: a title may be a formula
    page.mouse.click(box["x"] + 120, box["y"] + 35 + 17)
    expect(page.locator(".st-key-reader .t-title")).to_be_visible()
    assert "note=" in page.url
