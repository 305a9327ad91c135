"""The drill of the browser, small: some pages of one hostile workspace; and it notices what it looks for."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from benchmarks.drills import browser, hostile
from benchmarks.drills.hostile import Hostile
from benchmarks.drills.tally import Tally

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    with pytest.MonkeyPatch.context() as settings:
        for name, value in browser.ENVIRONMENT.items():
            settings.setenv(name, value)
        yield tmp_path_factory.mktemp("hostile") / "workspace"


@pytest.fixture(scope="module")
def made(place: Path) -> Hostile:
    return hostile.workspace(place, 1, browser.EVIL, notes=3)


def test_a_hostile_workspace_does_nothing_but_be_shown(made: Hostile, server: str, chromium: Browser) -> None:
    tally = Tally("browser")
    for name in ("reader", "search"):
        browser.visit(tally, chromium, server, made, name, "1")
    assert not tally.faults
    assert tally.total.told == tally.total.tried


def test_the_drill_notices_what_a_note_does(chromium: Browser) -> None:
    with chromium.new_context() as context:
        page = context.new_page()
        page.goto("about:blank")
        page.set_content(
            "<title>ran</title><body style='outline: 9px solid red'><main data-testid=stMain><iframe></iframe>"
            "<a href='data:x'>x</a><img src='http://127.0.0.1:9/x'><p aria-label='Mermaid flowchart'>HOSTILERED"
            "\N{SKULL}<strong>HOSTILEBOLD</strong><p data-testid=stException>RangeError"
        )
        look = browser._LOOK.replace("localStorage.ran", "undefined")  # an empty page has no storage
        assert len(page.evaluate(look)) == 10
        page.evaluate(
            "document.body.innerHTML = '<p>'; document.body.attachShadow({mode: 'open'}).innerHTML = '<object>'"
        )
        assert "an element of a note is in the page" in page.evaluate(look)
